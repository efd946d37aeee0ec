#include "pliant/numerics/anderson.h"

#include <algorithm>

namespace pliant {
namespace {

/// Added to the diagonal of the normal equations, relatively. Turns that went nearly the same way would tell noise otherwise;
/// nothing is lost by it.
constexpr double regularization = 1e-3;

}  // namespace

AndersonMixing::AndersonMixing(Index size, int window)
    : window_(std::clamp(window, 0, most)),
      f_changes_(Eigen::MatrixXf::Zero(size, window_)),
      g_changes_(Eigen::MatrixXf::Zero(size, window_)),
      f_(Eigen::VectorXf::Zero(size)),
      g_(VectorXd::Zero(size)),
      products_(Small::Zero(window_, window_)) {}

void AndersonMixing::restart() {
  count_ = next_ = 0;
  begun_ = false;
}

void AndersonMixing::mix(const Eigen::Ref<const VectorXd>& x, Eigen::Ref<VectorXd> g) {
  if (window_ == 0) return;
  if (!begun_) {
    f_ = (g - x).cast<float>();
    apart_ = f_.squaredNorm();
    g_ = g;
    begun_ = true;
    return;
  }

  // === What changed
  auto changed = f_changes_.col(next_);
  changed = -f_;
  f_ = (g - x).cast<float>();
  changed += f_;
  g_changes_.col(next_) = (g - g_).cast<float>();
  g_ = g;
  const double apart = f_.squaredNorm();
  const bool further = !(apart <= apart_);
  apart_ = apart;
  if (further) {
    count_ = next_ = 0;
    return;
  }
  count_ = std::min(count_ + 1, window_);
  for (Index i = 0; i < count_; ++i)
    products_(i, next_) = products_(next_, i) = changed.dot(f_changes_.col(i));
  next_ = (next_ + 1) % window_;

  // === Where g(x) = x would be
  Small normal = products_.topLeftCorner(count_, count_);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1> gamma(count_);
  for (Index i = 0; i < count_; ++i) {
    normal(i, i) *= 1 + regularization;
    gamma[i] = f_changes_.col(i).dot(f_);
  }
  const Eigen::LDLT<Small> factor(normal);
  if (factor.info() != Eigen::Success) return;
  factor.solveInPlace(gamma);
  if (!gamma.allFinite()) return;
  for (Index i = 0; i < count_; ++i) g -= gamma[i] * g_changes_.col(i).cast<double>();
}

}  // namespace pliant
