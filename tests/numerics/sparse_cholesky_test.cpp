#include "pliant/numerics/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// A random symmetric positive definite matrix on a grid of `side`^3 points with 3 unknowns a point: the pattern of
/// a block of elastic material.
SparseMatrix grid_matrix(int side, std::uint64_t seed) {
  Rng rng(seed);
  const int points = side * side * side;
  std::vector<Eigen::Triplet<double>> triplets;
  const auto couple = [&](int a, int b) {
    const Matrix3d M = Matrix3d::NullaryExpr([&] { return rng.normal(); });
    const Matrix3d S = M * M.transpose();  // (x_a - x_b)ᵀ S (x_a - x_b): positive semi-definite
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        triplets.emplace_back(3 * a + i, 3 * a + j, S(i, j));
        triplets.emplace_back(3 * b + i, 3 * b + j, S(i, j));
        triplets.emplace_back(3 * a + i, 3 * b + j, -S(i, j));
        triplets.emplace_back(3 * b + i, 3 * a + j, -S(i, j));
      }
  };
  for (int p = 0; p < points; ++p) {
    const int x = p % side, y = p / side % side, z = p / (side * side);
    if (x + 1 < side) couple(p, p + 1);
    if (y + 1 < side) couple(p, p + side);
    if (z + 1 < side) couple(p, p + side * side);
    for (int i = 0; i < 3; ++i) triplets.emplace_back(3 * p + i, 3 * p + i, 0.1);
  }
  SparseMatrix A(3 * points, 3 * points);
  A.setFromTriplets(triplets.begin(), triplets.end());
  return A;
}

MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

}  // namespace

TEST(SparseCholesky, SolvesSeveralRightHandSidesTogether) {
  const SparseMatrix A = grid_matrix(6, 1);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  ASSERT_TRUE(cholesky.factorize(A));
  for (const Index columns : {1, 3, 7, 3}) {
    const MatrixXd expected = random_matrix(A.rows(), columns, 2);
    MatrixXd X(A.rows(), columns);
    cholesky.solve(A * expected, X);
    EXPECT_LT((X - expected).norm(), 1e-10 * expected.norm());
    MatrixXd in_place = A * expected;
    cholesky.solve(in_place, in_place);
    EXPECT_EQ(in_place, X);
  }
  VectorXd b = random_matrix(A.rows(), 1, 3), x(A.rows());
  cholesky.solve(b, x);
  EXPECT_LT((A * x - b).norm(), 1e-11 * b.norm());
}

TEST(SparseCholesky, ReadsOnlyTheLowerTriangle) {
  const SparseMatrix A = grid_matrix(4, 4);
  const SparseMatrix lower = A.triangularView<Eigen::Lower>();
  const VectorXd b = random_matrix(A.rows(), 1, 5);
  VectorXd x(A.rows()), y(A.rows());
  SparseCholesky of_both, of_lower;
  of_both.analyze(A);
  of_lower.analyze(lower);
  ASSERT_TRUE(of_both.factorize(A) && of_lower.factorize(lower));
  of_both.solve(b, x);
  of_lower.solve(b, y);
  EXPECT_LT((x - y).norm(), 1e-12 * x.norm());
}

TEST(SparseCholesky, FactorsOtherValuesOfThePatternAndGivesTheSameBitsForTheSame) {
  const SparseMatrix A = grid_matrix(5, 6), B = grid_matrix(5, 7);
  const VectorXd b = random_matrix(A.rows(), 1, 8);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  VectorXd first(A.rows()), other(A.rows()), again(A.rows());
  ASSERT_TRUE(cholesky.factorize(A));
  cholesky.solve(b, first);
  ASSERT_TRUE(cholesky.factorize(B));
  cholesky.solve(b, other);
  EXPECT_LT((B * other - b).norm(), 1e-11 * b.norm());
  ASSERT_TRUE(cholesky.factorize(A));
  cholesky.solve(b, again);
  EXPECT_EQ(first, again);
}

TEST(SparseCholesky, ParallelThreadsDoNotChangeABit) {
  const SparseMatrix A = grid_matrix(9, 9);
  const MatrixXd b = random_matrix(A.rows(), 3, 10);
  MatrixXd reference;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    SparseCholesky cholesky;
    cholesky.analyze(A);
    ASSERT_TRUE(cholesky.factorize(A));
    MatrixXd x(b.rows(), b.cols());
    cholesky.solve(b, x);
    if (threads == 1) reference = x;
    EXPECT_EQ(std::memcmp(x.data(), reference.data(), sizeof(double) * static_cast<std::size_t>(x.size())),
              0);
  }
}

TEST(SparseCholesky, AnIndefiniteMatrixIsAnOutcome) {
  const SparseMatrix A = grid_matrix(4, 11);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  SparseMatrix indefinite = A;
  indefinite.coeffRef(40, 40) -= 1e3;
  EXPECT_FALSE(cholesky.factorize(indefinite));
  EXPECT_FALSE(cholesky.factorized());
  VectorXd x = VectorXd::Zero(A.rows());
  EXPECT_THROW(cholesky.solve(x, x), InputError);
  SparseMatrix poisoned = A;
  poisoned.coeffRef(7, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cholesky.factorize(poisoned));
  EXPECT_TRUE(cholesky.factorize(A));
}

TEST(SparseCholesky, TheFactorIsAsLargeAsItSays) {
  const SparseMatrix A = grid_matrix(8, 12);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  ASSERT_TRUE(cholesky.factorize(A));
  // At least the matrix's own lower triangle, and less than a dense one.
  EXPECT_GT(cholesky.factor_nonzeros(), (A.nonZeros() + A.rows()) / 2);
  EXPECT_LT(cholesky.factor_nonzeros(), A.rows() * (A.rows() + 1) / 2);
  EXPECT_GE(cholesky.memory_bytes(), sizeof(double) * static_cast<std::size_t>(cholesky.factor_nonzeros()));
  EXPECT_GT(cholesky.factor_flops(), static_cast<double>(cholesky.factor_nonzeros()));
}

TEST(SparseCholesky, RefusesWhatDoesNotFit) {
  const SparseMatrix A = grid_matrix(3, 13), larger = grid_matrix(4, 13);
  SparseCholesky cholesky;
  EXPECT_THROW(cholesky.analyze(SparseMatrix(3, 4)), InputError);
  cholesky.analyze(A);
  EXPECT_THROW(cholesky.factorize(larger), InputError);
  ASSERT_TRUE(cholesky.factorize(A));
  VectorXd wrong = VectorXd::Zero(A.rows() + 1);
  EXPECT_THROW(cholesky.solve(wrong, wrong), InputError);
}

}  // namespace pliant
