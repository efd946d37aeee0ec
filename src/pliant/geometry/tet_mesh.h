#pragma once
#include "pliant/numerics/types.h"

namespace pliant {

/// A solid: plain arrays, 0-based, y up, metres. A tet (a, b, c, d) is positive when det[b-a, c-a, d-a] > 0:
/// seen from d, the triangle (a, b, c) runs counter-clockwise.
struct TetMesh {
  Points vertices;  ///< n x 3
  Tets tets;        ///< m x 4

  Index vertex_count() const { return vertices.rows(); }
  Index tet_count() const { return tets.rows(); }
};

}  // namespace pliant
