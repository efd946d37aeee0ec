#pragma once
// The polar decomposition of 3x3 matrices into rotation and stretch, thousands at a time.
#include "pliant/numerics/types.h"

namespace pliant {

/// F = R S.
template <class T>
struct Polar3 {
  Eigen::Matrix<T, 3, 3> R;  ///< the proper rotation nearest to F
  Eigen::Matrix<T, 3, 3> S;  ///< symmetric; has one negative eigenvalue where F mirrors
};

/// Decomposes `count` matrices that lie as rows of numbers: entry (row, column) of matrix i is F[(row + 3 *
/// column) * stride + i], and so in R and S. S may be null where only rotations are wanted. Where the
/// nearest rotation is not unique (rank below 2, or a mirrored F whose two smallest stretches are equal), R
/// is one of the nearest. Accuracy, determinism and bad numbers as for svd3 (svd3.h). R and S must not
/// overlap F.
void polar3(Index count, const float* F, Index stride, float* R, float* S);
void polar3(Index count, const double* F, Index stride, double* R, double* S);

/// One matrix. Costs as much as a whole vector of them: in a loop, call the batch.
Polar3<float> polar3(const Eigen::Matrix3f& F);
Polar3<double> polar3(const Eigen::Matrix3d& F);

}  // namespace pliant
