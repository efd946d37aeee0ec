#pragma once
// One door for every mesh format: the extension chooses the reader or writer.
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// What a mesh file holds. A surface file has no tets; a tet file may hold triangles beside its tets.
struct MeshData {
  Points vertices;      ///< n x 3
  Triangles triangles;  ///< t x 3, as the file lists them; polygons are split into fans
  Tets tets;            ///< m x 4

  bool has_tets() const { return tets.rows() > 0; }
};

/// Reads any format we know, also gzipped ("bunny.mesh.gz"). Throws InputError with one sentence naming the
/// file, the line or byte, what was found and what was expected.
MeshData read_mesh(const std::filesystem::path& path);

/// Variants of a format. Each has the default most programs read.
struct WriteOptions {
  bool binary = true;    ///< where the format has both a binary and a text form
  int msh_version = 41;  ///< Gmsh: 22 or 41
};

/// Writes tets where the mesh has them and the format takes them, otherwise the triangles (of a solid: its
/// boundary). The file appears whole or not at all.
void write_mesh(const std::filesystem::path& path, const MeshData& mesh, const WriteOptions& options = {});

/// The formats, for help texts and error messages.
struct MeshFormat {
  std::string extension;  ///< ".obj"
  std::string name;       ///< "Wavefront"
  bool reads = false, writes = false;
  bool surfaces = false, tets = false;  ///< what it can hold
};
const std::vector<MeshFormat>& mesh_formats();

}  // namespace pliant
