#include "pliant/geometry/tetrahedralize.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/base/error.h"
#include "pliant/geometry/components.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/triangle_bvh.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

const Vector3d one = Vector3d::Ones();

// What every filling promises, whatever came in.
void expect_good_tets(const Tetrahedralization& result) {
  ASSERT_GT(result.mesh.tet_count(), 0);
  EXPECT_GT(tet_volumes(result.mesh).minCoeff(), 0);
  const auto angles = dihedral_angles(result.mesh);
  EXPECT_GT(angles.col(0).minCoeff(), 10.7);
  EXPECT_LT(angles.col(1).maxCoeff(), 164.8);
  EXPECT_EQ(connected_components(result.mesh).count, result.components);
  EXPECT_LT(result.mesh.tets.maxCoeff(), result.mesh.vertex_count());
}

// In cells: the farthest vertex of `from` from the surface `to`.
double farthest(const Points& from, const TriMesh& to, double cell) {
  double distance = 0;
  for (const ClosestPoint& point : TriangleBvh(to).closest_points(from))
    distance = std::max(distance, point.distance);
  return distance / cell;
}

}  // namespace

TEST(Tetrahedralize, MeetsTheTargetAndTheSurface) {
  const TriMesh lumpy = sphere(40, 1, Vector3d::Zero(), 0.2);
  for (const Index target : {3000, 20000, 100000}) {
    const Tetrahedralization result = tetrahedralize(lumpy, {.target_tets = target});
    expect_good_tets(result);
    EXPECT_NEAR(static_cast<double>(result.mesh.tet_count()) / static_cast<double>(target), 1, 0.11);
    EXPECT_EQ(result.components, 1);
    EXPECT_EQ(result.thin_fraction, 0);
    const TriMesh surface = extract_surface(result.mesh).mesh;
    EXPECT_LT(farthest(surface.vertices, lumpy, result.cell), 0.01) << "cuts lie on the input";
    EXPECT_LT(farthest(lumpy.vertices, surface, result.cell), 0.5);
    EXPECT_NEAR(total_volume(result.mesh) / enclosed_volume(lumpy), 1, 0.03);
  }
}

TEST(Tetrahedralize, EdgeLengthIsTheSizeAtTheSurface) {
  const Tetrahedralization result = tetrahedralize(sphere(20), {.edge_length = 0.15});
  expect_good_tets(result);
  EXPECT_EQ(result.cell, 0.15);
  const TriMesh surface = extract_surface(result.mesh).mesh;
  EXPECT_NEAR(triangle_quality(surface).mean_edge, 0.15, 0.05);
}

TEST(Tetrahedralize, UniformHasSmallTetsInsideToo) {
  const TriMesh ball = sphere(20);
  const Tetrahedralization graded = tetrahedralize(ball, {.edge_length = 0.07}),
                           uniform = tetrahedralize(ball, {.edge_length = 0.07, .graded = false});
  expect_good_tets(uniform);
  EXPECT_GT(uniform.mesh.tet_count(), 1.3 * static_cast<double>(graded.mesh.tet_count()));
  EXPECT_LT(tet_quality(uniform.mesh).max_edge, 0.15);
}

TEST(Tetrahedralize, DamageThatLeavesTheShapeLeavesTheVolume) {
  const TriMesh cube = box(-one, one);
  const auto volume = [](const TriMesh& soup) {
    const Tetrahedralization result = tetrahedralize(soup, {.edge_length = 0.2});
    expect_good_tets(result);
    EXPECT_EQ(result.components, 1);
    return total_volume(result.mesh);
  };
  const double clean = volume(cube);
  EXPECT_NEAR(clean, 8, 0.1);
  EXPECT_EQ(volume(joined(cube, cube)), clean) << "doubled";
  EXPECT_EQ(volume(flipped(cube)), clean) << "inside out";
  EXPECT_EQ(volume(joined(cube, flipped(unshared(cube)))), clean) << "two-sided, without shared vertices";
  const TriMesh ball = sphere(30);
  EXPECT_NEAR(volume(with_hole(ball, 500, 40)), volume(ball), 0.05) << "a hole";
}

TEST(Tetrahedralize, OverlappingPartsJoinAndSeparatePartsStayApart) {
  const TriMesh a = sphere(16), b = sphere(16, 1, Vector3d(1.2, 0, 0)),
                c = sphere(16, 0.7, Vector3d(0, 4, 0));
  const Tetrahedralization result = tetrahedralize(joined(joined(a, flipped(b)), c), {.target_tets = 20000});
  expect_good_tets(result);
  EXPECT_EQ(result.input_components, 3);
  EXPECT_EQ(result.components, 2);
  EXPECT_EQ(result.shells, 0);
}

TEST(Tetrahedralize, ThinPartsAreThickenedAndReported) {
  // A ball with a wing a fifth of a cell thick.
  const double cell = 0.15;
  const TriMesh ball = sphere(20), wing = box(Vector3d(0, -0.5, -0.1 * cell), Vector3d(3, 0.5, 0.1 * cell));
  const TriMesh winged = joined(ball, wing);
  const Tetrahedralization result = tetrahedralize(winged, {.edge_length = cell});
  expect_good_tets(result);
  EXPECT_EQ(result.components, 1);
  const double wing_area = 2 * 2 * 1.0;  // two sides, outside the ball
  EXPECT_NEAR(result.thin_fraction * total_area(winged), wing_area, 0.5);
  EXPECT_EQ(result.thickened_fraction, result.thin_fraction);
  EXPECT_NEAR(result.max_thickening, 1.8 * cell, 0.3 * cell);
  // The wing is there as far as its tip, two cells thick.
  const TriMesh surface = extract_surface(result.mesh).mesh;
  EXPECT_GT(surface.vertices.col(0).maxCoeff(), 3);
  double height = 0;
  for (Index v = 0; v < surface.vertex_count(); ++v)
    if (surface.vertices(v, 0) > 1.3 && surface.vertices(v, 0) < 2.8)
      height = std::max(height, std::abs(surface.vertices(v, 2)));
  EXPECT_NEAR(height, cell, 0.15 * cell);
  EXPECT_LT(farthest(surface.vertices, winged, cell), 1.05);

  const Tetrahedralization thin = tetrahedralize(winged, {.edge_length = cell, .min_thickness = 0});
  expect_good_tets(thin);
  EXPECT_EQ(thin.thin_fraction, 0);
  EXPECT_LT(extract_surface(thin.mesh).mesh.vertices.col(0).maxCoeff(), 2.9) << "without it the wing is lost";
}

TEST(Tetrahedralize, PartsSmallerThanACellSurvive) {
  const TriMesh speck = sphere(8, 0.02, Vector3d(2, 0, 0));
  const Tetrahedralization result = tetrahedralize(joined(sphere(20), speck), {.edge_length = 0.1});
  expect_good_tets(result);
  EXPECT_EQ(result.components, 2);
  EXPECT_EQ(result.removed_islands, 0);
}

TEST(Tetrahedralize, ASheetBecomesATwoCellSolid) {
  TriMesh sheet = box(Vector3d(0, 0, 0), Vector3d(3, 2, 1));
  sheet.triangles.conservativeResize(2, 3);  // z = 0
  const Tetrahedralization result = tetrahedralize(sheet, {.target_tets = 10000});
  expect_good_tets(result);
  EXPECT_NEAR(static_cast<double>(result.mesh.tet_count()), 10000, 1100);
  EXPECT_EQ(result.shells, 1);
  EXPECT_EQ(result.components, 1);
  EXPECT_EQ(result.thickened_fraction, 1);
  EXPECT_NEAR(bounding_box(result.mesh.vertices).size().z(), 2 * result.cell, 0.1 * result.cell);
  // Twice the area times one cell, and half a tube along the border.
  const double c = result.cell, expected = 6 * 2 * c + 10 * 0.5 * M_PI * c * c;
  EXPECT_NEAR(total_volume(result.mesh) / expected, 1, 0.05);
}

TEST(Tetrahedralize, OpenSurfacesAreShellsOrSolidsAsAsked) {
  // A bowl, open above the equator's ring: nearly half of its directions are hole.
  const TriMesh ball = sphere(20);
  std::vector<Index> lower;
  for (Index t = 0; t < ball.triangle_count(); ++t)
    if (ball.vertices(ball.triangles(t, 0), 1) + ball.vertices(ball.triangles(t, 1), 1) < 1e-9)
      lower.push_back(t);
  TriMesh bowl{ball.vertices, Triangles(static_cast<Index>(lower.size()), 3)};
  for (std::size_t i = 0; i < lower.size(); ++i)
    bowl.triangles.row(static_cast<Index>(i)) = ball.triangles.row(lower[i]);
  const Tetrahedralization automatic = tetrahedralize(bowl, {.edge_length = 0.1}),
                           solid = tetrahedralize(bowl, {.edge_length = 0.1, .open = OpenSurface::solid});
  expect_good_tets(automatic);
  expect_good_tets(solid);
  EXPECT_EQ(automatic.shells, 1);
  EXPECT_EQ(solid.shells, 0);
  EXPECT_NEAR(total_volume(automatic.mesh), 2 * M_PI * 0.2, 0.2);
  EXPECT_GT(total_volume(solid.mesh), 1.5);

  const TriMesh cut_ball = with_hole(ball, 0, 40);
  EXPECT_EQ(tetrahedralize(cut_ball, {.edge_length = 0.2}).shells, 0);
  EXPECT_EQ(tetrahedralize(cut_ball, {.edge_length = 0.2, .open = OpenSurface::shell}).shells, 1);
}

TEST(Tetrahedralize, AClosedBodyWithACapeIsASolidWithASheet) {
  TriMesh cape = box(Vector3d(-1, -1, 1.2), Vector3d(1, 1, 2));
  cape.triangles.conservativeResize(2, 3);
  const Tetrahedralization result = tetrahedralize(joined(sphere(20, 0.9), cape), {.target_tets = 15000});
  expect_good_tets(result);
  EXPECT_EQ(result.input_components, 2);
  EXPECT_EQ(result.shells, 1);
  EXPECT_EQ(result.components, 2);
  EXPECT_NEAR(static_cast<double>(result.mesh.tet_count()), 15000, 1650);
}

TEST(Tetrahedralize, PlaceAndSizeDoNotMatter) {
  const TriMesh mesh = sphere(16, 1, Vector3d::Zero(), 0.2);
  TriMesh moved = mesh;
  moved.vertices = (mesh.vertices * 1e-4).rowwise() + Eigen::RowVector3d(3, -2, 5);
  const Tetrahedralization a = tetrahedralize(mesh, {.edge_length = 0.2}),
                           b = tetrahedralize(moved, {.edge_length = 0.2e-4});
  expect_good_tets(b);
  EXPECT_NEAR(total_volume(b.mesh) / 1e-12, total_volume(a.mesh), 1e-3);
}

TEST(Tetrahedralize, FarFromTheOriginTheMeshIsTheSameOrRefused) {
  const TriMesh mesh = sphere(16, 1, Vector3d::Zero(), 0.2);
  const auto at = [&](double distance) {
    TriMesh moved = mesh;
    moved.vertices.array() += distance;
    return tetrahedralize(moved, {.edge_length = 0.2});
  };
  const Tetrahedralization near = at(0), far = at(1e9);
  expect_good_tets(far);
  EXPECT_NEAR(total_volume(far.mesh), total_volume(near.mesh), 1e-4);
  for (const double distance : {1e12, 1e15}) EXPECT_THROW(at(distance), InputError) << distance;
  // It is the cell that counts: a million times larger, 1e15 m are not far.
  TriMesh large = mesh;
  large.vertices = (mesh.vertices * 1e6).array() + 1e15;
  expect_good_tets(tetrahedralize(large, {.edge_length = 0.2e6}));
}

TEST(Tetrahedralize, FewerTetsThanTheBodyTakesLeaveItItsSize) {
  const double length = 2;
  const TriMesh ball = sphere(16), bar = box(Vector3d(-1, -0.1, -0.1), Vector3d(1, 0.1, 0.1));
  TriMesh sheet = box(-one, one);
  sheet.triangles.conservativeResize(2, 3);
  for (const TriMesh& soup : {ball, bar, sheet}) {
    const Vector3d before = bounding_box(soup.vertices).size();
    for (const Index target : {1, 10, 30}) {
      const Tetrahedralization result = tetrahedralize(soup, {.target_tets = target});
      expect_good_tets(result);
      EXPECT_EQ(result.components, 1);
      EXPECT_LE(result.cell, length / 2);
      EXPECT_LE(result.max_thickening, length / 2);
      // What is grown is grown to all sides by half of max_thickening; a lattice may miss the rest by some.
      const Vector3d after = bounding_box(result.mesh.vertices).size();
      EXPECT_LE((after - before).maxCoeff(), length / 2 + 0.25 * result.cell);
    }
  }
}

TEST(Tetrahedralize, FarTrianglesAreFilledOrRefusedSoon) {
  const TriMesh ball = sphere(20);
  const auto with_far = [&](double distance) { return joined(ball, sphere(4, 1, Vector3d(distance, 0, 0))); };
  const auto with_spike = [&](double distance) {
    TriMesh spiked = ball;
    spiked.vertices(0, 0) = distance;
    return spiked;
  };
  // A thousand times as far as the body is wide: two bodies, each with its share of the tets; or a long strand.
  const Tetrahedralization two = tetrahedralize(with_far(2000), {.target_tets = 5000});
  expect_good_tets(two);
  EXPECT_EQ(two.components, 2);
  EXPECT_NEAR(static_cast<double>(two.mesh.tet_count()), 5000, 550);
  const Tetrahedralization strand = tetrahedralize(with_spike(2000), {.target_tets = 5000});
  expect_good_tets(strand);
  EXPECT_NEAR(static_cast<double>(strand.mesh.tet_count()), 5000, 550);
  EXPECT_NEAR(bounding_box(strand.mesh.vertices).size().x(), 2000, 3 * strand.cell);

  EXPECT_THROW(tetrahedralize(with_far(1e6), {.target_tets = 5000}), InputError);
  for (const double distance : {1e7, 1e12})
    for (const TriMesh& soup : {with_far(distance), with_spike(distance)}) try {
        tetrahedralize(soup, {.target_tets = 5000});
        FAIL() << distance;
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("lies far"), std::string::npos) << error.what();
      }
}

TEST(Tetrahedralize, AFlatSurfaceIsNoSolid) {
  TriMesh sheet = box(-one, one);
  sheet.triangles.conservativeResize(2, 3);
  const Eigen::AngleAxisd turn(0.7, Vector3d(1, 2, 3).normalized());
  sheet.vertices = sheet.vertices * turn.toRotationMatrix().transpose();
  sheet.vertices.rowwise() += Eigen::RowVector3d(5, 6, 7);
  try {
    tetrahedralize(sheet, {.open = OpenSurface::solid});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("shell"), std::string::npos) << error.what();
  }
}

TEST(Tetrahedralize, ParallelFillingGivesTheSameBitsOnAnyNumberOfThreads) {
  const TriMesh soup =
      joined(sphere(16, 1, Vector3d::Zero(), 0.2), box(Vector3d(0, -0.5, -0.01), Vector3d(2, 0.5, 0.01)));
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return tetrahedralize(soup, {.target_tets = 5000});
  };
  const Tetrahedralization alone = run(1);
  for (const int threads : {2, 8}) {
    const Tetrahedralization many = run(threads);
    EXPECT_EQ(many.mesh.vertices, alone.mesh.vertices);
    EXPECT_EQ(many.mesh.tets, alone.mesh.tets);
  }
}

TEST(Tetrahedralize, StopsWhenProgressSaysSo) {
  TetrahedralizeOptions options{.target_tets = 5000};
  options.progress = [](std::string_view, double) { throw Interrupted(); };
  EXPECT_THROW(tetrahedralize(sphere(8), options), Interrupted);
}

TEST(Tetrahedralize, RefusesWhatHasNoMeaning) {
  const TriMesh ball = sphere(8);
  EXPECT_THROW(tetrahedralize({ball.vertices, Triangles(0, 3)}), InputError);
  EXPECT_THROW(tetrahedralize(ball, {.target_tets = 0}), InputError);
  EXPECT_THROW(tetrahedralize(ball, {.edge_length = -1}), InputError);
  EXPECT_THROW(tetrahedralize(ball, {.edge_length = 1e-9}), InputError);
  EXPECT_THROW(tetrahedralize(ball, {.min_thickness = -1}), InputError);
  EXPECT_THROW(tetrahedralize(ball, {.edge_length = 50, .min_thickness = 0}), InputError);
  TriMesh flat = ball;
  flat.vertices.rightCols(2).setZero();
  EXPECT_THROW(tetrahedralize(flat), InputError);
  TriMesh broken = ball;
  broken.vertices(0, 0) = std::nan("");
  EXPECT_THROW(tetrahedralize(broken), InputError);
}

}  // namespace pliant
