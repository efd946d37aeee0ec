#include "pliant/geometry/structured_grid.h"

#include <gtest/gtest.h>

#include <numbers>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "support/mesh_properties.h"

namespace pliant {
namespace {

Blocks two_steps() {  // an L of three blocks
  return {{{{0, 0.3, 1}, {0, 0.5, 0.9}, {-0.2, 0.2}}}, {1, 1, 1, 0}};
}

}  // namespace

TEST(StructuredGrid, FillsTheBoxWithPositiveTets) {
  const TetMesh mesh = structured_grid({-1, 0, 2}, {1, 3, 2.5}, {4, 5, 3});
  EXPECT_EQ(mesh.vertex_count(), 5 * 6 * 4);
  EXPECT_EQ(mesh.tet_count(), 5 * 4 * 5 * 3);
  EXPECT_GT(tet_volumes(mesh).minCoeff(), 0);
  EXPECT_NEAR(total_volume(mesh), 2 * 3 * 0.5, 1e-12);
}

TEST(StructuredGrid, NeighboursAgreeSoOnlyTheBoxIsBoundary) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 1, 1}, {3, 4, 5});
  const Triangles triangles = boundary_triangles(mesh.tets);
  EXPECT_EQ(triangles.rows(), 2 * 2 * (3 * 4 + 4 * 5 + 5 * 3));
  const auto topology = test::surface_topology(mesh.vertex_count(), triangles);
  EXPECT_EQ(topology.border_edges, 0);
  EXPECT_EQ(topology.bad_edges, 0);
  EXPECT_EQ(topology.euler, 2);
}

TEST(StructuredGrid, CubesHaveTheFiveTetsAngles) {
  const TetQuality quality = tet_quality(structured_grid({0, 0, 0}, {2, 2, 2}, {2, 2, 2}));
  EXPECT_NEAR(quality.min_dihedral, std::acos(1 / std::sqrt(3.0)) * 180 / std::numbers::pi, 1e-9);
  EXPECT_NEAR(quality.max_dihedral, 90, 1e-9);
}

TEST(StructuredGrid, EvenCountsMakeTheTetsTheirOwnMirrorImage) {
  const TetMesh mesh = structured_grid({-1, -1, -1}, {1, 1, 1}, {4, 2, 6});
  // Tets as sorted sets of sorted vertices, mirrored through the vertices' positions.
  const auto vertex_at = [&](Vector3d p) {
    for (Index v = 0; v < mesh.vertex_count(); ++v)
      if ((mesh.vertices.row(v).transpose() - p).norm() < 1e-12) return static_cast<int>(v);
    return -1;
  };
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::array<int, 4>> tets, mirrored;
    for (Index t = 0; t < mesh.tet_count(); ++t) {
      std::array<int, 4> tet, mirror;
      for (int v = 0; v < 4; ++v) {
        tet[v] = mesh.tets(t, v);
        Vector3d p = mesh.vertices.row(tet[v]);
        p[axis] = -p[axis];
        mirror[v] = vertex_at(p);
      }
      std::sort(tet.begin(), tet.end());
      std::sort(mirror.begin(), mirror.end());
      tets.push_back(tet);
      mirrored.push_back(mirror);
    }
    std::sort(tets.begin(), tets.end());
    std::sort(mirrored.begin(), mirrored.end());
    EXPECT_EQ(tets, mirrored) << "axis " << axis;
  }
}

TEST(StructuredGrid, AMaskKeepsItsCellsOnly) {
  const GridLines lines{{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1}}};
  const TetMesh ring = structured_grid(lines, [](int i, int j, int) { return i != 1 || j != 1; });
  EXPECT_EQ(ring.tet_count(), 5 * 8);
  EXPECT_NEAR(total_volume(ring), 8, 1e-12);
  const auto topology = test::surface_topology(ring.vertex_count(), boundary_triangles(ring.tets));
  EXPECT_EQ(topology.bad_edges, 0);
  EXPECT_EQ(topology.genus(), 1);
}

TEST(StructuredGrid, BlocksKeepTheirBordersAtAnyResolution) {
  const double volume = 0.4 * (0.5 * 1 + 0.4 * 0.3);
  for (const Index target : {500, 3000, 40000}) {
    const TetMesh mesh = block_grid(two_steps(), fit_cells(two_steps(), target, false));
    EXPECT_NEAR(total_volume(mesh), volume, 1e-12);
    EXPECT_NEAR(static_cast<double>(mesh.tet_count()), static_cast<double>(target),
                0.15 * static_cast<double>(target));
  }
}

TEST(StructuredGrid, FittingCountsTheVerticesThatTheMeshHas) {
  for (const Index target : {300, 2000, 20000}) {
    const TetMesh mesh = block_grid(two_steps(), fit_cells(two_steps(), target, true));
    EXPECT_NEAR(static_cast<double>(mesh.vertex_count()), static_cast<double>(target),
                0.15 * static_cast<double>(target));
  }
}

TEST(StructuredGrid, RefusesWhatIsNoGrid) {
  EXPECT_THROW(structured_grid({0, 0, 0}, {1, 1, 1}, {2, 0, 2}), InputError);
  EXPECT_THROW(structured_grid({0, 0, 0}, {1, -1, 1}, {2, 2, 2}), InputError);
  EXPECT_THROW(structured_grid({0, 0, 0}, {1, 1, 1}, {4000, 4000, 4000}), InputError);
}

TEST(StructuredGrid, ParallelSplittingGivesTheSameTets) {
  const auto make = [](int threads) {
    const ScopedThreadCount scope(threads);
    return structured_grid({0, 0, 0}, {1, 1, 1}, {30, 20, 20});
  };
  EXPECT_TRUE(make(1).tets == make(4).tets);
}

}  // namespace pliant
