#pragma once
// The dense work on one block of a sparse Cholesky factor: SIMD kernels, split into tiles that do not depend on the number
// of threads.
#include <cstddef>
#include <span>

#include "pliant/base/parallel.h"

namespace pliant {

/// The columns that are eliminated when a block's turn has come, and what their elimination subtracts from those after
/// [Duff and Reid 1983]. All column-major; of squares only the lower triangles count.
///
///     panel   A11        L11       rest   - L21 L21ᵀ
///             A21   ->   L21
struct Front {
  int rows = 0, columns = 0;
  double* panel = nullptr;   ///< rows x columns: A11 over A21, becomes L11 over L21
  double* rest = nullptr;    ///< (rows - columns)², overwritten
  double* strips = nullptr;  ///< workspace of front_workspace(rows, columns) numbers, aligned to 64 bytes
};

/// Numbers of workspace that factor_front needs.
std::size_t front_workspace(int rows, int columns);

/// Eliminates the front's columns. False where A11 is not positive definite, or something is not finite. On several
/// threads if `parallel`, with the same bits.
bool factor_front(const Front& front, bool parallel);

/// Neighbouring rows of what a front left that are neighbours in its parent's front, too.
struct RowRun {
  int from = 0, to = 0, count = 0;
};

/// Adds what a child left to those columns of a front, in panel and rest, that are in [begin, end).
/// @param left  the child's rest, `size` rows and columns
/// @param runs  all its rows, ascending
void add_rest(const double* left, int size, std::span<const RowRun> runs, int begin, int end,
              const Front& front);

/// L x = b with the front's columns, for `count` right-hand sides: of the `rows` numbers of each, which begin `stride`
/// apart, the first `columns` become the solution, and the others lose L21 x.
void solve_front_down(const double* panel, int rows, int columns, double* x, Index stride, int count);
/// Lᵀ x = b: the numbers after the first `columns` are known, the first become the solution.
void solve_front_up(const double* panel, int rows, int columns, double* x, Index stride, int count);

}  // namespace pliant
