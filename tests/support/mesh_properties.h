#pragma once
// What tests ask of a mesh, computed the plain way.
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "pliant/base/hash.h"
#include "pliant/geometry/surface.h"

namespace pliant::test {

inline double tet_volume(const TetMesh& mesh, Index t) {
  const Vector3d a = mesh.vertices.row(mesh.tets(t, 0)), b = mesh.vertices.row(mesh.tets(t, 1)),
                 c = mesh.vertices.row(mesh.tets(t, 2)), d = mesh.vertices.row(mesh.tets(t, 3));
  return (b - a).dot((c - a).cross(d - a)) / 6;
}

inline double total_volume(const TetMesh& mesh) {
  double sum = 0;
  for (Index t = 0; t < mesh.tet_count(); ++t) sum += tet_volume(mesh, t);
  return sum;
}

inline double smallest_volume(const TetMesh& mesh) {
  double smallest = tet_volume(mesh, 0);
  for (Index t = 1; t < mesh.tet_count(); ++t) smallest = std::min(smallest, tet_volume(mesh, t));
  return smallest;
}

inline Vector3d centroid(const TetMesh& mesh) {
  Vector3d sum = Vector3d::Zero();
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    Vector3d middle = Vector3d::Zero();
    for (int v = 0; v < 4; ++v) middle += mesh.vertices.row(mesh.tets(t, v)).transpose() / 4;
    sum += tet_volume(mesh, t) * middle;
  }
  return sum / total_volume(mesh);
}

/// Smallest and largest dihedral angle of all tets, degrees.
inline std::pair<double, double> dihedral_range(const TetMesh& mesh) {
  double smallest = 180, largest = 0;
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    Vector3d p[4];
    for (int v = 0; v < 4; ++v) p[v] = mesh.vertices.row(mesh.tets(t, v));
    for (int i = 0; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j) {
        int k = 0;
        while (k == i || k == j) ++k;
        const int l = 6 - i - j - k;
        const Vector3d edge = (p[j] - p[i]).normalized();
        const Vector3d a = p[k] - p[i] - edge * edge.dot(p[k] - p[i]),
                       b = p[l] - p[i] - edge * edge.dot(p[l] - p[i]);
        const double angle = std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::numbers::pi;
        smallest = std::min(smallest, angle);
        largest = std::max(largest, angle);
      }
  }
  return {smallest, largest};
}

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

/// Largest distance from a mirrored vertex to the nearest of the vertices with nearly the same coordinate,
/// by sorting: 0 if the vertex set is its own mirror image.
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
