#include "pliant/geometry/thickness.h"

#include <gtest/gtest.h>

#include "pliant/geometry/measures.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

LocalThickness thickness_of(const TriMesh& mesh) { return local_thickness(mesh, mesh, TriangleBvh(mesh)); }

}  // namespace

TEST(Thickness, OfABoxIsItsSide) {
  const LocalThickness thickness = thickness_of(box(Vector3d::Zero(), Vector3d(1, 2, 3)));
  const double sides[6] = {3, 3, 2, 2, 1, 1};  // faces in the order z, y, x, two triangles a face
  for (Index t = 0; t < 12; ++t) {
    EXPECT_NEAR(thickness.solid[t], sides[t / 2], 1e-5);
    EXPECT_TRUE(std::isinf(thickness.gap[t]));
  }
}

TEST(Thickness, GoesOnThroughPartsThatOverlap) {
  const TriMesh left = box(Vector3d::Zero(), Vector3d(2, 1, 1)),
                right = box(Vector3d(1, 0.1, 0.1), Vector3d(4, 0.9, 0.9));
  const LocalThickness thickness = thickness_of(joined(left, right));
  EXPECT_NEAR(thickness.solid[8], 4, 1e-5);   // from x = 0 through both
  EXPECT_NEAR(thickness.solid[22], 4, 1e-5);  // from x = 4 back
}

TEST(Thickness, GapIsTheWayToTheNextSurface) {
  const LocalThickness thickness = thickness_of(
      joined(box(Vector3d::Zero(), Vector3d::Ones()), box(Vector3d(1.5, 0, 0), Vector3d(2, 1, 1))));
  EXPECT_NEAR(thickness.gap[10], 0.5, 1e-5);  // x = 1
  EXPECT_NEAR(thickness.solid[10], 1, 1e-5);
}

TEST(Thickness, SubdivisionKeepsTheSurfaceAndShortensItsEdges) {
  const TriMesh mesh = box(Vector3d::Zero(), Vector3d(1, 2, 3));
  const TriMesh fine = subdivided(mesh, 0.4, 100000);
  EXPECT_NEAR(total_area(fine), total_area(mesh), 1e-12);
  EXPECT_NEAR(enclosed_volume(fine), 6, 1e-12);
  double longest = 0;
  for (Index t = 0; t < fine.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      longest = std::max(longest, (fine.vertices.row(fine.triangles(t, k)) -
                                   fine.vertices.row(fine.triangles(t, (k + 1) % 3)))
                                      .norm());
  EXPECT_LE(longest, 0.4);
  EXPECT_EQ(subdivided(mesh, 10, 100000).triangles, mesh.triangles);
  EXPECT_LE(subdivided(mesh, 1e-9, 1000).triangle_count(), 4000);
}

}  // namespace pliant
