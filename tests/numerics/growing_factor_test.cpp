#include "pliant/numerics/growing_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"

namespace pliant {

TEST(GrowingFactor, SolvesWithTheMembersThatAreThere) {
  Rng rng(3);
  const MatrixXd B = MatrixXd::NullaryExpr(20, 12, [&] { return rng.normal(); });
  const MatrixXd A = B.transpose() * B;
  const VectorXd right = VectorXd::NullaryExpr(12, [&] { return rng.normal(); });
  GrowingFactor factor(A, 1e-11);
  const auto check = [&] {
    const std::vector<Index>& members = factor.members();
    const VectorXd expected = MatrixXd(A(members, members)).ldlt().solve(VectorXd(right(members)));
    EXPECT_LT((factor.solve(right) - expected).norm(), 1e-10 * expected.norm());
  };
  for (const Index i : {4, 0, 11, 7, 2, 9}) {
    EXPECT_TRUE(factor.add(i));
    check();
  }
  for (const Index place : {2, 0, 3}) {
    factor.remove(place);
    check();
  }
  EXPECT_TRUE(factor.add(5));
  EXPECT_EQ(factor.members(), (std::vector<Index>{0, 7, 2, 5}));
  check();
}

TEST(GrowingFactor, LeavesOutWhatDependsOnOthers) {
  Rng rng(4);
  MatrixXd B = MatrixXd::NullaryExpr(10, 4, [&] { return rng.normal(); });
  B.col(3) = 2 * B.col(0) - B.col(1);
  const MatrixXd A = B.transpose() * B;
  GrowingFactor factor(A, 1e-11);
  for (const Index i : {0, 1, 2}) EXPECT_TRUE(factor.add(i));
  EXPECT_FALSE(factor.add(3));
  EXPECT_LT((factor.solve(A.col(3)) - Vector3d(2, -1, 0)).norm(), 1e-10);
  factor.remove(1);
  EXPECT_TRUE(factor.add(3));
}

}  // namespace pliant
