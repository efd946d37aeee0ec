#include "pliant/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/asset_file.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/file_name.h"
#include "pliant/io/gltf_writer.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/input_file.h"
#include "pliant/io/medit.h"
#include "pliant/io/medit_binary.h"
#include "pliant/io/obj.h"
#include "pliant/io/off.h"
#include "pliant/io/ply.h"
#include "pliant/io/stl.h"
#include "pliant/io/tetgen.h"
#include "pliant/io/vega.h"
#include "pliant/io/vtk.h"
#include "pliant/io/vtu.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

// One row a format. Readers and writers take a path, since some formats are more than one file.
struct Row {
  MeshFormat format;
  MeshData (*read)(const fs::path& path);
  void (*write)(const fs::path& path, const MeshData& mesh, const WriteOptions& options);
};

template <MeshData (*read)(std::string_view)>
MeshData read_bytes(const fs::path& path) {
  const InputFile file(path);
  return with_context(path.string(), [&] { return read(file.bytes()); });
}

// *INCLUDE may name a file beside the one that includes it, nothing elsewhere.
MeshData read_vega_file(const fs::path& path) {
  const InputFile file(path);
  InputFileOptions limits;  // the allowance for compressed files is one for all of them together
  const auto load = [&](const std::string& name) {
    if (fs::path(name).filename() != fs::path(name))
      throw InputError(
          fmt::format("found *INCLUDE '{}'; expected the name of a file in the same folder", name));
    const InputFile included(path.parent_path() / name, limits);
    limits.allowance -= std::min(limits.allowance, included.bytes().size());
    return std::string(included.bytes());
  };
  return with_context(path.string(), [&] { return read_vega(file.bytes(), load); });
}

// What a format without tets gets: the triangles, or the boundary of a solid.
TriMesh surface_of(const MeshData& mesh) {
  if (mesh.has_tets()) return extract_surface({mesh.vertices, mesh.tets}).mesh;
  return {mesh.vertices, mesh.triangles};
}

constexpr bool in = true, out = true, surfaces = true, tets = true;

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{".ele", "TetGen", in, out, surfaces, tets},
       read_tetgen_files,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_tetgen_files(path, mesh);
       }},
      {{".fbx", "Autodesk FBX", in, !out, surfaces, !tets},
       [](const fs::path& path) { return read_asset(path, {.merge_vertices = true}); },
       nullptr},
      {{".glb", "glTF, binary", in, out, surfaces, !tets},
       [](const fs::path& path) { return read_asset(path); },
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_glb(path, surface_of(mesh));
       }},
      {{".gltf", "glTF, text", in, out, surfaces, !tets},
       [](const fs::path& path) { return read_asset(path); },
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_glb(path, surface_of(mesh));
       }},
      {{".mesh", "Medit", in, out, surfaces, tets},
       read_bytes<read_medit>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_atomically(path, [&](std::ostream& stream) { write_medit(stream, mesh); });
       }},
      {{".meshb", "Medit binary", in, out, surfaces, tets},
       read_bytes<read_medit_binary>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_atomically(path, [&](std::ostream& stream) { write_medit_binary(stream, mesh); });
       }},
      {{".msh", "Gmsh", in, out, surfaces, tets},
       read_bytes<read_gmsh>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path, [&](std::ostream& stream) {
           write_gmsh(stream, mesh, {.version = options.msh_version, .binary = options.binary});
         });
       }},
      {{".node", "TetGen", in, out, surfaces, tets},
       read_tetgen_files,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_tetgen_files(path, mesh);
       }},
      {{".obj", "Wavefront", in, out, surfaces, !tets},
       read_bytes<read_obj>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_atomically(path, [&](std::ostream& stream) { write_obj(stream, surface_of(mesh)); });
       }},
      {{".off", "Geomview", in, out, surfaces, !tets},
       read_bytes<read_off>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_atomically(path, [&](std::ostream& stream) { write_off(stream, surface_of(mesh)); });
       }},
      {{".ply", "Stanford", in, out, surfaces, !tets},
       read_bytes<read_ply>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path, [&](std::ostream& stream) {
           write_ply(stream, surface_of(mesh), {.binary = options.binary});
         });
       }},
      {{".stl", "Stereolithography", in, out, surfaces, !tets},
       read_bytes<read_stl>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path,
                          [&](std::ostream& stream) { write_stl(stream, surface_of(mesh), options.binary); });
       }},
      {{".veg", "VegaFEM", in, out, !surfaces, tets},
       read_vega_file,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions&) {
         write_atomically(path, [&](std::ostream& stream) {
           write_vega(stream, {mesh.vertices, mesh.tets});
         });
       }},
      {{".vtk", "VTK legacy", in, out, surfaces, tets},
       read_bytes<read_vtk>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path, [&](std::ostream& stream) { write_vtk(stream, mesh, options.binary); });
       }},
      {{".vtu", "VTK XML", in, out, surfaces, tets},
       read_bytes<read_vtu>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path, [&](std::ostream& stream) { write_vtu(stream, mesh, {}, options.binary); });
       }},
  };
  return table;
}

const Row& row_for(const fs::path& path) {
  const std::string extension = format_extension(path);
  std::string known;
  for (const Row& row : rows()) {
    if (row.format.extension == extension) return row;
    known += (known.empty() ? "" : " ") + row.format.extension;
  }
  throw InputError(fmt::format("{}: the extension '{}' is no mesh format known here; expected one of {}",
                               path.string(), extension, known));
}

void check_indices(const fs::path& path, const auto& cells, Index vertices, const char* kind) {
  for (Index i = 0; i < cells.size(); ++i)
    if (const std::int32_t v = cells.data()[i]; v < 0 || v >= vertices)
      throw InputError(fmt::format("{}: {} {} of the mesh has vertex {}; expected 0 to {}", path.string(),
                                   kind, i / cells.cols(), v, vertices - 1));
}

}  // namespace

MeshData read_mesh(const fs::path& path) {
  const Row& row = row_for(path);
  if (!row.read)
    throw InputError(fmt::format("{}: {} files are only written", path.string(), row.format.extension));
  return row.read(path);
}

void write_mesh(const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
  const Row& row = row_for(path);
  if (!row.write)
    throw InputError(fmt::format("{}: {} files are only read", path.string(), row.format.extension));
  if (!mesh.has_tets() && !row.format.surfaces)
    throw InputError(fmt::format("{}: the mesh has no tets; {} files hold nothing else", path.string(),
                                 row.format.extension));
  check_indices(path, mesh.triangles, mesh.vertices.rows(), "triangle");
  check_indices(path, mesh.tets, mesh.vertices.rows(), "tet");
  row.write(path, mesh, options);
}

const std::vector<MeshFormat>& mesh_formats() {
  static const std::vector<MeshFormat> formats = [] {
    std::vector<MeshFormat> list;
    for (const Row& row : rows()) list.push_back(row.format);
    return list;
  }();
  return formats;
}

}  // namespace pliant
