#pragma once
// Sparse symmetric positive definite systems, factored as L Lᵀ: once, or again and again with one pattern.
#include <cstddef>
#include <memory>

#include "pliant/numerics/cholesky_factor.h"

namespace pliant {

/// The Cholesky factorisation of sparse matrices that share one pattern. Of a matrix only the lower triangle is read;
/// the upper may be there or not. CHOLMOD finds the order of elimination; the numbers are our own, on all threads
/// (multifrontal.h). The same matrix gives the same bits on any number of threads. One thread at a time may call.
///
///     SparseCholesky cholesky;
///     cholesky.analyze(A);                        // once a pattern: the order of elimination, the memory
///     if (cholesky.factorize(A))                  // once a matrix
///       cholesky.solve(B, X);                     // once a right-hand side; allocates nothing once warm
class SparseCholesky {
 public:
  SparseCholesky();
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// The symbolic part, from the pattern of A alone (square, compressed). Tries minimum degree and nested dissection,
  /// and keeps the order that gives fewer nonzeros.
  void analyze(const SparseMatrix& A);

  /// The numeric part. A has the pattern that was analyzed. False where A is not positive definite (or not finite);
  /// there is nothing to solve with then.
  bool factorize(const SparseMatrix& A);

  /// X = A⁻¹ B for n x k right-hand sides, together. X has the size of B and may be B.
  void solve(const Eigen::Ref<const MatrixXd>& B, Eigen::Ref<MatrixXd> X);

  Index size() const;                ///< rows of A; 0 before analyze
  bool factorized() const;           ///< there is a factor to solve with
  Index factor_nonzeros() const;     ///< of L, with the zeros that its dense blocks store
  double factor_flops() const;       ///< of one factorisation
  std::size_t memory_bytes() const;  ///< held by factor and workspaces

  /// To look at, until the next analyze or factorize. There must be a factor.
  CholeskyFactor factor() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pliant
