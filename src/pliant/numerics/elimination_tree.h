#pragma once
// Which dense blocks of a Cholesky factor wait for which, and how that tree is cut into parts that run in parallel.
#include <span>
#include <vector>

#include "pliant/numerics/cholesky_factor.h"

namespace pliant {

/// The blocks of a factor as a forest: a block needs its children's results. Children come before their parents.
struct EliminationTree {
  std::vector<int> parent;       ///< -1 at a root
  std::vector<int> child_start;  ///< one more than blocks, into the next
  std::vector<int> children;     ///< ascending

  std::span<const int> children_of(Index k) const {
    const auto at = static_cast<std::size_t>(k);
    return {children.data() + child_start[at], children.data() + child_start[at + 1]};
  }
};

EliminationTree elimination_tree(const CholeskyFactor& factor);

/// Whole subtrees in a few branches of like weight, which know nothing of each other, and the top that joins them.
/// Block numbers ascend everywhere.
struct TreeCut {
  std::vector<std::vector<int>> branches;
  std::vector<int> top;
};

/// Depends on the tree and the work alone, never on the number of threads.
/// @param work            of each block by itself
/// @param worth_a_branch  least work for which a thread is woken, in the same unit
TreeCut cut_tree(const EliminationTree& tree, std::span<const double> work, double worth_a_branch);

}  // namespace pliant
