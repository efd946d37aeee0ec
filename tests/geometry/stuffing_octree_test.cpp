#include "pliant/geometry/stuffing_octree.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <map>
#include <set>

#include "pliant/base/rng.h"
#include "pliant/geometry/measures.h"

namespace pliant::detail {
namespace {

// A tree with a few random cells of the finest size.
StuffingOctree random_tree(int depth, int cells, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<NodeKey> nodes;
  for (int i = 0; i < cells; ++i) {
    const auto at = [&] { return static_cast<int>(rng.integer(1 << depth)); };
    const int x = at(), y = at(), z = at();
    nodes.push_back(node_key(depth, {x, y, z}) >> 3);
  }
  StuffingOctree tree(depth);
  tree.split(nodes);
  return tree;
}

struct Cube {
  Vector3i low;
  int size;
};

Cube cube(const StuffingOctree& tree, NodeKey leaf) {
  const int size = 1 << (tree.depth() - node_depth(leaf));
  return {node_cell(leaf) * size, size};
}

}  // namespace

TEST(StuffingOctree, KeysNameNodes) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const int depth = static_cast<int>(rng.integer(max_depth + 1));
    const auto at = [&] { return static_cast<int>(rng.integer(1 << depth)); };
    const int x = at(), y = at(), z = at();
    const NodeKey key = node_key(depth, {x, y, z});
    EXPECT_EQ(node_depth(key), depth);
    EXPECT_EQ(node_cell(key), Vector3i(x, y, z));
    if (depth > 0) {
      EXPECT_EQ(node_cell(key >> 3), Vector3i(x / 2, y / 2, z / 2));
    }
  }
}

TEST(StuffingOctree, KeyTableCountsAndFinds) {
  Rng rng(2);
  KeyTable table;
  std::map<std::uint64_t, std::int32_t> slow;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t key = 1 + static_cast<std::uint64_t>(rng.integer(8000)) * 0x10001;
    const auto [place, fresh] = slow.insert({key, static_cast<std::int32_t>(slow.size())});
    EXPECT_EQ(table.insert(key), place->second);
  }
  EXPECT_EQ(table.size(), static_cast<std::int32_t>(slow.size()));
  for (const auto& [key, index] : slow) EXPECT_EQ(table.find(key), index);
  EXPECT_EQ(table.find(7), -1);
}

TEST(StuffingOctree, LeavesTileTheCubeInBalance) {
  const StuffingOctree tree = random_tree(5, 12, 3);
  const std::vector<NodeKey> leaves = tree.leaves();
  long volume = 0;
  for (const NodeKey leaf : leaves) {
    const Cube c = cube(tree, leaf);
    volume += static_cast<long>(c.size) * c.size * c.size;
  }
  EXPECT_EQ(volume, 1l << 15);
  for (const NodeKey first : leaves)
    for (const NodeKey second : leaves) {
      const Cube a = cube(tree, first), b = cube(tree, second);
      if (a.size < 4 * b.size) continue;
      int touching = 0, apart = 0;  // axes on which the cubes only touch, or are apart
      for (int axis = 0; axis < 3; ++axis) {
        const int low = std::max(a.low[axis], b.low[axis]);
        const int high = std::min(a.low[axis] + a.size, b.low[axis] + b.size);
        touching += low == high;
        apart += low > high;
      }
      EXPECT_TRUE(apart > 0 || touching == 3)
          << "a leaf shares an edge or a face with one four times its size";
    }
}

// The four kinds of tets fit: no face is shared by more than two, shared faces are seen from both sides,
// every face with a single tet lies on the border, where no leaf is beyond to make a tet with; and the volume
// is all there.
TEST(StuffingOctree, BackgroundTetsAreConforming) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const StuffingOctree tree = random_tree(5, 4 * static_cast<int>(seed), seed);
    const int size = 2 << tree.depth();  // half cells
    std::map<std::uint64_t, int> ids;
    std::vector<Vector3i> points;
    std::vector<std::array<int, 4>> tets;
    double expected = 0;
    std::set<bool> kinds;
    for (const NodeKey leaf : tree.leaves()) {
      std::vector<BackgroundTet> local;
      background_tets(tree, leaf, local);
      for (const BackgroundTet& tet : local) {
        std::array<int, 4> v{};
        for (std::size_t k = 0; k < 4; ++k) {
          const std::uint64_t point = lattice_point(tree, leaf, tet.points[k]);
          const auto [place, fresh] = ids.insert({point, static_cast<int>(ids.size())});
          if (fresh) points.push_back(lattice_coordinates(point));
          v[k] = place->second;
        }
        tets.push_back(v);
        kinds.insert(tet.coarse == 0);
        if (tet.coarse == 0) {
          EXPECT_EQ(
              (points[static_cast<std::size_t>(v[0])] - points[static_cast<std::size_t>(v[1])]).squaredNorm(),
              4);
          EXPECT_EQ(
              (points[static_cast<std::size_t>(v[2])] - points[static_cast<std::size_t>(v[3])]).squaredNorm(),
              4);
        }
      }
      // A leaf fills itself but for the pyramids on the border.
      const Cube c = cube(tree, leaf);
      int inner = 6;
      for (int axis = 0; axis < 3; ++axis)
        inner -= (c.low[axis] == 0) + (c.low[axis] + c.size == 1 << tree.depth());
      expected += inner / 6.0 * 8 * std::pow(c.size, 3);
    }
    EXPECT_EQ(kinds.size(), 2u);
    TetMesh mesh;
    mesh.vertices.resize(static_cast<Index>(points.size()), 3);
    for (std::size_t i = 0; i < points.size(); ++i)
      mesh.vertices.row(static_cast<Index>(i)) = points[i].cast<double>().transpose();
    mesh.tets.resize(static_cast<Index>(tets.size()), 4);
    for (std::size_t i = 0; i < tets.size(); ++i)
      for (int k = 0; k < 4; ++k) mesh.tets(static_cast<Index>(i), k) = tets[i][static_cast<std::size_t>(k)];
    EXPECT_GT(tet_volumes(mesh).minCoeff(), 0);
    EXPECT_NEAR(total_volume(mesh), expected, 1e-6);
    const TetQuality quality = tet_quality(mesh);
    EXPECT_GE(quality.min_dihedral, 45 - 1e-9);
    EXPECT_LE(quality.max_dihedral, 120 + 1e-9);

    std::map<std::array<int, 3>, std::pair<int, int>> faces;  // count, sum of orientations
    for (const auto& v : tets) {
      constexpr int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
      for (const auto& f : outward) {
        std::array<int, 3> face{v[static_cast<std::size_t>(f[0])], v[static_cast<std::size_t>(f[1])],
                                v[static_cast<std::size_t>(f[2])]};
        int sign = 1;
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t k = 0; k < 2; ++k)
            if (face[k] > face[k + 1]) std::swap(face[k], face[k + 1]), sign = -sign;
        faces[face].first += 1;
        faces[face].second += sign;
      }
    }
    int wrong = 0, open_inside = 0;
    for (const auto& [face, uses] : faces) {
      wrong += uses.first > 2 || (uses.first == 2 && uses.second != 0);
      if (uses.first != 1) continue;
      // A single face must have an edge on the border: it is a side of a missing pyramid.
      int on_border = 0;
      for (const int v : face) {
        const Vector3i& p = points[static_cast<std::size_t>(v)];
        on_border += (p.array() == 0).any() || (p.array() == size).any();
      }
      open_inside += on_border < 2;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(open_inside, 0);
  }
}

}  // namespace pliant::detail
