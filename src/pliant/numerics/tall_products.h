#pragma once
// Products of tall matrices: many rows (coordinates of all vertices), a few hundred columns (basis vectors).
// Rows are cut into chunks that run in parallel, each through BLAS on one thread; sums over chunks have a
// fixed order, so the bits do not depend on the number of threads.
#include "pliant/numerics/symmetric_blocks.h"

namespace pliant {

/// Aᵀ B
MatrixXd inner_products(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& B);

/// Aᵀ diag(weights) B, a weight a row
MatrixXd inner_products(const Eigen::Ref<const MatrixXd>& A, const VectorXd& weights,
                        const Eigen::Ref<const MatrixXd>& B);

/// Stored row after row: all that is known of a vertex side by side.
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// Aᵀ B
MatrixXd inner_products_of_rows(const RowMatrixXd& A, const Eigen::Ref<const MatrixXd>& B);
/// out = A C for rows from `first` on, as many as out has. On the calling thread.
void multiply_rows(const RowMatrixXd& A, Index first, const Eigen::Ref<const MatrixXd>& C,
                   Eigen::Ref<MatrixXd> out);
/// The lower triangle of C += Aᵀ A
void add_gram_of_rows(const RowMatrixXd& A, MatrixXd& C);
/// out = A B, small enough for the calling thread alone
void multiply_here(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& B,
                   Eigen::Ref<MatrixXd> out);

/// out = A C. The columns of out must not overlap those of A.
void multiply_tall(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& C,
                   Eigen::Ref<MatrixXd> out);

/// The first columns of A become A C, without a second tall matrix; C has no more columns than rows.
void multiply_tall_in_place(Eigen::Ref<MatrixXd> A, const Eigen::Ref<const MatrixXd>& C);

/// A X for a symmetric sparse matrix, eight columns at a time.
MatrixXd multiply(const SymmetricBlocks& A, const Eigen::Ref<const MatrixXd>& X);

}  // namespace pliant
