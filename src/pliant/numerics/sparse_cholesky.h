#pragma once
// Sparse symmetric positive definite systems, factored as L Lᵀ by CHOLMOD: once, or again and again with one pattern.
#include <cstddef>
#include <memory>

#include "pliant/numerics/types.h"

namespace pliant {

/// The factor as it lies in memory: A[order, order] = L Lᵀ, the columns of L in dense blocks ("supernodes"). The columns of
/// block k are first_column[k] to first_column[k + 1] - 1, its rows rows[first_row[k]] to rows[first_row[k + 1] - 1], the
/// columns' own first; its numbers begin at values[first_value[k]], column by column.
struct CholeskyFactor {
  Index size = 0, supernodes = 0;
  const int *order = nullptr, *first_column = nullptr, *first_row = nullptr, *first_value = nullptr,
            *rows = nullptr;
  const double* values = nullptr;
};

struct CholeskyOptions {
  /// Dense blocks of the factor are joined more freely: a fifth more of stored zeros, but a factorisation of a small
  /// matrix takes half the time. For matrices that are factored as often as they are solved with.
  bool large_blocks = false;
};

/// The Cholesky factorisation of sparse matrices that share one pattern. Of a matrix only the lower triangle is read;
/// the upper may be there or not. The same matrix gives the same bits on any number of threads. One thread at a time.
///
///     SparseCholesky cholesky;
///     cholesky.analyze(A);                        // once a pattern: the order of elimination, the memory
///     if (cholesky.factorize(A))                  // once a matrix
///       cholesky.solve(B, X);                     // once a right-hand side; allocates nothing once warm
class SparseCholesky {
 public:
  explicit SparseCholesky(const CholeskyOptions& options = {});
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
