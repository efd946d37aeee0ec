#pragma once
// The lowest eigenpairs of K u = λ M u, K symmetric and not negative, M symmetric positive definite, both
// sparse.
#include "pliant/base/progress.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct EigenpairsOptions {
  int count = 20;            ///< pairs wanted
  double tolerance = 1e-10;  ///< relative, of 1/(λ - shift)
  double shift = -1e-9;  ///< times tr K / tr M; below 0, so that a singular K can be factored all the same
  int restarts = 300;    ///< at most
  /// Bytes that the factorisation may take. What it would take is known before it begins; above this, the
  /// pairs are found without one (lobpcg), slower and to the tolerance below.
  double memory_budget = 8e9;
  double iterative_tolerance = 1e-6;  ///< see LobpcgOptions
  MatrixXd known = {};  ///< n x k: M-orthonormal eigenvectors not to be found again (rigid motions)
  Progress progress = {};
};

struct Eigenpairs {
  VectorXd values;  ///< ascending; as many as were found
  MatrixXd
      vectors;  ///< n x count, M-orthonormal; the largest entry of each (the first among equals) is positive
  VectorXd
      residuals;  ///< |K u - λ M u| / ((λ - shift) |M u|), about 1e-16 λ_max/λ where K is ill-conditioned
  bool converged = false;  ///< all that were wanted, and none below the last is missing
  bool iterative = false;  ///< found without a factorisation
  double factor_bytes =
      0;  ///< that the factorisation took, or would have taken; 0 where small matrices need none
};

/// Shift-invert Lanczos in blocks of eight on one Cholesky factorisation; dense where n is small. Same bits
/// on any number of threads.
///
/// A block sees at most eight copies of a repeated eigenvalue. Where that many are found, the search is
/// repeated with what was found left out, until nothing lower turns up.
Eigenpairs lowest_eigenpairs(const SparseMatrix& K, const SparseMatrix& M,
                             const EigenpairsOptions& options = {});

}  // namespace pliant
