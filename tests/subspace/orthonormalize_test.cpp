#include "pliant/subspace/orthonormalize.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

MatrixXd random_matrix(Index rows, Index columns, Rng& rng) {
  MatrixXd A(rows, columns);
  for (double& a : A.reshaped()) a = rng.uniform(-1, 1);
  return A;
}

VectorXd random_masses(Index rows, Rng& rng) {
  VectorXd masses(rows);
  for (double& m : masses) m = rng.uniform(1e-4, 3e-3);
  return masses;
}

/// Columns with these singular values in the inner product of the masses.
MatrixXd with_singular_values(const VectorXd& values, const VectorXd& masses, Rng& rng) {
  const Index k = values.size();
  const MatrixXd left = Eigen::HouseholderQR<MatrixXd>(random_matrix(masses.size(), k, rng)).householderQ() *
                        MatrixXd::Identity(masses.size(), k);
  const MatrixXd right =
      Eigen::HouseholderQR<MatrixXd>(random_matrix(k, k, rng)).householderQ() * MatrixXd::Identity(k, k);
  return masses.cwiseSqrt().cwiseInverse().asDiagonal() * (left * values.asDiagonal() * right.transpose());
}

double orthonormality_error(const MatrixXd& Q, const VectorXd& masses) {
  return (Q.transpose() * masses.asDiagonal() * Q - MatrixXd::Identity(Q.cols(), Q.cols()))
      .cwiseAbs()
      .maxCoeff();
}

TEST(Orthonormalize, ColumnsAreOrthonormalAndSpanTheSameEvenNearlyDependent) {
  Rng rng(1);
  const VectorXd masses = random_masses(3000, rng);
  VectorXd values(12);
  for (Index i = 0; i < 12; ++i) values[i] = std::pow(10.0, -static_cast<double>(i) / 2);  // 1 to 3e-6
  const MatrixXd A = with_singular_values(values, masses, rng);
  const OrthonormalColumns result = orthonormalize(A, masses, {.tolerance = 1e-6});
  ASSERT_EQ(result.Q.cols(), 12);
  EXPECT_LT(orthonormality_error(result.Q, masses), 1e-13);
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(result.singular_values[i], values[i], 1e-12 / values[i] * 10);
  const MatrixXd rest = A - result.Q * (result.Q.transpose() * masses.asDiagonal() * A);
  EXPECT_LT((masses.cwiseSqrt().asDiagonal() * rest).norm(), 1e-13);
}

TEST(Orthonormalize, DirectionsBelowTheToleranceAreLeftOut) {
  Rng rng(2);
  const VectorXd masses = random_masses(500, rng);
  const VectorXd values = (VectorXd(6) << 5, 3, 1, 1e-3, 1e-5, 0).finished();
  const MatrixXd A = with_singular_values(values, masses, rng);
  EXPECT_EQ(orthonormalize(A, masses, {.tolerance = 1e-1}).Q.cols(), 3);
  EXPECT_EQ(orthonormalize(A, masses, {.tolerance = 1e-5}).Q.cols(), 4);
  EXPECT_EQ(orthonormalize(A, masses, {.tolerance = 1e-7}).Q.cols(), 5);
  MatrixXd twice(500, 12);
  twice << A, 1e3 * A;
  const OrthonormalColumns both = orthonormalize(twice, masses, {.tolerance = 1e-5});
  EXPECT_EQ(both.Q.cols(), 4);
  EXPECT_LT(orthonormality_error(both.Q, masses), 1e-13);
  EXPECT_EQ(orthonormalize(MatrixXd::Zero(500, 3), masses).Q.cols(), 0);
  EXPECT_EQ(orthonormalize(MatrixXd(500, 0), masses).Q.cols(), 0);
}

TEST(Orthonormalize, TheStrongestAreKept) {
  Rng rng(4);
  const VectorXd masses = random_masses(800, rng);
  const VectorXd values = (VectorXd(5) << 9, 4, 2, 1, 0.5).finished();
  const MatrixXd A = with_singular_values(values, masses, rng);
  const MatrixXd Q = orthonormalize(A, masses, {.max_count = 2}).Q;
  ASSERT_EQ(Q.cols(), 2);
  // No two directions leave less of A [Eckart and Young 1936]: the rest has the other singular values.
  const MatrixXd rest = masses.cwiseSqrt().asDiagonal() * (A - Q * (Q.transpose() * masses.asDiagonal() * A));
  EXPECT_NEAR(rest.norm(), values.tail(3).norm(), 1e-11);
}

TEST(Orthonormalize, SameBitsOnAnyNumberOfThreadsParallel) {
  Rng rng(6);
  const VectorXd masses = random_masses(20000, rng);
  const MatrixXd A = random_matrix(20000, 10, rng);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return orthonormalize(A, masses).Q;
  };
  const MatrixXd one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(8));
}

TEST(Orthonormalize, BadInputGetsASentence) {
  const MatrixXd A = MatrixXd::Ones(6, 2);
  EXPECT_TRUE(contains(message_of([&] { orthonormalize(A, VectorXd::Ones(5)); }), "5 masses for 6 rows"));
  EXPECT_TRUE(contains(message_of([&] { orthonormalize(A, VectorXd::Ones(6), {.tolerance = 1e-9}); }),
                       "expected 1e-7 to 1"));
  EXPECT_TRUE(contains(message_of([&] { orthonormalize(A * NAN, VectorXd::Ones(6)); }), "not finite"));
}

}  // namespace
}  // namespace pliant
