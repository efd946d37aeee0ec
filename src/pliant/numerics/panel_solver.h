#pragma once
// Triangular solves with a sparse Cholesky factor for positions: three right-hand sides at once, on several threads.
#include <cstddef>
#include <memory>

#include "pliant/numerics/cholesky_factor.h"

namespace pliant {

/// Solves A X = B for B of n rows of three numbers (and a fourth, unused, so that a row is one SIMD vector). A factor
/// is used once for every step of a simulation and read from end to end twice, so its order in memory is what
/// counts: dense blocks of L are copied as panels of up to eight columns, row by row, and a panel's part of the
/// solution stays in registers while the panel streams by. Subtrees of the elimination tree run in parallel. How they are
/// cut does not depend on the number of threads: the same bits on any.
class PanelSolver {
 public:
  PanelSolver();
  ~PanelSolver();
  PanelSolver(PanelSolver&&) noexcept;
  PanelSolver& operator=(PanelSolver&&) noexcept;

  /// Takes over a factor: its structure, and its numbers. Call again after each analyze.
  void analyze(const CholeskyFactor& factor);
  /// Takes over new numbers of a factor with the same structure: after each factorize.
  void assign(const CholeskyFactor& factor);

  /// X = A⁻¹ B; both n x 4 row-major, aligned to 32 bytes, in A's own order. X may be B. Allocates nothing.
  void solve(const double* B, double* X);

  Index size() const;
  std::size_t memory_bytes() const;
  /// Part of the factor's numbers in the top of the tree, which one thread works through.
  double sequential_part() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pliant
