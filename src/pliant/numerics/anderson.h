#pragma once
// Anderson's acceleration of a fixed-point iteration.
#include "pliant/numerics/types.h"

namespace pliant {

/// Of an iteration x <- g(x), the last few turns tell how g changes with x. The next turn begins where they say that g(x) = x
/// would be, were it linear:
///     x <- g - Σ γ_i Δg_i,   γ least squares of |f - Σ γ_i Δf_i|,   f = g(x) - x          [Walker & Ni 2011, type II]
/// Where a turn has brought g(x) and x further apart than the one before, the past is forgotten. Takes no memory after it is
/// made.
class AndersonMixing {
 public:
  static constexpr int most = 8;
  AndersonMixing() = default;
  /// @param window  turns that are looked back at, 0 to `most`; 0: x <- g
  AndersonMixing(Index size, int window);

  void restart();
  /// @param x  where the turn began
  /// @param g  what it came to; becomes where the next one is to begin
  void mix(const Eigen::Ref<const VectorXd>& x, Eigen::Ref<VectorXd> g);

 private:
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  Index window_ = 0, count_ = 0, next_ = 0;
  bool begun_ = false;
  double apart_ = 0;  // |f|² of the turn before
  // Differences need few digits. Columns are written over in turn.
  Eigen::MatrixXf f_changes_, g_changes_;
  Eigen::VectorXf f_;
  VectorXd g_;
  Small products_;  // of f_changes_ with each other
};

}  // namespace pliant
