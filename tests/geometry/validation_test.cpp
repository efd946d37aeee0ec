#include "pliant/geometry/validation.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/geometry/measures.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::box_tets;
using testing_support::grid_plane;
using testing_support::icosphere;
const double nan = std::numeric_limits<double>::quiet_NaN();

// A box of 64 cubes with one of everything.
TetMesh broken_box() {
  TetMesh mesh = box_tets(4, 4, 4, 0.25);
  const Index n = mesh.vertex_count(), m = mesh.tet_count();
  mesh.vertices.conservativeResize(n + 3, 3);
  mesh.vertices.row(n) << nan, 0, 0;                // no finite place
  mesh.vertices.row(n + 1) << 3, 3, 3;              // used by nobody
  mesh.vertices.row(n + 2) = mesh.vertices.row(5);  // where another one is
  mesh.tets.conservativeResize(m + 8, 4);
  mesh.tets.bottomRows(8) << 0, 1, 2, static_cast<int>(n + 3),  // out of range
      -1, 1, 2, 3,                                              // out of range
      0, 1, 2, static_cast<int>(n),                             // not finite
      7, 8, 9, 7,                                               // repeated
      0, 1, 2, 3,                                               // all in one line: degenerate
      5, static_cast<int>(n + 2), 0, 30,                        // two corners in one place: degenerate
      mesh.tets(0, 1), mesh.tets(0, 0), mesh.tets(0, 3), mesh.tets(0, 2),  // the first one again
      mesh.tets(9, 0), mesh.tets(9, 1), mesh.tets(9, 2), mesh.tets(9, 3);  // the tenth one again
  std::swap(mesh.tets(20, 2), mesh.tets(20, 3));                           // inverted
  std::swap(mesh.tets(31, 0), mesh.tets(31, 1));                           // inverted
  return mesh;
}

TEST(Validation, FindsOneOfEverything) {
  const TetMesh mesh = broken_box();
  const Index n = mesh.vertex_count(), m = mesh.tet_count();
  const ValidationReport report = validate(mesh);
  EXPECT_FALSE(report.ok());
  using Ids = std::vector<Index>;
  EXPECT_EQ(report.not_finite.examples, Ids{n - 3});
  EXPECT_EQ(report.unreferenced.examples, Ids{n - 2});
  EXPECT_EQ(report.coincident.examples, Ids{n - 1});
  EXPECT_EQ(report.out_of_range.examples, (Ids{m - 8, m - 7}));
  EXPECT_EQ(report.on_not_finite.examples, Ids{m - 6});
  EXPECT_EQ(report.repeated.examples, Ids{m - 5});
  EXPECT_EQ(report.degenerate.examples, (Ids{m - 4, m - 3}));
  EXPECT_EQ(report.duplicate.examples, (Ids{m - 2, m - 1}));
  EXPECT_EQ(report.inverted.examples, (Ids{20, 31}));
  const std::string text = to_text(report);
  EXPECT_NE(text.find("problems"), std::string::npos);
  EXPECT_NE(text.find("  2 tets are inverted: 20, 31\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  1 vertex belongs to no tet: 126\n"), std::string::npos) << text;
}

TEST(Validation, RepairGivesBackTheBox) {
  const TetMesh clean = box_tets(4, 4, 4, 0.25), broken = broken_box();
  const Repaired<TetMesh> repaired = repair(broken);
  EXPECT_TRUE(validate(repaired.mesh).ok()) << to_text(validate(repaired.mesh));
  EXPECT_EQ(repaired.mesh.vertices, clean.vertices);
  EXPECT_EQ(repaired.mesh.tet_count(), clean.tet_count());
  EXPECT_NEAR(total_volume(repaired.mesh), 1, 1e-12);
  EXPECT_GT(tet_volumes(repaired.mesh).minCoeff(), 0);
  EXPECT_EQ(repaired.log.flipped, 2);
  EXPECT_EQ(repaired.log.dropped_out_of_range, 2);
  EXPECT_EQ(repaired.log.dropped_not_finite, 1);
  EXPECT_EQ(repaired.log.dropped_repeated, 1);
  EXPECT_EQ(repaired.log.dropped_degenerate, 2);
  EXPECT_EQ(repaired.log.dropped_duplicate, 2);
  EXPECT_EQ(repaired.log.removed_vertices, 3);
  EXPECT_NE(to_text(repaired.log).find("turned round 2 inverted tets\n"), std::string::npos);
  for (Index v = 0; v < clean.vertex_count(); ++v) EXPECT_EQ(repaired.vertex_map[v], v);
  EXPECT_EQ(repaired.vertex_map[clean.vertex_count()], -1);
  for (Index e = 0; e < clean.tet_count(); ++e) EXPECT_EQ(repaired.element_source[e], e);
  // A second time there is nothing left to do.
  const Repaired<TetMesh> again = repair(repaired.mesh);
  EXPECT_FALSE(again.log.changed());
  EXPECT_EQ(again.mesh.tets, repaired.mesh.tets);
  EXPECT_EQ(to_text(again.log), "nothing to repair\n");
}

TEST(Validation, SoundMeshesAreOk) {
  EXPECT_TRUE(validate(box_tets(3, 4, 5, 1e-9)).ok());
  EXPECT_TRUE(validate(box_tets(3, 4, 5, 1e9)).ok());
  EXPECT_TRUE(validate(icosphere(3)).ok());
  EXPECT_EQ(validate(icosphere(3)).boundary_sides, 0);
  EXPECT_EQ(validate(grid_plane(5, 7, 1)).boundary_sides, 24);
  EXPECT_EQ(validate(box_tets(3, 4, 5, 1)).boundary_sides, 4 * (3 * 4 + 4 * 5 + 3 * 5));
  EXPECT_TRUE(validate(TetMesh{Points(0, 3), Tets(0, 4)}).ok());
  EXPECT_TRUE(validate(TriMesh{Points(0, 3), Triangles(0, 3)}).ok());
  EXPECT_EQ(to_text(validate(icosphere(0))), "12 vertices, 20 triangles: no problems\n");
}

TEST(Validation, FlatnessIsMeasuredAgainstSizeAndRounding) {
  TetMesh tet{Points(4, 3), Tets(1, 4)};
  tet.tets << 0, 1, 2, 3;
  for (const double scale : {1e-150, 1e-5, 1.0, 1e5, 1e150}) {
    tet.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1e-6;
    tet.vertices *= scale;
    EXPECT_TRUE(validate(tet).ok()) << scale;  // thin, but a tet
    tet.vertices(3, 2) = 1e-14 * scale;
    EXPECT_EQ(validate(tet).degenerate.count, 1) << scale;
  }
  // Far from the origin coordinates cannot say whether a thin tet is flat.
  tet.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1e-9;
  EXPECT_TRUE(validate(tet).ok());
  tet.vertices.array() += 1e8;
  EXPECT_EQ(validate(tet).degenerate.count, 1);
  tet.vertices << -1e308, 0, 0, 1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308;
  EXPECT_FALSE(validate(tet).ok());
  EXPECT_TRUE(validate(repair(tet).mesh).ok());
}

TEST(Validation, SurfacesTellOfEdgesThatAreNotManifoldOrTurned) {
  TriMesh plane = grid_plane(3, 3, 1);
  std::swap(plane.triangles(8, 0), plane.triangles(8, 1));
  EXPECT_TRUE(validate(plane).ok());
  EXPECT_EQ(validate(plane).turned_edges, 3);
  plane.vertices.conservativeResize(17, 3);
  plane.vertices.row(16) << 0.5, 0.5, 1;
  plane.triangles.conservativeResize(19, 3);
  plane.triangles.row(18) << plane.triangles(0, 0), plane.triangles(0, 2), 16;  // a fin on an inner edge
  EXPECT_TRUE(validate(plane).ok());
  EXPECT_EQ(validate(plane).non_manifold_sides, 3);
}

TEST(Validation, MergingMendsASoup) {
  // Every triangle with its own three vertices, as STL files have them.
  const TriMesh sphere = icosphere(2);
  TriMesh soup{Points(3 * sphere.triangle_count(), 3), sphere.triangles};
  for (Index i = 0; i < soup.triangles.size(); ++i) {
    soup.vertices.row(i) = sphere.vertices.row(sphere.triangles.data()[i]);
    soup.triangles.data()[i] = static_cast<std::int32_t>(i);
  }
  EXPECT_TRUE(validate(soup).ok());
  EXPECT_EQ(validate(soup).boundary_sides, 3 * sphere.triangle_count());
  EXPECT_EQ(validate(soup).coincident.count, soup.vertex_count() - sphere.vertex_count());
  const Repaired<TriMesh> whole = repair(soup, {.merge_coincident = true});
  EXPECT_EQ(whole.mesh.vertex_count(), sphere.vertex_count());
  EXPECT_EQ(whole.mesh.triangle_count(), sphere.triangle_count());
  EXPECT_EQ(validate(whole.mesh).boundary_sides, 0);
  EXPECT_EQ(whole.log.removed_vertices, 0);
  for (Index v = 0; v < soup.vertex_count(); ++v)
    EXPECT_EQ(whole.mesh.vertices.row(whole.vertex_map[v]), soup.vertices.row(v));
  EXPECT_FALSE(repair(soup).log.changed());
}

TEST(Validation, AnyArraysAreAccepted) {
  Rng rng(4);
  const double places[] = {0,   1, 2, -1, 1e300, -1e300, 1e-300, nan, std::numeric_limits<double>::infinity(),
                           -0.0};
  const std::int32_t ends[] = {-1, std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()};
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = rng.integer(8), m = rng.integer(30);
    TetMesh tets{Points(n, 3), Tets(m, 4)};
    TriMesh triangles{Points(n, 3), Triangles(m, 3)};
    for (Index i = 0; i < 3 * n; ++i)
      tets.vertices.data()[i] = triangles.vertices.data()[i] = places[rng.integer(10)];
    const auto id = [&] {
      return static_cast<std::int32_t>(rng.uniform() < 0.9 ? rng.integer(n + 1) : ends[rng.integer(3)]);
    };
    for (Index i = 0; i < 4 * m; ++i) tets.tets.data()[i] = id();
    for (Index i = 0; i < 3 * m; ++i) triangles.triangles.data()[i] = id();
    for (const bool merge : {false, true}) {
      EXPECT_TRUE(validate(repair(tets, {merge}).mesh).ok());
      EXPECT_TRUE(validate(repair(triangles, {merge}).mesh).ok());
      EXPECT_FALSE(repair(repair(tets, {merge}).mesh, {merge}).log.changed());
      EXPECT_FALSE(repair(repair(triangles, {merge}).mesh, {merge}).log.changed());
    }
    EXPECT_EQ(validate(tets).ok(), !repair(tets).log.changed());
    EXPECT_EQ(validate(triangles).ok(), !repair(triangles).log.changed());
    EXPECT_FALSE(to_text(validate(tets)).empty());
  }
}

}  // namespace
}  // namespace pliant
