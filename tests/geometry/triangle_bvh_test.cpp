#include "pliant/geometry/triangle_bvh.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

// The slow obvious way: every triangle, the first of the closest.
ClosestPoint closest_of_all(const TriMesh& mesh, const Vector3d& p) {
  ClosestPoint best;
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Vector3d q = closest_point_on_triangle(p, mesh.vertices.row(mesh.triangles(t, 0)),
                                                 mesh.vertices.row(mesh.triangles(t, 1)),
                                                 mesh.vertices.row(mesh.triangles(t, 2)));
    if (const double distance = std::sqrt((q - p).squaredNorm()); distance < best.distance)
      best = {q, distance, static_cast<int>(t)};
  }
  return best;
}

void expect_same_as_all(const TriMesh& mesh, const Points& points) {
  const TriangleBvh bvh(mesh);
  for (Index i = 0; i < points.rows(); ++i) {
    const ClosestPoint fast = bvh.closest(Vector3d(points.row(i))),
                       slow = closest_of_all(mesh, points.row(i));
    ASSERT_EQ(fast.distance, slow.distance) << "point " << i;
    ASSERT_EQ(fast.triangle, slow.triangle) << "point " << i;
    ASSERT_EQ(fast.point, slow.point) << "point " << i;
  }
}

}  // namespace

TEST(ClosestPointOnTriangle, SatisfiesTheConditionsOfAClosestPoint) {
  // q is closest in a convex set iff no corner lies ahead of q as seen from p: (p - q) . (x - q) <= 0.
  Rng rng(11);
  for (int trial = 0; trial < 20000; ++trial) {
    Vector3d x[4];
    for (Vector3d& v : x)
      for (int k = 0; k < 3; ++k) v[k] = rng.uniform(-1, 1);
    if (trial % 4 == 1) x[2] = x[1] + 1e-7 * x[2];       // a needle
    if (trial % 4 == 2) x[2] = 0.3 * x[0] + 0.7 * x[1];  // flat, up to rounding
    if (trial % 16 == 3) x[1] = x[0];                    // a segment
    if (trial % 16 == 7) x[2] = x[1] = x[0];             // a point
    const Vector3d &a = x[0], &b = x[1], &c = x[2], &p = x[3];
    const Vector3d q = closest_point_on_triangle(p, a, b, c);
    for (const Vector3d& corner : {a, b, c}) EXPECT_LT((p - q).dot(corner - q), 1e-8) << "trial " << trial;
    // q lies in the triangle: it is its own closest point.
    EXPECT_LT((closest_point_on_triangle(q, a, b, c) - q).norm(), 1e-8) << "trial " << trial;
  }
}

TEST(TriangleBvh, FindsExactlyTheClosestTriangleOfAll) {
  const TriMesh lumpy = sphere(24, 1, Vector3d::Zero(), 0.3);
  expect_same_as_all(lumpy, random_points(2000, 1.5, 21));
  expect_same_as_all(lumpy, random_points(100, 1e3, 22));
  expect_same_as_all(lumpy, random_points(20, 1e9, 23));
  expect_same_as_all(lumpy, lumpy.vertices);  // on the surface: many triangles at distance zero
}

TEST(TriangleBvh, SinglePrecisionInsideDoesNotShow) {
  // Two layers closer than single precision can tell apart, far from the origin.
  const TriMesh one = sphere(16), two = sphere(16, 1 + 1e-9);
  TriMesh layers = joined(two, one);
  Points points = random_points(500, 1.5, 24);
  expect_same_as_all(layers, points);
  const Eigen::RowVector3d away(1e5, -3e5, 2e5);
  layers.vertices.rowwise() += away;
  points.rowwise() += away;
  expect_same_as_all(layers, points);
}

TEST(TriangleBvh, TakesTheLowestOfEqualTriangles) {
  const TriMesh cube = box(Vector3d::Constant(-1), Vector3d::Constant(1));
  EXPECT_EQ(TriangleBvh(cube).closest(Vector3d::Zero()).triangle, 0);
  EXPECT_EQ(TriangleBvh(joined(cube, cube)).closest(Vector3d(2, 0.5, 0.1)).triangle,
            TriangleBvh(cube).closest(Vector3d(2, 0.5, 0.1)).triangle);
}

TEST(TriangleBvh, HandlesTrianglesWithoutArea) {
  TriMesh mesh;
  mesh.vertices.resize(4, 3);
  mesh.vertices << 0, 0, 0, 1, 0, 0, 2, 0, 0, 5, 5, 5;
  mesh.triangles.resize(2, 3);
  mesh.triangles << 0, 2, 1, 3, 3, 3;
  const TriangleBvh bvh(mesh);
  EXPECT_NEAR(bvh.closest(Vector3d(1.5, 2, 0)).distance, 2, 1e-15);
  EXPECT_NEAR(bvh.closest(Vector3d(5, 5, 8)).distance, 3, 1e-15);
  expect_same_as_all(mesh, random_points(200, 6, 25));
}

TEST(TriangleBvh, SaysNothingBeyondTheRadius) {
  const TriangleBvh bvh(sphere(10));
  EXPECT_EQ(bvh.closest(Vector3d(3, 0, 0), 1.9).triangle, -1);
  EXPECT_GE(bvh.closest(Vector3d(3, 0, 0), 2.1).triangle, 0);
}

TEST(TriangleBvh, RaysMeetTheFirstTriangleFromEitherSide) {
  const TriangleBvh bvh(box(Vector3d::Constant(10), Vector3d::Constant(12)));
  EXPECT_NEAR(bvh.first_hit({0, 11.2, 11.1}, {2, 0, 0})->distance, 5, 1e-5);
  EXPECT_NEAR(bvh.first_hit({11, 11.2, 11.1}, {2, 0, 0})->distance, 0.5, 1e-5);
  EXPECT_NEAR(bvh.first_hit({0, 11.2, 11.1}, {2, 0, 0}, 5.5)->distance, 6, 1e-5);
  EXPECT_FALSE(bvh.first_hit({0, 13, 11}, {1, 0, 0}).has_value());
}

TEST(TriangleBvh, ParallelQueriesAgreeWithSingleOnes) {
  const TriMesh mesh = sphere(30, 1, Vector3d::Zero(), 0.3);
  const TriangleBvh bvh(mesh);
  const Points points = random_points(5000, 1.5, 26);
  const ScopedThreadCount scope(8);
  const std::vector<ClosestPoint> all = bvh.closest_points(points);
  for (Index i = 0; i < points.rows(); ++i) {
    const ClosestPoint one = bvh.closest(Vector3d(points.row(i)));
    ASSERT_EQ(all[static_cast<std::size_t>(i)].triangle, one.triangle);
    ASSERT_EQ(all[static_cast<std::size_t>(i)].distance, one.distance);
  }
}

TEST(TriangleBvh, RefusesWhatHasNoMeaning) {
  TriMesh mesh = sphere(4);
  EXPECT_THROW(TriangleBvh({mesh.vertices, Triangles(0, 3)}), InputError);
  EXPECT_THROW(TriangleBvh(mesh).closest(Vector3d(0, std::nan(""), 0)), InputError);
  mesh.triangles(0, 0) = -1;
  EXPECT_THROW(TriangleBvh{mesh}, InputError);
}

}  // namespace pliant
