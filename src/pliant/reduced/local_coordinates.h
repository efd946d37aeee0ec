#pragma once
// Coordinates of a body for loops in single precision, wherever it has gone.
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// Far from its rest shape all of a body's coordinates are alike, and what single precision would lose of them is its shape. So a
/// translation of the whole body is taken off first, which nothing that resists strain can tell.
template <class T>
class LocalCoordinates {
 public:
  LocalCoordinates() = default;
  /// @param columns   4k
  /// @param constant  coordinates of the translation by one, 4k; empty where the subspace has none: nothing is taken off then
  explicit LocalCoordinates(Index columns, const VectorXd& constant = {});

  /// @param q  4k x 3
  void take(const MatrixXd& q, T factor = 1);
  const T* data() const { return q_.data(); }         ///< three numbers a column
  const Vector3d& origin() const { return origin_; }  ///< what was taken off, metres, before the factor

 private:
  VectorXd constant_;  // 1 at the anchor; zero where nothing is taken off
  Index anchor_ = 0;
  double scale_ = 0;  // of its coordinate: the translation, metres
  Vector3d origin_ = Vector3d::Zero();
  AlignedVector<T> q_;
};

}  // namespace pliant
