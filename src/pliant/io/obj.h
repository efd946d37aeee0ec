#pragma once
// Wavefront .obj surfaces.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Vertices in the order of the file, whatever normals and texture coordinates the faces name; polygons
/// become fans. Everything but `v` and `f` is passed over.
MeshData read_obj(std::string_view bytes);

void write_obj(std::ostream& out, const TriMesh& mesh);

}  // namespace pliant
