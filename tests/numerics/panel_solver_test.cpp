#include "pliant/numerics/panel_solver.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pliant/base/rng.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/sparse_cholesky.h"

namespace pliant {
namespace {

/// Sum over neighbours of a grid of nx x ny x nz points, some links weaker, and a little on the diagonal.
SparseMatrix grid_matrix(int nx, int ny, int nz, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Eigen::Triplet<double>> entries;
  const auto at = [&](int i, int j, int k) { return (k * ny + j) * nx + i; };
  const auto link = [&](int a, int b) {
    const double w = rng.uniform(0.1, 10);
    entries.emplace_back(a, a, w), entries.emplace_back(b, b, w);
    entries.emplace_back(a, b, -w), entries.emplace_back(b, a, -w);
  };
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        entries.emplace_back(at(i, j, k), at(i, j, k), 0.01);
        if (i + 1 < nx) link(at(i, j, k), at(i + 1, j, k));
        if (j + 1 < ny) link(at(i, j, k), at(i, j + 1, k));
        if (k + 1 < nz) link(at(i, j, k), at(i, j, k + 1));
      }
  SparseMatrix A(nx * ny * nz, nx * ny * nz);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

AlignedVector<double> random_rows(Index n, std::uint64_t seed) {
  Rng rng(seed);
  AlignedVector<double> rows(static_cast<std::size_t>(4 * n), 0);
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) rows[static_cast<std::size_t>(4 * i + c)] = rng.normal();
  return rows;
}

using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>>;

TEST(PanelSolver, SolvesAsTheFactorDoes) {
  for (const auto& [nx, ny, nz] : {std::array{1, 1, 1}, std::array{3, 1, 1}, std::array{5, 4, 3},
                                   std::array{40, 30, 1}, std::array{15, 14, 13}}) {
    SparseMatrix A = grid_matrix(nx, ny, nz, 1);
    SparseCholesky cholesky;
    cholesky.analyze(A);
    ASSERT_TRUE(cholesky.factorize(A));
    PanelSolver solver;
    solver.analyze(cholesky.factor());
    EXPECT_EQ(solver.size(), A.rows());
    for (double factor : {1.0, 3.0}) {  // new numbers, same structure
      A *= factor;
      ASSERT_TRUE(cholesky.factorize(A));
      solver.assign(cholesky.factor());
      const AlignedVector<double> b = random_rows(A.rows(), 2);
      AlignedVector<double> x(b.size());
      solver.solve(b.data(), x.data());
      const MatrixXd B = Rows(b.data(), A.rows(), 4).leftCols(3);
      MatrixXd expected(A.rows(), 3);
      cholesky.solve(B, expected);
      const MatrixXd X = Rows(x.data(), A.rows(), 4).leftCols(3);
      EXPECT_LT((X - expected).norm(), 1e-12 * expected.norm());
      EXPECT_LT((A * X - B).norm(), 1e-11 * B.norm());
      AlignedVector<double> in_place = b;
      solver.solve(in_place.data(), in_place.data());
      EXPECT_EQ(x, in_place);
    }
  }
}

TEST(PanelSolver, SeparateParts) {  // a forest
  SparseMatrix A(6, 6);
  A.setIdentity();
  A *= 4;
  SparseCholesky cholesky;
  cholesky.analyze(A);
  ASSERT_TRUE(cholesky.factorize(A));
  PanelSolver solver;
  solver.analyze(cholesky.factor());
  AlignedVector<double> b = random_rows(6, 3), x(24);
  solver.solve(b.data(), x.data());
  for (std::size_t i = 0; i < 24; ++i) EXPECT_DOUBLE_EQ(x[i], b[i] / 4);
}

TEST(PanelSolver, ParallelGivesTheSameBits) {
  const SparseMatrix A = grid_matrix(20, 18, 16, 4);
  const AlignedVector<double> b = random_rows(A.rows(), 5);
  AlignedVector<double> one;
  for (int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    SparseCholesky cholesky;
    cholesky.analyze(A);
    ASSERT_TRUE(cholesky.factorize(A));
    PanelSolver solver;
    solver.analyze(cholesky.factor());
    EXPECT_LT(solver.sequential_part(), 0.8);  // there is something to share
    AlignedVector<double> x(b.size());
    solver.solve(b.data(), x.data());
    if (threads == 1) one = x;
    EXPECT_EQ(0, std::memcmp(one.data(), x.data(), x.size() * sizeof(double)));
  }
}

}  // namespace
}  // namespace pliant
