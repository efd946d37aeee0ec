#include "pliant/numerics/eigenpairs.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;
using Triplets = std::vector<Eigen::Triplet<double>>;

SparseMatrix from_triplets(Index n, const Triplets& entries) {
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

/// A random graph Laplacian with weights, on the diagonal `ground` more, and random masses.
struct Pencil {
  SparseMatrix K, M;
};
Pencil random_pencil(Index n, double ground, double size, Rng& rng) {
  Triplets k, m;
  const auto spring = [&](Index i, Index j, double w) {
    k.emplace_back(i, i, w), k.emplace_back(j, j, w), k.emplace_back(i, j, -w), k.emplace_back(j, i, -w);
  };
  for (Index i = 0; i + 1 < n; ++i) spring(i, i + 1, size * rng.uniform(0.5, 2));
  for (Index i = 0; i < 2 * n; ++i) {
    const Index a = rng.integer(n), b = rng.integer(n);
    if (a != b) spring(a, b, size * rng.uniform(0.1, 1));
  }
  for (Index i = 0; i < n; ++i)
    k.emplace_back(i, i, ground), m.emplace_back(i, i, rng.uniform(0.5, 3) * 1e-3);
  return {from_triplets(n, k), from_triplets(n, m)};
}

/// The path of n masses 1 with springs 1 and both ends free has the eigenvalues 4 sin^2(pi k / 2n).
SparseMatrix path(Index n) {
  Triplets k;
  for (Index i = 0; i + 1 < n; ++i)
    k.emplace_back(i, i, 1), k.emplace_back(i + 1, i + 1, 1), k.emplace_back(i, i + 1, -1),
        k.emplace_back(i + 1, i, -1);
  return from_triplets(n, k);
}
double path_eigenvalue(Index n, Index k) {
  return 4 * std::pow(std::sin(M_PI * static_cast<double>(k) / (2.0 * static_cast<double>(n))), 2);
}

void expect_pairs(const SparseMatrix& K, const SparseMatrix& M, const Eigenpairs& pairs, double tolerance) {
  const MatrixXd gram = pairs.vectors.transpose() * (M * pairs.vectors);
  EXPECT_LT((gram - MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-12);
  for (Index i = 0; i < pairs.values.size(); ++i) {
    const VectorXd u = pairs.vectors.col(i);
    EXPECT_LT((K * u - pairs.values[i] * (M * u)).norm(), tolerance * (K * u).norm() + 1e-300) << i;
    Index largest = 0;
    u.cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(u[largest], 0);
    if (i > 0) {
      EXPECT_GE(pairs.values[i], pairs.values[i - 1]);
    }
  }
}

TEST(Eigenpairs, AreThoseOfTheDenseSolverWhateverTheUnits) {
  Rng rng(1);
  for (const double size : {1e-8, 1.0, 1e9}) {
    const Pencil p = random_pencil(300, 0.01 * size, size, rng);
    const Eigenpairs pairs = lowest_eigenpairs(p.K, p.M, {.count = 15});
    ASSERT_TRUE(pairs.converged);
    ASSERT_EQ(pairs.values.size(), 15);
    expect_pairs(p.K, p.M, pairs, 1e-10);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> dense{MatrixXd(p.K), MatrixXd(p.M)};
    for (Index i = 0; i < 15; ++i)
      EXPECT_NEAR(pairs.values[i], dense.eigenvalues()[i], 1e-9 * dense.eigenvalues()[i]);
    EXPECT_LT(pairs.residuals.maxCoeff(), 1e-9);
  }
}

TEST(Eigenpairs, ASingularMatrixHasAZeroUnlessItIsKnown) {
  const Index n = 500;
  const SparseMatrix K = path(n);
  SparseMatrix M(n, n);
  M.setIdentity();
  const Eigenpairs with = lowest_eigenpairs(K, M, {.count = 10});
  ASSERT_TRUE(with.converged);
  EXPECT_NEAR(with.values[0], 0, 1e-13);
  for (Index i = 1; i < 10; ++i)
    EXPECT_NEAR(with.values[i], path_eigenvalue(n, i), 1e-9 * path_eigenvalue(n, i));

  const MatrixXd constant = VectorXd::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  const Eigenpairs without = lowest_eigenpairs(K, M, {.count = 10, .known = constant});
  ASSERT_TRUE(without.converged);
  for (Index i = 0; i < 10; ++i)
    EXPECT_NEAR(without.values[i], path_eigenvalue(n, i + 1), 1e-9 * path_eigenvalue(n, i + 1));
  EXPECT_LT((constant.transpose() * without.vectors).cwiseAbs().maxCoeff(), 1e-12);
  expect_pairs(K, M, without, 1e-8);
}

TEST(Eigenpairs, RepeatedEigenvaluesAreAllFound) {
  // Separate copies of one system: every eigenvalue so many times.
  for (const Index copies : {4, 20}) {
    const Index n = 150;
    const SparseMatrix one = path(n);
    Triplets k;
    for (Index c = 0; c < copies; ++c)
      for (Index j = 0; j < one.outerSize(); ++j)
        for (SparseMatrix::InnerIterator it(one, j); it; ++it)
          k.emplace_back(c * n + it.row(), c * n + it.col(),
                         it.value() + (it.row() == it.col() ? 0.001 : 0.0));
    const SparseMatrix K = from_triplets(copies * n, k);
    SparseMatrix M(copies * n, copies * n);
    M.setIdentity();
    for (const int count : {4, 8, 16, 45}) {
      const Eigenpairs pairs = lowest_eigenpairs(K, M, {.count = count});
      ASSERT_TRUE(pairs.converged);
      for (Index i = 0; i < count; ++i)
        EXPECT_NEAR(pairs.values[i], 0.001 + path_eigenvalue(n, i / copies), 1e-10)
            << copies << ' ' << count << ' ' << i;
      expect_pairs(K, M, pairs, 1e-8);
    }
  }
}

TEST(Eigenpairs, AboveTheMemoryBudgetTheSameAreFoundWithoutAFactorisation) {
  Rng rng(6);
  const Pencil p = random_pencil(1200, 0.01, 1, rng);
  const Eigenpairs direct = lowest_eigenpairs(p.K, p.M, {.count = 12});
  EXPECT_FALSE(direct.iterative);
  EXPECT_GE(direct.factor_bytes, 8 * 1200);
  const Eigenpairs iterative =
      lowest_eigenpairs(p.K, p.M, {.count = 12, .memory_budget = 0.9 * direct.factor_bytes});
  EXPECT_TRUE(iterative.iterative);
  EXPECT_EQ(iterative.factor_bytes, direct.factor_bytes);
  ASSERT_TRUE(iterative.converged);
  for (Index i = 0; i < 12; ++i)
    EXPECT_NEAR(iterative.values[i], direct.values[i], 1e-9 * direct.values[i]) << i;
  const MatrixXd overlap = direct.vectors.transpose() * (p.M * iterative.vectors);
  EXPECT_LT((overlap - MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff(), 1e-4);

  // Not fewer bytes than needed: direct again
  EXPECT_FALSE(lowest_eigenpairs(p.K, p.M, {.count = 12, .memory_budget = direct.factor_bytes}).iterative);
}

TEST(Eigenpairs, SmallMatricesAreSolvedWhole) {
  Rng rng(2);
  const Pencil p = random_pencil(12, 1, 1, rng);
  for (const int count : {1, 12}) {
    const Eigenpairs pairs = lowest_eigenpairs(p.K, p.M, {.count = count});
    ASSERT_TRUE(pairs.converged);
    EXPECT_EQ(pairs.values.size(), count);
    expect_pairs(p.K, p.M, pairs, 1e-10);
  }
  const MatrixXd first = lowest_eigenpairs(p.K, p.M, {.count = 2}).vectors;
  const Eigenpairs rest = lowest_eigenpairs(p.K, p.M, {.count = 10, .known = first});
  const Eigenpairs all = lowest_eigenpairs(p.K, p.M, {.count = 12});
  EXPECT_LT((rest.values - all.values.tail(10)).norm(), 1e-9 * all.values.norm());
}

TEST(Eigenpairs, SameBitsOnAnyNumberOfThreadsParallel) {
  Rng rng(3);
  const Pencil p = random_pencil(400, 0.01, 1, rng);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return lowest_eigenpairs(p.K, p.M, {.count = 8});
  };
  const Eigenpairs one = run(1), two = run(2);
  EXPECT_EQ(one.values, two.values);
  EXPECT_EQ(one.vectors, two.vectors);
}

TEST(Eigenpairs, NotToConvergeIsAValue) {
  Rng rng(4);
  const Pencil p = random_pencil(300, 0.01, 1, rng);
  EXPECT_FALSE(lowest_eigenpairs(p.K, p.M, {.count = 5, .tolerance = 1e-300, .restarts = 1}).converged);
  const SparseMatrix negative = -p.K;  // cannot be factored
  EXPECT_FALSE(lowest_eigenpairs(negative, p.M, {.count = 5}).converged);
}

TEST(Eigenpairs, BadInputGetsASentence) {
  SparseMatrix K(5, 5), M(4, 4), I(5, 5);
  I.setIdentity();
  EXPECT_TRUE(contains(message_of([&] { lowest_eigenpairs(K, M); }), "K is 5 x 5 and M 4 x 4"));
  EXPECT_TRUE(
      contains(message_of([&] { lowest_eigenpairs(I, I, {.count = 6}); }), "6 wanted; expected 1 to 5"));
  EXPECT_TRUE(
      contains(message_of([&] { lowest_eigenpairs(I, K, {.count = 1}); }), "not finite and positive"));
}

}  // namespace
}  // namespace pliant
