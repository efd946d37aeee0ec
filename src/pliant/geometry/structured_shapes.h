#pragma once
// The shapes that are structured grids, at size 1. Called through make_shape and make_shell.
#include "pliant/geometry/structured_grid.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant::detail {

/// How fine a mesh shall be.
struct Target {
  Index count;
  bool vertices;  ///< counted in vertices; otherwise in tets, or in triangles for shells
};

Blocks bar_blocks(double thickness);
Blocks plate_blocks(double thickness);
Blocks u_beam_blocks();
Blocks fork_blocks();
Blocks menger_sponge_blocks(int level);

TetMesh blocks_shape(const Blocks& blocks, const Target& target);
TetMesh cylinder_shape(double radius, double height, const Target& target);
TetMesh tube_shape(double radius, double wall, double height, const Target& target);

TriMesh plate_shell(double width, const Target& target);
TriMesh cylinder_shell(double radius, double height, const Target& target);

}  // namespace pliant::detail
