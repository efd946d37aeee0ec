#include "pliant/io/obj.h"

#include <fmt/format.h>

#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

// A line that ends in a backslash goes on in the next one.
std::string_view next_word(TextScanner& scanner) {
  std::string_view word = scanner.word_on_line();
  while (word == "\\") {
    scanner.skip_line();
    word = scanner.word_on_line();
  }
  return word;
}

// "7", "7/1", "7//3", "-2/-1/-1": the vertex, 1-based, or counted back from the last one when negative.
std::int64_t parse_corner(TextScanner& scanner, std::string_view word, std::size_t position, Index vertices) {
  std::int64_t value = 0;
  const bool negative = word.front() == '-';
  std::size_t i = negative ? 1 : 0;
  const std::size_t start = i;
  for (; i < word.size() && word[i] >= '0' && word[i] <= '9' && i < 12; ++i)
    value = 10 * value + (word[i] - '0');
  const bool valid = i > start && value > 0 && (i == word.size() || word[i] == '/');
  if (!valid || (negative && value > vertices))
    scanner.fail_at(position,
                    fmt::format("found {} in a face; expected a vertex from 1 on, or from -{} to -1",
                                in_quotes(word), vertices));
  return negative ? vertices - value : value - 1;
}

}  // namespace

MeshData read_obj(std::string_view bytes) {
  MeshLists mesh;
  HighestIndex highest;
  std::vector<std::int32_t> corners;
  TextScanner scanner(bytes, {.comment = '#'});
  scanner.at_end();
  const std::size_t first = scanner.position();
  while (!scanner.at_end()) {
    const std::string_view keyword = scanner.word();
    if (keyword == "v") {
      const double x = scanner.number("a coordinate"), y = scanner.number("a coordinate"),
                   z = scanner.number("a coordinate");
      mesh.add_vertex(x, y, z);
    } else if (keyword == "f") {
      corners.clear();
      const std::size_t start = scanner.position();
      for (auto word = next_word(scanner); !word.empty(); word = next_word(scanner)) {
        const std::size_t position = scanner.position() - word.size();
        const bool goes_on = word.size() > 1 && word.back() == '\\';
        if (goes_on) word.remove_suffix(1);
        const std::int64_t vertex = parse_corner(scanner, word, position, mesh.vertex_count());
        highest.see(vertex, position);
        corners.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(vertex, INT32_MAX)));
        if (goes_on) scanner.skip_line();
      }
      if (corners.size() < 3)
        scanner.fail_at(start,
                        fmt::format("found a face of {} vertices; expected 3 or more", corners.size()));
      mesh.add_polygon(corners);
    }
    scanner.skip_line();
  }
  // Lines of other kinds are passed over, so that any text reads until here.
  if (mesh.vertex_count() == 0) {
    scanner.move_to(first);
    scanner.fail("a vertex somewhere in the file, as 'v 0 0 0'");
  }
  if (highest.index >= mesh.vertex_count())
    scanner.fail_at(highest.position, fmt::format("found vertex {} in a face; expected 1 to {}",
                                                  highest.index + 1, mesh.vertex_count()));
  return mesh.finish();
}

void write_obj(std::ostream& out, const TriMesh& mesh) {
  OutputBuffer buffer(out);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    buffer << "v " << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' ' << mesh.vertices(v, 2) << '\n';
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    buffer << "f " << std::int64_t{mesh.triangles(t, 0)} + 1 << ' ' << std::int64_t{mesh.triangles(t, 1)} + 1
           << ' ' << std::int64_t{mesh.triangles(t, 2)} + 1 << '\n';
  buffer.finish();
}

}  // namespace pliant
