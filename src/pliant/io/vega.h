#pragma once
// VegaFEM .veg tets.
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "pliant/geometry/tet_mesh.h"
#include "pliant/io/mesh_file.h"

namespace pliant {

/// The text of a file that *INCLUDE names.
using IncludeLoader = std::function<std::string(const std::string& name)>;

/// Vertices and tets, numbered from 0 or 1; materials, sets and regions are passed over, cubes refused.
/// Without a loader, *INCLUDE is refused too; with one, each file may be included once. Lines are counted with
/// the included files in their places.
MeshData read_vega(std::string_view bytes, const IncludeLoader& load = {});

/// With one material for all tets, since the format asks for one.
void write_vega(std::ostream& out, const TetMesh& mesh);

}  // namespace pliant
