#pragma once
// Boxes, and whatever is built from boxes, as regular tets.
//
// Every cell is split into five tets, a regular one amid four corners, and neighbouring cells are mirror
// images of each other. So no direction is preferred (six tets around one diagonal, the usual other choice,
// make a bar bend more easily one way than the other), and with an even number of cells along an axis the
// mesh is its own mirror image across it. In a cube the dihedral angles are 54.7, 70.5 and 90 degrees.
#include <array>
#include <cstdint>
#include <vector>

#include "pliant/base/function_ref.h"
#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// m x 8 vertex ids: corner c sits at the high end of x if c & 1, of y if c & 2, of z if c & 4.
using Hexes = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 8, Eigen::RowMajor>;

/// Five tets a hexahedron; the diagonals of all faces join vertices that are not `odd`. The vertices must be
/// two-coloured: every edge of a hexahedron joins an odd one and an even one, so that neighbours agree.
TetMesh split_hexes(Points vertices, const Hexes& hexes, const std::vector<std::uint8_t>& odd);

/// The box [lower, upper] in `counts` cells along x, y and z.
TetMesh structured_grid(const Vector3d& lower, const Vector3d& upper, const Vector3i& counts);

/// Planes across x, y and z, ascending: cell (i, j, k) lies between planes i and i + 1 of x, and so on.
using GridLines = std::array<std::vector<double>, 3>;

/// The cells of a grid for which `filled(i, j, k)` holds: any voxel mask. Vertices that no cell uses are left
/// out. (Cells that touch along an edge or at a corner only make a surface that is no manifold there.)
TetMesh structured_grid(const GridLines& lines, FunctionRef<bool(int i, int j, int k)> filled);

/// A solid built of boxes that fill some blocks of a coarse grid. Cut into finer cells, its borders stay
/// exact at any resolution.
struct Blocks {
  GridLines lines;                   ///< borders of the blocks
  std::vector<std::uint8_t> filled;  ///< one a block, x fastest, then y, then z
};

/// Cells a block along x, y and z.
using BlockCells = std::array<std::vector<int>, 3>;

TetMesh block_grid(const Blocks& blocks, const BlockCells& cells);

/// Numbers of cells that come nearest to `target` tets (or vertices, where `count_vertices`) with nearly
/// cubic cells: even along each axis and symmetric about its middle where the blocks are, at least one a
/// block.
BlockCells fit_cells(const Blocks& blocks, Index target, bool count_vertices);

}  // namespace pliant
