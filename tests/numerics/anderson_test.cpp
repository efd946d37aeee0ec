#include "pliant/numerics/anderson.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// x <- x* + B (x - x*), B symmetric with these eigenvalues.
struct Linear {
  MatrixXd B;
  VectorXd solution;
  VectorXd operator()(const VectorXd& x) const { return solution + B * (x - solution); }
};

Linear linear(Index size, std::initializer_list<double> eigenvalues) {
  Rng rng(3);
  const MatrixXd random = MatrixXd::NullaryExpr(size, size, [&] { return rng.normal(); });
  const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(random).householderQ();
  VectorXd values = VectorXd::Zero(size);
  Index i = 0;
  for (const double value : eigenvalues) values[i++] = value;
  return {Q * values.asDiagonal() * Q.transpose(), VectorXd::NullaryExpr(size, [&] { return rng.normal(); })};
}

VectorXd run(const Linear& g, int window, int turns) {
  AndersonMixing mixing(g.solution.size(), window);
  VectorXd x = VectorXd::Zero(g.solution.size());
  for (int i = 0; i < turns; ++i) {
    VectorXd next = g(x);
    mixing.mix(x, next);
    x = next;
  }
  return x;
}

TEST(Anderson, ALinearIterationWithThreeEigenvaluesEndsAfterFourTurns) {
  const Linear g = linear(40, {0.95, 0.7, -0.6});
  const double plain = (run(g, 0, 6) - g.solution).norm(), mixed = (run(g, 3, 6) - g.solution).norm();
  EXPECT_GT(plain, 0.1);
  EXPECT_LT(mixed, 0.02 * plain);
  // With a shorter window it takes longer, but not as long as without.
  EXPECT_LT((run(g, 1, 30) - g.solution).norm(), 0.3 * (run(g, 0, 30) - g.solution).norm());
}

TEST(Anderson, WithoutAWindowNothingIsMixed) {
  const Linear g = linear(5, {0.9, 0.5});
  VectorXd x = VectorXd::Zero(5);
  for (int i = 0; i < 7; ++i) x = g(x);
  EXPECT_EQ(run(g, 0, 7), x);
}

TEST(Anderson, ASolutionStaysOne) {
  const Linear g = linear(10, {0.9, 0.5});
  AndersonMixing mixing(10, 4);
  for (int i = 0; i < 6; ++i) {
    VectorXd next = g.solution;
    mixing.mix(g.solution, next);
    EXPECT_EQ(next, g.solution) << i;
  }
}

TEST(Anderson, TurnsThatGoApartAreNotMixed) {
  const Linear g = linear(10, {3.0, 0.5});  // runs away
  AndersonMixing mixing(10, 4);
  VectorXd x = VectorXd::Zero(10);
  for (int i = 0; i < 4; ++i) {
    const VectorXd plain = g(x);
    VectorXd next = plain;
    mixing.mix(x, next);
    EXPECT_EQ(next, plain) << i;
    x = plain;
  }
}

TEST(Anderson, WhatIsNotANumberIsPassedOn) {
  AndersonMixing mixing(3, 2);
  const VectorXd x = VectorXd::Zero(3);
  for (int i = 0; i < 3; ++i) {
    VectorXd g = VectorXd::Constant(3, i == 1 ? std::nan("") : 1.0 / (i + 1));
    const VectorXd given = g;
    mixing.mix(x, g);
    if (i == 2) {
      EXPECT_EQ(g, given);  // the past is forgotten
    }
  }
}

}  // namespace
}  // namespace pliant
