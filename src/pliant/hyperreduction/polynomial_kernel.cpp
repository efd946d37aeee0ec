// Highway compiles this file once a target: the loops of PolynomialForces.
#include "pliant/hyperreduction/polynomial_kernel.h"

#include <algorithm>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/hyperreduction/polynomial_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, detail::polynomial_group>;

/// `rows` rows of the matrix of one b, read once: their products with `products`, and their sum, by `factors`, onto `sum`.
/// With `by_a`, each row too, by y_b, onto a row of its own.
template <int rows, bool crossed>
HWY_INLINE void pass_rows(const double* C, Index stride, Index count, const double* products,
                          const double* factors, double* sum, double* outer, double yb, double* by_a,
                          Index by_a_stride) {
  const Lanes d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Lanes> total[rows], factor[rows];
  for (int r = 0; r < rows; ++r) total[r] = hn::Zero(d), factor[r] = hn::Set(d, factors[r]);
  const auto b = hn::Set(d, yb);
  for (Index i = 0; i < count; i += lanes) {
    const auto product = hn::LoadU(d, products + i);
    auto s = hn::LoadU(d, sum + i);
    for (int r = 0; r < rows; ++r) {
      const auto c = hn::Load(d, C + r * stride + i);
      total[r] = hn::MulAdd(c, product, total[r]);
      s = hn::MulAdd(c, factor[r], s);
      if constexpr (crossed) {
        double* out = by_a + r * by_a_stride + i;
        hn::StoreU(hn::MulAdd(c, b, hn::LoadU(d, out)), d, out);
      }
    }
    hn::StoreU(s, d, sum + i);
  }
  for (int r = 0; r < rows; ++r) outer[r] = hn::GetLane(hn::SumOfLanes(d, total[r]));
}

/// gradient += the derivatives of sum over c <= e, c >= first, of P_ce y_c y_e. What runs over the end of a row of P meets
/// zeros in y, and in the gradient the padding.
HWY_INLINE void triangle_gradient(const double* P, Index first, Index size, const double* y,
                                  double* gradient) {
  const Lanes d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index c = first; c < size; ++c) {
    auto dot = hn::Zero(d);
    const auto yc = hn::Set(d, y[c]);
    for (Index e = c; e < size; e += lanes) {
      const auto p = hn::LoadU(d, P + e - c);
      dot = hn::MulAdd(p, hn::LoadU(d, y + e), dot);
      hn::StoreU(hn::MulAdd(p, yc, hn::LoadU(d, gradient + e)), d, gradient + e);
    }
    gradient[c] += hn::GetLane(hn::SumOfLanes(d, dot));
    P += size - c;
  }
}

template <bool crossed>
void evaluate_polynomial_kernel(const detail::PolynomialJob& job) {
  const Lanes d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = job.size;
  const Index pairs = detail::pair_count(n), by_a_stride = pairs + detail::polynomial_group;
  const double* C = job.matrices;
  double* outer = job.outer;
  double factors[4];
  if constexpr (crossed) std::fill_n(job.by_a, n * by_a_stride, 0.0);
  for (Index b = 0; b < n; ++b) {
    const Index count = detail::pair_count(n - b), stride = detail::padded_to_group(count);
    const Index begin = pairs - count;
    double *inner = job.inner + begin, *sum = crossed ? job.by_b : inner;
    if constexpr (crossed) std::fill_n(sum, stride, 0.0);
    Index a = 0;
    const auto pass = [&](auto rows) HWY_ATTR {
      for (int r = 0; r < rows(); ++r) factors[r] = job.y[a + r] * (crossed ? 1.0 : job.y[b]);
      pass_rows<rows(), crossed>(C, stride, count, job.products + begin, factors, sum, outer, job.y[b],
                                 crossed ? job.by_a + a * by_a_stride + begin : nullptr, by_a_stride);
      C += rows() * stride, outer += rows(), a += rows();
    };
    while (a + 4 <= b + 1) pass(std::integral_constant<int, 4>());
    while (a + 2 <= b + 1) pass(std::integral_constant<int, 2>());
    if (a < b + 1) pass(std::integral_constant<int, 1>());
    if constexpr (crossed) {
      const auto yb = hn::Set(d, job.y[b]);
      for (Index i = 0; i < count; i += lanes)
        hn::StoreU(hn::MulAdd(yb, hn::LoadU(d, sum + i), hn::LoadU(d, inner + i)), d, inner + i);
      triangle_gradient(sum, b, n, job.y, job.crossed + b * (n + detail::polynomial_group));
    }
  }
  if constexpr (crossed)
    for (Index a = 0; a < n; ++a)
      triangle_gradient(job.by_a + a * by_a_stride + pairs - detail::pair_count(n - a), a, n, job.y,
                        job.crossed + a * (n + detail::polynomial_group));
}

void first_derivatives_kernel(const detail::PolynomialJob& job) { evaluate_polynomial_kernel<false>(job); }
void second_derivatives_kernel(const detail::PolynomialJob& job) { evaluate_polynomial_kernel<true>(job); }

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(first_derivatives_kernel);
HWY_EXPORT(second_derivatives_kernel);

namespace detail {
void evaluate_polynomial(const PolynomialJob& job) {
  if (job.crossed)
    HWY_DYNAMIC_DISPATCH(second_derivatives_kernel)(job);
  else
    HWY_DYNAMIC_DISPATCH(first_derivatives_kernel)(job);
}
}  // namespace detail

}  // namespace pliant
#endif
