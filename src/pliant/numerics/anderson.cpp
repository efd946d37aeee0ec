// Highway compiles this file once a target: the loops of Anderson's acceleration.
#include "pliant/numerics/anderson.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/anderson.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

#ifndef PLIANT_NUMERICS_ANDERSON_CPP_ONCE
#define PLIANT_NUMERICS_ANDERSON_CPP_ONCE
namespace pliant::detail {

/// One pass over all numbers: what a turn changed, and its products with what those before it changed.
struct AndersonPass {
  Index size;
  const double *x, *g;
  double* last_g;
  float *f, *f_changed, *g_changed;                   ///< written
  int count;                                          ///< of columns of changes
  const float* f_changes[AndersonMixing::most] = {};  ///< the one that is written among them
  float squared = 0;                                  ///< |f|²
  float with_changed[AndersonMixing::most] = {}, with_f[AndersonMixing::most] = {};
};

}  // namespace pliant::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;

template <int count>
HWY_INLINE void pass(detail::AndersonPass& p) {
  const Doubles dd;
  const Floats df;
  const Index lanes = static_cast<Index>(hn::Lanes(dd));
  hn::Vec<Floats> squared = hn::Zero(df), with_changed[count], with_f[count];
  for (int k = 0; k < count; ++k) with_changed[k] = with_f[k] = hn::Zero(df);
  Index i = 0;
  for (; i + lanes <= p.size; i += lanes) {
    const auto g = hn::LoadU(dd, p.g + i);
    const auto f = hn::DemoteTo(df, hn::Sub(g, hn::LoadU(dd, p.x + i)));
    const auto changed = hn::Sub(f, hn::LoadU(df, p.f + i));
    hn::StoreU(hn::DemoteTo(df, hn::Sub(g, hn::LoadU(dd, p.last_g + i))), df, p.g_changed + i);
    hn::StoreU(changed, df, p.f_changed + i);
    hn::StoreU(f, df, p.f + i);
    hn::StoreU(g, dd, p.last_g + i);
    squared = hn::MulAdd(f, f, squared);
    for (int k = 0; k < count; ++k) {
      const auto other = hn::LoadU(df, p.f_changes[k] + i);
      with_changed[k] = hn::MulAdd(changed, other, with_changed[k]);
      with_f[k] = hn::MulAdd(f, other, with_f[k]);
    }
  }
  p.squared = hn::GetLane(hn::SumOfLanes(df, squared));
  for (int k = 0; k < count; ++k) {
    p.with_changed[k] = hn::GetLane(hn::SumOfLanes(df, with_changed[k]));
    p.with_f[k] = hn::GetLane(hn::SumOfLanes(df, with_f[k]));
  }
  for (; i < p.size; ++i) {
    const auto f = static_cast<float>(p.g[i] - p.x[i]);
    p.f_changed[i] = f - p.f[i];
    p.g_changed[i] = static_cast<float>(p.g[i] - p.last_g[i]);
    p.f[i] = f;
    p.last_g[i] = p.g[i];
    p.squared += f * f;
    for (int k = 0; k < count; ++k) {
      p.with_changed[k] += p.f_changed[i] * p.f_changes[k][i];
      p.with_f[k] += f * p.f_changes[k][i];
    }
  }
}

void pass_of(detail::AndersonPass& p) {
  static_assert(AndersonMixing::most == 8);
  switch (p.count) {
    case 1:
      return pass<1>(p);
    case 2:
      return pass<2>(p);
    case 3:
      return pass<3>(p);
    case 4:
      return pass<4>(p);
    case 5:
      return pass<5>(p);
    case 6:
      return pass<6>(p);
    case 7:
      return pass<7>(p);
    default:
      return pass<8>(p);
  }
}

/// g -= Σ factors columns
void subtract(Index size, int count, const float* const* columns, const double* factors, double* g) {
  const Doubles dd;
  const Floats df;
  const Index lanes = static_cast<Index>(hn::Lanes(dd));
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto sum = hn::LoadU(dd, g + i);
    for (int k = 0; k < count; ++k)
      sum = hn::NegMulAdd(hn::Set(dd, factors[k]), hn::PromoteTo(dd, hn::LoadU(df, columns[k] + i)), sum);
    hn::StoreU(sum, dd, g + i);
  }
  for (; i < size; ++i)
    for (int k = 0; k < count; ++k) g[i] -= factors[k] * static_cast<double>(columns[k][i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(pass_of);
HWY_EXPORT(subtract);

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
    apart_ = static_cast<double>(f_.squaredNorm());
    g_ = g;
    begun_ = true;
    return;
  }

  // === What changed
  count_ = std::min(count_ + 1, window_);
  detail::AndersonPass pass{.size = g.size(),
                            .x = x.data(),
                            .g = g.data(),
                            .last_g = g_.data(),
                            .f = f_.data(),
                            .f_changed = f_changes_.col(next_).data(),
                            .g_changed = g_changes_.col(next_).data(),
                            .count = static_cast<int>(count_)};
  for (Index i = 0; i < count_; ++i) pass.f_changes[i] = f_changes_.col(i).data();
  HWY_DYNAMIC_DISPATCH(pass_of)(pass);
  const double apart = static_cast<double>(pass.squared);
  const bool further = !(apart <= apart_);
  apart_ = apart;
  if (further) {
    count_ = next_ = 0;
    return;
  }
  for (Index i = 0; i < count_; ++i)
    products_(i, next_) = products_(next_, i) = static_cast<double>(pass.with_changed[i]);
  next_ = (next_ + 1) % window_;

  // === Where g(x) = x would be
  Small normal = products_.topLeftCorner(count_, count_);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most, 1> gamma(count_);
  for (Index i = 0; i < count_; ++i) {
    normal(i, i) *= 1 + regularization;
    gamma[i] = static_cast<double>(pass.with_f[i]);
  }
  const Eigen::LDLT<Small> factor(normal);
  if (factor.info() != Eigen::Success) return;
  factor.solveInPlace(gamma);
  if (!gamma.allFinite()) return;
  const float* columns[most];
  for (Index i = 0; i < count_; ++i) columns[i] = g_changes_.col(i).data();
  HWY_DYNAMIC_DISPATCH(subtract)(g.size(), static_cast<int>(count_), columns, gamma.data(), g.data());
}

}  // namespace pliant
#endif
