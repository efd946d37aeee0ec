#include "pliant/numerics/elimination_tree.h"

#include <algorithm>

namespace pliant {
namespace {

constexpr int branch_count = 16;  // enough to balance a few threads

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

EliminationTree elimination_tree(const CholeskyFactor& factor) {
  const Index count = factor.supernodes;
  std::vector<int> owner(at(factor.size));
  for (Index k = 0; k < count; ++k)
    std::fill(owner.begin() + factor.first_column[k], owner.begin() + factor.first_column[k + 1],
              static_cast<int>(k));
  EliminationTree tree;
  tree.parent.assign(at(count), -1);
  tree.child_start.assign(at(count + 1), 0);
  for (Index k = 0; k < count; ++k) {
    if (factor.rows_of(k) == factor.columns_of(k)) continue;
    const int parent = owner[at(factor.rows[factor.first_row[k] + factor.columns_of(k)])];
    tree.parent[at(k)] = parent;
    ++tree.child_start[at(parent + 1)];
  }
  for (Index k = 0; k < count; ++k) tree.child_start[at(k + 1)] += tree.child_start[at(k)];
  tree.children.resize(at(tree.child_start[at(count)]));
  std::vector<int> next(tree.child_start.begin(), tree.child_start.end() - 1);
  for (Index k = 0; k < count; ++k)
    if (tree.parent[at(k)] >= 0) tree.children[at(next[at(tree.parent[at(k)])]++)] = static_cast<int>(k);
  return tree;
}

TreeCut cut_tree(const EliminationTree& tree, std::span<const double> work, double worth_a_branch) {
  const auto count = static_cast<Index>(tree.parent.size());
  // === How much hangs below each block, itself included
  std::vector<double> below(work.begin(), work.end());
  std::vector<int> subtrees;
  double total = 0;
  for (Index k = 0; k < count; ++k) {  // children come first
    if (tree.parent[at(k)] >= 0)
      below[at(tree.parent[at(k)])] += below[at(k)];
    else
      subtrees.push_back(static_cast<int>(k)), total += below[at(k)];
  }

  // === From the roots down, the largest subtree gives up its root, until all are small
  const auto heavier = [&](int a, int b) {
    return below[at(a)] != below[at(b)] ? below[at(a)] > below[at(b)] : a < b;
  };
  std::vector<bool> in_top(at(count), false);
  const double small = std::max(total / branch_count, worth_a_branch);
  while (true) {
    const auto largest = std::min_element(subtrees.begin(), subtrees.end(), heavier);
    if (largest == subtrees.end() || below[at(*largest)] <= small) break;
    const int k = *largest;
    subtrees.erase(largest);
    in_top[at(k)] = true;
    for (int child : tree.children_of(k)) subtrees.push_back(child);
  }

  // === Subtrees into branches, the heaviest first, each into the lightest branch
  std::sort(subtrees.begin(), subtrees.end(), heavier);
  std::vector<double> load;
  std::vector<int> branch_of(at(count), -1);
  for (int k : subtrees) {
    if (load.size() < branch_count && (load.empty() || below[at(k)] >= worth_a_branch)) load.push_back(0);
    const auto lightest = std::min_element(load.begin(), load.end());
    *lightest += below[at(k)];
    branch_of[at(k)] = static_cast<int>(lightest - load.begin());
  }
  for (Index k = count - 1; k >= 0; --k)  // parents come last
    if (branch_of[at(k)] < 0 && !in_top[at(k)]) branch_of[at(k)] = branch_of[at(tree.parent[at(k)])];
  TreeCut cut;
  cut.branches.resize(load.size());
  for (Index k = 0; k < count; ++k)
    (in_top[at(k)] ? cut.top : cut.branches[at(branch_of[at(k)])]).push_back(static_cast<int>(k));
  return cut;
}

}  // namespace pliant
