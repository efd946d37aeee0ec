// Highway compiles this file once a target: products of symmetric block matrices with vectors.
#include <cstddef>

#include "pliant/numerics/symmetric_blocks.h"

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/block_product.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows [begin, end) of y = A x. A block is stored once and used twice: as it is in its row, transposed in its column.
/// With columns of a block as vectors, the first is a sum of columns, and the second, entry by entry, sums that are
/// added across lanes only once a row.
void multiply_rows(const SymmetricBlocks& A, const double* x, double* y, Index begin, Index end) {
  const int* row_start = A.row_start.data();
  const int* column_start = A.column_start.data();
  const double* values = A.values.data();
  const hn::CappedTag<double, 4> d;
  if (hn::Lanes(d) == 4) {
    const auto three = hn::FirstN(d, 3);  // the fourth lane may lie behind the end of an array
    for (Index i = begin; i < end; ++i) {
      auto sum = hn::Zero(d);
      for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
        const double* block = values + 9 * static_cast<Index>(A.row_blocks[static_cast<std::size_t>(k)]);
        const double* at = x + 3 * static_cast<Index>(A.row_columns[static_cast<std::size_t>(k)]);
        sum = hn::MulAdd(hn::MaskedLoad(three, d, block), hn::Set(d, at[0]), sum);
        sum = hn::MulAdd(hn::MaskedLoad(three, d, block + 3), hn::Set(d, at[1]), sum);
        sum = hn::MulAdd(hn::MaskedLoad(three, d, block + 6), hn::Set(d, at[2]), sum);
      }
      auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d);
      for (int b = column_start[i]; b < column_start[i + 1];
           ++b) {  // the diagonal block is its own transpose
        const double* block = values + 9 * static_cast<Index>(b);
        const auto at =
            hn::MaskedLoad(three, d, x + 3 * static_cast<Index>(A.rows[static_cast<std::size_t>(b)]));
        s0 = hn::MulAdd(hn::MaskedLoad(three, d, block), at, s0);
        s1 = hn::MulAdd(hn::MaskedLoad(three, d, block + 3), at, s1);
        s2 = hn::MulAdd(hn::MaskedLoad(three, d, block + 6), at, s2);
      }
      alignas(32) double r[16];
      hn::Store(sum, d, r);
      hn::Store(s0, d, r + 4);
      hn::Store(s1, d, r + 8);
      hn::Store(s2, d, r + 12);
      for (int k = 0; k < 3; ++k) y[3 * i + k] = r[k] + ((r[4 * k + 4] + r[4 * k + 5]) + r[4 * k + 6]);
    }
    return;
  }
  for (Index i = begin; i < end; ++i) {
    double sum[3] = {};
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      const double* block = values + 9 * static_cast<Index>(A.row_blocks[static_cast<std::size_t>(k)]);
      const double* at = x + 3 * static_cast<Index>(A.row_columns[static_cast<std::size_t>(k)]);
      for (int e = 0; e < 9; ++e) sum[e % 3] += block[e] * at[e / 3];
    }
    for (int b = column_start[i]; b < column_start[i + 1]; ++b) {
      const double* block = values + 9 * static_cast<Index>(b);
      const double* at = x + 3 * static_cast<Index>(A.rows[static_cast<std::size_t>(b)]);
      for (int e = 0; e < 9; ++e) sum[e / 3] += block[e] * at[e % 3];
    }
    for (int k = 0; k < 3; ++k) y[3 * i + k] = sum[k];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(multiply_rows);

void multiply(const SymmetricBlocks& A, std::span<const double> x, std::span<double> y) {
  constexpr Index grain = 512;  // block rows a task
  parallel_for_chunks(A.size(), grain, [&](Index begin, Index end) {
    HWY_DYNAMIC_DISPATCH(multiply_rows)(A, x.data(), y.data(), begin, end);
  });
}

}  // namespace pliant
#endif
