#include "pliant/numerics/bfgs.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

MatrixXd random_spd(Index n, Rng& rng) {
  MatrixXd A(n, n);
  for (double& a : A.reshaped()) a = rng.uniform(-1, 1);
  return A * A.transpose() + 0.1 * MatrixXd::Identity(n, n);
}

TEST(Bfgs, AQuadraticWithItsInverseHessianTakesOneStep) {
  Rng rng(1);
  const MatrixXd A = random_spd(20, rng);
  const VectorXd b = VectorXd::LinSpaced(20, -1, 1);
  const auto f = [&](const VectorXd& x, VectorXd& g) {
    g = A * x - b;
    return 0.5 * x.dot(A * x) - b.dot(x);
  };
  VectorXd x = VectorXd::Zero(20);
  MatrixXd B = A.inverse();
  Bfgs bfgs;
  const BfgsReport report = bfgs.minimize(f, x, B, {.tolerance = 1e-8});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 1);
  EXPECT_LT((A * x - b).norm(), 1e-10);

  // From the identity it finds the same, and learns the inverse of the Hessian where it went.
  x.setZero();
  B.setIdentity();
  EXPECT_TRUE(bfgs.minimize(f, x, B, {.tolerance = 1e-9}).converged);
  EXPECT_LT((A * x - b).norm(), 1e-6);
  EXPECT_LT((B - B.transpose()).norm(), 1e-14);
}

TEST(Bfgs, FollowsRosenbrocksValley) {
  const auto f = [](const VectorXd& x, VectorXd& g) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * b * x[0];
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  VectorXd x = Eigen::Vector2d(-1.2, 1);
  MatrixXd B = MatrixXd::Identity(2, 2);
  Bfgs bfgs;
  const BfgsReport report = bfgs.minimize(f, x, B, {.tolerance = 1e-9});
  EXPECT_TRUE(report.converged);
  EXPECT_LT((x - Eigen::Vector2d(1, 1)).norm(), 1e-7);
  EXPECT_LT(report.iterations, 60);
  EXPECT_LT(report.value, 1e-14);
}

TEST(Bfgs, DoesNotGoWhereTheFunctionIsNotFinite) {
  // -log(x) + x, from a start whose first step leads below zero
  const auto f = [](const VectorXd& x, VectorXd& g) {
    g[0] = 1 - 1 / x[0];
    return x[0] - std::log(x[0]);
  };
  VectorXd x = VectorXd::Constant(1, 4);
  MatrixXd B = MatrixXd::Constant(1, 1, 10);
  Bfgs bfgs;
  EXPECT_TRUE(bfgs.minimize(f, x, B, {.tolerance = 1e-9}).converged);
  EXPECT_NEAR(x[0], 1, 1e-8);
}

TEST(Bfgs, NotToConvergeIsAValue) {
  const auto f = [](const VectorXd& x, VectorXd& g) {  // no minimum
    g[0] = -1;
    return -x[0];
  };
  VectorXd x = VectorXd::Zero(1);
  MatrixXd B = MatrixXd::Identity(1, 1);
  Bfgs bfgs;
  const BfgsReport report = bfgs.minimize(f, x, B, {.max_iterations = 5});
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(std::isfinite(x[0]));
  MatrixXd wrong = MatrixXd::Identity(2, 2);
  EXPECT_TRUE(contains(message_of([&] { bfgs.minimize(f, x, wrong); }), "2 x 2 for 1 unknowns"));
}

}  // namespace
}  // namespace pliant
