#pragma once
// Isosurface stuffing [Labelle and Shewchuk 2007]: tetrahedra with bounded dihedral angles for any solid that
// is given by a function, negative inside.
#include <functional>

#include "pliant/base/progress.h"
#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// Metres from the surface, negative inside. Called from several threads at once, always at the same points
/// for the same arguments.
using DistanceFunction = std::function<double(const Vector3d&)>;

struct StuffingOptions {
  double cell = 0;     ///< metres, > 0: the lattice's long edge, about the edge length on the surface
  bool graded = true;  ///< tets grow with depth; false: the surface's size everywhere
  int max_levels = 3;  ///< graded: inner cells grow up to 2^max_levels cells
  double alpha_long = 0.28510;   ///< a cut nearer than this fraction of a long edge moves the lattice vertex
  double alpha_short = 0.39881;  ///< the same for short edges
  double lipschitz = 1;     ///< bound on the distance's slope; cubes it proves free of surface are skipped
  double tolerance = 1e-6;  ///< cells: how closely a cut point is driven to the surface
  Vector3d offset =
      Vector3d::Zero();  ///< cells: moves the lattice; a lattice point is in the box's middle at 0
  Progress progress = {};
};

struct StuffedMesh {
  TetMesh mesh;             ///< conforming, every volume positive, vertices and tets along a Z-order curve
  double cell = 0;          ///< metres, the lattice's long edge
  double min_dihedral = 0;  ///< degrees, over all tets; 0 when there are none
  double max_dihedral = 0;  ///< degrees
};

/// Fills the part of the box [lower, upper] where `distance` is negative. The angle bounds hold for any
/// function, also one that is not a distance; how well the surface is met depends on `cell`.
StuffedMesh stuff_isosurface(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
                             const StuffingOptions& options);

/// As above with the cell size found so that the mesh has `target_tets` tets within about 5 %; options.cell
/// is not read. Shapes that jump in count between close cell sizes get the nearest of the sizes tried.
StuffedMesh stuff_to_count(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
                           Index target_tets, const StuffingOptions& options = {});

}  // namespace pliant
