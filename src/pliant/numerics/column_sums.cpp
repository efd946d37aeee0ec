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

/// out[c][r] += Σ_i columns[i][r] weights[3 i + c] for rows begin to end - 1. All sums stay in registers while columns stream by.
template <int vectors, class T>
HWY_INLINE void some_rows(const T* const* columns, const T* weights, Index count, Index row, double* out,
                          Index rows) {
  const hn::CappedTag<T, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[3][vectors];
  for (auto& of_coordinate : sum)
    for (auto& v : of_coordinate) v = hn::Zero(d);
  for (Index i = 0; i < count; ++i, weights += 3) {
    const auto x = hn::Set(d, weights[0]), y = hn::Set(d, weights[1]), z = hn::Set(d, weights[2]);
    for (int v = 0; v < vectors; ++v) {
      const auto value = hn::LoadU(d, columns[i] + row + v * lanes);
      sum[0][v] = hn::MulAdd(value, x, sum[0][v]);
      sum[1][v] = hn::MulAdd(value, y, sum[1][v]);
      sum[2][v] = hn::MulAdd(value, z, sum[2][v]);
    }
  }
  HWY_ALIGN T lane[8];
  for (int c = 0; c < 3; ++c)
    for (int v = 0; v < vectors; ++v) {
      hn::Store(sum[c][v], d, lane);
      for (Index i = 0; i < lanes; ++i) out[c * rows + row + v * lanes + i] += static_cast<double>(lane[i]);
    }
}

template <class T>
HWY_INLINE void add_columns(const T* const* columns, const T* weights, Index count, Index begin, Index end,
                            double* out, Index rows) {
  const Index lanes = static_cast<Index>(hn::Lanes(hn::CappedTag<T, 8>()));
  Index row = begin;
  for (; row + 4 * lanes <= end; row += 4 * lanes) some_rows<4>(columns, weights, count, row, out, rows);
  for (; row + lanes <= end; row += lanes) some_rows<1>(columns, weights, count, row, out, rows);
  for (; row < end; ++row)
    for (int c = 0; c < 3; ++c) {
      T sum = 0;
      for (Index i = 0; i < count; ++i) sum += columns[i][row] * weights[3 * i + c];
      out[c * rows + row] += static_cast<double>(sum);
    }
}

void add_columns_float(const float* const* columns, const float* weights, Index count, Index begin, Index end,
                       double* out, Index rows) {
  add_columns(columns, weights, count, begin, end, out, rows);
}
void add_columns_double(const double* const* columns, const double* weights, Index count, Index begin,
                        Index end, double* out, Index rows) {
  add_columns(columns, weights, count, begin, end, out, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {
HWY_EXPORT(add_columns_float);
HWY_EXPORT(add_columns_double);

namespace {

template <class T, class Add>
void sum_some(Team& team, const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& A,
              std::span<const Index> columns, const MatrixXd& weights, MatrixXd& out, Add add) {
  constexpr Index rows_a_task = 512;
  constexpr std::size_t at_once = 64;
  const Index rows = A.rows();
  out.setZero(rows, 3);
  team.run((rows + rows_a_task - 1) / rows_a_task, [&](Index task, int) {
    for (std::size_t first = 0; first < columns.size(); first += at_once) {
      const std::size_t count = std::min(at_once, columns.size() - first);
      const T* some[at_once];
      T with[3 * at_once];
      for (std::size_t i = 0; i < count; ++i) {
        some[i] = A.col(columns[first + i]).data();
        for (std::size_t c = 0; c < 3; ++c)
          with[3 * i + c] = static_cast<T>(weights(static_cast<Index>(first + i), static_cast<Index>(c)));
      }
      add(some, with, static_cast<Index>(count), task * rows_a_task, std::min((task + 1) * rows_a_task, rows),
          out.data(), rows);
    }
  });
}

}  // namespace

void sum_columns(Team& team, const Eigen::MatrixXf& A, std::span<const Index> columns,
                 const MatrixXd& weights, MatrixXd& out) {
  sum_some(team, A, columns, weights, out, HWY_DYNAMIC_DISPATCH(add_columns_float));
}
void sum_columns(Team& team, const MatrixXd& A, std::span<const Index> columns, const MatrixXd& weights,
                 MatrixXd& out) {
  sum_some(team, A, columns, weights, out, HWY_DYNAMIC_DISPATCH(add_columns_double));
}

}  // namespace pliant
#endif
