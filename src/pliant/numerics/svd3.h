#pragma once
// The singular value decomposition of 3x3 matrices, thousands at a time.
#include "pliant/numerics/types.h"

namespace pliant {

/// F = U diag(sigma) Vᵀ.
template <class T>
struct Svd3 {
  Eigen::Matrix<T, 3, 3> U;      ///< a proper rotation
  Eigen::Matrix<T, 3, 1> sigma;  ///< sigma[0] >= sigma[1] >= |sigma[2]|; sigma[2] has the sign of det F
  Eigen::Matrix<T, 3, 3> V;      ///< a proper rotation
};

/// Decomposes `count` matrices that lie as rows of numbers: entry (row, column) of matrix i is F[(row + 3 *
/// column) * stride + i], and so in U and V; its singular values are sigma[k * stride + i]. U and V are
/// proper rotations and the singular values descend; the last is negative where F mirrors.
///
/// Singular values are right to a few eps times the largest, U and V orthonormal to a few eps and U
/// diag(sigma) Vᵀ is F to a few eps |F|, for any finite F: zero, flat, mirrored, repeated values, denormal
/// or huge entries (a singular value beyond the largest number becomes infinite). A matrix with an infinite
/// or NaN entry gives NaN in every output. A matrix gets the same bits wherever it stands in whichever
/// batch. Runs on the calling thread: cut large batches with parallel_for_chunks. U, sigma and V must not
/// overlap F or each other.
void svd3(Index count, const float* F, Index stride, float* U, float* sigma, float* V);
void svd3(Index count, const double* F, Index stride, double* U, double* sigma, double* V);

/// One matrix. Costs as much as a whole vector of them: in a loop, call the batch.
Svd3<float> svd3(const Eigen::Matrix3f& F);
Svd3<double> svd3(const Eigen::Matrix3d& F);

}  // namespace pliant
