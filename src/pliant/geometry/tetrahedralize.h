#pragma once
// Any triangle soup becomes a solid of good tetrahedra.
#include "pliant/base/progress.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// What an open piece of surface stands for.
enum class OpenSurface {
  automatic,  ///< a solid where its holes are small (winding number within 0.15 of a whole number), else a shell
  solid,      ///< a solid whose holes are closed over
  shell,      ///< a sheet that is given a thickness
};

struct TetrahedralizeOptions {
  Index target_tets = 50000;  ///< met within 10 % where the shape allows; no fewer than still resemble it
  double edge_length = 0;     ///< metres: of tets at the surface; above 0 it replaces target_tets
  bool graded = true;         ///< tets grow with depth; false: the surface's size everywhere
  double min_thickness = 2;   ///< cells: what is thinner is grown outward to this; 0 leaves it as it is
  OpenSurface open = OpenSurface::automatic;
  Progress progress = {};
};

struct Tetrahedralization {
  TetMesh mesh;             ///< conforming, every volume positive
  double cell = 0;          ///< metres: edge length at the surface
  double min_dihedral = 0;  ///< degrees, over all tets
  double max_dihedral = 0;  ///< degrees

  // What became of the surface that came in.
  int input_components = 0;  ///< pieces joined by shared vertices, equal coordinates merged
  int shells = 0;            ///< of these, pieces taken as sheets
  int components = 0;        ///< pieces of the mesh
  double thin_fraction =
      0;  ///< of the area: thinner than min_thickness cells and no mere wrinkle, with sheets
  double thickened_fraction = 0;                      ///< of the area: grown
  double max_thickening = 0;                          ///< metres: the most that was added to a thickness
  int removed_islands = 0;                            ///< crumbs smaller than one cell that were left out
  Index duplicates = 0, degenerate = 0, flipped = 0;  ///< triangles, see CleanSoup
};

/// Fills the soup by isosurface stuffing [Labelle and Shewchuk 2007] of its signed distance. Holes,
/// intersections, duplicated or wrongly facing triangles and overlapping parts are no hindrance; open sheets
/// become thin solids. The surface lies within half a cell of the input, except where that is thickened.
Tetrahedralization tetrahedralize(const TriMesh& soup, const TetrahedralizeOptions& options = {});

}  // namespace pliant
