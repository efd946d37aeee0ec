#include "pliant/geometry/surface.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"

#include <map>

#include "support/soups.h"

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

TEST(Surface, AFaceIsBoundaryIfAndOnlyIfOneTetHasIt) {
  const TetMesh mesh = testing_support::shaken_grid(5, 0.2, 61);
  std::map<std::array<int, 3>, int> tets_of_face;
  for (Index t = 0; t < mesh.tet_count(); ++t)
    for (int omitted = 0; omitted < 4; ++omitted) {
      std::array<int, 3> face{};
      for (int k = 0, n = 0; k < 4; ++k)
        if (k != omitted) face[static_cast<std::size_t>(n++)] = mesh.tets(t, k);
      std::sort(face.begin(), face.end());
      ++tets_of_face[face];
    }
  const Boundary boundary = boundary_faces(mesh.tets);
  for (Index f = 0; f < boundary.triangles.rows(); ++f) {
    std::array<int, 3> face{boundary.triangles(f, 0), boundary.triangles(f, 1), boundary.triangles(f, 2)};
    for (const int vertex : face)
      EXPECT_TRUE((mesh.tets.row(boundary.tets[f]).array() == vertex).any()) << "face " << f;
    std::sort(face.begin(), face.end());
    EXPECT_EQ(tets_of_face.at(face), 1);
    tets_of_face.erase(face);
  }
  for (const auto& [face, tets] : tets_of_face) EXPECT_EQ(tets, 2);
  EXPECT_EQ(boundary.triangles, boundary_triangles(mesh.tets));
}

TEST(Surface, AnIdOutsideTheMeshIsAnError) {
  for (const int id : {-1, 4, 2000000000}) {
    const TetMesh mesh{Points::Zero(4, 3), (Tets(1, 4) << 0, 1, 2, id).finished()};
    EXPECT_THROW(extract_surface(mesh), InputError) << id;
  }
}

TEST(Surface, OfNothingIsNothing) {
  EXPECT_EQ(extract_surface({Points(0, 3), Tets(0, 4)}).mesh.triangle_count(), 0);
}

}  // namespace pliant
