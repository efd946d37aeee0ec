#pragma once
// Stanford .ply surfaces.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Text, and binary of both endiannesses; any number type; properties and elements besides x, y, z and the
/// faces' vertex_indices are passed over. Polygons become fans.
MeshData read_ply(std::string_view bytes);

struct PlyOptions {
  bool binary = true;
  bool big_endian = false;
};
void write_ply(std::ostream& out, const TriMesh& mesh, const PlyOptions& options = {});

}  // namespace pliant
