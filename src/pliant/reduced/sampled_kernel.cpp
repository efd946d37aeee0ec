// Highway compiles this file once a target: the loops of SampledEvaluator.
#include "pliant/reduced/sampled_kernel.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/reduced/sampled_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Eight = hn::CappedTag<T, 8>;

template <int lines, class T>
HWY_INLINE void lines_of_groups(const detail::LinesJob<T>& job) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index g = 0; g < job.groups; ++g)
    for (Index offset = 0; offset < 8; offset += lanes) {
      hn::Vec<Eight<T>> sum[3 * lines];
      const T* rest = job.rest + g * 3 * lines * 8 + offset;
      for (int r = 0; r < 3 * lines; ++r) sum[r] = hn::Load(d, rest + 8 * r);
      const T* C = job.coefficients + Index{job.first[g]} * 4 * lines * 8 + offset;
      for (int e = job.first[g]; e < job.first[g + 1]; ++e) {
        const T* q = job.q + 12 * Index{job.handles[e]};
        for (int k = 0; k < 4; ++k, q += 3, C += 8 * lines) {
          const auto x = hn::Set(d, q[0]), y = hn::Set(d, q[1]), z = hn::Set(d, q[2]);
          for (int a = 0; a < lines; ++a) {
            const auto c = hn::Load(d, C + 8 * a);
            sum[3 * a] = hn::MulAdd(c, x, sum[3 * a]);
            sum[3 * a + 1] = hn::MulAdd(c, y, sum[3 * a + 1]);
            sum[3 * a + 2] = hn::MulAdd(c, z, sum[3 * a + 2]);
          }
        }
      }
      for (int r = 0; r < 3 * lines; ++r) hn::Store(sum[r], d, job.out + r * job.stride + 8 * g + offset);
    }
}

template <class T>
void lines_kernel(const detail::LinesJob<T>& job) {
  if (job.lines == 1)
    lines_of_groups<1>(job);
  else if (job.lines == 2)
    lines_of_groups<2>(job);
  else
    lines_of_groups<3>(job);
}
void lines_float(const detail::LinesJob<float>& job) { lines_kernel(job); }
void lines_double(const detail::LinesJob<double>& job) { lines_kernel(job); }

template <int used, class T>
HWY_INLINE void pull_lines(const detail::PullJob<T>& job) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index g = 0; g < job.groups; ++g)
    for (Index offset = 0; offset < 8; offset += lanes) {
      hn::Vec<Eight<T>> value[used][3];
      for (int line = 0; line < used; ++line)
        for (int c = 0; c < 3; ++c)
          value[line][c] = hn::Load(d, job.values + ((g * used + line) * 3 + c) * 8 + offset);
      for (int e = job.first[g]; e < job.first[g + 1]; ++e) {
        const T* C = job.coefficients + Index{e} * 4 * job.lines * 8 + offset;
        const bool begins = job.slots[e] < 0;
        T* out = job.sums + Index{begins ? ~job.slots[e] : job.slots[e]} * 96 + offset;
        for (int k = 0; k < 4; ++k, C += 8 * job.lines, out += 24) {
          auto x = begins ? hn::Zero(d) : hn::Load(d, out), y = begins ? hn::Zero(d) : hn::Load(d, out + 8),
               z = begins ? hn::Zero(d) : hn::Load(d, out + 16);
          for (int line = 0; line < used; ++line) {
            const auto c = hn::Load(d, C + 8 * line);
            x = hn::MulAdd(c, value[line][0], x);
            y = hn::MulAdd(c, value[line][1], y);
            z = hn::MulAdd(c, value[line][2], z);
          }
          hn::Store(x, d, out);
          hn::Store(y, d, out + 8);
          hn::Store(z, d, out + 16);
        }
      }
    }
}

template <class T>
void pull_kernel(const detail::PullJob<T>& job) {
  if (job.used == 1)
    pull_lines<1>(job);
  else if (job.used == 2)
    pull_lines<2>(job);
  else
    pull_lines<3>(job);
}
void pull_float(const detail::PullJob<float>& job) { pull_kernel(job); }
void pull_double(const detail::PullJob<double>& job) { pull_kernel(job); }

/// Twelve vectors become as few as hold their sums, by adding even and odd lanes of two neighbours.
template <class T>
void lane_sums_kernel(const detail::LaneSumsJob<T>& job) {
  const Eight<T> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(Eight<T>()));
  for (Index i = 0; i < job.count; ++i) {
    const T* in = job.sums + 96 * i;
    hn::Vec<Eight<T>> v[12];
    for (int r = 0; r < 12; ++r) {
      v[r] = hn::Load(d, in + 8 * r);
      for (int offset = lanes; offset < 8; offset += lanes)
        v[r] = hn::Add(v[r], hn::Load(d, in + 8 * r + offset));
    }
    int count = 12;
#if HWY_TARGET != HWY_SCALAR
    for (int apart = lanes; apart > 1; apart /= 2) {
      for (int r = 0; r < count; r += 2) {
        const auto a = v[r], b = v[r + 1 < count ? r + 1 : r];
        v[r / 2] = hn::Add(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
      }
      count = (count + 1) / 2;
    }
#endif
    for (int r = 0; r < count; ++r) hn::Store(v[r], d, job.out + 16 * i + r * lanes);
  }
}
void lane_sums_float(const detail::LaneSumsJob<float>& job) { lane_sums_kernel(job); }
void lane_sums_double(const detail::LaneSumsJob<double>& job) { lane_sums_kernel(job); }

template <class T>
void weigh_kernel(const detail::WeighJob<T>& job) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  T* out = job.out;
  for (Index g = 0; g < job.samples; g += 8)
    for (Index r = 0; r < job.rows; ++r, out += 8)
      for (Index i = 0; i < 8; i += lanes) {
        const Index place = r * job.samples + g + i;
        const auto apart = hn::Sub(hn::Load(d, job.projections + place), hn::Load(d, job.lines + place));
        hn::Store(hn::Mul(hn::Load(d, job.weights + g + i), apart), d, out + i);
      }
}
void weigh_float(const detail::WeighJob<float>& job) { weigh_kernel(job); }
void weigh_double(const detail::WeighJob<double>& job) { weigh_kernel(job); }

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(lines_float);
HWY_EXPORT(lines_double);
HWY_EXPORT(pull_float);
HWY_EXPORT(pull_double);
HWY_EXPORT(lane_sums_float);
HWY_EXPORT(lane_sums_double);
HWY_EXPORT(weigh_float);
HWY_EXPORT(weigh_double);

namespace detail {
void evaluate_lines(const LinesJob<float>& job) { HWY_DYNAMIC_DISPATCH(lines_float)(job); }
void evaluate_lines(const LinesJob<double>& job) { HWY_DYNAMIC_DISPATCH(lines_double)(job); }
void pull_groups(const PullJob<float>& job) { HWY_DYNAMIC_DISPATCH(pull_float)(job); }
void pull_groups(const PullJob<double>& job) { HWY_DYNAMIC_DISPATCH(pull_double)(job); }
void sum_lanes(const LaneSumsJob<float>& job) { HWY_DYNAMIC_DISPATCH(lane_sums_float)(job); }
void sum_lanes(const LaneSumsJob<double>& job) { HWY_DYNAMIC_DISPATCH(lane_sums_double)(job); }
void weigh_samples(const WeighJob<float>& job) { HWY_DYNAMIC_DISPATCH(weigh_float)(job); }
void weigh_samples(const WeighJob<double>& job) { HWY_DYNAMIC_DISPATCH(weigh_double)(job); }
}  // namespace detail

}  // namespace pliant
#endif
