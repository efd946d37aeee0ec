#include "pliant/geometry/stuffing_octree.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pliant::detail {
namespace {

// Spreads the low 21 bits of x to every third bit, and back.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffull;
  x = (x | x << 16) & 0x1f0000ff0000ffull;
  x = (x | x << 8) & 0x100f00f00f00f00full;
  x = (x | x << 4) & 0x10c30c30c30c30c3ull;
  return (x | x << 2) & 0x1249249249249249ull;
}

int gather(std::uint64_t x) {
  x &= 0x1249249249249249ull;
  x = (x | x >> 2) & 0x10c30c30c30c30c3ull;
  x = (x | x >> 4) & 0x100f00f00f00f00full;
  x = (x | x >> 8) & 0x1f0000ff0000ffull;
  x = (x | x >> 16) & 0x1f00000000ffffull;
  return static_cast<int>((x | x >> 32) & 0x1fffff);
}

std::uint64_t morton(const Vector3i& p) {
  return spread(static_cast<std::uint64_t>(p.x())) | spread(static_cast<std::uint64_t>(p.y())) << 1 |
         spread(static_cast<std::uint64_t>(p.z())) << 2;
}

// Lattice points carry a leading 1 as well, so that no key is 0.
constexpr std::uint64_t point_flag = 1ull << 63;

std::uint64_t point_key(const Vector3i& p) { return point_flag | morton(p); }

// A neighbour of a node at the node's own size; 0 outside the root.
NodeKey neighbour(int depth, const Vector3i& cell, const Vector3i& offset) {
  const Vector3i p = cell + offset;
  if ((p.array() < 0).any() || (p.array() >= (1 << depth)).any()) return 0;
  return node_key(depth, p);
}

}  // namespace

NodeKey node_key(int depth, const Vector3i& cell) { return 1ull << (3 * depth) | morton(cell); }

int node_depth(NodeKey key) { return (63 - std::countl_zero(key)) / 3; }

Vector3i node_cell(NodeKey key) {
  const std::uint64_t code = key ^ 1ull << (3 * node_depth(key));
  return {gather(code), gather(code >> 1), gather(code >> 2)};
}

Vector3i lattice_coordinates(std::uint64_t point) {
  const std::uint64_t code = point & ~point_flag;
  return {gather(code), gather(code >> 1), gather(code >> 2)};
}

// === KeyTable

KeyTable::KeyTable(std::size_t expected) {
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(16, expected + expected / 2 + 1));
  keys_.assign(capacity, 0);
  values_.assign(capacity, -1);
  shift_ = 64 - std::countr_zero(capacity);
}

std::int32_t KeyTable::insert(std::uint64_t key) {
  if (static_cast<std::size_t>(count_) * 3 >= keys_.size() * 2) grow();
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = (key * 0x9e3779b97f4a7c15ull) >> shift_;
  while (keys_[slot] != 0) {
    if (keys_[slot] == key) return values_[slot];
    slot = (slot + 1) & mask;
  }
  keys_[slot] = key;
  values_[slot] = count_;
  return count_++;
}

std::int32_t KeyTable::find(std::uint64_t key) const {
  const std::size_t mask = keys_.size() - 1;
  std::size_t slot = (key * 0x9e3779b97f4a7c15ull) >> shift_;
  while (keys_[slot] != 0) {
    if (keys_[slot] == key) return values_[slot];
    slot = (slot + 1) & mask;
  }
  return -1;
}

void KeyTable::grow() {
  const std::vector<std::uint64_t> old_keys = std::move(keys_);
  const std::vector<std::int32_t> old_values = std::move(values_);
  keys_.assign(old_keys.size() * 2, 0);
  values_.assign(old_keys.size() * 2, -1);
  --shift_;
  const std::size_t mask = keys_.size() - 1;
  for (std::size_t i = 0; i < old_keys.size(); ++i) {
    if (old_keys[i] == 0) continue;
    std::size_t slot = (old_keys[i] * 0x9e3779b97f4a7c15ull) >> shift_;
    while (keys_[slot] != 0) slot = (slot + 1) & mask;
    keys_[slot] = old_keys[i];
    values_[slot] = old_values[i];
  }
}

// === Octree

void StuffingOctree::split(const std::vector<NodeKey>& nodes) {
  std::vector<std::vector<NodeKey>> at_depth(static_cast<std::size_t>(depth_) + 1);
  const auto add = [&](NodeKey key) {
    const std::int32_t before = split_.size();
    split_.insert(key);
    if (split_.size() > before) at_depth[static_cast<std::size_t>(node_depth(key))].push_back(key);
  };
  for (const NodeKey node : nodes) add(node);
  // A split node has children; around it, over faces and edges, leaves must be no larger than the node
  // itself: so the parents of its neighbours are split too.
  for (int depth = depth_; depth > 0; --depth) {
    for (const NodeKey key : at_depth[static_cast<std::size_t>(depth)]) {
      const Vector3i cell = node_cell(key);
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x) {
            if (x * y * z != 0) continue;
            if (const NodeKey other = neighbour(depth, cell, {x, y, z})) add(other >> 3);
          }
    }
  }
}

std::vector<NodeKey> StuffingOctree::leaves() const {
  std::vector<NodeKey> result;
  std::vector<NodeKey> stack{1};
  while (!stack.empty()) {
    const NodeKey key = stack.back();
    stack.pop_back();
    if (!is_split(key)) {
      result.push_back(key);
      continue;
    }
    for (NodeKey child = 8; child-- > 0;) stack.push_back(key << 3 | child);
  }
  return result;
}

std::uint64_t lattice_point(const StuffingOctree& octree, NodeKey leaf, int number) {
  const int half = 1 << (octree.depth() - node_depth(leaf));  // half the leaf's edge, in half cells
  const Vector3i low = node_cell(leaf) * (2 * half);
  if (number < 27) return point_key(low + Vector3i(number % 3, number / 3 % 3, number / 9) * half);
  Vector3i centre = low + Vector3i::Constant(half);
  centre[(number - 27) / 2] += number % 2 == 0 ? 2 * half : -2 * half;
  return point_key(centre);
}

// === Background grid
// Between two leaves of one size that share a face, every edge of the face makes a BCC tet with the two
// centres; it is bisected when the edge has a midpoint, because a smaller leaf touches it. Where a leaf meets
// four smaller ones, its face has a midpoint F, and (centre, F, corner, edge midpoint) are quarters of the
// BCC tets that would be there; from the other side, each small leaf carries two half pyramids, cut along the
// diagonal through F.
void background_tets(const StuffingOctree& octree, NodeKey leaf, std::vector<BackgroundTet>& out) {
  const int depth = node_depth(leaf);
  const bool finest = depth == octree.depth();
  const Vector3i cell = node_cell(leaf);
  const auto emit = [&](int a, int b, int c, int d, NodeKey coarse, bool positive) {
    if (!positive) std::swap(c, d);
    out.push_back({{static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c),
                    static_cast<std::uint8_t>(d)},
                   coarse});
  };

  // Steps of point numbers along x, y, z.
  constexpr std::array<int, 3> step{1, 3, 9};
  for (int axis = 0; axis < 3; ++axis) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    const int n = step[static_cast<std::size_t>(axis)], u = step[static_cast<std::size_t>(next)],
              v = step[static_cast<std::size_t>(last)];
    for (int side = -1; side <= 1; side += 2) {
      Vector3i normal = Vector3i::Zero();
      normal[axis] = side;
      const NodeKey other = neighbour(depth, cell, normal);
      if (other == 0) continue;
      const bool other_exists = other >> 3 == leaf >> 3 || octree.is_split(other >> 3);
      const bool other_split = !finest && other_exists && octree.is_split(other);
      if (other_exists && !other_split && side < 0)
        continue;  // equal neighbours: the lower one makes the tets
      const int face = leaf_centre + side * n;
      // Counter-clockwise about +axis, the first again at the end.
      const std::array<int, 5> corners{face - u - v, face + u - v, face + u + v, face - u + v, face - u - v};
      const bool positive = side > 0;

      if (!other_exists) {
        // === Larger neighbour: two half pyramids, cut along the diagonal from the large face's centre
        // That is the corner away from the parent's edges: on the upper side in u where the leaf is a lower
        // child.
        const bool upper_u = cell[next] % 2 == 0, upper_v = cell[last] % 2 == 0;
        const std::size_t middle = upper_v ? (upper_u ? 2 : 3) : (upper_u ? 1 : 0);
        const int a = corners[middle], b = corners[(middle + 1) % 4], c = corners[(middle + 2) % 4],
                  d = corners[(middle + 3) % 4];
        emit(leaf_centre, a, b, c, other >> 3, positive);
        emit(leaf_centre, a, c, d, other >> 3, positive);
        continue;
      }

      for (std::size_t i = 0; i < 4; ++i) {
        const int e0 = corners[i], e1 = corners[i + 1], middle = (e0 + e1) / 2;
        if (other_split) {
          // === Four smaller neighbours: quarters of BCC tets
          emit(leaf_centre, face, e0, middle, leaf, positive);
          emit(leaf_centre, face, middle, e1, leaf, positive);
          continue;
        }
        // === Equal neighbour: a BCC tet, or its halves
        // The edge has a midpoint when one of the other two leaves around it is smaller.
        bool bisected = false;
        if (!finest) {
          Vector3i across = Vector3i::Zero();
          (i % 2 == 0 ? across[last] : across[next]) = i == 0 || i == 3 ? -1 : 1;
          for (const Vector3i& way : {across, Vector3i(across + normal)}) {
            const NodeKey node = neighbour(depth, cell, way);
            if (node != 0 && octree.is_split(node)) bisected = true;
          }
        }
        const int other_centre = 27 + 2 * axis + 1;
        if (bisected) {
          emit(leaf_centre, other_centre, e0, middle, leaf, true);
          emit(leaf_centre, other_centre, middle, e1, leaf, true);
        } else {
          emit(leaf_centre, other_centre, e0, e1, finest ? 0 : leaf, true);
        }
      }
    }
  }
}

}  // namespace pliant::detail
