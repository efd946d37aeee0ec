#include "pliant/io/tetgen.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/file_name.h"
#include "pliant/io/input_file.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

// The number of the first node, 0 or 1.
std::int64_t read_nodes(std::string_view bytes, MeshLists& mesh) {
  TextScanner scanner(bytes, {.comment = '#'});
  const Index count = scanner.count("the number of nodes", 8);  // "1 0 0 0\n"
  if (const auto dimension = scanner.integer("a dimension"); dimension != 3)
    scanner.fail_at(scanner.position(), fmt::format("found dimension {}; expected 3", dimension));
  scanner.skip_line();
  if (count == 0) scanner.fail("at least one node");
  std::int64_t base = 1;
  mesh.coordinates.reserve(static_cast<std::size_t>(3 * count));
  for (Index v = 0; v < count; ++v) {
    const std::int64_t number = scanner.integer("the number of a node");
    if (v == 0 && (number == 0 || number == 1)) base = number;
    if (number != v + base)
      scanner.fail_at(scanner.position(), fmt::format("found node {}; expected {}", number, v + base));
    const double x = scanner.number("a coordinate"), y = scanner.number("a coordinate"),
                 z = scanner.number("a coordinate");
    mesh.add_vertex(x, y, z);
    scanner.skip_line();
  }
  return base;
}

void read_cells(std::string_view bytes, std::int64_t base, int corners, Index vertices,
                std::vector<std::int32_t>& cells) {
  TextScanner scanner(bytes, {.comment = '#'});
  const Index count = scanner.count("the number of cells", static_cast<std::size_t>(2 * corners));
  if (corners == 4 && !scanner.at_line_end())  // of faces, the next number is another
    if (const auto nodes = scanner.integer("nodes a tet"); nodes != 4)
      scanner.fail_at(scanner.position(), fmt::format("found {} nodes a tet; expected 4", nodes));
  scanner.skip_line();
  cells.reserve(static_cast<std::size_t>(corners * count));
  for (Index c = 0; c < count; ++c) {
    scanner.integer("the number of a cell");
    for (int k = 0; k < corners; ++k) {
      const std::int64_t node = scanner.integer("a node") - base;
      if (node < 0 || node >= vertices)
        scanner.fail_at(scanner.position(), fmt::format("found node {}; expected {} to {}", node + base, base,
                                                        vertices - 1 + base));
      cells.push_back(static_cast<std::int32_t>(node));
    }
    scanner.skip_line();
  }
}

// "body.1.node.gz" and ".ele" -> "body.1.ele", without what compresses it.
fs::path sibling(const fs::path& path, const char* extension) {
  return without_gz(path).replace_extension(extension);
}

// The file of the same name, rather one compressed as `path` is.
std::optional<fs::path> find_beside(const fs::path& path, const char* extension) {
  const std::string own = is_gzip_name(path) ? path.extension().string() : "";
  for (const std::string& compression : {own, std::string(own.empty() ? ".gz" : "")})
    if (const fs::path candidate = sibling(path, extension).string() + compression; fs::exists(candidate))
      return candidate;
  return std::nullopt;
}

}  // namespace

MeshData read_tetgen(const TetgenBytes& files) {
  MeshLists mesh;
  const auto base = with_context(files.name + ".node", [&] { return read_nodes(files.node, mesh); });
  const Index vertices = mesh.vertex_count();
  if (files.ele)
    with_context(files.name + ".ele", [&] { read_cells(*files.ele, base, 4, vertices, mesh.tets); });
  if (files.face)
    with_context(files.name + ".face", [&] { read_cells(*files.face, base, 3, vertices, mesh.triangles); });
  return mesh.finish();
}

MeshData read_tetgen_files(const fs::path& path) {
  const auto node = find_beside(path, ".node"), ele = find_beside(path, ".ele"),
             face = find_beside(path, ".face");
  if (!fs::exists(path)) InputFile missing(path);  // says so
  if (!node || (!ele && !face))
    throw InputError(fmt::format(
        "{}: found no {} beside it; expected one", path.string(),
        !node ? sibling(path, ".node").filename().string() : sibling(path, ".ele").filename().string()));
  const InputFile node_file(*node);
  TetgenBytes files{.name = sibling(path, "").string(), .node = node_file.bytes(), .ele = {}, .face = {}};
  std::optional<InputFile> ele_file, face_file;
  if (ele) files.ele = ele_file.emplace(*ele).bytes();
  if (face) files.face = face_file.emplace(*face).bytes();
  return read_tetgen(files);
}

void write_tetgen_files(const fs::path& path, const MeshData& mesh) {
  const std::string compression = is_gzip_name(path) ? path.extension().string() : "";
  const auto write = [&](const char* extension, const auto& content) {
    write_atomically(sibling(path, extension).string() + compression, [&](std::ostream& out) {
      OutputBuffer buffer(out);
      content(buffer);
      buffer.finish();
    });
  };
  const auto cells = [](OutputBuffer& buffer, const auto& list) {
    for (Index c = 0; c < list.rows(); ++c) {
      buffer << c + 1;
      for (Index k = 0; k < list.cols(); ++k) buffer << ' ' << Index{list(c, k)} + 1;
      buffer << '\n';
    }
  };
  write(".ele", [&](OutputBuffer& buffer) {
    buffer << mesh.tets.rows() << " 4 0\n";
    cells(buffer, mesh.tets);
  });
  write(".face", [&](OutputBuffer& buffer) {
    buffer << mesh.triangles.rows() << " 0\n";
    cells(buffer, mesh.triangles);
  });
  write(".node", [&](OutputBuffer& buffer) {
    buffer << mesh.vertices.rows() << " 3 0 0\n";
    for (Index v = 0; v < mesh.vertices.rows(); ++v)
      buffer << v + 1 << ' ' << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' '
             << mesh.vertices(v, 2) << '\n';
  });
}

}  // namespace pliant
