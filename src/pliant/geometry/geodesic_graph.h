#pragma once
// The edges of a mesh with the directions that a front needs to straighten its paths.
#include <complex>
#include <cstdint>
#include <vector>

#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/line_of_sight.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant::detail {

/// Edges leaving every vertex. In a solid, directions are those of space. On a surface every vertex has a
/// flat picture of its ring of triangles: edges leave it at their angles, stretched so that a full ring is
/// 2 pi; paths are then straightened in the unfolded surface, and never cut through the air at a crease.
struct GeodesicGraph {
  bool surface = false;
  Points vertices;

  // A vertex's slots, one an edge; on a surface counter-clockwise.
  Adjacency edges;

  // === Of a surface only, one an edge slot
  std::vector<std::int32_t> reverse;            ///< the slot of the same edge at its other end
  std::vector<std::complex<double>> direction;  ///< unit, in the flat picture of its vertex
  std::vector<double> length;
  std::vector<std::uint8_t> mirrored;  ///< the pictures at both ends are turned over against each other

  /// One a vertex: how far its ring is from flat, |2 pi - sum of angles|; 0 at a border; infinity where the
  /// triangles are not one fan, and no path can be straightened.
  std::vector<double> curvature;

  /// Steps to the nearest place where the mesh is not convex, one a vertex; empty if there is none, and then
  /// the two below are empty as well. Near such a place a straightened path is checked to stay inside.
  std::vector<std::uint8_t> steps_to_notch;
  SolidSight solid_sight;
  SurfaceSight surface_sight;
};

GeodesicGraph geodesic_graph(const TriMesh& mesh);
GeodesicGraph geodesic_graph(const TetMesh& mesh);

}  // namespace pliant::detail
