#pragma once
// The lowest eigenpairs of K u = λ M u without a factorisation of K [Knyazev 2001]: for what does not fit
// into memory.
#include "pliant/base/progress.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct LobpcgOptions {
  int count = 20;
  /// Of a vector, in the norm of K, as the preconditioner sees it; that of the eigenvalue is about its
  /// square.
  double tolerance = 1e-6;
  int max_iterations = 2000;
  double shift = 0;     ///< below 0: K - shift M is what the preconditioner comes from
  MatrixXd known = {};  ///< n x k: M-orthonormal eigenvectors not to be found again
  Progress progress = {};
};

struct LobpcgPairs {
  VectorXd values;   ///< ascending
  MatrixXd vectors;  ///< n x count, M-orthonormal
  bool converged = false;
  int iterations = 0;
};

/// Locally optimal block conjugate gradients with an incomplete Cholesky factor of K as preconditioner [Lin
/// and Moré 1999]. A few more vectors than wanted are carried along, so that the last wanted ones converge as
/// well. Memory: a few matrices of n x count, and as much as K. Same bits on any number of threads.
LobpcgPairs lobpcg(const SparseMatrix& K, const SparseMatrix& M, const LobpcgOptions& options);

}  // namespace pliant
