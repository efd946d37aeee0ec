#include "pliant/numerics/dissection.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using Graph = std::vector<std::vector<int>>;

void join(Graph& graph, int a, int b) {
  graph[static_cast<std::size_t>(a)].push_back(b);
  graph[static_cast<std::size_t>(b)].push_back(a);
}

Graph grid(int columns, int rows) {
  Graph graph(static_cast<std::size_t>(columns * rows));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      if (c + 1 < columns) join(graph, r * columns + c, r * columns + c + 1);
      if (r + 1 < rows) join(graph, r * columns + c, (r + 1) * columns + c);
    }
  return graph;
}

/// All that a dissection promises; and how many numbers the inverse of the factor has.
double checked(const Graph& graph, const Dissection& found) {
  std::vector<int> part_of(graph.size(), -1);
  const int parts = static_cast<int>(found.parts.size());
  for (int p = 0; p < parts; ++p) {
    const Dissection::Part& part = found.parts[static_cast<std::size_t>(p)];
    EXPECT_TRUE(part.parent == -1 || part.parent > p);
    EXPECT_FALSE(part.vertices.empty());
    EXPECT_LE(part.first, p);
    for (const int v : part.vertices) {
      EXPECT_EQ(part_of[static_cast<std::size_t>(v)], -1) << "vertex " << v << " stands in two parts";
      part_of[static_cast<std::size_t>(v)] = p;
    }
  }
  const auto is_above = [&](int above, int below) {
    while (below >= 0 && below < above) below = found.parts[static_cast<std::size_t>(below)].parent;
    return below == above;
  };
  for (int p = 0; p < parts; ++p)
    for (int q = 0; q < p; ++q)
      EXPECT_EQ(is_above(p, q), q >= found.parts[static_cast<std::size_t>(p)].first)
          << "what is below a part stands right before it";
  double numbers = 0;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    EXPECT_NE(part_of[v], -1) << "vertex " << v << " has no part";
    for (const int w : graph[v]) {
      const int a = part_of[v], b = part_of[static_cast<std::size_t>(w)];
      EXPECT_TRUE(is_above(a, b) || is_above(b, a)) << "vertices " << v << " and " << w << " are joined";
    }
    double above = static_cast<double>(found.parts[static_cast<std::size_t>(part_of[v])].vertices.size()) / 2;
    for (int p = found.parts[static_cast<std::size_t>(part_of[v])].parent; p >= 0;
         p = found.parts[static_cast<std::size_t>(p)].parent)
      above += static_cast<double>(found.parts[static_cast<std::size_t>(p)].vertices.size());
    numbers += above;
  }
  return numbers;
}

TEST(Dissection, KeepsPartsApart) {
  Graph star(41);
  for (int i = 1; i < 41; ++i) join(star, 0, i);
  Graph two = grid(10, 1);
  two.resize(20);
  for (int i = 10; i < 19; ++i) join(two, i, i + 1);
  for (const Graph& graph : {Graph(0), Graph(1), Graph(7), grid(2, 1), grid(40, 1), grid(12, 9), star, two})
    for (const int least : {1, 3, 6, 1000}) checked(graph, dissect(graph, least));
}

TEST(Dissection, LeavesLittleOfWhatFallsApart) {
  const double path = checked(grid(128, 1), dissect(grid(128, 1), 1));
  EXPECT_LT(path, 0.12 * 128 * 128 / 2);  // some 128 log2(128) numbers of a triangle
  const double square = checked(grid(16, 16), dissect(grid(16, 16), 2));
  EXPECT_LT(square, 0.4 * 256 * 256 / 2);
}

TEST(Dissection, LeavesWholeWhatDoesNot) {
  Graph complete(30);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < i; ++j) join(complete, i, j);
  EXPECT_EQ(dissect(complete, 2).parts.size(), 1u);
}

}  // namespace
}  // namespace pliant
