#include "pliant/io/vega.h"

#include <fmt/format.h>

#include <set>

#include "pliant/io/letter_case.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

constexpr TextRules rules{.comment = '#', .comma_is_space = true};

// The text with the files that *INCLUDE names in their places. Each file may come once, so that the text
// is no longer than the files are.
std::string with_includes(std::string_view bytes, const IncludeLoader& load, std::set<std::string>& included,
                          int depth) {
  std::string result;
  TextScanner scanner(bytes, rules);
  while (scanner.remaining() > 0) {
    const std::size_t start = scanner.position();
    std::string_view line = scanner.line();
    if (line.empty() || line.front() != '*' || line.substr(0, 8) != "*INCLUDE") {
      result.append(bytes.substr(start, scanner.position() - start));
      continue;
    }
    line.remove_prefix(8);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (!load || depth >= 8)
      scanner.fail_at(start,
                      fmt::format("found *INCLUDE {}; expected {}", in_quotes(line),
                                  load ? "at most 8 files inside each other" : "everything in one file"));
    if (!included.emplace(line).second)
      scanner.fail_at(
          start, fmt::format("found *INCLUDE {} a second time; expected each file once", in_quotes(line)));
    result += with_includes(load(std::string(line)), load, included, depth + 1) + "\n";
  }
  return result;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : scanner_(bytes, rules) {}

  MeshData read() {
    bool has_vertices = false, has_elements = false;
    while (!scanner_.at_end()) {
      if (scanner_.peek().front() != '*') scanner_.fail("the '*' of a section, as *VERTICES");
      const std::string name = upper_case(scanner_.word());
      scanner_.skip_line();
      has_vertices = has_vertices || name == "*VERTICES";
      has_elements = has_elements || name == "*ELEMENTS";
      if (name == "*VERTICES")
        read_vertices();
      else if (name == "*ELEMENTS")
        read_elements();
      else
        while (!scanner_.at_end() && scanner_.peek().front() != '*') scanner_.skip_line();
    }
    if (!has_vertices) scanner_.fail("a section *VERTICES");
    if (!has_elements) scanner_.fail("a section *ELEMENTS");
    if (highest_.index >= mesh_.vertex_count() + base_)
      scanner_.fail_at(highest_.position, fmt::format("found vertex {}; expected {} to {}", highest_.index,
                                                      base_, mesh_.vertex_count() + base_ - 1));
    for (std::int32_t& vertex : mesh_.tets) {
      vertex -= static_cast<std::int32_t>(base_);
      if (vertex < 0) scanner_.fail_at(scanner_.position(), "found vertex 0 in a mesh numbered from 1");
    }
    return mesh_.finish();
  }

 private:
  void read_vertices() {
    if (mesh_.vertex_count() > 0) scanner_.fail("one section *VERTICES; here is a second");
    const Index count = scanner_.count("the number of vertices", 8);  // "1 0 0 0\n"
    if (const auto dimension = scanner_.integer("a dimension"); dimension != 3)
      scanner_.fail_at(scanner_.position(), fmt::format("found dimension {}; expected 3", dimension));
    scanner_.skip_line();
    mesh_.coordinates.reserve(static_cast<std::size_t>(3 * count));
    for (Index v = 0; v < count; ++v) {
      const std::int64_t number = scanner_.integer("the number of a vertex");
      if (v == 0 && (number == 0 || number == 1)) base_ = number;
      if (number != v + base_)
        scanner_.fail_at(scanner_.position(), fmt::format("found vertex {}; expected {}", number, v + base_));
      const double x = scanner_.number("a coordinate"), y = scanner_.number("a coordinate"),
                   z = scanner_.number("a coordinate");
      mesh_.add_vertex(x, y, z);
      scanner_.skip_line();
    }
  }

  void read_elements() {
    if (const std::string type = upper_case(scanner_.peek()); type != "TET" && type != "TETS")
      scanner_.fail("TET; other elements are not read");
    scanner_.skip_line();
    const Index count = scanner_.count("the number of elements", 10);  // "1 1 2 3 4\n"
    if (const auto corners = scanner_.integer("vertices an element"); corners != 4)
      scanner_.fail_at(scanner_.position(), fmt::format("found {} vertices an element; expected 4", corners));
    scanner_.skip_line();
    mesh_.tets.reserve(mesh_.tets.size() + static_cast<std::size_t>(4 * count));
    for (Index e = 0; e < count; ++e) {
      scanner_.integer("the number of an element");
      for (int k = 0; k < 4; ++k) {
        const std::int64_t vertex = scanner_.integer("a vertex");
        if (vertex < 0 || vertex > INT32_MAX)
          scanner_.fail_at(scanner_.position(), fmt::format("found vertex {}; expected 1 or more", vertex));
        highest_.see(vertex, scanner_.position());
        mesh_.tets.push_back(static_cast<std::int32_t>(vertex));
      }
      scanner_.skip_line();
    }
  }

  TextScanner scanner_;
  MeshLists mesh_;
  HighestIndex highest_;
  std::int64_t base_ = 1;  // the number of the first vertex
};

}  // namespace

MeshData read_vega(std::string_view bytes, const IncludeLoader& load) {
  if (bytes.find("*INCLUDE") == std::string_view::npos) return Reader(bytes).read();
  std::set<std::string> included;
  const std::string whole = with_includes(bytes, load, included, 0);
  return Reader(whole).read();
}

void write_vega(std::ostream& out, const TetMesh& mesh) {
  OutputBuffer buffer(out);
  buffer << "# Vega mesh file.\n# " << mesh.vertex_count() << " vertices, " << mesh.tet_count()
         << " elements\n\n*VERTICES\n"
         << mesh.vertex_count() << " 3 0 0\n";
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    buffer << v + 1 << ' ' << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' ' << mesh.vertices(v, 2)
           << '\n';
  buffer << "\n*ELEMENTS\nTET\n" << mesh.tet_count() << " 4 0\n";
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    buffer << t + 1;
    for (int k = 0; k < 4; ++k) buffer << ' ' << Index{mesh.tets(t, k)} + 1;
    buffer << '\n';
  }
  buffer
      << "\n*MATERIAL defaultMaterial\nENU, 1000, 1000000, 0.45\n\n*REGION\nallElements, defaultMaterial\n";
  buffer.finish();
}

}  // namespace pliant
