#include "pliant/numerics/dense_cholesky.h"

#include <gtest/gtest.h>

#include "pliant/base/rng.h"

namespace pliant {

TEST(DenseCholesky, SolvesWhatItFactors) {
  Rng rng(3);
  DenseCholesky cholesky;
  for (const Index n : {1, 2, 7, 8, 9, 40, 135, 300}) {
    const MatrixXd B = MatrixXd::NullaryExpr(n, n, [&] { return rng.uniform(-1, 1); });
    MatrixXd A = B * B.transpose() + 0.1 * MatrixXd::Identity(n, n);
    const VectorXd x = VectorXd::NullaryExpr(n, [&] { return rng.uniform(-1, 1); });
    VectorXd solved = A * x;
    A.triangularView<Eigen::StrictlyUpper>().setConstant(NAN);  // not looked at
    ASSERT_TRUE(cholesky.factorize(A)) << n;
    EXPECT_EQ(cholesky.size(), n);
    cholesky.solve(solved);
    EXPECT_LT((solved - x).norm(), 1e-9 * x.norm()) << n;
  }
}

TEST(DenseCholesky, SaysWhereThereIsNone) {
  DenseCholesky cholesky;
  MatrixXd A = MatrixXd::Identity(20, 20);
  A(13, 13) = -1;
  EXPECT_FALSE(cholesky.factorize(A));
  A(13, 13) = NAN;
  EXPECT_FALSE(cholesky.factorize(A));
  A(13, 13) = 2;
  EXPECT_TRUE(cholesky.factorize(A));
}

}  // namespace pliant
