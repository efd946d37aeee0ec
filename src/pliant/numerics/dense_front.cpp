// The front is worked on in strips of a few SIMD vectors of rows. As columns of L are found they are also written
// into the strips' own memory, strip by strip, so that everything that follows (all of it is sums of
// products of two rows of L) reads memory in order:
//
//     C(12 rows, 4 columns) -= Σₚ strip of those 12 rows (p) x strip of those 4 rows (p)ᵀ
//
// with C in registers. [Van Zee and van de Geijn 2015] describe the kernel.
#include "pliant/numerics/dense_front.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/simd_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pliant/numerics/dense_front.cpp"
#include <hwy/foreach_target.h>  // first: compiles this file once a target
#include <hwy/highway.h>

#ifndef PLIANT_DENSE_FRONT_ONCE
#define PLIANT_DENSE_FRONT_ONCE
namespace pliant::front_detail {

constexpr int width = 4;           // columns of C in registers
constexpr int tallest_strip = 24;  // rows, on any machine
constexpr int block = 72;          // columns between two parallel loops; whole strips on any machine
constexpr int tile_rows = 48;      // of what one task works on

}  // namespace pliant::front_detail
#endif

HWY_BEFORE_NAMESPACE();
namespace pliant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using front_detail::block;
using front_detail::width;

using D = hn::CappedTag<double, 8>;
using D4 = hn::CappedTag<double, 4>;
using V = hn::Vec<D>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int vectors = lanes >= 4 ? 3 : 4 / lanes;
constexpr int height = vectors * lanes;  // rows of a strip
static_assert(height % width == 0 && block % height == 0 && height <= front_detail::tallest_strip);

/// C, in registers.
struct Tile {
  V v[vectors][width];
};

HWY_INLINE Tile load_tile(const double* C, Index stride, int columns) {
  const D d;
  Tile t;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < vectors; ++i)
      t.v[i][j] = j < columns ? hn::LoadU(d, C + j * stride + i * lanes) : hn::Zero(d);
  return t;
}
HWY_INLINE Tile zero_tile() {
  const D d;
  Tile t;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < vectors; ++i) t.v[i][j] = hn::Zero(d);
  return t;
}
HWY_INLINE void store_tile(const Tile& t, double* C, Index stride, int columns) {
  const D d;
  for (int j = 0; j < width; ++j)
    if (j < columns)
      for (int i = 0; i < vectors; ++i) hn::StoreU(t.v[i][j], d, C + j * stride + i * lanes);
}

/// C -= A Bᵀ over `count` columns of two strips; B may begin inside its strip.
HWY_INLINE void subtract_products(const double* HWY_RESTRICT A, const double* HWY_RESTRICT B, int count,
                                  Tile& t) {
  const D d;
  for (int p = 0; p < count; ++p, A += height, B += height) {
    V a[vectors];
    for (int i = 0; i < vectors; ++i) a[i] = hn::Load(d, A + i * lanes);
    for (int j = 0; j < width; ++j) {
      const V b = hn::Set(d, B[j]);
      for (int i = 0; i < vectors; ++i) t.v[i][j] = hn::NegMulAdd(a[i], b, t.v[i][j]);
    }
  }
}

/// The strips of a front: those of the first `columns` rows, then those of the rest, each group from its own first row.
struct Strips {
  const Front& f;
  int upper = (f.columns + height - 1) / height;
  int lower = (f.rows - f.columns + height - 1) / height;

  double* data(int s) const { return f.strips + static_cast<Index>(s) * height * f.columns; }
  int first_row(int s) const { return s < upper ? s * height : f.columns + (s - upper) * height; }
  int rows(int s) const { return std::min(height, (s < upper ? f.columns : f.rows) - first_row(s)); }
};

/// Rows of C at the end of a front are fewer than a strip: the kernels then work on a copy with zeros below.
struct Padded {
  HWY_ALIGN double numbers[height * width];
  double* C;
  Index stride;
  int rows, columns;

  Padded(double* C_, Index stride_, int rows_, int columns_)
      : C(C_), stride(stride_), rows(rows_), columns(columns_) {
    std::fill_n(numbers, height * width, 0.0);
    for (int j = 0; j < columns; ++j) std::copy_n(C + j * stride, rows, numbers + j * height);
  }
  void write_back() const {
    for (int j = 0; j < columns; ++j) std::copy_n(numbers + j * height, rows, C + j * stride);
  }
};

/// Columns `first` to first + columns - 1 of the rows of one strip, once their own diagonal block is known.
/// @param own   the strip
/// @param pivot rows of the diagonal block in its strip
HWY_INLINE void solve_tile(double* HWY_RESTRICT own, const double* HWY_RESTRICT pivot, int first, int columns,
                           double* C, Index stride) {
  const D d;
  Tile t = load_tile(C, stride, columns);
  subtract_products(own, pivot, first, t);
  const double* l = pivot + static_cast<Index>(first) * height;  // column q of the block at l + q height
  double* out = own + static_cast<Index>(first) * height;
  for (int q = 0; q < width; ++q) {
    if (q >= columns) break;
    const V inverse = hn::Set(d, 1 / l[q * height + q]);
    for (int i = 0; i < vectors; ++i) {
      t.v[i][q] = hn::Mul(t.v[i][q], inverse);
      hn::Store(t.v[i][q], d, out + q * height + i * lanes);
    }
    for (int j = q + 1; j < width; ++j) {
      const V b = hn::Set(d, j < columns ? l[q * height + j] : 0);
      for (int i = 0; i < vectors; ++i) t.v[i][j] = hn::NegMulAdd(t.v[i][q], b, t.v[i][j]);
    }
  }
  store_tile(t, C, stride, columns);
}

void solve_strip(const Strips& strips, int s, int first, int columns) {
  const Front& f = strips.f;
  const double* pivot = strips.data(first / height) + first % height;
  double* C = f.panel + static_cast<Index>(first) * f.rows + strips.first_row(s);
  const int rows = strips.rows(s);
  if (rows == height) {
    solve_tile(strips.data(s), pivot, first, columns, C, f.rows);
  } else {
    Padded padded(C, f.rows, rows, columns);
    solve_tile(strips.data(s), pivot, first, columns, padded.numbers, height);
    padded.write_back();
  }
}

/// The strip that holds the diagonal of a few columns: their Cholesky factorisation, one number at a time.
bool factor_corner(const Strips& strips, int first, int columns) {
  const Front& f = strips.f;
  const int s = first / height, offset = first % height, rows = strips.rows(s);
  double* C = f.panel + static_cast<Index>(first) * f.rows + strips.first_row(s);
  double* own = strips.data(s);
  Padded padded(C, f.rows, rows, columns);
  Tile t = load_tile(padded.numbers, height, width);
  subtract_products(own, own + offset, first, t);
  store_tile(t, padded.numbers, height, width);
  double* out = own + static_cast<Index>(first) * height;
  for (int q = 0; q < columns; ++q) {
    double* c = padded.numbers + q * height;
    const double square = c[offset + q];
    if (!(square > 0 && square <= std::numeric_limits<double>::max())) return false;
    const double pivot = std::sqrt(square), inverse = 1 / pivot;
    std::fill_n(c, offset + q, 0.0);
    c[offset + q] = pivot;
    for (int i = offset + q + 1; i < height; ++i) c[i] *= inverse;
    for (int j = q + 1; j < columns; ++j) {
      double* other = padded.numbers + j * height;
      const double factor = c[offset + j];
      for (int i = offset + j; i < height; ++i) other[i] -= factor * c[i];
    }
    std::copy_n(c, height, out + q * height);
    std::copy_n(c + offset + q, rows - offset - q, C + q * static_cast<Index>(f.rows) + offset + q);
  }
  return true;
}

/// The diagonal block of columns [begin, end), begin at a multiple of `block`.
bool factor_block(const Front& f, int begin, int end) {
  const Strips strips{f};
  const int last = (end + height - 1) / height;
  for (int first = begin; first < end; first += width) {
    const int columns = std::min(width, end - first);
    if (!factor_corner(strips, first, columns)) return false;
    for (int s = first / height + 1; s < last; ++s) solve_strip(strips, s, first, columns);
  }
  return true;
}

/// The same columns of the strips below it; [strip_begin, strip_end) counts from the first of these.
void solve_strips(const Front& f, int begin, int end, int strip_begin, int strip_end) {
  const Strips strips{f};
  const int below = (end + height - 1) / height;
  for (int s = below + strip_begin; s < below + strip_end; ++s)
    for (int first = begin; first < end; first += width)
      solve_strip(strips, s, first, std::min(width, end - first));
}

/// rest = - L21 L21ᵀ for strips [row_begin, row_end) x [column_begin, column_end), in and below the diagonal.
void update_rest(const Front& f, int row_begin, int row_end, int column_begin, int column_end) {
  const Strips strips{f};
  const Index stride = f.rows - f.columns;
  for (int sj = column_begin; sj < column_end; ++sj)
    for (int si = std::max(row_begin, sj); si < row_end; ++si) {
      const double* own = strips.data(strips.upper + si);
      const int rows = strips.rows(strips.upper + si), all = strips.rows(strips.upper + sj);
      for (int j = 0; j < all; j += width) {
        Tile t = zero_tile();
        subtract_products(own, strips.data(strips.upper + sj) + j, f.columns, t);
        double* C = f.rest + static_cast<Index>(sj * height + j) * stride + si * height;
        const int columns = std::min(width, all - j);
        if (rows == height) {
          store_tile(t, C, stride, columns);
        } else {
          HWY_ALIGN double numbers[height * width];
          store_tile(t, numbers, height, width);
          for (int k = 0; k < columns; ++k) std::copy_n(numbers + k * height, rows, C + k * stride);
        }
      }
    }
}

// === What children left

HWY_INLINE void add(const double* HWY_RESTRICT from, double* HWY_RESTRICT to, int count) {
  const D4 d;
  constexpr int step = static_cast<int>(hn::MaxLanes(D4()));
  int i = 0;
  for (; i + step <= count; i += step)
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  for (; i < count; ++i) to[i] += from[i];
}

void add_runs(const double* left, int size, const RowRun* runs, int run_count, int begin, int end,
              const Front& f) {
  for (int r = 0; r < run_count; ++r) {
    const RowRun& own = runs[r];
    const int first = std::max(0, begin - own.to), last = std::min(own.count, end - own.to);
    for (int j = first; j < last; ++j) {
      const int column = own.to + j;
      // Where row 0 of the front would be:
      double* to = column < f.columns
                       ? f.panel + static_cast<Index>(column) * f.rows
                       : f.rest + static_cast<Index>(column - f.columns) * (f.rows - f.columns) - f.columns;
      const double* from = left + static_cast<Index>(own.from + j) * size;
      add(from + own.from + j, to + column, own.count - j);
      for (int s = r + 1; s < run_count; ++s) add(from + runs[s].from, to + runs[s].to, runs[s].count);
    }
  }
}

int strip_height() { return height; }

// === Triangular solves: four columns of L at a time, read in order, with one or two right-hand sides

/// Columns [first, first + count) of a panel; where they are fewer than `width`, the last one again.
struct Columns {
  const double* L[width];
  int first, count;

  Columns(const double* panel, int rows, int first_, int end)
      : first(first_), count(std::min(width, end - first_)) {
    for (int j = 0; j < width; ++j) L[j] = panel + static_cast<Index>(first + std::min(j, count - 1)) * rows;
  }
};

template <int sides>
HWY_INLINE void solve_columns_down(const Columns& c, int rows, double* x, Index stride) {
  const D d;
  double y[sides][width] = {};
  V factors[sides][width];
  for (int r = 0; r < sides; ++r) {
    double* b = x + r * stride + c.first;
    for (int j = 0; j < c.count; ++j) {
      double sum = b[j];
      for (int k = 0; k < j; ++k) sum -= c.L[k][c.first + j] * y[r][k];
      b[j] = y[r][j] = sum / c.L[j][c.first + j];
    }
    for (int j = 0; j < width; ++j) factors[r][j] = hn::Set(d, y[r][j]);
  }
  int i = c.first + c.count;
  for (; i + lanes <= rows; i += lanes) {
    V L[width];
    for (int j = 0; j < width; ++j) L[j] = hn::LoadU(d, c.L[j] + i);
    for (int r = 0; r < sides; ++r) {
      V sum = hn::LoadU(d, x + r * stride + i);
      for (int j = 0; j < width; ++j) sum = hn::NegMulAdd(L[j], factors[r][j], sum);
      hn::StoreU(sum, d, x + r * stride + i);
    }
  }
  for (; i < rows; ++i)
    for (int r = 0; r < sides; ++r)
      for (int j = 0; j < c.count; ++j) x[r * stride + i] -= c.L[j][i] * y[r][j];
}

template <int sides>
HWY_INLINE void solve_columns_up(const Columns& c, int rows, double* x, Index stride) {
  const D d;
  V sums[sides][width];
  for (int r = 0; r < sides; ++r)
    for (int j = 0; j < width; ++j) sums[r][j] = hn::Zero(d);
  int i = c.first + c.count;
  for (; i + lanes <= rows; i += lanes) {
    V L[width];
    for (int j = 0; j < width; ++j) L[j] = hn::LoadU(d, c.L[j] + i);
    for (int r = 0; r < sides; ++r) {
      const V known = hn::LoadU(d, x + r * stride + i);
      for (int j = 0; j < width; ++j) sums[r][j] = hn::MulAdd(L[j], known, sums[r][j]);
    }
  }
  for (int r = 0; r < sides; ++r) {
    double* b = x + r * stride;
    for (int j = c.count - 1; j >= 0; --j) {
      double sum = b[c.first + j] - hn::GetLane(hn::SumOfLanes(d, sums[r][j]));
      for (int k = i; k < rows; ++k) sum -= c.L[j][k] * b[k];
      for (int k = j + 1; k < c.count; ++k) sum -= c.L[j][c.first + k] * b[c.first + k];
      b[c.first + j] = sum / c.L[j][c.first + j];
    }
  }
}

void solve_down(const double* panel, int rows, int columns, double* x, Index stride, int count) {
  for (int first = 0; first < columns; first += width) {
    const Columns c(panel, rows, first, columns);
    int r = 0;
    for (; r + 2 <= count; r += 2) solve_columns_down<2>(c, rows, x + r * stride, stride);
    if (r < count) solve_columns_down<1>(c, rows, x + r * stride, stride);
  }
}

void solve_up(const double* panel, int rows, int columns, double* x, Index stride, int count) {
  for (int first = (columns - 1) / width * width; first >= 0; first -= width) {
    const Columns c(panel, rows, first, columns);
    int r = 0;
    for (; r + 2 <= count; r += 2) solve_columns_up<2>(c, rows, x + r * stride, stride);
    if (r < count) solve_columns_up<1>(c, rows, x + r * stride, stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pliant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pliant {

HWY_EXPORT(factor_block);
HWY_EXPORT(solve_strips);
HWY_EXPORT(update_rest);
HWY_EXPORT(add_runs);
HWY_EXPORT(strip_height);
HWY_EXPORT(solve_down);
HWY_EXPORT(solve_up);

using front_detail::block;
using front_detail::tallest_strip;
using front_detail::tile_rows;

std::size_t front_workspace(int rows, int columns) {
  return static_cast<std::size_t>(rows + 2 * tallest_strip) * static_cast<std::size_t>(columns);
}

bool factor_front(const Front& front, bool parallel) {
  const auto& factor = HWY_DYNAMIC_DISPATCH(factor_block);
  const auto& solve = HWY_DYNAMIC_DISPATCH(solve_strips);
  const auto& update = HWY_DYNAMIC_DISPATCH(update_rest);
  const int height = HWY_DYNAMIC_DISPATCH(strip_height)();
  const int tile = tile_rows / height;  // strips
  const auto strips_of = [&](int rows) { return (rows + height - 1) / height; };
  const int lower = strips_of(front.rows - front.columns);

  // === Columns, block by block: the diagonal, then the strips below it
  for (int begin = 0; begin < front.columns; begin += block) {
    const int end = std::min(front.columns, begin + block);
    if (!factor(front, begin, end)) return false;
    const int below = strips_of(front.columns) - strips_of(end) + lower;
    parallel_for_chunks(below, parallel ? tile : below, [&](Index first, Index last) {
      solve(front, begin, end, static_cast<int>(first), static_cast<int>(last));
    });
  }

  // === What that leaves: tiles of the lower triangle, row by row, so that the strips of a few rows stay in the cache
  const Index tiles = (lower + tile - 1) / tile, all = tiles * (tiles + 1) / 2;
  parallel_for_chunks(all, parallel ? 1 : all, [&](Index first, Index last) {
    auto i = static_cast<Index>((std::sqrt(8.0 * static_cast<double>(first) + 1) - 1) / 2);
    while ((i + 1) * (i + 2) / 2 <= first) ++i;
    while (i * (i + 1) / 2 > first) --i;
    for (Index t = first, j = first - i * (i + 1) / 2; t < last; ++t) {
      update(front, static_cast<int>(i) * tile, std::min(lower, static_cast<int>(i + 1) * tile),
             static_cast<int>(j) * tile, std::min(lower, static_cast<int>(j + 1) * tile));
      if (++j > i) ++i, j = 0;
    }
  });
  return true;
}

void add_rest(const double* left, int size, std::span<const RowRun> runs, int begin, int end,
              const Front& front) {
  HWY_DYNAMIC_DISPATCH(add_runs)
  (left, size, runs.data(), static_cast<int>(runs.size()), begin, end, front);
}

void solve_front_down(const double* panel, int rows, int columns, double* x, Index stride, int count) {
  HWY_DYNAMIC_DISPATCH(solve_down)(panel, rows, columns, x, stride, count);
}
void solve_front_up(const double* panel, int rows, int columns, double* x, Index stride, int count) {
  HWY_DYNAMIC_DISPATCH(solve_up)(panel, rows, columns, x, stride, count);
}

}  // namespace pliant
#endif
