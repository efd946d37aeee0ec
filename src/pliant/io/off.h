#pragma once
// Geomview .off surfaces.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Text OFF, also with colours, normals or texture coordinates (COFF, NOFF, STOFF, ...), which are passed
/// over; polygons become fans. One vertex or face a line.
MeshData read_off(std::string_view bytes);

void write_off(std::ostream& out, const TriMesh& mesh);

}  // namespace pliant
