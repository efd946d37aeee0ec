#pragma once
// Shapes made on the spot, at any resolution, the same bits every time.
//
// Solids stand on the ground y = 0 with y up, their boxes centred at x = z = 0, and the longest side is about
// one metre. What is built of boxes and circles is a structured grid with exact borders; the rest is an
// isosurface, stuffed with tets.
#include <string>
#include <string_view>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

enum class ShapeKind { solid, shell };

struct ShapeInfo {
  std::string name;
  std::string description;  ///< one line
  ShapeKind kind;
};

/// Every shape there is: solids, then shells.
const std::vector<ShapeInfo>& shapes();

struct ShapeOptions {
  Index tets = 20000;       ///< about how many, for solids; 1000 to 2 million are in reach of every shape
  Index vertices = 0;       ///< if positive, about how many, instead of `tets` or `triangles`
  Index triangles = 10000;  ///< about how many, for shells
  double size = 1;          ///< factor on all lengths; with 1 the longest side is about 1 m
  double thickness = 0;     ///< of bar, plate, cylinder, and the wall of tube; metres at size 1; 0: its own
  int level = 0;            ///< of menger_sponge, 1 to 4; 0: the finest of 1 and 2 that `tets` affords
  std::string text = "PLIANT";  ///< of letters: A to Z, 0 to 9 and spaces; lower case counts as upper
  bool graded = true;           ///< stuffed shapes: larger tets inside
  Progress progress = {};
};

/// A solid by name. Counts are met within 5 % by stuffed shapes, within 15 % by structured grids. Throws
/// InputError where a stuffed shape cannot be had with so few tets (a torus of 20).
TetMesh make_shape(std::string_view name, const ShapeOptions& options = {});

/// A shell by name: triangles counter-clockwise seen from outside (plates: from above).
TriMesh make_shell(std::string_view name, const ShapeOptions& options = {});

}  // namespace pliant
