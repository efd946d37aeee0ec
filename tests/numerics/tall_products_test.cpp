#include "pliant/numerics/tall_products.h"

#include <gtest/gtest.h>

#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

MatrixXd random_matrix(Index rows, Index columns, Rng& rng) {
  MatrixXd A(rows, columns);
  for (double& a : A.reshaped()) a = rng.uniform(-1, 1);
  return A;
}

TEST(TallProducts, AreThoseOfEigen) {
  Rng rng(3);
  for (const Index rows : {1, 100, 4096, 9001}) {
    const MatrixXd A = random_matrix(rows, 7, rng), B = random_matrix(rows, 4, rng),
                   C = random_matrix(7, 5, rng);
    const VectorXd w = random_matrix(rows, 1, rng);
    EXPECT_LT((inner_products(A, B) - A.transpose() * B).norm(), 1e-11);
    EXPECT_LT((inner_products(A, w, B) - A.transpose() * w.asDiagonal() * B).norm(), 1e-11);
    MatrixXd out(rows, 5);
    multiply_tall(A, C, out);
    EXPECT_LT((out - A * C).norm(), 1e-11);
    MatrixXd in_place = A;
    multiply_tall_in_place(in_place, C);
    EXPECT_LT((in_place.leftCols(5) - A * C).norm(), 1e-11);
    EXPECT_EQ(in_place.rightCols(2), A.rightCols(2));
    // Columns of larger matrices
    EXPECT_LT(
        (inner_products(A.middleCols(1, 3), B.rightCols(2)) - A.middleCols(1, 3).transpose() * B.rightCols(2))
            .norm(),
        1e-11);
  }
  EXPECT_EQ(inner_products(MatrixXd(5, 0), MatrixXd::Ones(5, 2)).rows(), 0);
}

SymmetricBlocks random_blocks(Index n, Rng& rng) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 4 * n; ++i)
    pairs.emplace_back(static_cast<int>(rng.integer(n)), static_cast<int>(rng.integer(n)));
  SymmetricBlocks A = symmetric_blocks(n, pairs);
  for (Index b = 0; b < A.block_count(); ++b) A.block(b) = random_matrix(3, 3, rng);
  for (Index i = 0; i < n; ++i) A.diagonal(i) = (A.diagonal(i) + A.diagonal(i).transpose()).eval();
  return A;
}

TEST(TallProducts, OfRowsAreThoseOfEigen) {
  Rng rng(4);
  for (const Index rows : {1, 100, 4096, 9001}) {
    const RowMatrixXd A = random_matrix(rows, 300, rng);
    const MatrixXd B = random_matrix(rows, 4, rng), C = random_matrix(300, 5, rng);
    EXPECT_LT((inner_products_of_rows(A, B) - A.transpose() * B).norm(), 1e-10);
    MatrixXd gram = MatrixXd::Identity(300, 300), out(std::min<Index>(rows, 40), 5), whole(5, 5);
    add_gram_of_rows(A, gram);
    const MatrixXd lower = gram.triangularView<Eigen::Lower>();
    const MatrixXd expected =
        MatrixXd(MatrixXd::Identity(300, 300) + A.transpose() * A).triangularView<Eigen::Lower>();
    EXPECT_LT((lower - expected).norm(), 1e-9);
    multiply_rows(A, rows - out.rows(), C, out);
    EXPECT_LT((out - A.bottomRows(out.rows()) * C).norm(), 1e-11);
    multiply_here(C.transpose(), C, whole);
    EXPECT_LT((whole - C.transpose() * C).norm(), 1e-11);
  }
}

TEST(TallProducts, SparseTimesTallIsThatOfScalarEntries) {
  Rng rng(5);
  const SymmetricBlocks A = random_blocks(300, rng);
  const SparseMatrix scalar = to_sparse(A);
  for (const Index columns : {1, 8, 13}) {
    const MatrixXd X = random_matrix(900, columns, rng);
    EXPECT_LT((multiply(A, X) - scalar * X).norm(), 1e-11);
  }
}

TEST(TallProducts, SameBitsOnAnyNumberOfThreadsParallel) {
  Rng rng(7);
  const MatrixXd A = random_matrix(15000, 9, rng);
  const VectorXd w = random_matrix(15000, 1, rng);
  const SymmetricBlocks K = random_blocks(5000, rng);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    MatrixXd B = multiply(K, A);
    multiply_tall_in_place(B, inner_products(A, w, A));
    return B;
  };
  const MatrixXd one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(8));
}

TEST(TallProducts, SizesThatDoNotFitGetASentence) {
  EXPECT_TRUE(
      contains(message_of([] { inner_products(MatrixXd::Zero(3, 2), MatrixXd::Zero(4, 2)); }), "3 and 4"));
  MatrixXd out(3, 3);
  EXPECT_TRUE(contains(message_of([&] { multiply_tall(MatrixXd::Zero(3, 2), MatrixXd::Zero(3, 3), out); }),
                       "3 x 2 times 3 x 3"));
}

}  // namespace
}  // namespace pliant
