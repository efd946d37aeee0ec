#pragma once
// The cell types that .vtk and .vtu share.
#include <span>

#include "pliant/io/mesh_lists.h"

namespace pliant {

enum VtkCellType : int { vtk_triangle = 5, vtk_triangle_strip = 6, vtk_tetra = 10 };

/// Adds a cell whose corners are in range. Triangles, strips, polygons, pixels and quads become triangles,
/// tets tets; points and lines are passed over. Anything else is an InputError that names it, with `cell`,
/// its place in the file.
void add_vtk_cell(MeshLists& mesh, std::int64_t type, std::span<const std::int32_t> corners, Index cell);

}  // namespace pliant
