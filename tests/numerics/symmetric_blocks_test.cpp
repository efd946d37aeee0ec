#include "pliant/numerics/symmetric_blocks.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"

namespace pliant {
namespace {

SymmetricBlocks random_blocks(int size, int pairs, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::pair<int, int>> list;
  for (int i = 0; i < pairs; ++i)
    list.emplace_back(static_cast<int>(rng.integer(size)), static_cast<int>(rng.integer(size)));
  SymmetricBlocks A = symmetric_blocks(size, list);
  for (double& v : A.values) v = rng.normal();
  for (int i = 0; i < size; ++i) A.diagonal(i) = (A.diagonal(i) + A.diagonal(i).transpose()).eval();
  return A;
}

/// The slow way: block by block into a dense matrix.
MatrixXd dense(const SymmetricBlocks& A) {
  MatrixXd out = MatrixXd::Zero(3 * A.size(), 3 * A.size());
  for (Index c = 0; c < A.size(); ++c)
    for (int b = A.column_start[static_cast<std::size_t>(c)];
         b < A.column_start[static_cast<std::size_t>(c + 1)]; ++b) {
      const Index r = A.rows[static_cast<std::size_t>(b)];
      out.block<3, 3>(3 * r, 3 * c) = A.block(b);
      out.block<3, 3>(3 * c, 3 * r) = A.block(b).transpose();
    }
  return out;
}

}  // namespace

TEST(SymmetricBlocks, ScalarMatricesAndProductsAgreeWithTheDenseOne) {
  const SymmetricBlocks A = random_blocks(40, 150, 1);
  const MatrixXd expected = dense(A);
  EXPECT_EQ(MatrixXd(to_sparse(A)), expected);
  EXPECT_EQ(MatrixXd(to_sparse(A, StoredTriangles::lower)),
            MatrixXd(expected.triangularView<Eigen::Lower>()));
  Rng rng(2);
  const VectorXd x = VectorXd::NullaryExpr(120, [&] { return rng.normal(); });
  VectorXd y(120);
  multiply(A, {x.data(), 120}, {y.data(), 120});
  EXPECT_LT((y - expected * x).norm(), 1e-13 * y.norm());
}

TEST(SymmetricBlocks, ValuesAreCopiedIntoTheSamePattern) {
  const SymmetricBlocks A = random_blocks(30, 100, 3);
  SymmetricBlocks B = A;
  for (double& v : B.values) v *= 2;
  for (const auto triangles : {StoredTriangles::both, StoredTriangles::lower}) {
    SparseMatrix sparse = to_sparse(A, triangles);
    copy_values(B, sparse, triangles);
    EXPECT_EQ(MatrixXd(sparse), 2 * MatrixXd(to_sparse(A, triangles)));
    EXPECT_TRUE(sparse.isCompressed());
  }
}

TEST(SymmetricBlocks, ParallelProductsHaveTheSameBits) {
  const SymmetricBlocks A = random_blocks(3000, 20000, 4);
  const VectorXd x = VectorXd::LinSpaced(9000, -1, 1);
  VectorXd one(9000), many(9000);
  {
    const ScopedThreadCount threads(1);
    multiply(A, {x.data(), 9000}, {one.data(), 9000});
  }
  for (const int count : {2, 8}) {
    const ScopedThreadCount threads(count);
    multiply(A, {x.data(), 9000}, {many.data(), 9000});
    EXPECT_EQ(one, many);
  }
}

TEST(SymmetricBlocks, RefusesPairsOutside) {
  EXPECT_THROW(symmetric_blocks(3, {{0, 3}}), InputError);
  EXPECT_THROW(symmetric_blocks(3, {{-1, 2}}), InputError);
}

}  // namespace pliant
