#pragma once
// How thick the solid is behind its surface, and how wide the gap is before it.
#include "pliant/geometry/triangle_bvh.h"

namespace pliant {

/// Measured at the middle of every sample, along its normal; infinity where the ray meets no other side.
struct LocalThickness {
  VectorXd solid;  ///< metres inward until the ray leaves the solid
  VectorXd gap;    ///< metres outward until the ray meets a triangle
};

/// `samples` are triangles on the surface of `mesh` (or the mesh itself) that face outward as it does (see
/// clean_soup); `bvh` is the mesh's tree. Parts may overlap: the ray goes on until it has left every part.
LocalThickness local_thickness(const TriMesh& samples, const TriMesh& mesh, const TriangleBvh& bvh);

/// Triangles cut in four until no edge is longer than `length`, a soup over the same surface; the mesh itself
/// when none is. Stops near `max_triangles`.
TriMesh subdivided(const TriMesh& mesh, double length, Index max_triangles);

}  // namespace pliant
