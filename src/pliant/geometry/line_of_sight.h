#pragma once
// Whether the straight way between two near points of a mesh stays inside it.
#include <complex>
#include <cstdint>
#include <vector>

#include "pliant/geometry/adjacency.h"

namespace pliant::detail {

/// Vertices where a mesh is not convex: on a boundary edge that bends inward by more than `bend` radians.
/// Straight ways can only leave the mesh near these.
std::vector<std::int32_t> notches(const Points& vertices, const Tets& tets, const Tets& across, double bend);

/// Steps along edges from every vertex to the nearest of some vertices, 255 for that many or more.
std::vector<std::uint8_t> steps_from(const Adjacency& edges, const std::vector<std::int32_t>& starts);

/// Walks from tet to tet along the segment from vertex p to vertex v. A segment that leaves the solid by less
/// than a twentieth of a tet counts as inside: it runs along a wall. One that touches a notch, no more, may be
/// taken for hidden.
struct SolidSight {
  Tets tets, across;
  Adjacency at_vertex;

  bool sees(const Points& vertices, std::int32_t p, std::int32_t v) const;
};

/// Walks from triangle to triangle along a straight way in the unfolded surface.
struct SurfaceSight {
  Triangles triangles, across;
  std::vector<std::int32_t> triangle_after;  ///< one an edge slot of the graph: the triangle that follows it

  /// From corner p of a triangle (p, a, b), `part` of the corner's angle away from the edge to a, for
  /// `length`.
  bool clear(const Points& vertices, std::int32_t triangle, std::int32_t p, std::int32_t a, double part,
             double length) const;
};

}  // namespace pliant::detail
