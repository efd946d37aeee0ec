#include "pliant/geometry/components.h"

#include <gtest/gtest.h>

#include "support/simple_meshes.h"

namespace pliant {
namespace {

TEST(Components, TwoBoxesAndALooseVertexAreTwoComponents) {
  // A row of five cubes without the second and third.
  const TetMesh mesh =
      testing_support::box_tets(5, 1, 1, 1, 0, nullptr, [](int i, int, int) { return i != 1 && i != 2; });
  const Components parts = connected_components(mesh);
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.vertex_count[0], 8);
  EXPECT_EQ(parts.vertex_count[1], 12);
  EXPECT_EQ(parts.element_count[0], 6);
  EXPECT_EQ(parts.element_count[1], 12);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const double x = mesh.vertices(v, 0);
    EXPECT_EQ(parts.of_vertex[v], x < 1.5 ? 0 : x < 2.5 ? -1 : 1);
  }
  for (Index t = 0; t < mesh.tet_count(); ++t)
    EXPECT_EQ(parts.of_element[t], parts.of_vertex[mesh.tets(t, 3)]);
}

TEST(Components, TrianglesThatMeetInOneVertexAreTogether) {
  Triangles bow(2, 3);
  bow << 4, 3, 2, 0, 1, 4;
  EXPECT_EQ(connected_components(bow, 5).count, 1);
  bow << 5, 3, 2, 0, 1, 4;
  EXPECT_EQ(connected_components(bow, 6).count, 2);
  EXPECT_EQ(connected_components(Triangles(0, 3), 6).count, 0);
}

}  // namespace
}  // namespace pliant
