#pragma once
// What tests ask of a mesh, computed the plain way.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "pliant/geometry/surface.h"

namespace pliant::test {

/// Connected components of the vertices that elements use.
template <class Elements>
Index component_count(Index vertex_count, const Elements& elements) {
  std::vector<Index> parent(static_cast<std::size_t>(vertex_count));
  std::iota(parent.begin(), parent.end(), Index(0));
  const auto root = [&](Index v) {
    while (parent[static_cast<std::size_t>(v)] != v)
      v = parent[static_cast<std::size_t>(v)] =
          parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(v)])];
    return v;
  };
  std::vector<bool> used(static_cast<std::size_t>(vertex_count));
  for (Index e = 0; e < elements.rows(); ++e)
    for (Index k = 0; k < elements.cols(); ++k) {
      used[static_cast<std::size_t>(elements(e, k))] = true;
      parent[static_cast<std::size_t>(root(elements(e, k)))] = root(elements(e, 0));
    }
  Index count = 0;
  for (Index v = 0; v < vertex_count; ++v)
    count += used[static_cast<std::size_t>(v)] && parent[static_cast<std::size_t>(v)] == v;
  return count;
}

/// How triangles meet.
struct SurfaceTopology {
  Index border_edges = 0;     ///< edges of one triangle
  Index bad_edges = 0;        ///< edges of three or more triangles, or of two that disagree about the outside
  Index border_loops = 0;     ///< connected components of the border
  Index euler = 0;            ///< vertices in use - edges + triangles
  Index unused_vertices = 0;  ///< vertices without a triangle
  double genus() const { return (2.0 - static_cast<double>(euler + border_loops)) / 2; }  ///< if connected
};

inline SurfaceTopology surface_topology(Index vertex_count, const Triangles& triangles) {
  struct Side {
    std::int32_t low, high;
    bool forward;
  };
  std::vector<Side> sides;
  sides.reserve(static_cast<std::size_t>(3 * triangles.rows()));
  std::vector<bool> used(static_cast<std::size_t>(vertex_count));
  for (Index t = 0; t < triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = triangles(t, k), b = triangles(t, (k + 1) % 3);
      sides.push_back({std::min(a, b), std::max(a, b), a < b});
      used[static_cast<std::size_t>(a)] = true;
    }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return std::pair(a.low, a.high) < std::pair(b.low, b.high); });
  SurfaceTopology topology;
  Index edge_count = 0;
  std::vector<std::array<std::int32_t, 2>> border;
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
    end = begin + 1;
    while (end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high)
      ++end;
    ++edge_count;
    if (end - begin == 1) border.push_back({sides[begin].low, sides[begin].high});
    if (end - begin > 2 || (end - begin == 2 && sides[begin].forward == sides[begin + 1].forward))
      ++topology.bad_edges;
  }
  topology.border_edges = static_cast<Index>(border.size());
  Edges border_edges(topology.border_edges, 2);
  for (Index e = 0; e < topology.border_edges; ++e)
    border_edges.row(e) << border[static_cast<std::size_t>(e)][0], border[static_cast<std::size_t>(e)][1];
  topology.border_loops = component_count(vertex_count, border_edges);
  const Index used_count = static_cast<Index>(std::count(used.begin(), used.end(), true));
  topology.euler = used_count - edge_count + triangles.rows();
  topology.unused_vertices = vertex_count - used_count;
  return topology;
}

/// True if the vertex set is its own mirror image across the plane, to the tolerance.
inline bool mirrors_onto_itself(const Points& vertices, int axis, double plane, double tolerance) {
  using Key = std::array<long long, 3>;
  const auto key = [&](const Vector3d& p) {
    return Key{std::llround(p.x() / tolerance), std::llround(p.y() / tolerance),
               std::llround(p.z() / tolerance)};
  };
  std::vector<Key> keys;
  for (Index v = 0; v < vertices.rows(); ++v) keys.push_back(key(vertices.row(v)));
  std::sort(keys.begin(), keys.end());
  for (Index v = 0; v < vertices.rows(); ++v) {
    Vector3d p = vertices.row(v);
    p[axis] = 2 * plane - p[axis];
    const Key centre = key(p);
    bool found = false;  // rounding may fall to either side
    for (long long dx = -1; dx <= 1 && !found; ++dx)
      for (long long dy = -1; dy <= 1 && !found; ++dy)
        for (long long dz = -1; dz <= 1 && !found; ++dz)
          found = std::binary_search(keys.begin(), keys.end(),
                                     Key{centre[0] + dx, centre[1] + dy, centre[2] + dz});
    if (!found) return false;
  }
  return true;
}

}  // namespace pliant::test
