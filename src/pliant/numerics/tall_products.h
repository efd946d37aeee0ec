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

/// out = A C. The columns of out must not overlap those of A.
void multiply_tall(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const MatrixXd>& C,
                   Eigen::Ref<MatrixXd> out);

/// The first columns of A become A C, without a second tall matrix; C has no more columns than rows.
void multiply_tall_in_place(Eigen::Ref<MatrixXd> A, const Eigen::Ref<const MatrixXd>& C);

/// A X for a symmetric sparse matrix, eight columns at a time.
MatrixXd multiply(const SymmetricBlocks& A, const Eigen::Ref<const MatrixXd>& X);

}  // namespace pliant
