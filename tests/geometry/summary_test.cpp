#include "pliant/geometry/summary.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"

namespace pliant {

TEST(Summary, OfASolidAndOfItsBoundaryAgree) {
  const TetMesh bar = make_shape("bar", {.tets = 2000});
  const Surface boundary = extract_surface(bar);
  const MeshSummary solid = summarize(bar), surface = summarize(boundary.mesh);
  EXPECT_EQ(solid.tets, bar.tet_count());
  EXPECT_EQ(surface.tets, 0);
  EXPECT_EQ(solid.triangles, surface.triangles);
  EXPECT_EQ(solid.components, 1);
  EXPECT_TRUE(solid.closed && surface.closed);
  EXPECT_NEAR(solid.volume, surface.volume, 1e-12);
  EXPECT_NEAR(solid.area, surface.area, 1e-12);
  EXPECT_LT((solid.box.high - surface.box.high).norm(), 1e-15);
}

TEST(Summary, AnOpenSurfaceEnclosesNothing) {
  const TriMesh triangle{(Points(3, 3) << 0, 0, 0, 1, 0, 0, 0, 1, 0).finished(),
                         (Triangles(1, 3) << 0, 1, 2).finished()};
  const MeshSummary summary = summarize(triangle);
  EXPECT_FALSE(summary.closed);
  EXPECT_EQ(summary.volume, 0);
  EXPECT_DOUBLE_EQ(summary.area, 0.5);
}

TEST(Summary, OfNothingIsNothing) {
  const MeshSummary summary = summarize(TriMesh{Points(0, 3), Triangles(0, 3)});
  EXPECT_EQ(summary.triangles, 0);
  EXPECT_EQ(summary.components, 0);
  EXPECT_FALSE(summary.closed);
}

TEST(Summary, AnIdOutsideTheMeshIsAnError) {
  EXPECT_THROW(summarize(TriMesh{Points::Zero(2, 3), (Triangles(1, 3) << 0, 1, 2).finished()}), InputError);
}

}  // namespace pliant
