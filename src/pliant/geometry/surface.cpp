#include "pliant/geometry/surface.h"

#include <vector>

#include "pliant/geometry/adjacency.h"

namespace pliant {
Boundary boundary_faces(const Tets& tets) {
  return boundary_faces(tets, tets.size() > 0 ? Index(tets.maxCoeff()) + 1 : 0);
}

Boundary boundary_faces(const Tets& tets, Index vertex_count) {
  const Tets neighbors = tet_neighbors(tets, vertex_count);
  const Index count = (neighbors.array() == no_neighbor).count();
  Boundary boundary{Triangles(count, 3), VectorXi(count)};
  Index next = 0;
  for (Index t = 0; t < tets.rows(); ++t)
    for (int f = 0; f < 4; ++f) {
      if (neighbors(t, f) != no_neighbor) continue;
      for (int k = 0; k < 3; ++k) boundary.triangles(next, k) = tets(t, tet_faces[f][k]);
      boundary.tets[next++] = static_cast<int>(t);
    }
  return boundary;
}

Triangles boundary_triangles(const Tets& tets) { return boundary_faces(tets).triangles; }

Surface compact_surface(const Points& vertices, const Triangles& triangles) {
  std::vector<std::int32_t> id(static_cast<std::size_t>(vertices.rows()), -1);
  for (Index i = 0; i < triangles.size(); ++i) id[static_cast<std::size_t>(triangles.data()[i])] = 0;
  std::int32_t count = 0;
  for (std::int32_t& i : id)
    if (i == 0) i = count++;

  Surface surface;
  surface.mesh.vertices.resize(count, 3);
  surface.source.resize(count);
  for (Index v = 0; v < vertices.rows(); ++v)
    if (const std::int32_t i = id[static_cast<std::size_t>(v)]; i >= 0) {
      surface.mesh.vertices.row(i) = vertices.row(v);
      surface.source[i] = static_cast<int>(v);
    }
  surface.mesh.triangles.resize(triangles.rows(), 3);
  for (Index i = 0; i < triangles.size(); ++i)
    surface.mesh.triangles.data()[i] = id[static_cast<std::size_t>(triangles.data()[i])];
  return surface;
}

Surface extract_surface(const TetMesh& mesh) {
  return compact_surface(mesh.vertices, boundary_faces(mesh.tets, mesh.vertex_count()).triangles);
}

}  // namespace pliant
