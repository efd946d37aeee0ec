#pragma once
// Least squares with unknowns that are not negative:  min |A x - b|, x >= 0  [Lawson and Hanson 1974], from AᵀA and Aᵀb as
// Bro and De Jong [1997] do it.
#include "pliant/numerics/types.h"

namespace pliant {

struct NnlsOptions {
  double tolerance = 1e-12;  ///< of the multipliers, as part of |Aᵀb|'s largest entry
  double dependent =
      1e-11;  ///< a column is taken for dependent on others where less than this of its square is left
  int max_iterations = 0;  ///< changes of the set of positive unknowns; 0: thirty an unknown
};

struct Nnls {
  VectorXd x;              ///< n, not negative
  VectorXd multipliers;    ///< n, Aᵀ(b - A x): zero (to rounding) where x > 0, not positive elsewhere
  int iterations = 0;      ///< solutions on a set of positive unknowns
  bool converged = false;  ///< otherwise the iterations ran out; x is feasible all the same
};

/// An active-set method: the factor of the positive unknowns' part of AᵀA is kept, grown by a row and shrunk by rotations,
/// so that a change costs the square of their number. Columns that depend on the others are left at zero. The objective
/// falls with every change, from that of `start` (n, or empty: zero); entries of `start` below zero count as zero.
/// @param AtA  n x n, symmetric positive semi-definite; both triangles are read
Nnls nnls(const MatrixXd& AtA, const VectorXd& Atb, const VectorXd& start = {},
          const NnlsOptions& options = {});

}  // namespace pliant
