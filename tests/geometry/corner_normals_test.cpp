#include "pliant/geometry/corner_normals.h"

#include <gtest/gtest.h>

#include "pliant/geometry/structured_grid.h"
#include "pliant/geometry/surface.h"
#include "support/simple_meshes.h"

namespace pliant {

TEST(CornerNormals, OfASphereAreItsRadii) {
  const TriMesh sphere = testing_support::icosphere(4);
  const Points normals = corner_normals(sphere, 60);
  double worst = 0;
  for (Index t = 0; t < sphere.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      worst = std::max(worst, (normals.row(3 * t + k) - sphere.vertices.row(sphere.triangles(t, k))).norm());
  EXPECT_LT(worst, 0.01);
}

TEST(CornerNormals, OfACubeKeepItsEdgesUnlessTheyAreToldToRound) {
  const TriMesh cube = extract_surface(structured_grid({0, 0, 0}, {1, 1, 1}, {3, 3, 3})).mesh;
  const Points sharp = corner_normals(cube, 40), round = corner_normals(cube, 180);
  for (Index i = 0; i < sharp.rows(); ++i) {
    EXPECT_NEAR(sharp.row(i).cwiseAbs().maxCoeff(), 1, 1e-12);  // along an axis
    EXPECT_NEAR(round.row(i).norm(), 1, 1e-12);
  }
  // At a corner of the cube the three sides count the same: angles, not numbers of triangles, are the
  // weights.
  for (Index t = 0; t < cube.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      if (cube.vertices.row(cube.triangles(t, k)).minCoeff() == 1) {
        EXPECT_TRUE(round.row(3 * t + k).isApprox(Eigen::RowVector3d::Constant(std::sqrt(1.0 / 3)), 1e-12));
      }
}

TEST(CornerNormals, DegenerateTrianglesGetUnitNormals) {
  TriMesh mesh;
  mesh.vertices = Points::Zero(3, 3);
  mesh.triangles.resize(1, 3);
  mesh.triangles << 0, 1, 2;
  EXPECT_TRUE(corner_normals(mesh, 40).rowwise().norm().isOnes());
}

}  // namespace pliant
