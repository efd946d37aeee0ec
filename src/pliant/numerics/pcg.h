#pragma once
// Conjugate gradients with the inverses of the diagonal blocks as preconditioner, for large symmetric systems of 3x3
// blocks.
#include <span>
#include <vector>

#include "pliant/numerics/symmetric_blocks.h"

namespace pliant {

struct PcgOptions {
  double tolerance =
      1e-8;  ///< of the residual, relative to the right-hand side, in the preconditioner's norm
  int max_iterations = 10000;  ///< 0: the number of unknowns
};

struct PcgReport {
  bool converged = false;
  bool indefinite =
      false;  ///< a direction of negative curvature was met; the solution is what was found before it
  int iterations = 0;
  double residual = 0;  ///< relative
};

/// Keeps its vectors between solves: nothing is allocated once warm. The same bits on any number of threads.
class Pcg {
 public:
  /// Solves A x = b from x = 0.
  PcgReport solve(const SymmetricBlocks& A, std::span<const double> b, std::span<double> x,
                  const PcgOptions& options = {});

 private:
  void invert_diagonal(const SymmetricBlocks& A);
  double sum() const;

  std::vector<double> inverse_;  // 9 a block row
  std::vector<double> r_, z_, p_, Ap_;
  std::vector<double> partial_;  // one a chunk of rows, added in order
};

}  // namespace pliant
