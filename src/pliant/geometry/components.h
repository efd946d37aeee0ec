#pragma once
// Connected components: elements that share a vertex belong together.
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// Components are numbered by their lowest vertex.
struct Components {
  int count = 0;
  VectorXi of_vertex;      ///< n; -1 for a vertex that no element uses
  VectorXi of_element;     ///< triangles or tets
  VectorXi vertex_count;   ///< vertices in every component
  VectorXi element_count;  ///< elements in every component
};

Components connected_components(const Triangles& triangles, Index vertex_count);
Components connected_components(const Tets& tets, Index vertex_count);
inline Components connected_components(const TriMesh& mesh) {
  return connected_components(mesh.triangles, mesh.vertex_count());
}
inline Components connected_components(const TetMesh& mesh) {
  return connected_components(mesh.tets, mesh.vertex_count());
}

}  // namespace pliant
