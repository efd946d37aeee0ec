#pragma once
// The octree under isosurface stuffing: which cubes exist, and the background tets between them.
#include <array>
#include <cstdint>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant::detail {

/// A node's place in the tree: a leading 1, then three bits (z y x) a level from the root. The parent is
/// key >> 3; at one depth, keys order nodes along the Z curve.
using NodeKey = std::uint64_t;

constexpr int max_depth = 19;

NodeKey node_key(int depth, const Vector3i& cell);
int node_depth(NodeKey key);
Vector3i node_cell(NodeKey key);  ///< in units of the node's own edge

/// Integers found by key: open addressing, no removal. Key 0 is not a key.
class KeyTable {
 public:
  explicit KeyTable(std::size_t expected = 16);
  /// The index of `key`: a new one, counting up from 0, when it is not there yet.
  std::int32_t insert(std::uint64_t key);
  std::int32_t find(std::uint64_t key) const;  ///< -1 when absent
  std::int32_t size() const { return count_; }

 private:
  void grow();
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> values_;
  std::int32_t count_ = 0;
  int shift_ = 0;
};

/// An octree over a cube, weakly balanced: leaves that share an edge or a face differ by one level at most.
class StuffingOctree {
 public:
  explicit StuffingOctree(int depth) : depth_(depth) {}

  /// Splits these nodes (any depth above the leaves'), their ancestors, and what balance asks for.
  void split(const std::vector<NodeKey>& nodes);
  std::vector<NodeKey> leaves() const;  ///< along the Z curve

  int depth() const { return depth_; }
  bool is_split(NodeKey key) const { return split_.find(key) >= 0; }

 private:
  int depth_;
  KeyTable split_;
};

/// The points of a leaf's tets, by a number: 0 to 26 are corners, centres and midpoints of the leaf, x
/// fastest, 13 its centre; 27 to 32 the centres of the equal neighbours at -x, +x, -y, ...
constexpr int leaf_points = 33, leaf_centre = 13;
constexpr std::array<std::uint8_t, 8> leaf_corners{0, 2, 6, 8, 18, 20, 24, 26};

/// A point of the lattice as a key: coordinates are whole numbers of half cells, and keys order points along
/// the Z curve.
std::uint64_t lattice_point(const StuffingOctree& octree, NodeKey leaf, int number);
Vector3i lattice_coordinates(std::uint64_t point);

/// A tet of the background grid, positively oriented. For BCC tets, points 0-1 and 2-3 are the long edges.
struct BackgroundTet {
  std::array<std::uint8_t, 4> points;  ///< of its leaf
  NodeKey coarse;  ///< 0 for a BCC tet between two finest cubes, the only kind that may be cut or warped;
                   ///< else the leaf to split where the surface comes this near
};

/// Appends the background tets of one leaf: those between it and its smaller-or-equal neighbours on the far
/// side, and its half pyramids towards larger neighbours.
void background_tets(const StuffingOctree& octree, NodeKey leaf, std::vector<BackgroundTet>& out);

}  // namespace pliant::detail
