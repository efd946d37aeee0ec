#include "pliant/numerics/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

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

/// Matrices whose factors have odd shapes: no tree, one block, many trees, a star, a chain, chance.
std::vector<std::pair<std::string, SparseMatrix>> odd_matrices() {
  std::vector<std::pair<std::string, SparseMatrix>> out;
  Rng rng(20);
  const auto add = [&](const std::string& name, const MatrixXd& pattern) {
    // Diagonally dominant, so positive definite.
    MatrixXd A = pattern.unaryExpr([&](double p) { return p != 0 ? rng.normal() : 0.0; });
    A = (A + A.transpose()).eval();
    A.diagonal() = A.cwiseAbs().rowwise().sum().array() + 0.5;
    out.emplace_back(name, A.sparseView());
  };
  for (int n : {1, 2, 3, 5}) add("dense " + std::to_string(n), MatrixXd::Ones(n, n));
  add("dense 200", MatrixXd::Ones(200, 200));
  add("diagonal", MatrixXd::Identity(300, 300));
  MatrixXd pattern = MatrixXd::Zero(300, 300);
  for (int b = 0; b < 300; b += 30) pattern.block(b, b, 30, 30).setOnes();
  add("disconnected", pattern);
  pattern = MatrixXd::Identity(400, 400);
  pattern.row(0).setOnes();
  add("arrow from the first", pattern);
  pattern = MatrixXd::Identity(400, 400);
  pattern.row(399).setOnes();
  add("arrow to the last", pattern);
  pattern = MatrixXd::Identity(500, 500);
  pattern.diagonal(1).setOnes();
  add("chain", pattern);
  for (double density : {0.002, 0.01, 0.05})
    add("random " + std::to_string(density),
        MatrixXd::NullaryExpr(400, 400, [&] { return rng.uniform(0, 1) < density ? 1.0 : 0.0; }));
  return out;
}

TEST(SparseCholesky, OddStructures) {
  for (const auto& [name, A] : odd_matrices()) {
    SparseCholesky cholesky;
    cholesky.analyze(A);
    ASSERT_TRUE(cholesky.factorize(A)) << name;
    const MatrixXd b = random_matrix(A.rows(), 11, 21);  // more than are solved at once
    MatrixXd x(b.rows(), b.cols());
    cholesky.solve(b, x);
    const Eigen::SimplicialLLT<SparseMatrix> eigen(A);
    EXPECT_LT((x - eigen.solve(b)).norm(), 1e-12 * x.norm()) << name;
    EXPECT_LT((MatrixXd(A).llt().solve(b) - x).norm(), 1e-12 * x.norm()) << name;

    // Not definite because of any one row, or not finite: false, and the next good matrix works.
    const Index row = A.rows() / 2;
    for (double bad :
         {-1e3, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      SparseMatrix B = A;
      B.coeffRef(row, row) = bad;
      EXPECT_FALSE(cholesky.factorize(B)) << name;
    }
    SparseMatrix B = A;
    B.valuePtr()[B.nonZeros() - 1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(cholesky.factorize(B)) << name;
    ASSERT_TRUE(cholesky.factorize(A));
    MatrixXd again(b.rows(), b.cols());
    cholesky.solve(b, again);
    EXPECT_EQ(x, again) << name;
  }
}

TEST(SparseCholesky, ItsFactorIsTheMatrixAgain) {
  const SparseMatrix A = grid_matrix(5, 22);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  ASSERT_TRUE(cholesky.factorize(A));
  const CholeskyFactor f = cholesky.factor();
  MatrixXd L = MatrixXd::Zero(A.rows(), A.rows());
  for (Index k = 0; k < f.supernodes; ++k)
    for (int j = 0; j < f.columns_of(k); ++j)
      for (int i = j; i < f.rows_of(k); ++i)
        L(f.rows[f.first_row[k] + i], f.first_column[k] + j) =
            f.values[f.first_value[k] + j * f.rows_of(k) + i];
  const MatrixXd product = L * L.transpose(), dense = A;
  double error = 0;
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < A.rows(); ++j)
      error = std::max(error, std::abs(product(i, j) - dense(f.order[i], f.order[j])));
  EXPECT_LT(error, 1e-13 * dense.cwiseAbs().maxCoeff());
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
  const SparseMatrix A = grid_matrix(11, 9);  // large enough for fronts in tiles
  const MatrixXd b = random_matrix(A.rows(), 3, 10);
  MatrixXd reference;
  std::vector<double> factor;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    SparseCholesky cholesky;
    cholesky.analyze(A);
    ASSERT_TRUE(cholesky.factorize(A));
    MatrixXd x(b.rows(), b.cols());
    cholesky.solve(b, x);
    const CholeskyFactor f = cholesky.factor();
    const std::vector<double> values(f.values, f.values + f.first_value[f.supernodes]);
    if (threads == 1) reference = x, factor = values;
    EXPECT_EQ(std::memcmp(values.data(), factor.data(), sizeof(double) * values.size()), 0);
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
