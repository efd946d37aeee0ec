#pragma once
// Normals that shade a surface smoothly and keep its sharp edges.
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// 3t x 3: a unit normal at every corner of every triangle (row 3 t + corner): the faces around the
/// corner's vertex weighted by their angles there, left out those that turn by more than `crease_degrees`
/// from the triangle. 0 gives flat triangles, 180 ignores edges. A degenerate triangle gets +y where its
/// neighbours give nothing.
Points corner_normals(const TriMesh& mesh, double crease_degrees);

}  // namespace pliant
