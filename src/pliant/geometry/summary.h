#pragma once
// What a person wants to know about a mesh at first sight.
#include "pliant/geometry/measures.h"

namespace pliant {

struct MeshSummary {
  Index vertices = 0;
  Index triangles = 0;   ///< of the surface; of a solid, its boundary
  Index tets = 0;        ///< 0 for a surface
  int components = 0;    ///< pieces joined by shared vertices
  bool closed = false;   ///< no edge of the surface has one triangle only
  BoundingBox box;       ///< metres
  double area = 0;       ///< of the surface, m^2
  double volume = 0;     ///< m^3; of a surface that is closed, what it encloses, otherwise 0
  double mean_edge = 0;  ///< metres
  double min_angle = 0;  ///< degrees: dihedral angles of tets, corner angles of triangles
  double max_angle = 0;
};

/// Any ids outside the mesh give an InputError.
MeshSummary summarize(const TetMesh& mesh);
MeshSummary summarize(const TriMesh& mesh);

}  // namespace pliant
