#pragma once
// Symmetric sparse matrices of 3x3 blocks: stiffness, mass and system matrices of bodies with three unknowns a vertex.
#include <span>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

/// The lower triangle, block column by block column; the pattern is fixed and only values change. The first block of
/// every column is its diagonal one. Scalar unknowns are stacked: unknown 3 i + k is coordinate k of vertex i.
struct SymmetricBlocks {
  std::vector<int> column_start;  ///< n + 1, into the blocks
  std::vector<int> rows;          ///< block row of each block, ascending within a column
  std::vector<int> row_start;     ///< n + 1, into the next two: the blocks left of the diagonal, row by row
  std::vector<int> row_blocks;    ///< which block
  std::vector<int> row_columns;   ///< its block column, ascending within a row
  std::vector<double> values;     ///< 9 a block, column-major

  Index size() const { return static_cast<Index>(column_start.size()) - 1; }  ///< block rows
  Index block_count() const { return static_cast<Index>(rows.size()); }

  auto block(Index b) { return Eigen::Map<Matrix3d>(values.data() + 9 * b); }
  auto block(Index b) const { return Eigen::Map<const Matrix3d>(values.data() + 9 * b); }
  auto diagonal(Index i) { return block(column_start[static_cast<std::size_t>(i)]); }
  auto diagonal(Index i) const { return block(column_start[static_cast<std::size_t>(i)]); }
};

/// A pattern with zero values from pairs of vertices that share an element, in any order and number; all diagonal
/// blocks are there.
SymmetricBlocks symmetric_blocks(Index size, std::vector<std::pair<int, int>> pairs);

/// y = A x for stacked vectors; parallel, same bits on any number of threads. y must not be x.
void multiply(const SymmetricBlocks& A, std::span<const double> x, std::span<double> y);

enum class StoredTriangles { both, lower };

/// The same matrix with scalar entries. Explicit zeros stay, so the pattern depends on that of A alone.
SparseMatrix to_sparse(const SymmetricBlocks& A, StoredTriangles triangles = StoredTriangles::both);

/// Writes values into a matrix that to_sparse made; parallel, allocates nothing.
void copy_values(const SymmetricBlocks& A, SparseMatrix& out,
                 StoredTriangles triangles = StoredTriangles::both);

}  // namespace pliant
