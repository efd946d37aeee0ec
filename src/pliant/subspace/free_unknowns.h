#pragma once
// Systems of the unknowns that move.
#include <span>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct FreeUnknowns {
  std::vector<int> unknowns;  ///< those that move, of 3n, ascending
  std::vector<int> place;     ///< 3n: of each among them, or -1
};

/// All coordinates of all vertices but those of the fixed ones, and but these single ones.
FreeUnknowns free_unknowns(Index vertex_count, std::span<const int> fixed,
                           std::span<const int> held_unknowns = {});

/// The rows and columns of A (3n x 3n) that belong to them.
SparseMatrix restrict_to(const SparseMatrix& A, const FreeUnknowns& free);

}  // namespace pliant
