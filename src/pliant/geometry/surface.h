#pragma once
// The boundary of a tet mesh.
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// The corners of a tet's faces: face i is opposite corner i, outward for a positive tet.
inline constexpr int tet_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Faces that belong to one tet only, outward for positive tets, in the tets' own vertex numbering; ordered
/// by tet, then by face. A face shared by more than two tets is not boundary.
Triangles boundary_triangles(const Tets& tets);

/// The same triangles, each with the tet it belongs to.
struct Boundary {
  Triangles triangles;
  VectorXi tets;  ///< one a triangle, ascending
};
Boundary boundary_faces(const Tets& tets);
/// The same, refusing ids outside [0, vertex_count) with an InputError.
Boundary boundary_faces(const Tets& tets, Index vertex_count);

/// A surface cut out of a mesh, and where its vertices came from.
struct Surface {
  TriMesh mesh;     ///< only the vertices that the surface uses, in the order of the mesh
  VectorXi source;  ///< surface vertex -> mesh vertex
};

Surface extract_surface(const TetMesh& mesh);

/// The sub-mesh of some triangles of a larger vertex array, with the vertices they use.
Surface compact_surface(const Points& vertices, const Triangles& triangles);

}  // namespace pliant
