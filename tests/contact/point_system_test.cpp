#include "pliant/contact/point_system.h"

#include <Eigen/Dense>

#include <limits>
#include <numeric>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// Points that feel each other by a matrix.
class Matrix final : public PointResponses {
 public:
  explicit Matrix(MatrixXd compliance) : C(std::move(compliance)) {}
  void prepare(std::span<const Index> rows) override { prepared += static_cast<int>(rows.size()); }
  void compliance(Index row, std::span<const Index> others, double* out) override {
    for (const Index other : others) *out++ = C(row, other);
  }
  void push(std::span<const Index>, const MatrixXd&) override {}
  Vector3d moved(Index) const override { return Vector3d::Zero(); }

  MatrixXd C;
  int prepared = 0;
};

Matrix random_points(Index count) {
  Rng rng(4);
  MatrixXd A(count, count);
  for (double& a : A.reshaped()) a = rng.normal();
  return Matrix(A * A.transpose() / static_cast<double>(count));
}

const auto soft = [](Index, double alone) { return 0.01 * alone; };

/// How far forces are from closing the gaps.
double left(PointSystem& system, const Matrix& points) {
  const Index count = system.size();
  Rng rng(8);
  MatrixXd gap(count + 5, 3), f = MatrixXd::Zero(count + 5, 3);  // more rows than it needs
  for (double& g : gap.reshaped()) g = rng.normal();
  system.solve(gap, f);
  const std::vector<Index> rows(system.rows().begin(), system.rows().end());
  MatrixXd M = points.C(rows, rows);
  M.diagonal() *= 1.01;
  return (M * f.topRows(count) - gap.topRows(count)).cwiseAbs().maxCoeff();
}

}  // namespace

TEST(PointSystem, SolvesForFewPointsAndForMany) {
  for (const Index count : {1, 10, 100, 256, 257, 300}) {
    Matrix points = random_points(count);
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    PointSystem system;
    ASSERT_TRUE(system.assign(points, rows, true, soft));
    EXPECT_LT(left(system, points), 1e-8) << count;
    // The same once more costs nothing.
    ASSERT_TRUE(system.assign(points, rows, true, soft));
    EXPECT_EQ(points.prepared, count);
  }
}

// The first points have no gap left, whatever the forces of the others, and what is left for these is the same system.
TEST(PointSystem, PointsThatAreEliminatedFollowTheOthers) {
  for (const auto& [first, others] : {std::pair<Index, Index>{1, 1}, {5, 12}, {40, 3}}) {
    const Index count = first + others;
    Matrix points = random_points(count);
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    PointSystem system;
    ASSERT_TRUE(system.assign(points, rows, false, soft));
    MatrixXd M = points.C;
    M.diagonal() *= 1.01;
    Rng rng(5);
    MatrixXd gap(count, 3), f(count, 3), change(others, 3);
    for (MatrixXd* m : {&gap, &change})
      for (double& x : m->reshaped()) x = rng.normal();
    system.solve(gap, f);
    ASSERT_TRUE(system.eliminate(first));
    // Forces of the others that do not close their gaps.
    const Index apart = whole_vectors(others);
    AlignedVector<double> changed(static_cast<std::size_t>(3 * apart), 0.0), beyond = changed,
                                                                             force = changed;
    for (Index c = 0; c < 3; ++c)
      for (Index i = 0; i < others; ++i) {
        changed[static_cast<std::size_t>(c * apart + i)] = change(i, c);
        force[static_cast<std::size_t>(c * apart + i)] = f(first + i, c) + change(i, c);
      }
    system.beyond(force.data(), gap, beyond.data(), apart);
    system.follow(changed.data(), apart, f);
    f.bottomRows(others) += change;
    const MatrixXd left = M * f - gap;
    EXPECT_LT(left.topRows(first).cwiseAbs().maxCoeff(), 1e-8);
    for (Index c = 0; c < 3; ++c)
      for (Index i = 0; i < others; ++i)
        EXPECT_NEAR(beyond[static_cast<std::size_t>(c * apart + i)], left(first + i, c), 1e-8);
    // Its own column of what is left is how far a point moves where the first give no way.
    const MatrixXd S = M.bottomRightCorner(others, others) -
                       M.bottomLeftCorner(others, first) *
                           M.topLeftCorner(first, first).ldlt().solve(M.topRightCorner(first, others));
    for (Index i = 0; i < others; ++i) EXPECT_NEAR(system.matrix()[i * system.stride()], S(0, i), 1e-8);
  }
}

TEST(PointSystem, GrowsFromAnySizeToAnyOther) {
  Matrix points = random_points(310);
  std::vector<Index> rows(310);
  std::iota(rows.begin(), rows.end(), 0);
  for (const bool is_soft : {true, false})
    for (const auto& [from, to] :
         {std::pair{200, 260}, {256, 257}, {257, 264}, {264, 265}, {300, 304}, {304, 10}}) {
      PointSystem system;
      for (const int size : {from, to}) {
        ASSERT_TRUE(
            system.assign(points, std::span(rows).first(static_cast<std::size_t>(size)), is_soft, soft));
        EXPECT_LT(left(system, points), 1e-8) << from << ' ' << to;
      }
    }
}

TEST(PointSystem, PointsThatAreHardlySoftAndDependOnEachOtherAreHeld) {
  // Eighty points of a body that can only do ten things.
  Rng rng(6);
  MatrixXd A(80, 10);
  for (double& a : A.reshaped()) a = rng.normal();
  Matrix points(A * A.transpose());
  std::vector<Index> rows(80);
  std::iota(rows.begin(), rows.end(), 0);
  const auto hardly_soft = [](Index, double alone) { return 1e-14 * alone; };
  PointSystem system;
  ASSERT_TRUE(system.assign(points, rows, false, hardly_soft));
  EXPECT_FALSE(system.can_change(1));
  const MatrixXd gap = A * MatrixXd::Random(10, 3);  // that it can do
  MatrixXd f(80, 3);
  system.solve(gap, f);
  EXPECT_LT((points.C * f - gap).norm(), 1e-4 * gap.norm());
}

TEST(PointSystem, PointsComeToNone) {
  Matrix points = random_points(5);
  PointSystem system;
  ASSERT_TRUE(system.assign(points, {}, true, soft));
  ASSERT_TRUE(system.can_change(2));
  for (const Index row : {4, 1}) ASSERT_TRUE(system.add(points, row, soft));
  EXPECT_LT(left(system, points), 1e-9);
}

TEST(PointSystem, PointsComeAndGo) {
  Matrix points = random_points(60);
  PointSystem system;
  const std::vector<Index> rows = {3, 5, 8, 13, 21, 34, 55};
  ASSERT_TRUE(system.assign(points, rows, true, soft));
  MatrixXd gap = MatrixXd::Random(7, 3), first(7, 3), again(7, 3);
  system.solve(gap, first);
  system.remove(2);
  EXPECT_EQ(std::vector<Index>(system.rows().begin(), system.rows().end()),
            (std::vector<Index>{3, 5, 55, 13, 21, 34}));
  EXPECT_LT(left(system, points), 1e-9);
  ASSERT_TRUE(system.add(points, 8, soft));
  ASSERT_TRUE(system.add(points, 0, soft));
  system.remove(system.size() - 1);
  EXPECT_LT(left(system, points), 1e-9);
  EXPECT_EQ(system.size(), 7);
  EXPECT_TRUE(system.can_change(249));
  EXPECT_FALSE(system.can_change(250));
  // What has changed is made anew when it is assigned: the same numbers as at first.
  points.prepared = 0;
  ASSERT_TRUE(system.assign(points, rows, true, soft));
  EXPECT_EQ(points.prepared, 7);
  system.solve(gap, again);
  EXPECT_EQ(first, again);
}

TEST(PointSystem, WhatIsNotFiniteIsRefusedAndForgotten) {
  for (const Index count : {5, 300}) {
    Matrix points = random_points(count);
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    points.C(3, 3) = std::numeric_limits<double>::quiet_NaN();
    PointSystem system;
    EXPECT_FALSE(system.assign(points, rows, true, soft));
    EXPECT_EQ(system.size(), 0);
    rows.erase(rows.begin() + 3);
    EXPECT_TRUE(system.assign(points, rows, true, soft));
    EXPECT_LT(left(system, points), 1e-7);
  }
}

}  // namespace pliant
