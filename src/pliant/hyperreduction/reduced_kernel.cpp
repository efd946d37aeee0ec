// Highway compiles this file once a target: the products behind ReducedElements.
#include "pliant/hyperreduction/reduced_kernel.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/hyperreduction/reduced_kernel.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using detail::block_slots;
using detail::stiffness_rows;
inline constexpr Index lane_stride = 8;  // between rows of z: a pack's width

using Block = hn::CappedTag<double, block_slots>;

HWY_INLINE hn::Vec<Block> load_single(Block d, const float* from) {
  const hn::Rebind<float, Block> single;
  return hn::PromoteTo(d, hn::Load(single, from));
}

void block_z_kernel(const float* G, Index dimension, const double* q, const double* rest, double* z) {
  const Block d;
  for (Index lane = 0; lane < block_slots; lane += static_cast<Index>(hn::Lanes(d))) {
    hn::Vec<Block> sum[9];  // nine sums in registers hide the latency of each other
    for (int i = 0; i < 9; ++i) sum[i] = hn::Load(d, rest + lane_stride * i + lane);
    const float* row = G + lane;
    for (Index k = 0; k < dimension; ++k, row += 9 * block_slots) {
      const auto qk = hn::Set(d, q[k]);
      for (int i = 0; i < 9; ++i) sum[i] = hn::MulAdd(load_single(d, row + block_slots * i), qk, sum[i]);
    }
    for (int i = 0; i < 9; ++i) hn::Store(sum[i], d, z + lane_stride * i + lane);
  }
}

void block_force_kernel(const float* G, Index dimension, const double* weights, const double* gradient,
                        double* sums) {
  const Block d;
  for (Index lane = 0; lane < block_slots; lane += static_cast<Index>(hn::Lanes(d))) {
    hn::Vec<Block> p[9];
    const auto w = hn::Load(d, weights + lane);
    for (int i = 0; i < 9; ++i) p[i] = hn::Mul(w, hn::Load(d, gradient + lane_stride * i + lane));
    const float* row = G + lane;
    for (Index k = 0; k < dimension; ++k, row += 9 * block_slots) {
      double* out = sums + block_slots * k + lane;
      auto even = hn::Load(d, out), odd = hn::Mul(load_single(d, row + block_slots), p[1]);
      for (int i = 0; i < 9; i += 2) even = hn::MulAdd(load_single(d, row + block_slots * i), p[i], even);
      for (int i = 3; i < 9; i += 2) odd = hn::MulAdd(load_single(d, row + block_slots * i), p[i], odd);
      hn::Store(hn::Add(even, odd), d, out);
    }
  }
}

void block_products_kernel(const float* G, Index dimension, const double* weights, const double* H, double* A,
                           double* B) {
  const Block d;
  for (Index lane = 0; lane < block_slots; lane += static_cast<Index>(hn::Lanes(d))) {
    const auto w = hn::Load(d, weights + lane);
    hn::Vec<Block> weighted[81];
    for (int i = 0; i < 81; ++i) weighted[i] = hn::Mul(w, hn::Load(d, H + lane_stride * i + lane));
    for (Index k = 0; k < dimension; ++k) {
      hn::Vec<Block> g[9];
      double *a = A + stiffness_rows * k + lane, *b = B + stiffness_rows * k + lane;
      for (int i = 0; i < 9; ++i) {
        g[i] = load_single(d, G + (9 * k + i) * block_slots + lane);
        hn::Store(g[i], d, a + block_slots * i);
      }
      for (int i = 0; i < 9; ++i) {
        auto sum = hn::Mul(weighted[9 * i], g[0]);
        for (int j = 1; j < 9; ++j) sum = hn::MulAdd(weighted[9 * i + j], g[j], sum);
        hn::Store(sum, d, b + block_slots * i);
      }
    }
  }
}

void add_lower_products_kernel(const double* A, const double* B, Index dimension, double* K) {
  constexpr Index rows = detail::tile_rows, columns = detail::tile_columns;
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index j = 0; j < dimension; j += columns)
    for (Index i = j / rows * rows; i < dimension; i += rows) {
      // Twelve sums, three entries of B and one of A: sixteen registers.
      const double *a = A + stiffness_rows * i, *b = B + stiffness_rows * j;
      auto s00 = hn::Zero(d), s10 = s00, s20 = s00, s30 = s00;
      auto s01 = s00, s11 = s00, s21 = s00, s31 = s00, s02 = s00, s12 = s00, s22 = s00, s32 = s00;
      for (Index r = 0; r < stiffness_rows; r += lanes) {
        const auto b0 = hn::Load(d, b + r), b1 = hn::Load(d, b + stiffness_rows + r),
                   b2 = hn::Load(d, b + 2 * stiffness_rows + r);
        auto entry = hn::Load(d, a + r);
        s00 = hn::MulAdd(entry, b0, s00), s01 = hn::MulAdd(entry, b1, s01), s02 = hn::MulAdd(entry, b2, s02);
        entry = hn::Load(d, a + stiffness_rows + r);
        s10 = hn::MulAdd(entry, b0, s10), s11 = hn::MulAdd(entry, b1, s11), s12 = hn::MulAdd(entry, b2, s12);
        entry = hn::Load(d, a + 2 * stiffness_rows + r);
        s20 = hn::MulAdd(entry, b0, s20), s21 = hn::MulAdd(entry, b1, s21), s22 = hn::MulAdd(entry, b2, s22);
        entry = hn::Load(d, a + 3 * stiffness_rows + r);
        s30 = hn::MulAdd(entry, b0, s30), s31 = hn::MulAdd(entry, b1, s31), s32 = hn::MulAdd(entry, b2, s32);
      }
      const auto add = [&](Index row, Index column, hn::Vec<decltype(d)> sum) HWY_ATTR {
        K[i + row + dimension * (j + column)] += hn::GetLane(hn::SumOfLanes(d, sum));
      };
      add(0, 0, s00), add(1, 0, s10), add(2, 0, s20), add(3, 0, s30);
      add(0, 1, s01), add(1, 1, s11), add(2, 1, s21), add(3, 1, s31);
      add(0, 2, s02), add(1, 2, s12), add(2, 2, s22), add(3, 2, s32);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(block_z_kernel);
HWY_EXPORT(block_force_kernel);
HWY_EXPORT(block_products_kernel);
HWY_EXPORT(add_lower_products_kernel);

namespace detail {

void block_z(const float* G, Index dimension, const double* q, const double* rest, double* z) {
  HWY_DYNAMIC_DISPATCH(block_z_kernel)(G, dimension, q, rest, z);
}
void block_force(const float* G, Index dimension, const double* weights, const double* gradient,
                 double* sums) {
  HWY_DYNAMIC_DISPATCH(block_force_kernel)(G, dimension, weights, gradient, sums);
}
void block_products(const float* G, Index dimension, const double* weights, const double* H, double* A,
                    double* B) {
  HWY_DYNAMIC_DISPATCH(block_products_kernel)(G, dimension, weights, H, A, B);
}
void add_lower_products(const double* A, const double* B, Index dimension, double* K) {
  HWY_DYNAMIC_DISPATCH(add_lower_products_kernel)(A, B, dimension, K);
}

void sum_lanes(const double* sums, Index dimension, double factor, double* out) {
  for (Index k = 0; k < dimension; ++k) {
    const double* s = sums + block_slots * k;
    out[k] = factor * ((s[0] + s[1]) + (s[2] + s[3]));
  }
}

}  // namespace detail
}  // namespace pliant
#endif
