#pragma once
// Mass-orthonormal bases of what tall matrices span.
#include "pliant/numerics/types.h"

namespace pliant {

struct OrthonormalizeOptions {
  /// Directions are left out whose singular value is below this part of the largest; 1e-7 to 1. Smaller ones
  /// are not seen: they come from the Gram matrix, which squares them.
  double tolerance = 1e-6;
  Index max_count = -1;  ///< the strongest so many directions are kept; below 0: all
};

struct OrthonormalColumns {
  MatrixXd Q;                ///< rows x rank; Qᵀ diag(masses) Q = I to rounding
  VectorXd singular_values;  ///< of sqrt(mass) A, all columns, descending; `rank` of them are kept
};

/// The principal directions of A's columns in the inner product of the masses, strongest first. Gram matrices
/// and products instead of column after column: at the speed of BLAS, and the second pass makes up for what
/// the first one loses [Yamamoto et al. 2015]. Same bits on any number of threads.
/// @param A       columns as they are: short ones count less
/// @param masses  of every row, kg; zero where A has zeros
OrthonormalColumns orthonormalize(MatrixXd A, const VectorXd& masses,
                                  const OrthonormalizeOptions& options = {});

}  // namespace pliant
