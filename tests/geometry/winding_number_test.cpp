#include "pliant/geometry/winding_number.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

// The slow obvious way.
double summed_winding(const TriMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    sum += triangle_winding(p, mesh.vertices.row(mesh.triangles(t, 0)),
                            mesh.vertices.row(mesh.triangles(t, 1)), mesh.vertices.row(mesh.triangles(t, 2)));
  return sum;
}

double largest_error(const TriMesh& mesh, const Points& points) {
  const VectorXd fast = WindingNumber(mesh).evaluate(points);
  double error = 0;
  for (Index i = 0; i < points.rows(); ++i)
    error = std::max(error, std::abs(fast[i] - summed_winding(mesh, points.row(i))));
  return error;
}

TriMesh shuffled(TriMesh mesh, std::uint64_t seed) {
  Rng rng(seed);
  for (Index t = mesh.triangle_count() - 1; t > 0; --t)
    mesh.triangles.row(t).swap(mesh.triangles.row(rng.integer(t + 1)));
  return mesh;
}

}  // namespace

TEST(WindingNumber, OneTriangleCoversTheShareOfTheSphereItSubtends) {
  // A face of the cube around the origin, cut in two: each half subtends a twelfth of all directions.
  const TriMesh cube = box(Vector3d::Constant(-1), Vector3d::Constant(1));
  for (Index t = 0; t < 12; ++t)
    EXPECT_NEAR(
        triangle_winding(Vector3d::Zero(), cube.vertices.row(cube.triangles(t, 0)),
                         cube.vertices.row(cube.triangles(t, 1)), cube.vertices.row(cube.triangles(t, 2))),
        1.0 / 12, 1e-15);
  const Vector3d a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  EXPECT_NEAR(triangle_winding({0.2, 0.2, -1e-9}, a, b, c), 0.5, 1e-8);
  EXPECT_NEAR(triangle_winding({0.2, 0.2, 1e-9}, a, b, c), -0.5, 1e-8);
  EXPECT_EQ(triangle_winding({0.2, 0.2, 1}, a, b, b), 0);
  EXPECT_EQ(triangle_winding(a, a, b, c), 0);
}

TEST(WindingNumber, TreeAgreesWithTheSumOverAllTriangles) {
  const TriMesh lumpy = sphere(40, 1, Vector3d::Zero(), 0.3);
  const Index count = lumpy.triangle_count();
  const TriMesh other = sphere(24, 0.8, Vector3d(0.7, 0.2, 0), 0.2);
  const Points points = random_points(600, 1.6, 5);
  EXPECT_LT(largest_error(lumpy, points), 6e-3);
  EXPECT_LT(largest_error(with_hole(lumpy, count / 4, count / 3), points), 6e-3) << "open";
  EXPECT_LT(largest_error(joined(lumpy, lumpy), points), 1.2e-2) << "duplicated";
  EXPECT_LT(largest_error(joined(lumpy, other), points), 1.2e-2) << "overlapping";
  EXPECT_LT(largest_error(flipped(lumpy, 0, count / 2), points), 6e-3) << "half of it flipped";
  EXPECT_LT(largest_error(shuffled(unshared(lumpy), 3), points), 6e-3) << "a soup in any order";
}

TEST(WindingNumber, ErrorFallsAsTheAccuracyRises) {
  const TriMesh mesh = sphere(30, 1, Vector3d::Zero(), 0.3);
  const Points points = random_points(500, 1.5, 6);
  double last = 1;
  for (const double accuracy : {1.5, 2.0, 3.0, 5.0, std::numeric_limits<double>::infinity()}) {
    const WindingNumber winding(mesh, {.accuracy = accuracy});
    double error = 0;
    for (Index i = 0; i < points.rows(); ++i)
      error = std::max(error, std::abs(winding(points.row(i)) - summed_winding(mesh, points.row(i))));
    // Three terms are kept, so the error falls with the fourth power of the accuracy.
    EXPECT_LT(error, std::isinf(accuracy) ? 1e-12 : 0.1 * std::pow(accuracy, -4));
    EXPECT_LT(error, last);
    last = error;
  }
}

TEST(WindingNumber, CountsHowOftenTheSurfaceGoesRound) {
  const TriMesh inner = sphere(12), outer = sphere(12, 3);
  const WindingNumber nested(joined(inner, outer)), hollow(joined(flipped(inner), outer));
  EXPECT_NEAR(nested(Vector3d(0.1, 0, 0.2)), 2, 1e-2);
  EXPECT_NEAR(nested(Vector3d(2, 0, 0)), 1, 1e-2);
  EXPECT_NEAR(nested(Vector3d(4, 0, 0)), 0, 1e-2);
  EXPECT_NEAR(hollow(Vector3d(0.1, 0, 0.2)), 0, 1e-2);
  EXPECT_NEAR(hollow(Vector3d(2, 0, 0)), 1, 1e-2);
}

TEST(WindingNumber, DoesNotDependOnSizeOrPlace) {
  TriMesh mesh = sphere(20, 1, Vector3d::Zero(), 0.2);
  const Points points = random_points(100, 1.3, 8);
  const VectorXd winding = WindingNumber(mesh).evaluate(points);
  mesh.vertices *= 1024;
  EXPECT_LT((WindingNumber(mesh).evaluate(1024 * points) - winding).cwiseAbs().maxCoeff(), 1e-12);
  // Away from the origin the coordinates round, so a symmetric mesh may be halved elsewhere.
  const Eigen::RowVector3d away(3e4, -2e4, 1e4);
  mesh.vertices.rowwise() += away;
  const Points moved = (1024 * points).rowwise() + away;
  EXPECT_LT((WindingNumber(mesh).evaluate(moved) - winding).cwiseAbs().maxCoeff(), 1e-2);
}

TEST(WindingNumber, ParallelEvaluationGivesTheSameBitsOnAnyNumberOfThreads) {
  const TriMesh mesh = sphere(30, 1, Vector3d::Zero(), 0.3);
  const Points points = random_points(3000, 1.5, 9);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return WindingNumber(mesh).evaluate(points);
  };
  const VectorXd alone = run(1);
  EXPECT_TRUE((run(2).array() == alone.array()).all());
  EXPECT_TRUE((run(8).array() == alone.array()).all());
}

TEST(WindingNumber, RefusesWhatHasNoMeaning) {
  const TriMesh mesh = sphere(4);
  EXPECT_THROW(WindingNumber({mesh.vertices, Triangles(0, 3)}), InputError);
  EXPECT_THROW(WindingNumber(mesh, {.accuracy = 0}), InputError);
  const WindingNumber winding(mesh);
  EXPECT_THROW(winding(Vector3d(0, std::nan(""), 0)), InputError);
  TriMesh broken = mesh;
  broken.triangles(3, 1) = 9999;
  EXPECT_THROW(WindingNumber{broken}, InputError);
  broken = mesh;
  broken.vertices(0, 0) = std::nan("");
  EXPECT_THROW(WindingNumber{broken}, InputError);
}

}  // namespace pliant
