#include "pliant/geometry/split_pinches.h"

#include <gtest/gtest.h>

#include "pliant/geometry/measures.h"
#include "pliant/geometry/structured_grid.h"
#include "support/mesh_properties.h"

namespace pliant {

TEST(SplitPinches, CubesThatTouchAtAnEdgeLetGo) {
  const GridLines lines{{{0, 1, 2}, {0, 1, 2}, {0, 1}}};
  TetMesh mesh = structured_grid(lines, [](int i, int j, int) { return i == j; });
  EXPECT_EQ(test::component_count(mesh.vertex_count(), mesh.tets), 1);
  EXPECT_EQ(split_pinches(mesh), 2);
  EXPECT_EQ(test::component_count(mesh.vertex_count(), mesh.tets), 2);
  EXPECT_EQ(test::surface_topology(mesh.vertex_count(), boundary_triangles(mesh.tets)).bad_edges, 0);
  EXPECT_GT(tet_volumes(mesh).minCoeff(), 0);
  EXPECT_EQ(split_pinches(mesh), 0);
}

TEST(SplitPinches, CubesThatTouchAtACornerLetGo) {
  const GridLines lines{{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
  TetMesh mesh = structured_grid(lines, [](int i, int j, int k) { return i == j && j == k; });
  EXPECT_EQ(split_pinches(mesh), 1);
  EXPECT_EQ(test::component_count(mesh.vertex_count(), mesh.tets), 2);
}

TEST(SplitPinches, ABoxIsLeftAlone) {
  TetMesh mesh = structured_grid({0, 0, 0}, {1, 1, 1}, {3, 3, 3});
  const TetMesh before = mesh;
  EXPECT_EQ(split_pinches(mesh), 0);
  EXPECT_EQ(mesh.vertices, before.vertices);
  EXPECT_EQ(mesh.tets, before.tets);
}

}  // namespace pliant
