// Highway compiles this file once a target: the loops of PolynomialForces.
#include "pliant/hyperreduction/polynomial_kernel.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/hyperreduction/polynomial_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `vectors` vectors of rows of S y: columns `begin` to `end` of S stand `stride` apart.
template <int vectors, class D>
HWY_INLINE void rows_of_product(D d, const double* S, Index stride, const double* y, Index begin, Index end,
                                double* out) {
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<D> sum[vectors];
  for (int k = 0; k < vectors; ++k) sum[k] = hn::Zero(d);
  for (Index e = begin; e < end; ++e) {
    const auto factor = hn::Set(d, y[e]);
    for (int k = 0; k < vectors; ++k)
      sum[k] = hn::MulAdd(hn::Load(d, S + e * stride + k * lanes), factor, sum[k]);
  }
  for (int k = 0; k < vectors; ++k) hn::Store(sum[k], d, out + k * lanes);
}

/// For every pair a <= b, with S its matrix over c, e >= b and g = S y: half of y.g is the pair's part of the energy over
/// y_a y_b, and its derivatives follow by the product rule, each of the four places of a monomial in turn.
template <bool stiffness>
double evaluate_polynomial_kernel(const detail::PolynomialJob& job) {
  const hn::CappedTag<double, detail::polynomial_group> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), padded = job.padded;
  const double *S = job.matrices, *y = job.y;
  double energy = 0;
  for (Index a = 0; a < job.size; ++a)
    for (Index b = a; b < job.size; ++b) {
      const Index first = b / detail::polynomial_group * detail::polynomial_group, rows = padded - first;
      const double factor = y[a] * y[b];
      const auto factors = hn::Set(d, factor);
      Index done = 0;
      for (; done + 4 * lanes <= rows; done += 4 * lanes)
        rows_of_product<4>(d, S + done, rows, y + first, b - first, job.size - first,
                           job.product + first + done);
      for (; done < rows; done += lanes)
        rows_of_product<1>(d, S + done, rows, y + first, b - first, job.size - first,
                           job.product + first + done);
      auto sum = hn::Zero(d);
      for (Index r = first; r < padded; r += lanes) {
        const auto g = hn::Load(d, job.product + r);
        sum = hn::MulAdd(g, hn::Load(d, y + r), sum);
        hn::Store(hn::MulAdd(factors, g, hn::Load(d, job.gradient + r)), d, job.gradient + r);
      }
      const double half = 0.5 * hn::GetLane(hn::SumOfLanes(d, sum));
      energy += factor * half;
      job.gradient[a] += y[b] * half;
      job.gradient[b] += y[a] * half;
      if constexpr (stiffness) {
        // Two places of a monomial: both among c and e, one of them with a or b, a with b. Half of a symmetric part, the
        // whole of the others, so that adding the transpose gives all.
        double* K = job.stiffness;
        const auto halves = hn::Set(d, 0.5 * factor);
        for (Index e = b; e < job.size; ++e)
          for (Index r = 0; r < rows; r += lanes) {
            double* at = K + padded * e + first + r;
            hn::Store(hn::MulAdd(halves, hn::Load(d, S + (e - first) * rows + r), hn::Load(d, at)), d, at);
          }
        const auto ya = hn::Set(d, y[a]), yb = hn::Set(d, y[b]);
        for (Index r = first; r < padded; r += lanes) {
          const auto g = hn::Load(d, job.product + r);
          double *in_a = K + padded * a + r, *in_b = K + padded * b + r;
          hn::Store(hn::MulAdd(yb, g, hn::Load(d, in_a)), d, in_a);
          hn::Store(hn::MulAdd(ya, g, hn::Load(d, in_b)), d, in_b);
        }
        K[padded * a + b] += half;
      }
      S += rows * rows;
    }
  return energy;
}

double evaluate_forces_kernel(const detail::PolynomialJob& job) {
  return evaluate_polynomial_kernel<false>(job);
}
double evaluate_stiffness_kernel(const detail::PolynomialJob& job) {
  return evaluate_polynomial_kernel<true>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(evaluate_forces_kernel);
HWY_EXPORT(evaluate_stiffness_kernel);

namespace detail {
double evaluate_polynomial(const PolynomialJob& job) {
  if (job.stiffness) return HWY_DYNAMIC_DISPATCH(evaluate_stiffness_kernel)(job);
  return HWY_DYNAMIC_DISPATCH(evaluate_forces_kernel)(job);
}
}  // namespace detail

}  // namespace pliant
#endif
