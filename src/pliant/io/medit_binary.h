#pragma once
// Medit .meshb: tets and triangles in binary.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Versions 1 to 4, both endiannesses; sections as for the text form (medit.h).
MeshData read_medit_binary(std::string_view bytes);

/// Version 3: double precision, files of any size.
void write_medit_binary(std::ostream& out, const MeshData& mesh);

}  // namespace pliant
