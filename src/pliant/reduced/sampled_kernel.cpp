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
HWY_INLINE void lines_of_lanes(const detail::LinesJob<T>& job, Index offset) {
  const Eight<T> d;
  hn::Vec<Eight<T>> sum[3 * lines];
  for (int r = 0; r < 3 * lines; ++r) sum[r] = hn::Load(d, job.rest + 8 * r + offset);
  const T* C = job.coefficients + offset;
  for (Index e = 0; e < job.entries; ++e) {
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
  for (int r = 0; r < 3 * lines; ++r) hn::Store(sum[r], d, job.out + r * job.stride + offset);
}

template <class T>
void lines_kernel(const detail::LinesJob<T>& job) {
  const Index lanes = static_cast<Index>(hn::Lanes(Eight<T>()));
  for (Index offset = 0; offset < 8; offset += lanes) {
    if (job.lines == 1)
      lines_of_lanes<1>(job, offset);
    else if (job.lines == 2)
      lines_of_lanes<2>(job, offset);
    else
      lines_of_lanes<3>(job, offset);
  }
}
void lines_float(const detail::LinesJob<float>& job) { lines_kernel(job); }
void lines_double(const detail::LinesJob<double>& job) { lines_kernel(job); }

/// sums[c][v] over `count` columns: a[i][v] b[c][i].
template <int vectors, class T>
HWY_INLINE void three_products(const T* a, Index a_stride, const T* b, Index b_stride, Index count, T* out,
                               Index out_stride) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Eight<T>> sum[3][vectors];
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) sum[c][v] = hn::Load(d, out + c * out_stride + v * lanes);
  for (Index i = 0; i < count; ++i, a += a_stride) {
    const auto x = hn::Set(d, b[i]), y = hn::Set(d, b[b_stride + i]), z = hn::Set(d, b[2 * b_stride + i]);
    for (int v = 0; v < vectors; ++v) {
      const auto m = hn::Load(d, a + v * lanes);
      sum[0][v] = hn::MulAdd(m, x, sum[0][v]);
      sum[1][v] = hn::MulAdd(m, y, sum[1][v]);
      sum[2][v] = hn::MulAdd(m, z, sum[2][v]);
    }
  }
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) hn::Store(sum[c][v], d, out + c * out_stride + v * lanes);
}

/// The same for `rows` numbers, a multiple of the lanes: four vectors at a time.
template <class T>
HWY_INLINE void products_of_rows(const T* a, Index a_stride, const T* b, Index b_stride, Index count, T* out,
                                 Index out_stride, Index rows) {
  const Index lanes = static_cast<Index>(hn::Lanes(Eight<T>()));
  Index r = 0;
  for (; r + 4 * lanes <= rows; r += 4 * lanes)
    three_products<4>(a + r, a_stride, b, b_stride, count, out + r, out_stride);
  for (; r < rows; r += lanes) three_products<1>(a + r, a_stride, b, b_stride, count, out + r, out_stride);
}

template <class T>
void fit_kernel(const detail::FitJob<T>& job) {
  products_of_rows(job.fit, job.padded, job.values, job.value_stride, job.count, job.found, job.padded,
                   job.padded);
}
void fit_float(const detail::FitJob<float>& job) { fit_kernel(job); }
void fit_double(const detail::FitJob<double>& job) { fit_kernel(job); }

template <class T>
void map_kernel(const detail::MapJob<T>& job) {
  products_of_rows(job.map + job.begin, job.rows, job.found, job.found_stride, job.columns,
                   job.out + job.begin, job.out_stride, job.end - job.begin);
}
void map_float(const detail::MapJob<float>& job) { map_kernel(job); }
void map_double(const detail::MapJob<double>& job) { map_kernel(job); }

template <int used, class T>
HWY_INLINE void pull_lines(const detail::PullJob<T>& job) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  // Sums over lanes wait until the last entry. All twelve stay in registers.
  hn::Vec<Eight<T>> sum[4][3];
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) sum[k][c] = hn::Zero(d);
  for (Index e = 0; e < job.count; ++e) {
    const T* C = job.coefficients + Index{job.entries[e]} * 4 * job.lines * 8;
    const T* values = job.values + Index{job.groups[e]} * used * 3 * 8;
    for (Index offset = 0; offset < 8; offset += lanes)
      for (int line = 0; line < used; ++line) {
        const T* v = values + 24 * line + offset;
        const auto x = hn::Load(d, v), y = hn::Load(d, v + 8), z = hn::Load(d, v + 16);
        for (int k = 0; k < 4; ++k) {
          const auto factor = hn::Load(d, C + (k * job.lines + line) * 8 + offset);
          sum[k][0] = hn::MulAdd(factor, x, sum[k][0]);
          sum[k][1] = hn::MulAdd(factor, y, sum[k][1]);
          sum[k][2] = hn::MulAdd(factor, z, sum[k][2]);
        }
      }
  }
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) job.out[3 * k + c] += hn::GetLane(hn::SumOfLanes(d, sum[k][c]));
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
HWY_EXPORT(fit_float);
HWY_EXPORT(fit_double);
HWY_EXPORT(map_float);
HWY_EXPORT(map_double);
HWY_EXPORT(pull_float);
HWY_EXPORT(pull_double);
HWY_EXPORT(weigh_float);
HWY_EXPORT(weigh_double);

namespace detail {
void evaluate_lines(const LinesJob<float>& job) { HWY_DYNAMIC_DISPATCH(lines_float)(job); }
void evaluate_lines(const LinesJob<double>& job) { HWY_DYNAMIC_DISPATCH(lines_double)(job); }
void accumulate_fit(const FitJob<float>& job) { HWY_DYNAMIC_DISPATCH(fit_float)(job); }
void accumulate_fit(const FitJob<double>& job) { HWY_DYNAMIC_DISPATCH(fit_double)(job); }
void accumulate_map(const MapJob<float>& job) { HWY_DYNAMIC_DISPATCH(map_float)(job); }
void accumulate_map(const MapJob<double>& job) { HWY_DYNAMIC_DISPATCH(map_double)(job); }
void pull_to_handle(const PullJob<float>& job) { HWY_DYNAMIC_DISPATCH(pull_float)(job); }
void pull_to_handle(const PullJob<double>& job) { HWY_DYNAMIC_DISPATCH(pull_double)(job); }
void weigh_samples(const WeighJob<float>& job) { HWY_DYNAMIC_DISPATCH(weigh_float)(job); }
void weigh_samples(const WeighJob<double>& job) { HWY_DYNAMIC_DISPATCH(weigh_double)(job); }
}  // namespace detail

}  // namespace pliant
#endif
