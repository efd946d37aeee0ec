#include "pliant/geometry/signed_distance.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

const Vector3d one = Vector3d::Ones();

// How many of the points the soup and the reference disagree about, away from the reference's surface.
template <class Inside>
int disagreements(const TriMesh& soup, Inside&& inside, double half_width = 2) {
  const SignedDistance distance(soup);
  const Points points = random_points(1000, half_width, 31);
  int count = 0;
  for (Index i = 0; i < points.rows(); ++i) count += distance.inside(points.row(i)) != inside(points.row(i));
  return count;
}

bool in_cube(const Vector3d& p) { return p.cwiseAbs().maxCoeff() < 1; }

}  // namespace

TEST(SignedDistance, IsTheDistanceToABox) {
  const SignedDistance distance(box(-one, one));
  const Points points = random_points(2000, 2, 32);
  for (Index i = 0; i < points.rows(); ++i) {
    const Vector3d q = points.row(i).cwiseAbs().transpose() - one;
    const double exact = q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
    EXPECT_NEAR(distance(points.row(i)), exact, 1e-14);
  }
}

TEST(SignedDistance, DamageThatLeavesTheShapeLeavesItsInside) {
  const TriMesh cube = box(-one, one);
  EXPECT_EQ(disagreements(cube, in_cube), 0);
  EXPECT_EQ(disagreements(unshared(cube), in_cube), 0) << "no shared vertices";
  EXPECT_EQ(disagreements(joined(cube, cube), in_cube), 0) << "doubled";
  EXPECT_EQ(disagreements(joined(cube, flipped(cube)), in_cube), 0) << "two-sided faces";
  EXPECT_EQ(disagreements(joined(flipped(cube), cube), in_cube), 0) << "two-sided faces, back first";
  EXPECT_EQ(disagreements(flipped(cube), in_cube), 0) << "inside out";
  EXPECT_EQ(disagreements(flipped(cube, 3, 5), in_cube), 0) << "two triangles turned";
  EXPECT_EQ(disagreements(flipped(unshared(cube), 2, 9), in_cube), 0) << "most triangles turned";
  TriMesh some_doubled = joined(cube, flipped(cube));
  some_doubled.triangles.conservativeResize(17, 3);
  EXPECT_EQ(disagreements(some_doubled, in_cube), 0) << "some faces two-sided";
}

TEST(SignedDistance, OverlappingPartsAreOneSolid) {
  const auto in_either = [](const Vector3d& p) { return in_cube(p) || in_cube(p - Vector3d(0.8, 0.3, 0.2)); };
  const TriMesh a = box(-one, one), b = box(Vector3d(-0.2, -0.7, -0.8), Vector3d(1.8, 1.3, 1.2));
  EXPECT_EQ(disagreements(joined(a, b), in_either), 0);
  EXPECT_EQ(disagreements(joined(a, flipped(b)), in_either), 0) << "one inside out";
  EXPECT_EQ(disagreements(flipped(joined(a, b)), in_either), 0) << "both inside out";
}

TEST(SignedDistance, SolidsThatShareAWallAreOneSolid) {
  // The wall is there twice, facing both ways, and belongs to neither outside.
  const TriMesh left = box(Vector3d(-1, -1, -1), Vector3d(0, 1, 1)), right = box(Vector3d(0, -1, -1), one);
  EXPECT_EQ(disagreements(joined(left, right), in_cube), 0);
  EXPECT_EQ(clean_soup(joined(left, right)).duplicates, 4);
}

TEST(SignedDistance, CavitiesStayOutside) {
  const TriMesh outer = box(-one, one), inner = flipped(box(-0.5 * one, 0.5 * one));
  const auto in_wall = [](const Vector3d& p) { return in_cube(p) && !in_cube(2 * p); };
  EXPECT_EQ(disagreements(joined(outer, inner), in_wall), 0);
  EXPECT_EQ(disagreements(flipped(joined(outer, inner)), in_wall), 0) << "as a whole inside out";
}

TEST(SignedDistance, ASmallHoleHardlyMatters) {
  const TriMesh ball = sphere(40);
  const SignedDistance closed(ball), open(with_hole(ball, 1000, 60));
  const Points points = random_points(2000, 1.2, 33);
  for (Index i = 0; i < points.rows(); ++i)
    if (closed.closest(points.row(i)).distance > 0.1) {
      EXPECT_EQ(open.inside(points.row(i)), closed.inside(points.row(i)));
    }
}

TEST(SignedDistance, AnOpenSheetHasNoInside) {
  TriMesh sheet = box(-one, one);
  sheet.triangles.conservativeResize(2, 3);
  EXPECT_EQ(disagreements(sheet, [](const Vector3d&) { return false; }), 0);
  EXPECT_EQ(disagreements(joined(sheet, flipped(sheet)), [](const Vector3d&) { return false; }), 0);
}

TEST(SignedDistance, ParallelEvaluationGivesTheSameBitsOnAnyNumberOfThreads) {
  const TriMesh mesh =
      joined(sphere(20, 1, Vector3d::Zero(), 0.3), flipped(sphere(15, 0.9, Vector3d(0.5, 0.4, 0))));
  const Points points = random_points(2000, 1.5, 34);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return SignedDistance(mesh).evaluate(points);
  };
  const VectorXd alone = run(1);
  EXPECT_TRUE((run(2).array() == alone.array()).all());
  EXPECT_TRUE((run(8).array() == alone.array()).all());
}

TEST(SignedDistance, SurvivesTrianglesWithoutArea) {
  TriMesh points_only{Points::Random(3, 3), Triangles(1, 3)};
  points_only.triangles << 1, 1, 1;
  const SignedDistance distance(points_only);
  EXPECT_NEAR(distance(Vector3d(3, 0, 0)), (points_only.vertices.row(1) - Eigen::RowVector3d(3, 0, 0)).norm(),
              1e-14);
  EXPECT_THROW(SignedDistance({Points(0, 3), Triangles(0, 3)}), InputError);
}

TEST(CleanSoup, ReportsWhatItDid) {
  const TriMesh cube = box(-one, one);
  const CleanSoup untouched = clean_soup(cube);
  EXPECT_EQ(untouched.mesh.triangles, cube.triangles);
  EXPECT_EQ(untouched.flipped + untouched.duplicates + untouched.degenerate + untouched.open_edges, 0);
  EXPECT_EQ(untouched.patches, 1);

  TriMesh soup = flipped(unshared(joined(cube, cube)), 0, 2);
  soup.triangles(23, 1) = soup.triangles(23, 0);
  const CleanSoup report = clean_soup(soup);
  EXPECT_EQ(report.mesh.vertex_count(), 8);
  EXPECT_EQ(report.mesh.triangle_count(), 12);
  EXPECT_EQ(report.degenerate, 1);
  EXPECT_EQ(report.duplicates, 11);
  EXPECT_EQ(report.patches, 1);
  EXPECT_EQ(report.open_edges, 0);
  EXPECT_EQ(report.flipped, 2);
  EXPECT_EQ(clean_soup(with_hole(cube, 0, 2)).open_edges, 4);
}

}  // namespace pliant
