// Highway compiles this file once a target.
#include "pliant/numerics/thin_product.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/thin_product.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Eight = hn::CappedTag<T, 8>;

/// So many vectors of rows from `row` on. All sums stay in registers.
template <int vectors, class T>
HWY_INLINE void some_rows(const ThinProduct<T>& p, Index row) {
  const Eight<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<Eight<T>> sum[3][vectors];
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) sum[c][v] = hn::Load(d, p.out + c * p.out_apart + row + v * lanes);
  const T *a = p.matrix + row, *x = p.x;
  for (Index j = 0; j < p.columns; ++j, a += p.stride, x += p.next) {
    const auto x0 = hn::Set(d, x[0]), x1 = hn::Set(d, x[p.apart]), x2 = hn::Set(d, x[2 * p.apart]);
    for (int v = 0; v < vectors; ++v) {
      const auto m = hn::Load(d, a + v * lanes);
      sum[0][v] = hn::MulAdd(m, x0, sum[0][v]);
      sum[1][v] = hn::MulAdd(m, x1, sum[1][v]);
      sum[2][v] = hn::MulAdd(m, x2, sum[2][v]);
    }
  }
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) hn::Store(sum[c][v], d, p.out + c * p.out_apart + row + v * lanes);
}

template <class T>
HWY_INLINE void all_rows(const ThinProduct<T>& p) {
  const Index lanes = static_cast<Index>(hn::Lanes(Eight<T>()));
  Index row = 0;
  for (; row + 4 * lanes <= p.rows; row += 4 * lanes) some_rows<4>(p, row);
  const Index left = (p.rows - row) / lanes;
  if (left == 3) some_rows<3>(p, row);
  if (left == 2) some_rows<2>(p, row);
  if (left == 1) some_rows<1>(p, row);
}
void product_float(const ThinProduct<float>& p) { all_rows(p); }
void product_double(const ThinProduct<double>& p) { all_rows(p); }

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

void add_product(const ThinProduct<float>& product) { HWY_DYNAMIC_DISPATCH(product_float)(product); }
void add_product(const ThinProduct<double>& product) { HWY_DYNAMIC_DISPATCH(product_double)(product); }

}  // namespace pliant
#endif
