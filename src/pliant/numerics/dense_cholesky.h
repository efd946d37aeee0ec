#pragma once
// Dense symmetric positive definite systems of a few hundred unknowns, solved again and again without taking memory.
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// A = L Lᵀ. Of A only the lower triangle is read. Nothing is allocated once a size has been seen.
class DenseCholesky {
 public:
  /// False where A is not positive definite (or not finite); there is nothing to solve with then.
  bool factorize(const Eigen::Ref<const MatrixXd>& A);

  /// x <- A⁻¹ x
  void solve(VectorXd& x) const { solve(x.data()); }
  /// Several at once, which begin `stride` numbers apart, or size(). Faster than one by one.
  void solve(double* x, int count = 1, Index stride = 0) const;

  /// Takes the memory for sizes up to this.
  void reserve(Index size);

  Index size() const { return size_; }

 private:
  Index size_ = 0;
  AlignedVector<double> L_, strips_;
};

}  // namespace pliant
