#pragma once
// .stl surfaces: triangles without indices.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Text or binary, told apart by the file's size, since binary files may begin with "solid" too. Corners at
/// exactly the same position become one vertex, in the order in which they first appear.
MeshData read_stl(std::string_view bytes);

/// Binary holds float32; text (`binary` false) holds every digit.
void write_stl(std::ostream& out, const TriMesh& mesh, bool binary = true);

}  // namespace pliant
