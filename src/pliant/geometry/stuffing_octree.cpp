#include "pliant/geometry/stuffing_octree.h"

#include <algorithm>
#include <bit>

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

std::array<std::uint64_t, 9> lattice_points(const StuffingOctree& octree, NodeKey leaf) {
  const int half = 1 << (octree.depth() - node_depth(leaf));  // half the leaf's edge, in half cells
  const Vector3i low = node_cell(leaf) * (2 * half);
  std::array<std::uint64_t, 9> points;
  for (int i = 0; i < 8; ++i)
    points[static_cast<std::size_t>(i)] =
        point_key(low + Vector3i(i & 1, i >> 1 & 1, i >> 2 & 1) * (2 * half));
  points[8] = point_key(low + Vector3i::Constant(half));
  return points;
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
  const int half = 1 << (octree.depth() - depth);
  const Vector3i cell = node_cell(leaf);
  const Vector3i centre = cell * (2 * half) + Vector3i::Constant(half);
  const auto emit = [&](const Vector3i& a, const Vector3i& b, const Vector3i& c, const Vector3i& d,
                        NodeKey coarse, bool positive) {
    if (positive)
      out.push_back({{point_key(a), point_key(b), point_key(c), point_key(d)}, coarse});
    else
      out.push_back({{point_key(a), point_key(b), point_key(d), point_key(c)}, coarse});
  };

  for (int axis = 0; axis < 3; ++axis) {
    for (int side = -1; side <= 1; side += 2) {
      Vector3i n = Vector3i::Zero(), u = n,
               v = n;  // outward normal; u, v span the face, (u, v, +axis) right-handed
      n[axis] = side;
      u[(axis + 1) % 3] = 1;
      v[(axis + 2) % 3] = 1;
      const NodeKey other = neighbour(depth, cell, n);
      if (other == 0) continue;
      const bool other_split = octree.is_split(other);
      const bool other_exists = depth == 0 || octree.is_split(other >> 3);
      const Vector3i face = centre + n * half;
      const std::array<Vector3i, 5> corners{face - half * u - half * v, face + half * u - half * v,
                                            face + half * u + half * v, face - half * u + half * v,
                                            face - half * u - half * v};
      const bool positive = side > 0;

      if (!other_exists) {
        // === Larger neighbour: two half pyramids, cut along the diagonal from the large face's centre
        // The large face's centre is the corner that lies in the middle of the parent's face.
        const Vector3i parent_low = Vector3i(cell.x() / 2, cell.y() / 2, cell.z() / 2) * (4 * half);
        std::size_t middle = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          const Vector3i from_low = corners[i] - parent_low;
          if (from_low[(axis + 1) % 3] == 2 * half && from_low[(axis + 2) % 3] == 2 * half) middle = i;
        }
        const Vector3i &a = corners[middle], &b = corners[(middle + 1) % 4], &c = corners[(middle + 2) % 4],
                       &d = corners[(middle + 3) % 4];
        emit(centre, a, b, c, other >> 3, positive);
        emit(centre, a, c, d, other >> 3, positive);
        continue;
      }

      if (!other_split && side < 0) continue;  // equal neighbours: the lower one makes the tets
      for (std::size_t i = 0; i < 4; ++i) {
        const Vector3i &e0 = corners[i], &e1 = corners[i + 1];
        const Vector3i middle = (e0 + e1) / 2;
        if (other_split) {
          emit(centre, face, e0, middle, leaf, positive);
          emit(centre, face, middle, e1, leaf, positive);
          continue;
        }
        // The edge has a midpoint when one of the four leaves around it is smaller.
        bool bisected = false;
        if (!finest) {
          const Vector3i across = (middle - face) / half;
          for (const Vector3i& step : {across, Vector3i(across + n)}) {
            const NodeKey node = neighbour(depth, cell, step);
            if (node != 0 && octree.is_split(node)) bisected = true;
          }
        }
        const Vector3i other_centre = centre + n * (2 * half);
        if (bisected) {
          emit(centre, other_centre, e0, middle, leaf, true);
          emit(centre, other_centre, middle, e1, leaf, true);
        } else {
          emit(centre, other_centre, e0, e1, finest ? 0 : leaf, true);
        }
      }
    }
  }
}

}  // namespace pliant::detail
