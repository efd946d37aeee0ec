// Highway compiles this file once a target: sums of columns.
#include "pliant/numerics/column_sums.h"

#include <algorithm>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/column_sums.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out += four columns, each times three weights. The sums stay in the nearest cache while columns stream by.
void add_four(const double* const* columns, const double* weights, Index rows, double* out) {
  const hn::ScalableTag<double> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= rows; i += lanes) {
    auto x = hn::LoadU(d, out + i), y = hn::LoadU(d, out + rows + i), z = hn::LoadU(d, out + 2 * rows + i);
    for (int k = 0; k < 4; ++k) {
      const auto value = hn::LoadU(d, columns[k] + i);
      x = hn::MulAdd(value, hn::Set(d, weights[3 * k]), x);
      y = hn::MulAdd(value, hn::Set(d, weights[3 * k + 1]), y);
      z = hn::MulAdd(value, hn::Set(d, weights[3 * k + 2]), z);
    }
    hn::StoreU(x, d, out + i);
    hn::StoreU(y, d, out + rows + i);
    hn::StoreU(z, d, out + 2 * rows + i);
  }
  for (; i < rows; ++i)
    for (int k = 0; k < 4; ++k)
      for (int c = 0; c < 3; ++c) out[c * rows + i] += columns[k][i] * weights[3 * k + c];
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {
HWY_EXPORT(add_four);

void sum_columns(const MatrixXd& A, std::span<const Index> columns, const MatrixXd& weights, MatrixXd& out) {
  out.setZero(A.rows(), 3);
  for (std::size_t first = 0; first < columns.size(); first += 4) {
    const double* four[4];
    double with[12];
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t i = std::min(first + k, columns.size() - 1);
      four[k] = A.col(columns[i]).data();
      for (int c = 0; c < 3; ++c)
        with[3 * k + static_cast<std::size_t>(c)] =
            first + k < columns.size() ? weights(static_cast<Index>(i), c) : 0;
    }
    HWY_DYNAMIC_DISPATCH(add_four)(four, with, A.rows(), out.data());
  }
}

}  // namespace pliant
#endif
