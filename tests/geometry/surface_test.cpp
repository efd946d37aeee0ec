#include "pliant/geometry/surface.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

double enclosed_volume(const TriMesh& mesh) {
  double volume = 0;
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                   c = mesh.vertices.row(mesh.triangles(t, 2));
    volume += a.dot(b.cross(c)) / 6;
  }
  return volume;
}

}  // namespace

TEST(Surface, TwoTetsShareNoFaceOnTheBoundaryAndItPointsOutward) {
  TetMesh mesh;
  mesh.vertices.resize(6, 3);
  mesh.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9, 1, 1, 1;  // vertex 4 belongs to nobody
  mesh.tets.resize(2, 4);
  mesh.tets << 0, 1, 2, 3, 1, 2, 3, 5;
  const Surface surface = extract_surface(mesh);
  EXPECT_EQ(surface.mesh.triangle_count(), 6);
  EXPECT_EQ(surface.mesh.vertex_count(), 5);
  EXPECT_EQ(surface.source[4], 5);
  EXPECT_NEAR(enclosed_volume(surface.mesh), 1.0 / 6 + 1.0 / 3, 1e-15);
}

TEST(Surface, OfNothingIsNothing) {
  EXPECT_EQ(extract_surface({Points(0, 3), Tets(0, 4)}).mesh.triangle_count(), 0);
}

}  // namespace pliant
