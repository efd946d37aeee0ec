#include "pliant/io/off.h"

#include <fmt/format.h>

#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

// [ST][C][N]OFF is a surface in space; a 4 or an n before OFF means another dimension.
void read_header(TextScanner& scanner) {
  const std::string_view word = scanner.peek();
  if (!word.empty() && word.front() >= '0' && word.front() <= '9' &&
      word.find("OFF") == std::string_view::npos)
    return;  // some programs leave the keyword out
  for (const std::string_view keyword :
       {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF"})
    if (word == keyword) {
      scanner.word();
      if (!scanner.at_line_end() && scanner.peek() == "BINARY") scanner.fail("text; binary OFF is not read");
      return;
    }
  scanner.fail("OFF, COFF, NOFF or the like");
}

}  // namespace

MeshData read_off(std::string_view bytes) {
  TextScanner scanner(bytes, {.comment = '#'});
  read_header(scanner);
  const Index vertices = scanner.count("the number of vertices", 6);  // "0 0 0\n"
  const Index faces = scanner.count("the number of faces", 2);  // "1 0\n" at least, shared with the above
  scanner.skip_line();                                          // the number of edges, which nobody needs

  MeshLists mesh;
  mesh.coordinates.reserve(static_cast<std::size_t>(3 * vertices));
  for (Index v = 0; v < vertices; ++v) {
    const double x = scanner.number("a coordinate"), y = scanner.number("a coordinate"),
                 z = scanner.number("a coordinate");
    mesh.add_vertex(x, y, z);
    scanner.skip_line();
  }
  mesh.triangles.reserve(static_cast<std::size_t>(3 * faces));
  std::vector<std::int32_t> corners;
  for (Index f = 0; f < faces; ++f) {
    corners.resize(static_cast<std::size_t>(scanner.count("the number of vertices of a face", 2)));
    for (std::int32_t& corner : corners) {
      const std::size_t position = scanner.position();
      const std::int64_t vertex = scanner.integer("a vertex of a face");
      if (vertex < 0 || vertex >= vertices)
        scanner.fail_at(position,
                        fmt::format("found vertex {} in a face; expected 0 to {}", vertex, vertices - 1));
      corner = static_cast<std::int32_t>(vertex);
    }
    mesh.add_polygon(corners);
    scanner.skip_line();
  }
  return mesh.finish();
}

void write_off(std::ostream& out, const TriMesh& mesh) {
  OutputBuffer buffer(out);
  buffer << "OFF\n" << mesh.vertex_count() << ' ' << mesh.triangle_count() << " 0\n";
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    buffer << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' ' << mesh.vertices(v, 2) << '\n';
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    buffer << "3 " << mesh.triangles(t, 0) << ' ' << mesh.triangles(t, 1) << ' ' << mesh.triangles(t, 2)
           << '\n';
  buffer.finish();
}

}  // namespace pliant
