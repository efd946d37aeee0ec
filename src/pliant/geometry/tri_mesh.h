#pragma once
#include "pliant/numerics/types.h"

namespace pliant {

/// A surface, a shell, or a mere soup of triangles: plain arrays, 0-based, y up, metres. Triangles are
/// counter-clockwise seen from outside.
struct TriMesh {
  Points vertices;      ///< n x 3
  Triangles triangles;  ///< t x 3

  Index vertex_count() const { return vertices.rows(); }
  Index triangle_count() const { return triangles.rows(); }
};

}  // namespace pliant
