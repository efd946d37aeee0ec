#pragma once
// A mesh while it is being read: lists that grow, and the check that every index is in range.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/io/mesh_file.h"

namespace pliant {

struct MeshLists {
  std::vector<double> coordinates;  ///< x y z x y z ...
  std::vector<std::int32_t> triangles, tets;

  Index vertex_count() const { return static_cast<Index>(coordinates.size() / 3); }

  void add_vertex(double x, double y, double z) { coordinates.insert(coordinates.end(), {x, y, z}); }
  void add_tet(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    tets.insert(tets.end(), {a, b, c, d});
  }
  /// Split into a fan around its first corner; fewer than three corners make nothing.
  void add_polygon(std::span<const std::int32_t> corners) {
    for (std::size_t i = 2; i < corners.size(); ++i)
      triangles.insert(triangles.end(), {corners[0], corners[i - 1], corners[i]});
  }

  /// A file without a vertex holds no mesh: it is broken, or something else.
  MeshData finish() const {
    if (coordinates.empty()) throw InputError("found no vertices; expected at least one");
    if (vertex_count() > std::numeric_limits<std::int32_t>::max())
      throw InputError("found more than 2147483647 vertices; expected fewer");
    MeshData mesh;
    mesh.vertices = Eigen::Map<const Points>(coordinates.data(), vertex_count(), 3);
    mesh.triangles =
        Eigen::Map<const Triangles>(triangles.data(), static_cast<Index>(triangles.size() / 3), 3);
    mesh.tets = Eigen::Map<const Tets>(tets.data(), static_cast<Index>(tets.size() / 4), 4);
    return mesh;
  }
};

/// For formats whose cells may come before their vertices: remembers the worst index seen and where, so that
/// it can be held against the number of vertices at the end.
struct HighestIndex {
  std::int64_t index = -1;
  std::size_t position = 0;
  void see(std::int64_t seen, std::size_t where) {
    if (seen > index) {
      index = seen;
      position = where;
    }
  }
};

}  // namespace pliant
