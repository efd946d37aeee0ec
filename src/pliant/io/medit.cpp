#include "pliant/io/medit.h"

#include <fmt/format.h>

#include <array>

#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

bool is_keyword(std::string_view word) {
  double value;
  return !word.empty() && ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z')) &&
         !parse_number(word, value);
}

// Cells of N vertices, 1-based, each with a reference number that nobody here needs.
template <int N, class Add>
void read_cells(TextScanner& scanner, const char* expected, HighestIndex& highest, const Add& add) {
  const Index count = scanner.count(expected, 2 * (N + 1));  // "1 2 3 0\n"
  for (Index c = 0; c < count; ++c) {
    std::array<std::int32_t, N> corners;
    for (std::int32_t& corner : corners) {
      const std::int64_t vertex = scanner.integer("a vertex") - 1;
      if (vertex < 0 || vertex >= INT32_MAX)
        scanner.fail_at(scanner.position(), fmt::format("found vertex {}; expected 1 or more", vertex + 1));
      highest.see(vertex, scanner.position());
      corner = static_cast<std::int32_t>(vertex);
    }
    scanner.number("a reference number");  // some programs write it as a real number
    add(corners);
  }
}

void read_vertices(TextScanner& scanner, MeshLists& mesh) {
  if (mesh.vertex_count() > 0)
    scanner.fail_at(scanner.position(), "found a second section 'Vertices'; expected one");
  const Index count = scanner.count("the number of vertices", 8);  // "0 0 0 0\n"
  mesh.coordinates.reserve(static_cast<std::size_t>(3 * count));
  for (Index v = 0; v < count; ++v) {
    const double x = scanner.number("a coordinate"), y = scanner.number("a coordinate"),
                 z = scanner.number("a coordinate");
    mesh.add_vertex(x, y, z);
    scanner.number("a reference number");
  }
}

}  // namespace

MeshData read_medit(std::string_view bytes) {
  TextScanner scanner(bytes, {.comment = '#'});
  if (scanner.peek() != "MeshVersionFormatted") scanner.fail("MeshVersionFormatted");
  scanner.word();
  if (const auto version = scanner.integer("a version"); version < 1 || version > 4)
    scanner.fail_at(scanner.position(), fmt::format("found version {}; expected 1 to 4", version));

  MeshLists mesh;
  HighestIndex highest;
  const auto add_polygon = [&](const auto& corners) { mesh.add_polygon(corners); };
  while (!scanner.at_end()) {
    const std::size_t start = scanner.position();
    const std::string_view keyword = scanner.word();
    if (!is_keyword(keyword)) {
      scanner.move_to(start);
      scanner.fail("the name of a section, as Vertices or Tetrahedra");
    }
    if (keyword == "End") break;
    if (keyword == "Dimension") {
      if (const auto dimension = scanner.integer("a dimension"); dimension != 3)
        scanner.fail_at(start, fmt::format("found dimension {}; expected 3", dimension));
    } else if (keyword == "Vertices") {
      read_vertices(scanner, mesh);
    } else if (keyword == "Triangles") {
      read_cells<3>(scanner, "the number of triangles", highest, add_polygon);
    } else if (keyword == "Quadrilaterals") {
      read_cells<4>(scanner, "the number of quadrilaterals", highest, add_polygon);
    } else if (keyword == "Tetrahedra") {
      read_cells<4>(scanner, "the number of tetrahedra", highest,
                    [&](const auto& c) { mesh.add_tet(c[0], c[1], c[2], c[3]); });
    } else if (keyword == "Hexahedra" || keyword == "Prisms" || keyword == "Pyramids") {
      if (scanner.integer("a count") != 0)
        scanner.fail_at(start, fmt::format("found {}; expected tetrahedra", keyword));
    } else {
      while (!scanner.at_end() && !is_keyword(scanner.peek())) scanner.word();
    }
  }
  if (highest.index >= mesh.vertex_count())
    scanner.fail_at(highest.position,
                    fmt::format("found vertex {}; expected 1 to {}", highest.index + 1, mesh.vertex_count()));
  return mesh.finish();
}

void write_medit(std::ostream& out, const MeshData& mesh) {
  OutputBuffer buffer(out);
  buffer << "MeshVersionFormatted 2\nDimension 3\nVertices\n" << mesh.vertices.rows() << '\n';
  for (Index v = 0; v < mesh.vertices.rows(); ++v)
    buffer << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' ' << mesh.vertices(v, 2) << " 0\n";
  const auto write_cells = [&](std::string_view name, const auto& cells) {
    if (cells.rows() == 0) return;
    buffer << name << '\n' << cells.rows() << '\n';
    for (Index c = 0; c < cells.rows(); ++c) {
      for (Index k = 0; k < cells.cols(); ++k) buffer << std::int64_t{cells(c, k)} + 1 << ' ';
      buffer << "0\n";
    }
  };
  write_cells("Triangles", mesh.triangles);
  write_cells("Tetrahedra", mesh.tets);
  buffer << "End\n";
  buffer.finish();
}

}  // namespace pliant
