#include "pliant/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/asset_file.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/gltf_writer.h"
#include "pliant/io/input_file.h"
#include "pliant/io/medit.h"
#include "pliant/io/obj.h"
#include "pliant/io/off.h"
#include "pliant/io/ply.h"
#include "pliant/io/stl.h"
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

// What a format without tets gets: the triangles, or the boundary of a solid.
TriMesh surface_of(const MeshData& mesh) {
  if (mesh.has_tets()) return extract_surface({mesh.vertices, mesh.tets}).mesh;
  return {mesh.vertices, mesh.triangles};
}

constexpr bool in = true, out = true, surfaces = true, tets = true;

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{".fbx", "Autodesk FBX", in, !out, surfaces, !tets},
       [](const fs::path& path) { return read_asset(path); },
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
      {{".vtu", "VTK XML", in, out, surfaces, tets},
       read_bytes<read_vtu>,
       [](const fs::path& path, const MeshData& mesh, const WriteOptions& options) {
         write_atomically(path, [&](std::ostream& stream) { write_vtu(stream, mesh, {}, options.binary); });
       }},
  };
  return table;
}

const Row& row_for(const fs::path& path) {
  const fs::path plain = path.extension() == ".gz" ? path.stem() : path;
  std::string extension = plain.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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
