#include "pliant/numerics/elimination_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// A random forest; children come before their parents.
EliminationTree random_tree(int count, double root_chance, Rng& rng) {
  EliminationTree tree;
  tree.parent.assign(static_cast<std::size_t>(count), -1);
  tree.child_start.assign(static_cast<std::size_t>(count) + 1, 0);
  for (int k = 0; k + 1 < count; ++k)
    if (rng.uniform(0, 1) > root_chance)
      tree.parent[static_cast<std::size_t>(k)] =
          k + 1 + static_cast<int>(rng.integer(std::min(4, count - k - 1)));
  for (int p = 0; p < count; ++p) {
    for (int k = 0; k < p; ++k)
      if (tree.parent[static_cast<std::size_t>(k)] == p) tree.children.push_back(k);
    tree.child_start[static_cast<std::size_t>(p) + 1] = static_cast<int>(tree.children.size());
  }
  return tree;
}

TEST(EliminationTree, ChildrenAreThoseWhoseFirstRowBelowIsTheirParents) {
  // Three blocks: columns 0 | 1 2 | 3 4, the first two with rows in the last.
  const int first_column[] = {0, 1, 3, 5}, first_row[] = {0, 2, 5, 7};
  const int rows[] = {0, 4, 1, 2, 3, 3, 4};
  CholeskyFactor factor;
  factor.size = 5, factor.supernodes = 3;
  factor.first_column = first_column, factor.first_row = first_row, factor.rows = rows;
  const EliminationTree tree = elimination_tree(factor);
  EXPECT_EQ(tree.parent, (std::vector<int>{2, 2, -1}));
  EXPECT_EQ(tree.children_of(0).size(), 0u);
  EXPECT_EQ(tree.children, (std::vector<int>{0, 1}));
  EXPECT_EQ(tree.children_of(2).size(), 2u);
}

TEST(EliminationTree, ACutHasEveryBlockOnceAndBranchesKnowNothingOfEachOther) {
  Rng rng(1);
  for (int count : {1, 2, 10, 500})
    for (double root_chance : {0.0, 0.2, 1.0}) {
      const EliminationTree tree = random_tree(count, root_chance, rng);
      std::vector<double> work(static_cast<std::size_t>(count));
      for (double& w : work) w = rng.uniform(0, 10);
      const TreeCut cut = cut_tree(tree, work, 5);
      std::vector<int> where(static_cast<std::size_t>(count), -2);
      const auto enter = [&](const std::vector<int>& blocks, int part) {
        EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
        for (int k : blocks) {
          EXPECT_EQ(where[static_cast<std::size_t>(k)], -2);
          where[static_cast<std::size_t>(k)] = part;
        }
      };
      enter(cut.top, -1);
      for (std::size_t b = 0; b < cut.branches.size(); ++b) enter(cut.branches[b], static_cast<int>(b));
      EXPECT_EQ(std::count(where.begin(), where.end(), -2), 0);
      for (int k = 0; k < count; ++k) {
        const int parent = tree.parent[static_cast<std::size_t>(k)];
        if (parent < 0) continue;
        const int above = where[static_cast<std::size_t>(parent)];
        EXPECT_TRUE(above == -1 || above == where[static_cast<std::size_t>(k)]);
      }
    }
}

TEST(EliminationTree, BranchesOfABalancedTreeAreOfLikeWeight) {
  // A complete binary tree of 1023 blocks in the order of a heap turned round: parents last.
  const int count = 1023;
  EliminationTree tree;
  tree.parent.assign(count, -1);
  tree.child_start.assign(count + 1, 0);
  for (int k = 0; k + 1 < count; ++k)
    tree.parent[static_cast<std::size_t>(k)] = count - 1 - (count - 2 - k) / 2;
  for (int p = 0; p < count; ++p) {
    for (int k = 0; k < p; ++k)
      if (tree.parent[static_cast<std::size_t>(k)] == p) tree.children.push_back(k);
    tree.child_start[static_cast<std::size_t>(p) + 1] = static_cast<int>(tree.children.size());
  }
  const TreeCut cut = cut_tree(tree, std::vector<double>(count, 1), 1);
  EXPECT_EQ(cut.branches.size(), 16u);
  EXPECT_EQ(cut.top.size(), 15u);
  for (const auto& branch : cut.branches) EXPECT_EQ(branch.size(), 63u);
}

}  // namespace
}  // namespace pliant
