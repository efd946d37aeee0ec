#include "pliant/reduced/local_coordinates.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

MatrixXd some_coordinates(Index columns) {
  MatrixXd q(columns, 3);
  for (Index i = 0; i < q.size(); ++i) q.data()[i] = std::sin(0.7 * static_cast<double>(i));
  return q;
}

TEST(LocalCoordinates, WhatIsTakenOffIsATranslationOfTheWhole) {
  const Index columns = 12;
  VectorXd constant(columns);  // coordinates need not be in metres
  for (Index i = 0; i < columns; ++i) constant[i] = i % 4 == 0 ? 2.0 + static_cast<double>(i) : 0.0;
  const MatrixXd near = some_coordinates(columns);
  for (const Vector3d& far : {Vector3d(0, 0, 0), Vector3d(1e5, -3e4, 7)}) {
    const MatrixXd q = near + constant * far.transpose();
    LocalCoordinates<float> local(columns, constant);
    local.take(q);
    EXPECT_LT((local.origin() - far).norm(), 1);
    for (Index i = 0; i < columns; ++i)
      for (int c = 0; c < 3; ++c) {
        const double taken = static_cast<double>(local.data()[3 * i + c]);
        EXPECT_LT(std::abs(taken), 10);  // small, whatever was added
        EXPECT_NEAR(taken + constant[i] * local.origin()[c], q(i, c), 1e-6);
      }
  }
}

TEST(LocalCoordinates, WithoutATranslationTheyAreTakenAsTheyAre) {
  const MatrixXd q = some_coordinates(8);
  LocalCoordinates<double> local(8);
  local.take(q, -1);
  EXPECT_EQ(local.origin(), Vector3d(0, 0, 0));
  for (Index i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(local.data()[3 * i + c], -q(i, c));
}

}  // namespace
}  // namespace pliant
