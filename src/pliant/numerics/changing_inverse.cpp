// Highway compiles this file once a target.
#include "pliant/numerics/changing_inverse.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/simd_targets.h"
#include "pliant/numerics/thin_product.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/changing_inverse.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// X += factor y yᵀ, of so many columns, and of rows whole vectors.
void add_square_kernel(double* HWY_RESTRICT X, Index stride, Index size, double factor,
                       const double* HWY_RESTRICT y) {
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index j = 0; j < size; ++j) {
    const auto a = hn::Set(d, factor * y[j]);
    double* column = X + j * stride;
    for (Index i = 0; i < size; i += lanes)
      hn::Store(hn::MulAdd(a, hn::Load(d, y + i), hn::Load(d, column + i)), d, column + i);
  }
}

/// y = X x.
void product_kernel(const double* HWY_RESTRICT X, Index stride, Index size, const double* HWY_RESTRICT x,
                    double* HWY_RESTRICT y) {
  const hn::CappedTag<double, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + 4 * lanes <= size + lanes - 1; i += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (Index j = 0; j < size; ++j) {
      const auto v = hn::Set(d, x[j]);
      const double* column = X + j * stride + i;
      a = hn::MulAdd(v, hn::Load(d, column), a);
      b = hn::MulAdd(v, hn::Load(d, column + lanes), b);
      c = hn::MulAdd(v, hn::Load(d, column + 2 * lanes), c);
      e = hn::MulAdd(v, hn::Load(d, column + 3 * lanes), e);
    }
    hn::Store(a, d, y + i);
    hn::Store(b, d, y + i + lanes);
    hn::Store(c, d, y + i + 2 * lanes);
    hn::Store(e, d, y + i + 3 * lanes);
  }
  for (; i < size; i += lanes) {
    auto a = hn::Zero(d);
    for (Index j = 0; j < size; ++j) a = hn::MulAdd(hn::Set(d, x[j]), hn::Load(d, X + j * stride + i), a);
    hn::Store(a, d, y + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {
HWY_EXPORT(add_square_kernel);
HWY_EXPORT(product_kernel);

namespace {

/// Of its own entry: what is left of it beside the others is no less.
constexpr double least_left = 1e-10;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

void ChangingInverse::reserve() {
  X_.resize(at(stride * most), 0);
  y_.resize(at(3 * stride), 0);
}

bool ChangingInverse::add(const double* row) {
  reserve();
  const double own = row[size_];
  double* y = y_.data();
  HWY_DYNAMIC_DISPATCH(product_kernel)(X_.data(), stride, size_, row, y);
  double seen = 0;
  for (Index i = 0; i < size_; ++i) seen += row[i] * y[i];
  if (!(own > 0) || !std::isfinite(own) || !std::isfinite(seen)) return false;
  const double left = std::max(own - seen, least_left * own);
  HWY_DYNAMIC_DISPATCH(add_square_kernel)(X_.data(), stride, size_, 1 / left, y);
  double* column = X_.data() + size_ * stride;
  for (Index i = 0; i < size_; ++i) column[i] = X_[at(i * stride + size_)] = -y[i] / left;
  column[size_] = 1 / left;
  ++size_;
  return true;
}

void ChangingInverse::remove(Index i) {
  double* y = y_.data();
  const double own = X_[at(i * stride + i)];
  std::copy_n(X_.data() + i * stride, size_, y);
  HWY_DYNAMIC_DISPATCH(add_square_kernel)(X_.data(), stride, size_, -1 / own, y);
  const Index last = --size_;
  if (i == last) return;
  std::copy_n(X_.data() + last * stride, last, X_.data() + i * stride);
  for (Index j = 0; j < last; ++j) X_[at(j * stride + i)] = X_[at(j * stride + last)];
  X_[at(i * stride + i)] = X_[at(last * stride + last)];
}

void ChangingInverse::multiply(const double* x, Index apart, double* out, Index out_apart) {
  std::fill(y_.begin(), y_.end(), 0.0);
  add_product(ThinProduct<double>{.matrix = X_.data(),
                                  .stride = stride,
                                  .rows = whole_vectors(size_),  // behind the last row anything may stand
                                  .columns = size_,
                                  .x = x,
                                  .next = 1,
                                  .apart = apart,
                                  .out = y_.data(),
                                  .out_apart = stride});
  for (Index c = 0; c < 3; ++c) std::copy_n(y_.data() + c * stride, size_, out + c * out_apart);
}

}  // namespace pliant
#endif
