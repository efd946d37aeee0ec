#pragma once
// The shape of a sparse Cholesky factor, and its numbers, as they lie in memory.
#include "pliant/numerics/types.h"

namespace pliant {

/// A[order, order] = L Lᵀ, the columns of L in dense blocks ("supernodes"). The columns of block k are first_column[k] to
/// first_column[k + 1] - 1, its rows rows[first_row[k]] to rows[first_row[k + 1] - 1], the columns' own first; its
/// numbers begin at values[first_value[k]], column by column.
struct CholeskyFactor {
  Index size = 0, supernodes = 0;
  const int *order = nullptr, *first_column = nullptr, *first_row = nullptr, *first_value = nullptr,
            *rows = nullptr;
  const double* values = nullptr;

  int columns_of(Index k) const { return first_column[k + 1] - first_column[k]; }
  int rows_of(Index k) const { return first_row[k + 1] - first_row[k]; }
};

}  // namespace pliant
