#include "pliant/numerics/symmetric_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr Index grain = 256;  // block rows a task

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Entries of the scalar columns 3c, 3c + 1, 3c + 2.
struct ColumnLengths {
  Index above, below;  // blocks above the diagonal that are stored; blocks from the diagonal on
};
ColumnLengths lengths(const SymmetricBlocks& A, Index c, StoredTriangles triangles) {
  return {triangles == StoredTriangles::both ? A.row_start[at(c + 1)] - A.row_start[at(c)] : 0,
          A.column_start[at(c + 1)] - A.column_start[at(c)]};
}

}  // namespace

SymmetricBlocks symmetric_blocks(Index size, std::vector<std::pair<int, int>> pairs) {
  for (auto& [row, column] : pairs) {
    if (row < column) std::swap(row, column);
    if (column < 0 || row >= size)
      throw InputError(
          fmt::format("symmetric_blocks: the pair {}, {} for a matrix of {} block rows; expected 0 to {}",
                      row, column, size, size - 1));
  }
  for (Index i = 0; i < size; ++i) pairs.emplace_back(static_cast<int>(i), static_cast<int>(i));
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  SymmetricBlocks A;
  A.column_start.assign(at(size + 1), 0);
  A.row_start.assign(at(size + 1), 0);
  A.rows.reserve(pairs.size());
  for (const auto& [row, column] : pairs) {
    A.rows.push_back(row);
    ++A.column_start[at(column + 1)];
    if (row != column) ++A.row_start[at(row + 1)];
  }
  for (Index i = 0; i < size; ++i) {
    A.column_start[at(i + 1)] += A.column_start[at(i)];
    A.row_start[at(i + 1)] += A.row_start[at(i)];
  }
  A.row_blocks.resize(at(A.row_start[at(size)]));
  A.row_columns.resize(A.row_blocks.size());
  std::vector<int> next(A.row_start.begin(), A.row_start.end() - 1);
  for (std::size_t b = 0; b < pairs.size(); ++b) {
    const auto [row, column] = pairs[b];
    if (row == column) continue;
    const std::size_t place = at(next[at(row)]++);
    A.row_blocks[place] = static_cast<int>(b);
    A.row_columns[place] = column;
  }
  A.values.assign(9 * pairs.size(), 0);
  return A;
}

SparseMatrix to_sparse(const SymmetricBlocks& A, StoredTriangles triangles) {
  const Index n = A.size();
  const bool lower = triangles == StoredTriangles::lower;
  std::vector<Index> entries(at(3 * n + 1), 0);
  for (Index c = 0; c < n; ++c) {
    const auto [above, below] = lengths(A, c, triangles);
    for (int k = 0; k < 3; ++k)
      entries[at(3 * c + k + 1)] = entries[at(3 * c + k)] + 3 * (above + below) - (lower ? k : 0);
  }
  SparseMatrix out(3 * n, 3 * n);
  out.resizeNonZeros(entries.back());
  for (Index c = 0; c <= 3 * n; ++c) out.outerIndexPtr()[c] = static_cast<int>(entries[at(c)]);
  for (Index c = 0; c < n; ++c)
    for (int k = 0; k < 3; ++k) {
      int* row = out.innerIndexPtr() + entries[at(3 * c + k)];
      if (!lower)
        for (int r = A.row_start[at(c)]; r < A.row_start[at(c + 1)]; ++r)
          for (int i = 0; i < 3; ++i) *row++ = 3 * A.row_columns[at(r)] + i;
      for (int b = A.column_start[at(c)]; b < A.column_start[at(c + 1)]; ++b)
        for (int i = lower && b == A.column_start[at(c)] ? k : 0; i < 3; ++i) *row++ = 3 * A.rows[at(b)] + i;
    }
  copy_values(A, out, triangles);
  return out;
}

void copy_values(const SymmetricBlocks& A, SparseMatrix& out, StoredTriangles triangles) {
  const bool lower = triangles == StoredTriangles::lower;
  parallel_for(A.size(), grain, [&](Index c) {
    for (int k = 0; k < 3; ++k) {
      double* value = out.valuePtr() + out.outerIndexPtr()[3 * c + k];
      if (!lower)
        for (int r = A.row_start[at(c)]; r < A.row_start[at(c + 1)]; ++r) {
          const double* block = A.values.data() + 9 * at(A.row_blocks[at(r)]);
          for (int i = 0; i < 3; ++i) *value++ = block[k + 3 * i];
        }
      for (int b = A.column_start[at(c)]; b < A.column_start[at(c + 1)]; ++b) {
        const double* block = A.values.data() + 9 * at(b);
        for (int i = lower && b == A.column_start[at(c)] ? k : 0; i < 3; ++i) *value++ = block[i + 3 * k];
      }
    }
  });
}

}  // namespace pliant
