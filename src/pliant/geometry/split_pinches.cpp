#include "pliant/geometry/split_pinches.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <vector>

#include "pliant/geometry/adjacency.h"

namespace pliant {

Index split_pinches(TetMesh& mesh) {
  const Tets across = tet_neighbors(mesh.tets, mesh.vertex_count());
  const Adjacency at_vertex = vertex_elements(mesh.tets, mesh.vertex_count());

  // === Inside, tets surround a vertex without a gap: only vertices of boundary faces can be pinched
  std::vector<bool> outer(static_cast<std::size_t>(mesh.vertex_count()));
  for (Index t = 0; t < mesh.tet_count(); ++t)
    for (int f = 0; f < 4; ++f)
      if (across(t, f) < 0)
        for (int v = 0; v < 4; ++v)
          if (v != f) outer[static_cast<std::size_t>(mesh.tets(t, v))] = true;

  // === Gather the groups at every such vertex; the first keeps it
  struct Copy {
    std::int32_t vertex;
    std::vector<std::int32_t> tets;
  };
  std::vector<Copy> copies;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (!outer[static_cast<std::size_t>(v)]) continue;
    const auto row = at_vertex.row(v);
    std::vector<std::int32_t> left(row.begin(), row.end());
    for (bool first = true; !left.empty(); first = false) {
      std::vector<std::int32_t> group{left.front()};
      for (std::size_t i = 0; i < group.size(); ++i)
        for (int f = 0; f < 4; ++f) {
          const std::int32_t next = across(group[i], f);
          if (mesh.tets(group[i], f) != v && next >= 0 &&
              std::find(group.begin(), group.end(), next) == group.end())
            group.push_back(next);
        }
      std::erase_if(left,
                    [&](std::int32_t t) { return std::find(group.begin(), group.end(), t) != group.end(); });
      if (!first || !left.empty()) copies.push_back({static_cast<std::int32_t>(v), std::move(group)});
    }
  }

  // === Number the copies, and draw each towards the middle of its tets as far as they allow
  const Index before = mesh.vertex_count();
  Index next = before;
  std::int32_t last = -1;
  std::vector<std::int32_t> ids;
  for (const Copy& copy : copies) {
    ids.push_back(copy.vertex == last ? static_cast<std::int32_t>(next++) : copy.vertex);
    last = copy.vertex;
  }
  const Points old = mesh.vertices;
  mesh.vertices.conservativeResize(next, 3);
  for (std::size_t c = 0; c < copies.size(); ++c) {
    for (const std::int32_t t : copies[c].tets)
      for (int v = 0; v < 4; ++v)
        if (mesh.tets(t, v) == copies[c].vertex) mesh.tets(t, v) = ids[c];
    mesh.vertices.row(ids[c]) = old.row(copies[c].vertex);
  }
  for (std::size_t c = 0; c < copies.size(); ++c) {
    const Vector3d place = mesh.vertices.row(ids[c]);
    Vector3d middle = Vector3d::Zero();
    for (const std::int32_t t : copies[c].tets)
      for (int v = 0; v < 4; ++v)
        middle += mesh.vertices.row(mesh.tets(t, v)).transpose() /
                  (4.0 * static_cast<double>(copies[c].tets.size()));
    const auto smallest_volume = [&] {
      double smallest = std::numeric_limits<double>::max();
      for (const std::int32_t t : copies[c].tets) {
        Vector3d p[4];
        for (int v = 0; v < 4; ++v) p[v] = mesh.vertices.row(mesh.tets(t, v));
        smallest = std::min(smallest, (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])));
      }
      return smallest;
    };
    const double allowed = 0.5 * smallest_volume();
    mesh.vertices.row(ids[c]) = (place + 0.1 * (middle - place)).transpose();
    if (smallest_volume() < allowed) mesh.vertices.row(ids[c]) = place.transpose();
  }
  return next - before;
}

}  // namespace pliant
