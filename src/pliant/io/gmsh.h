#pragma once
// Gmsh .msh: tets and triangles, versions 2 and 4.1, text and binary.
#include <ostream>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// Nodes in the order of the file, whatever their tags. Points and lines are passed over, quadrangles become
/// two triangles; hexahedra, prisms, pyramids and curved elements are refused. Binary of both endiannesses.
MeshData read_gmsh(std::string_view bytes);

struct GmshOptions {
  int version = 41;  ///< 22 or 41
  bool binary = true;
};
void write_gmsh(std::ostream& out, const MeshData& mesh, const GmshOptions& options = {});

}  // namespace pliant
