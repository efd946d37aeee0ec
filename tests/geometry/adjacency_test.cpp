#include "pliant/geometry/adjacency.h"

#include <gtest/gtest.h>

#include <set>

#include "pliant/base/error.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::box_tets;
using testing_support::grid_plane;
using testing_support::icosphere;

TEST(Adjacency, EdgesFacesAndElementsObeyEulersFormula) {
  const TriMesh sphere = icosphere(3);
  const Index n = sphere.vertex_count(), t = sphere.triangle_count();
  EXPECT_EQ(n - unique_edges(sphere.triangles, n).rows() + t, 2);

  const TetMesh box = box_tets(4, 3, 5, 0.1);
  const Index boundary = boundary_triangles(box.tets).rows();
  const Index faces = (4 * box.tet_count() + boundary) / 2;
  EXPECT_EQ(box.vertex_count() - unique_edges(box.tets, box.vertex_count()).rows() + faces - box.tet_count(),
            1);
}

TEST(Adjacency, VertexNeighborsAreTheEdgesSeenFromBothEnds) {
  const TetMesh box = box_tets(3, 3, 2, 1);
  std::set<std::pair<int, int>> slow;
  for (Index t = 0; t < box.tet_count(); ++t)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (i != j) slow.insert({box.tets(t, i), box.tets(t, j)});
  const Adjacency fast = vertex_neighbors(box.tets, box.vertex_count());
  std::set<std::pair<int, int>> listed;
  for (Index v = 0; v < fast.rows(); ++v) {
    EXPECT_TRUE(std::is_sorted(fast.row(v).begin(), fast.row(v).end()));
    for (const int w : fast.row(v)) listed.insert({static_cast<int>(v), w});
  }
  EXPECT_EQ(fast.items.size(), slow.size());
  EXPECT_EQ(listed, slow);
}

TEST(Adjacency, ElementsOfAVertexAreThoseThatNameIt) {
  const TriMesh plane = grid_plane(5, 4, 1);
  const Adjacency at = vertex_elements(plane.triangles, plane.vertex_count());
  for (Index v = 0; v < at.rows(); ++v) {
    std::vector<int> slow;
    for (Index t = 0; t < plane.triangle_count(); ++t)
      if ((plane.triangles.row(t).array() == v).any()) slow.push_back(static_cast<int>(t));
    EXPECT_TRUE(std::equal(slow.begin(), slow.end(), at.row(v).begin(), at.row(v).end()));
  }
}

TEST(Adjacency, TetNeighborsShareTheFaceOppositeTheirCorner) {
  const TetMesh box = box_tets(3, 4, 2, 1);
  const Tets across = tet_neighbors(box.tets, box.vertex_count());
  Index open = 0;
  for (Index t = 0; t < box.tet_count(); ++t)
    for (int i = 0; i < 4; ++i) {
      if (across(t, i) == no_neighbor) {
        ++open;
        continue;
      }
      int shared = 0;
      for (int k = 0; k < 4; ++k)
        if (k != i) shared += (box.tets.row(across(t, i)).array() == box.tets(t, k)).any();
      EXPECT_EQ(shared, 3);
      EXPECT_TRUE((across.row(across(t, i)).array() == t).any());
    }
  EXPECT_EQ(open, boundary_triangles(box.tets).rows());
}

TEST(Adjacency, AnEdgeOfThreeTrianglesHasManyNeighbors) {
  Triangles fan(3, 3);
  fan << 0, 1, 2, 0, 1, 3, 1, 0, 4;
  const Triangles across = triangle_neighbors(fan, 5);
  for (Index t = 0; t < 3; ++t) {
    EXPECT_EQ(across(t, 2), many_neighbors);
    EXPECT_EQ(across(t, 0), no_neighbor);
  }
}

TEST(Adjacency, TriangleNeighborsOfAClosedSurfaceAreMutual) {
  const TriMesh sphere = icosphere(2);
  const Triangles across = triangle_neighbors(sphere.triangles, sphere.vertex_count());
  for (Index t = 0; t < across.rows(); ++t)
    for (int i = 0; i < 3; ++i) {
      ASSERT_GE(across(t, i), 0);
      EXPECT_TRUE((across.row(across(t, i)).array() == t).any());
    }
}

TEST(Adjacency, ParallelAndSerialGiveTheSameTables) {
  const TetMesh box = box_tets(24, 24, 24, 1);
  const ScopedThreadCount one(1);
  const Tets across = tet_neighbors(box.tets, box.vertex_count());
  const Adjacency ring = vertex_neighbors(box.tets, box.vertex_count());
  const ScopedThreadCount four(4);
  EXPECT_EQ(across, tet_neighbors(box.tets, box.vertex_count()));
  EXPECT_EQ(ring.items, vertex_neighbors(box.tets, box.vertex_count()).items);
}

TEST(Adjacency, AVertexOutOfRangeIsNamed) {
  Tets tets(2, 4);
  tets << 0, 1, 2, 3, 1, 2, 3, 9;
  EXPECT_THROW(vertex_neighbors(tets, 5), InputError);
  tets(1, 3) = -1;
  EXPECT_THROW(tet_neighbors(tets, 5), InputError);
  EXPECT_EQ(vertex_neighbors(Tets(0, 4), 3).rows(), 3);
}

}  // namespace
}  // namespace pliant
