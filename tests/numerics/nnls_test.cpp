#include "pliant/numerics/nnls.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"

namespace pliant {
namespace {

MatrixXd random_matrix(Index rows, Index columns, Rng& rng) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

double objective(const MatrixXd& A, const VectorXd& b, const VectorXd& x) {
  return (A * x - b).squaredNorm();
}

/// The conditions of Karush, Kuhn and Tucker, which make a feasible point the best of this convex problem.
void expect_optimal(const MatrixXd& A, const VectorXd& b, const Nnls& result, double tolerance = 1e-9) {
  EXPECT_TRUE(result.converged);
  const VectorXd multipliers = A.transpose() * (b - A * result.x);
  const double scale = (A.transpose() * b).cwiseAbs().maxCoeff();
  for (Index i = 0; i < result.x.size(); ++i) {
    EXPECT_GE(result.x[i], 0);
    EXPECT_LE(multipliers[i], tolerance * scale) << i;
    if (result.x[i] > 0) {
      EXPECT_GE(multipliers[i], -tolerance * scale) << i;
    }
  }
  EXPECT_LT((result.multipliers - multipliers).norm(),
            tolerance * (scale + 1e-300) * std::sqrt(double(b.size())));
}

Nnls solve(const MatrixXd& A, const VectorXd& b, const VectorXd& start = {}) {
  return nnls(A.transpose() * A, A.transpose() * b, start);
}

/// Least squares on every set of unknowns: the best that is not negative.
double best_by_enumeration(const MatrixXd& A, const VectorXd& b) {
  double best = b.squaredNorm();
  for (unsigned set = 1; set < (1u << A.cols()); ++set) {
    std::vector<int> members;
    for (int i = 0; i < A.cols(); ++i)
      if (set >> i & 1u) members.push_back(i);
    const MatrixXd part = A(Eigen::all, members);
    const VectorXd x = part.completeOrthogonalDecomposition().solve(b);
    if (x.minCoeff() >= 0) best = std::min(best, objective(part, b, x));
  }
  return best;
}

}  // namespace

TEST(Nnls, IsTheBestOfAllSets) {
  Rng rng(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index n = 1 + rng.integer(8), rows = n + rng.integer(5);
    const MatrixXd A = random_matrix(rows, n, rng);
    const VectorXd b = random_matrix(rows, 1, rng);
    const Nnls result = solve(A, b);
    expect_optimal(A, b, result);
    EXPECT_NEAR(objective(A, b, result.x), best_by_enumeration(A, b), 1e-9 * b.squaredNorm());
  }
}

TEST(Nnls, DependentColumnsDoNotDisturbIt) {
  Rng rng(2);
  for (int repeat = 0; repeat < 60; ++repeat) {
    // More columns than rows, repeated and opposite columns, a zero column.
    const Index rows = 3 + rng.integer(3);
    MatrixXd A = random_matrix(rows, 9, rng);
    A.col(4) = A.col(1);
    A.col(5) = -A.col(2);
    A.col(6).setZero();
    const VectorXd b = random_matrix(rows, 1, rng);
    const Nnls result = solve(A, b);
    expect_optimal(A, b, result, 1e-6);
    EXPECT_NEAR(objective(A, b, result.x), best_by_enumeration(A, b), 1e-6 * b.squaredNorm());
  }
}

TEST(Nnls, KnownAnswers) {
  const MatrixXd I = MatrixXd::Identity(3, 3);
  EXPECT_EQ(solve(I, Vector3d(1, -2, 3)).x, Vector3d(1, 0, 3));
  EXPECT_EQ(solve(I, Vector3d(-1, -2, -3)).x, Vector3d(0, 0, 0));
  EXPECT_EQ(solve(I, Vector3d(0, 0, 0)).x, Vector3d(0, 0, 0));
  EXPECT_TRUE(nnls(MatrixXd(0, 0), VectorXd(0)).converged);
}

TEST(Nnls, AnyStartEndsAtTheSameBest) {
  Rng rng(3);
  const MatrixXd A = random_matrix(80, 40, rng).cwiseAbs() + 0.2 * random_matrix(80, 40, rng);
  const VectorXd b = random_matrix(80, 1, rng);
  const Nnls cold = solve(A, b);
  expect_optimal(A, b, cold);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Nnls warm = solve(A, b, random_matrix(40, 1, rng));
    expect_optimal(A, b, warm);
    EXPECT_LT((warm.x - cold.x).norm(), 1e-9 * cold.x.norm());
  }
  EXPECT_EQ(solve(A, b, cold.x).iterations, 1);
}

TEST(Nnls, SeveralHundredUnknowns) {
  Rng rng(4);
  // Columns that are much alike, as the forces of neighbouring elements are.
  const MatrixXd A =
      random_matrix(500, 20, rng) * random_matrix(20, 400, rng) + 0.3 * random_matrix(500, 400, rng);
  const VectorXd b = A * random_matrix(400, 1, rng).cwiseAbs() + random_matrix(500, 1, rng);
  const Nnls cold = solve(A, b), full = solve(A, b, VectorXd::Ones(400));
  expect_optimal(A, b, cold, 1e-8);
  expect_optimal(A, b, full, 1e-8);
  EXPECT_LT((cold.x - full.x).norm(), 1e-6 * cold.x.norm());
  EXPECT_GT((cold.x.array() == 0).count(), 20);  // constraints were active
}

TEST(Nnls, StopsWhenToldAndStaysFeasible) {
  Rng rng(5);
  const MatrixXd A = random_matrix(50, 30, rng);
  const VectorXd b = random_matrix(50, 1, rng);
  const Nnls result = nnls(A.transpose() * A, A.transpose() * b, {}, {.max_iterations = 3});
  EXPECT_FALSE(result.converged);
  EXPECT_GE(result.x.minCoeff(), 0);
  EXPECT_LT(objective(A, b, result.x), b.squaredNorm());
}

TEST(Nnls, RefusesSizesThatDiffer) {
  EXPECT_THROW(nnls(MatrixXd::Identity(3, 3), VectorXd::Ones(2)), InputError);
  EXPECT_THROW(nnls(MatrixXd::Identity(3, 3), VectorXd::Ones(3), VectorXd::Ones(2)), InputError);
}

}  // namespace pliant
