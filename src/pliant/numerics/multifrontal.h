#pragma once
// The numbers of a sparse Cholesky factor, on several threads with the same bits on any number of them.
#include <cstddef>
#include <memory>

#include "pliant/numerics/cholesky_factor.h"

namespace pliant {

/// The multifrontal method [Duff and Reid 1983; Liu 1992]: every block of the factor has a dense front, to which its
/// children in the elimination tree add what they left. Branches of the tree run in parallel; in the top that
/// joins them the large fronts are split into tiles. Neither depends on the number of threads. Memory is taken once.
class Multifrontal {
 public:
  Multifrontal();
  ~Multifrontal();
  Multifrontal(Multifrontal&&) noexcept;
  Multifrontal& operator=(Multifrontal&&) noexcept;

  /// @param structure  of the factor; its arrays must stay where they are
  /// @param A          the pattern; of A only the lower triangle is read, here and later
  void analyze(const CholeskyFactor& structure, const SparseMatrix& A);
  /// A has the pattern that was analyzed. False where it is not positive definite (or not finite).
  bool factorize(const SparseMatrix& A);
  /// X = A⁻¹ B. X may be B.
  void solve(const Eigen::Ref<const MatrixXd>& B, Eigen::Ref<MatrixXd> X);

  const double* values() const;      ///< as `structure` says they lie
  std::size_t memory_bytes() const;  ///< of numbers and workspaces

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pliant
