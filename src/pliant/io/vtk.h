#pragma once
// VTK's legacy .vtk: tets and triangles, text and binary.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// UNSTRUCTURED_GRID and POLYDATA of versions 1 to 4, and 5 with OFFSETS and CONNECTIVITY. Points and lines
/// are passed over, polygons and strips become triangles; data on points and cells is not read.
MeshData read_vtk(std::string_view bytes);

/// Version 3.0, an UNSTRUCTURED_GRID with the triangles first, then the tets.
void write_vtk(std::ostream& out, const MeshData& mesh, bool binary = true);

}  // namespace pliant
