#pragma once
// Medit .mesh: tets and triangles as text.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Vertices, Triangles, Quadrilaterals (as two triangles) and Tetrahedra, in any order; other sections are
/// passed over, hexahedra and prisms refused.
MeshData read_medit(std::string_view bytes);

void write_medit(std::ostream& out, const MeshData& mesh);

}  // namespace pliant
