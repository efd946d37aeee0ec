#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "pliant/base/error.h"
#include "pliant/io/byte_reader.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

struct ElementType {
  const char* name;
  int nodes;
};

// Types 1 to 19 of the file format; what is left out there is refused all the same.
constexpr ElementType element_types[] = {{"nothing", 0},
                                         {"a line", 2},
                                         {"a triangle", 3},
                                         {"a quadrangle", 4},
                                         {"a tetrahedron", 4},
                                         {"a hexahedron", 8},
                                         {"a prism", 6},
                                         {"a pyramid", 5},
                                         {"a curved line", 3},
                                         {"a curved triangle", 6},
                                         {"a curved quadrangle", 9},
                                         {"a curved tetrahedron", 10},
                                         {"a curved hexahedron", 27},
                                         {"a curved prism", 18},
                                         {"a curved pyramid", 14},
                                         {"a point", 1}};
enum : std::int64_t { line = 1, triangle = 2, quadrangle = 3, tetrahedron = 4, curved_line = 8, point = 15 };

// Numbers of the current section, from text or from bytes; both walk through the same file.
class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes), text_(bytes) {}

  bool binary = false, swap = false;

  TextScanner& text() { return text_; }

  // 4 bytes.
  std::int64_t integer(const char* expected) {
    return binary ? raw<std::int32_t>(expected) : text_.integer(expected);
  }
  // 8 bytes.
  std::int64_t tag(const char* expected) {
    return binary ? raw<std::int64_t>(expected) : text_.integer(expected);
  }
  double number(const char* expected) { return binary ? raw<double>(expected) : text_.number(expected); }
  // After the numbers that are needed, others may stand on a line of text.
  void skip_line_of_text() {
    if (!binary) text_.skip_line();
  }

  // A count must fit into what follows, each thing with its least size as text or its size as bytes.
  Index check_count(std::int64_t count, const char* what, std::size_t text_bytes, std::size_t binary_bytes) {
    const std::size_t room = (text_.remaining() + 1) / (binary ? binary_bytes : text_bytes);
    if (count < 0 || count > INT32_MAX || static_cast<std::uint64_t>(count) > room)
      fail(fmt::format("found {} as the number of {}; expected at most the {} for which there is room", count,
                       what, std::min<std::size_t>(room, INT32_MAX)));
    return static_cast<Index>(count);
  }
  [[noreturn]] void fail(const std::string& sentence) {
    if (!binary) text_.fail_at(text_.position(), sentence);
    throw InputError(fmt::format("byte {}: {}", text_.position(), sentence));
  }

 private:
  template <class T>
  T raw(const char* expected) {
    ByteReader reader(bytes_, swap, text_.position());
    const T value = reader.read<T>(expected);
    text_.move_to(reader.position());
    return value;
  }

  std::string_view bytes_;
  TextScanner text_;
};

// From a node's tag to its place in the file.
class NodeIndex {
 public:
  void add(std::int64_t tag) { tags_.push_back(tag); }

  void finish() {
    const auto count = static_cast<std::int64_t>(tags_.size());
    if (count == 0) return;
    first_ = *std::min_element(tags_.begin(), tags_.end());
    const std::int64_t last = *std::max_element(tags_.begin(), tags_.end());
    const std::uint64_t range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first_);
    if (range < static_cast<std::uint64_t>(4 * count + 1024)) {
      table_.assign(static_cast<std::size_t>(range) + 1, -1);
      for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t& place = table_[static_cast<std::size_t>(tags_[static_cast<std::size_t>(i)] - first_)];
        if (place >= 0) fail_twice(tags_[static_cast<std::size_t>(i)]);
        place = static_cast<std::int32_t>(i);
      }
    } else {
      sorted_.resize(tags_.size());
      for (std::size_t i = 0; i < tags_.size(); ++i) sorted_[i] = {tags_[i], static_cast<std::int32_t>(i)};
      std::sort(sorted_.begin(), sorted_.end());
      for (std::size_t i = 1; i < sorted_.size(); ++i)
        if (sorted_[i].first == sorted_[i - 1].first) fail_twice(sorted_[i].first);
    }
  }
  // -1 for a tag that no node has.
  std::int32_t operator[](std::int64_t tag) const {
    if (!table_.empty()) {
      const std::uint64_t place = static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first_);
      return place < table_.size() ? table_[static_cast<std::size_t>(place)] : -1;
    }
    const auto found =
        std::lower_bound(sorted_.begin(), sorted_.end(), std::pair<std::int64_t, std::int32_t>(tag, -1));
    return found != sorted_.end() && found->first == tag ? found->second : -1;
  }

 private:
  [[noreturn]] static void fail_twice(std::int64_t tag) {
    throw InputError(fmt::format("node {} appears twice; expected each node once", tag));
  }
  std::vector<std::int64_t> tags_;
  std::int64_t first_ = 0;
  std::vector<std::int32_t> table_;                            // by tag - first_, where tags are dense
  std::vector<std::pair<std::int64_t, std::int32_t>> sorted_;  // otherwise
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : input_(bytes) {}

  MeshData read() {
    TextScanner& text = input_.text();
    if (text.peek() != "$MeshFormat") text.fail("$MeshFormat");
    std::vector<std::size_t> elements;  // where they are, should they come before the nodes
    bool has_nodes = false;
    while (!text.at_end()) {
      if (text.peek().front() != '$') text.fail("the '$' of a section");
      const std::string name(text.word());
      text.skip_line();
      if (name == "$MeshFormat") {
        read_format();
      } else if (name == "$Nodes") {
        if (has_nodes) input_.fail("found a second section $Nodes; expected one");
        has_nodes = true;
        version_4_ ? read_nodes_4() : read_nodes_2();
        nodes_.finish();
      } else if (name == "$Elements" && has_nodes) {
        version_4_ ? read_elements_4() : read_elements_2();
      } else {
        if (name == "$Elements") elements.push_back(text.position());
        skip_to_end_of(name);
        continue;
      }
      expect_end_of(name);
    }
    if (!has_nodes) text.fail("a section $Nodes");
    for (const std::size_t position : elements) {
      text.move_to(position);
      version_4_ ? read_elements_4() : read_elements_2();
    }
    return mesh_.finish();
  }

 private:
  void read_format() {
    TextScanner& text = input_.text();
    const std::size_t start = text.position();
    const double version = text.number("a version");
    version_4_ = version >= 4;
    if (!(version >= 2 && version < 3) && version != 4.1)
      text.fail_at(start,
                   fmt::format("found version {}; expected 2.0 to 2.2, or 4.1; save it again in one of these",
                               version));
    const std::int64_t kind = text.integer("0 for text or 1 for binary");
    if (kind != 0 && kind != 1) text.fail_at(start, fmt::format("found file type {}; expected 0 or 1", kind));
    const std::int64_t size = text.integer("the size of a number");
    if (size != 8) text.fail_at(start, fmt::format("found numbers of {} bytes; expected 8", size));
    text.skip_line();
    if (kind == 0) return;
    input_.binary = true;
    const std::int64_t one = input_.integer("the number 1");
    input_.swap = one == 0x01000000;
    if (one != 1 && !input_.swap) input_.fail(fmt::format("found {}; expected the number 1", one));
  }

  void read_nodes_2() {
    const Index count = read_text_count("nodes", 8, 28);
    mesh_.coordinates.reserve(static_cast<std::size_t>(3 * count));
    for (Index i = 0; i < count; ++i) {
      nodes_.add(input_.integer("the number of a node"));
      read_position();
    }
  }

  void read_nodes_4() {
    const Index blocks = input_.check_count(input_.tag("a number of blocks"), "blocks", 8, 20);
    const Index count = input_.check_count(input_.tag("a number of nodes"), "nodes", 8, 32);
    input_.tag("the smallest tag");
    input_.tag("the largest tag");
    mesh_.coordinates.reserve(static_cast<std::size_t>(3 * count));
    for (Index b = 0; b < blocks; ++b) {
      const std::int64_t dimension = input_.integer("a dimension");
      input_.integer("an entity");
      const bool parametric = input_.integer("0 or 1 for parameters") != 0;
      const Index size = input_.check_count(input_.tag("a number of nodes"), "nodes", 8, 32);
      if (dimension < 0 || dimension > 3)
        input_.fail(fmt::format("found dimension {}; expected 0 to 3", dimension));
      for (Index i = 0; i < size; ++i) nodes_.add(input_.tag("the tag of a node"));
      for (Index i = 0; i < size; ++i) {
        read_position();
        // In text they stand on the line just left.
        for (std::int64_t k = 0; parametric && input_.binary && k < dimension; ++k)
          input_.number("a parameter");
      }
    }
  }

  void read_elements_2() {
    if (!input_.binary) {
      const Index count = read_text_count("elements", 6, 1);
      for (Index i = 0; i < count; ++i) {
        input_.integer("the number of an element");
        const std::int64_t type = input_.integer("the type of an element");
        const int nodes = node_count(type);
        const Index tags = input_.check_count(input_.integer("a number of tags"), "tags", 2, 4);
        for (Index t = 0; t < tags; ++t) input_.integer("a tag");
        read_element(type, nodes, false);
        input_.skip_line_of_text();
      }
      return;
    }
    // In binary, runs of elements of one type.
    const Index count = read_text_count("elements", 6, 8);
    for (Index done = 0; done < count;) {
      const std::int64_t type = input_.integer("the type of elements");
      const int nodes = node_count(type);
      const std::int64_t run = input_.integer("a number of elements");
      const Index tags = input_.check_count(input_.integer("a number of tags"), "tags", 2, 4);
      if (run < 1 || run > count - done)
        input_.fail(fmt::format("found {} elements in a row; expected 1 to {}", run, count - done));
      for (std::int64_t i = 0; i < run; ++i) {
        input_.integer("the number of an element");
        for (Index t = 0; t < tags; ++t) input_.integer("a tag");
        read_element(type, nodes, false);
      }
      done += static_cast<Index>(run);
    }
  }

  void read_elements_4() {
    const Index blocks = input_.check_count(input_.tag("a number of blocks"), "blocks", 8, 20);
    for (int i = 0; i < 3; ++i) input_.tag("the number of elements, their smallest and largest tag");
    for (Index b = 0; b < blocks; ++b) {
      input_.integer("a dimension");
      input_.integer("an entity");
      const std::int64_t type = input_.integer("the type of elements");
      const Index size = input_.check_count(input_.tag("a number of elements"), "elements", 4, 16);
      if (size == 0) continue;
      const int nodes = node_count(type);
      if (type == tetrahedron) mesh_.tets.reserve(mesh_.tets.size() + static_cast<std::size_t>(4 * size));
      for (Index i = 0; i < size; ++i) {
        input_.tag("the tag of an element");
        read_element(type, nodes, true);
        input_.skip_line_of_text();
      }
    }
  }

  // Version 2 gives the count as text on a line of its own, in binary files too.
  Index read_text_count(const char* what, std::size_t text_bytes, std::size_t binary_bytes) {
    const std::int64_t count = input_.text().integer("a count");
    input_.text().skip_line();
    return input_.check_count(count, what, text_bytes, binary_bytes);
  }

  void read_position() {
    const double x = input_.number("a coordinate"), y = input_.number("a coordinate"),
                 z = input_.number("a coordinate");
    mesh_.add_vertex(x, y, z);
    input_.skip_line_of_text();
  }

  int node_count(std::int64_t type) {
    switch (type) {
      case line:
      case triangle:
      case quadrangle:
      case tetrahedron:
      case curved_line:
      case point:
        return element_types[type].nodes;
      default:
        break;
    }
    const std::string name =
        type > 0 && type < point ? element_types[type].name : fmt::format("an element of type {}", type);
    input_.fail(
        fmt::format("found {}; expected tetrahedra, triangles or quadrangles with straight edges", name));
  }

  void read_element(std::int64_t type, int nodes, bool wide) {
    std::array<std::int32_t, 4> corners{};
    for (int k = 0; k < nodes; ++k) {
      const std::int64_t tag = wide ? input_.tag("a node") : input_.integer("a node");
      corners[static_cast<std::size_t>(k)] = nodes_[tag];
      if (corners[static_cast<std::size_t>(k)] < 0)
        input_.fail(fmt::format("found node {}; expected one of those in $Nodes", tag));
    }
    if (type == tetrahedron)
      mesh_.add_tet(corners[0], corners[1], corners[2], corners[3]);
    else if (type == triangle || type == quadrangle)
      mesh_.add_polygon({corners.data(), static_cast<std::size_t>(nodes)});
  }

  void expect_end_of(const std::string& name) {
    TextScanner& text = input_.text();
    if (text.peek() != "$End" + name.substr(1)) text.fail("$End" + name.substr(1));
    text.word();
  }

  void skip_to_end_of(const std::string& name) {
    TextScanner& text = input_.text();
    const std::string end = "$End" + name.substr(1);
    const std::size_t found = text.rest().find(end);
    if (found == std::string_view::npos)
      text.fail_at(text.position(),
                   fmt::format("the section {} does not end; expected {}", in_quotes(name), in_quotes(end)));
    text.move_to(text.position() + found + end.size());
  }

  Input input_;
  bool version_4_ = false;
  MeshLists mesh_;
  NodeIndex nodes_;
};

}  // namespace

MeshData read_gmsh(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace pliant
