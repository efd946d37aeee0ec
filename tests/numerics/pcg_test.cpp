#include "pliant/numerics/pcg.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// Springs of random stiffness between neighbours on a grid, and a weak one at every point: positive definite.
SymmetricBlocks spring_grid(int side, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) pairs.emplace_back(i + 1, i);
    if (i + side < side * side) pairs.emplace_back(i + side, i);
  }
  SymmetricBlocks A = symmetric_blocks(side * side, pairs);
  for (Index c = 0; c < A.size(); ++c) {
    A.diagonal(c) += 0.01 * Matrix3d::Identity();
    for (int b = A.column_start[static_cast<std::size_t>(c)] + 1;
         b < A.column_start[static_cast<std::size_t>(c + 1)]; ++b) {
      const Matrix3d M = Matrix3d::NullaryExpr([&] { return rng.normal(); });
      const Matrix3d S = M * M.transpose();
      A.block(b) = -S;
      A.diagonal(c) += S;
      A.diagonal(A.rows[static_cast<std::size_t>(b)]) += S;
    }
  }
  return A;
}

VectorXd random_vector(Index size, std::uint64_t seed) {
  Rng rng(seed);
  return VectorXd::NullaryExpr(size, [&] { return rng.normal(); });
}

}  // namespace

TEST(Pcg, SolvesAsADirectSolverDoes) {
  const SymmetricBlocks A = spring_grid(15, 1);
  const VectorXd b = random_vector(3 * A.size(), 2);
  VectorXd x(b.size());
  Pcg pcg;
  const PcgReport report = pcg.solve(A, {b.data(), static_cast<std::size_t>(b.size())},
                                     {x.data(), static_cast<std::size_t>(x.size())}, {.tolerance = 1e-12});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.residual, 1e-12);
  const VectorXd expected = Eigen::SimplicialLDLT<SparseMatrix>(to_sparse(A)).solve(b);
  EXPECT_LT((x - expected).norm(), 1e-9 * expected.norm());
}

TEST(Pcg, ParallelSolvesHaveTheSameBits) {
  const SymmetricBlocks A = spring_grid(40, 3);
  const VectorXd b = random_vector(3 * A.size(), 4);
  VectorXd reference;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    VectorXd x(b.size());
    Pcg pcg;
    pcg.solve(A, {b.data(), static_cast<std::size_t>(b.size())},
              {x.data(), static_cast<std::size_t>(x.size())}, {.tolerance = 1e-6});
    if (threads == 1) reference = x;
    EXPECT_EQ(x, reference);
  }
}

TEST(Pcg, ZeroGivesZeroAndAnIndefiniteMatrixIsAnOutcome) {
  SymmetricBlocks A = spring_grid(6, 5);
  VectorXd b = VectorXd::Zero(3 * A.size()), x = b;
  const auto in = [](VectorXd& v) { return std::span<double>(v.data(), static_cast<std::size_t>(v.size())); };
  Pcg pcg;
  EXPECT_TRUE(pcg.solve(A, in(b), in(x)).converged);
  EXPECT_EQ(x.norm(), 0);
  A.diagonal(7) -= 1e3 * Matrix3d::Identity();
  b = random_vector(b.size(), 6);
  const PcgReport report = pcg.solve(A, in(b), in(x));
  EXPECT_TRUE(report.indefinite);
  EXPECT_FALSE(report.converged);
  EXPECT_TRUE(x.allFinite());
}

}  // namespace pliant
