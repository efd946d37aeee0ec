#pragma once
// The inverse of a small matrix whose rows come and go.
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// X = M⁻¹ of a symmetric positive definite matrix M, kept while rows and columns are added and taken away, each at the cost of a
/// product with M. With c the new row and m its own entry
///
///     y = X c,  s = m - cᵀ y:     X <- ( X + y yᵀ / s   -y / s )          and to take a row x away:   X <- X - x xᵀ / x_ii,
///                                      (    -yᵀ / s      1 / s  )
///
/// which also builds it from nothing. For matrices of moderate condition: rounding grows with it.
class ChangingInverse {
 public:
  static constexpr Index most = 256;  ///< rows
  /// From one column to the next: an odd number of cache lines, so that columns do not all fall on the same places of the cache.
  static constexpr Index stride = most + 8;

  void reserve();  ///< takes the memory for as many
  void clear() { size_ = 0; }
  /// One more. Where it depends on the others to ten digits, as if its own entry were larger.
  /// @param row  its entries with those that are there, and its own: size() + 1 numbers
  /// @return false where something is not finite, or its own entry not positive: nothing has changed then
  bool add(const double* row);
  void remove(Index i);  ///< the last takes its place
  /// out = X x of three columns each, which begin so many numbers apart.
  void multiply(const double* x, Index apart, double* out, Index out_apart);

  Index size() const { return size_; }

 private:
  Index size_ = 0;
  AlignedVector<double> X_, y_;  // y: room for three columns
};

}  // namespace pliant
