#include "pliant/numerics/dense_front.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstring>
#include <limits>

#include "pliant/base/rng.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {
namespace {

/// A symmetric matrix whose first `columns` can be eliminated.
MatrixXd random_definite(int rows, std::uint64_t seed) {
  Rng rng(seed);
  const MatrixXd M = MatrixXd::NullaryExpr(rows, rows, [&] { return rng.normal(); });
  return M * M.transpose() + rows * MatrixXd::Identity(rows, rows);
}

struct Eliminated {
  MatrixXd panel, rest;
  bool definite = false;
};

Eliminated eliminate(const MatrixXd& A, int columns, bool parallel) {
  const auto rows = static_cast<int>(A.rows());
  Eliminated out{A.leftCols(columns), MatrixXd::Constant(rows - columns, rows - columns, 1e30), false};
  AlignedVector<double> strips(front_workspace(rows, columns), 1e30);
  out.definite = factor_front({.rows = rows,
                               .columns = columns,
                               .panel = out.panel.data(),
                               .rest = out.rest.data(),
                               .strips = strips.data()},
                              parallel);
  return out;
}

const std::pair<int, int> sizes[] = {
    {1, 1},   {2, 1},   {3, 3},    {5, 2},  {12, 4},  {13, 12},   {24, 24},   {30, 17},   {71, 71},  {72, 72},
    {73, 73}, {80, 72}, {100, 73}, {97, 1}, {200, 3}, {150, 144}, {160, 145}, {333, 101}, {260, 260}};

TEST(DenseFront, IsTheFactorAndWhatItSubtracts) {
  for (const auto& [rows, columns] : sizes) {
    const MatrixXd A = random_definite(rows, 1);
    const MatrixXd L = A.llt().matrixL();
    const int rest = rows - columns;
    const MatrixXd left = L.bottomLeftCorner(rest, columns), square = left * left.transpose();
    for (bool parallel : {false, true}) {
      const Eliminated e = eliminate(A, columns, parallel);
      ASSERT_TRUE(e.definite);
      const MatrixXd error = (e.panel - L.leftCols(columns)).triangularView<Eigen::Lower>();
      EXPECT_LT(error.norm(), 1e-12 * L.norm()) << rows << " x " << columns;
      const MatrixXd other = (e.rest + square).triangularView<Eigen::Lower>();
      EXPECT_LE(other.norm(), 1e-12 * square.norm()) << rows << " x " << columns;
      // Above the diagonal nothing was touched.
      const MatrixXd above = (e.panel - A.leftCols(columns)).triangularView<Eigen::StrictlyUpper>();
      EXPECT_EQ(above.norm(), 0);
    }
  }
}

TEST(DenseFront, ParallelTilesGiveTheSameBits) {
  const MatrixXd A = random_definite(420, 2);
  const int columns = 190;
  Eliminated one;
  for (int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    const Eliminated e = eliminate(A, columns, true);
    ASSERT_TRUE(e.definite);
    if (threads == 1) one = e;
    EXPECT_EQ(e.panel, one.panel);
    for (Index j = 0; j < e.rest.cols(); ++j)
      EXPECT_EQ(0, std::memcmp(&e.rest(j, j), &one.rest(j, j),
                               sizeof(double) * static_cast<std::size_t>(e.rest.rows() - j)));
  }
}

TEST(DenseFront, EveryPivotMustBePositiveAndFinite) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const int rows = 90, columns = 80;
  const MatrixXd A = random_definite(rows, 3);
  for (int bad = 0; bad < columns; ++bad) {
    for (double value : {-1.0, 0.0, nan, infinity}) {
      MatrixXd B = A;
      B(bad, bad) = value;
      EXPECT_FALSE(eliminate(B, columns, false).definite) << bad << " " << value;
    }
    if (bad > 0) {
      for (double value : {nan, infinity, 1e6}) {
        MatrixXd B = A;
        B(bad, bad / 2) = value;
        EXPECT_FALSE(eliminate(B, columns, false).definite) << bad << " " << value;
      }
    }
  }
  EXPECT_TRUE(eliminate(A, columns, false).definite);
}

TEST(DenseFront, AddsWhatAChildLeft) {
  // Rows 0 .. 6 of the child are rows 1 2 3, 5, 7 8 9 of a front of ten rows and six columns.
  const std::vector<RowRun> runs = {{0, 1, 3}, {3, 5, 1}, {4, 7, 3}};
  const int place[] = {1, 2, 3, 5, 7, 8, 9};
  Rng rng(4);
  const MatrixXd left = MatrixXd::NullaryExpr(7, 7, [&] { return rng.normal(); });
  for (const auto& [begin, end] : {std::pair{0, 10}, std::pair{2, 8}, std::pair{5, 6}, std::pair{4, 5}}) {
    MatrixXd panel = MatrixXd::Zero(10, 6), rest = MatrixXd::Zero(4, 4), expected = MatrixXd::Zero(10, 10);
    for (int j = 0; j < 7; ++j)
      for (int i = j; i < 7; ++i)
        if (place[j] >= begin && place[j] < end) expected(place[i], place[j]) = left(i, j);
    add_rest(left.data(), 7, runs, begin, end,
             {.rows = 10, .columns = 6, .panel = panel.data(), .rest = rest.data(), .strips = nullptr});
    EXPECT_EQ(panel, expected.leftCols(6));
    EXPECT_EQ(rest, expected.bottomRightCorner(4, 4));
  }
}

TEST(DenseFront, SolvesDownAndUp) {
  for (const auto& [rows, columns] : sizes) {
    const MatrixXd A = random_definite(rows, 5);
    const MatrixXd L = A.llt().matrixL();
    const MatrixXd panel = L.leftCols(columns);
    const auto L11 = L.topLeftCorner(columns, columns).triangularView<Eigen::Lower>();
    const auto L21 = L.bottomLeftCorner(rows - columns, columns);
    Rng rng(6);
    for (int count : {1, 3}) {
      const MatrixXd B = MatrixXd::NullaryExpr(rows, count, [&] { return rng.normal(); });
      MatrixXd down = B, up = B, X = B;
      X.topRows(columns) = L11.solve(MatrixXd(B.topRows(columns)));
      X.bottomRows(rows - columns) -= L21 * X.topRows(columns);
      solve_front_down(panel.data(), rows, columns, down.data(), rows, count);
      EXPECT_LT((down - X).norm(), 1e-12 * X.norm());
      X = B;
      X.topRows(columns) = L11.transpose().solve(
          MatrixXd(B.topRows(columns) - L21.transpose() * B.bottomRows(rows - columns)));
      solve_front_up(panel.data(), rows, columns, up.data(), rows, count);
      EXPECT_LT((up - X).norm(), 1e-12 * X.norm());
    }
  }
}

}  // namespace
}  // namespace pliant
