#include "pliant/io/ply.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "pliant/base/error.h"
#include "pliant/io/byte_reader.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

struct Property {
  std::string_view name;
  NumberKind kind{};
  std::optional<NumberKind> list_count;  // set for a list: the kind of its length
};

struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  std::size_t count_position = 0;
  std::vector<Property> properties;
};

enum class Format { text, little_endian, big_endian };

struct Header {
  Format format = Format::text;
  std::vector<Element> elements;
  std::size_t size = 0;  // where the data begins
};

NumberKind parse_kind(TextScanner& scanner) {
  using enum NumberKind;
  constexpr std::pair<std::string_view, NumberKind> names[] = {
      {"char", int8},     {"uchar", uint8},     {"short", int16},    {"ushort", uint16}, {"int", int32},
      {"uint", uint32},   {"float", float32},   {"double", float64}, {"int8", int8},     {"uint8", uint8},
      {"int16", int16},   {"uint16", uint16},   {"int32", int32},    {"uint32", uint32}, {"int64", int64},
      {"uint64", uint64}, {"float32", float32}, {"float64", float64}};
  if (!scanner.at_line_end())
    for (const auto& [name, kind] : names)
      if (scanner.peek() == name) {
        scanner.word();
        return kind;
      }
  scanner.fail("a number type, as float or int");
}

Header read_header(std::string_view bytes) {
  TextScanner scanner(bytes);
  Header header;
  if (scanner.word_on_line() != "ply")
    throw InputError("line 1: the file does not begin with 'ply'; expected a .ply file");
  scanner.skip_line();
  bool has_format = false;
  while (true) {
    const std::string_view keyword = scanner.peek();
    if (keyword == "end_header") break;
    if (keyword.empty()) scanner.fail("'end_header'");
    scanner.word();
    if (keyword == "format") {
      const std::string_view name = scanner.word_on_line();
      if (name == "ascii")
        header.format = Format::text;
      else if (name == "binary_little_endian")
        header.format = Format::little_endian;
      else if (name == "binary_big_endian")
        header.format = Format::big_endian;
      else
        scanner.fail_at(scanner.position(),
                        fmt::format("found format {}; expected ascii, binary_little_endian or "
                                    "binary_big_endian",
                                    in_quotes(name)));
      has_format = true;
    } else if (keyword == "element") {
      Element element;
      element.name = scanner.word_on_line();
      element.count_position = scanner.position();
      const std::int64_t count = scanner.at_line_end() ? -1 : scanner.integer("the number of elements");
      if (count < 0)
        scanner.fail_at(element.count_position, "found no number of elements; expected 0 or more");
      element.count = static_cast<std::uint64_t>(count);
      header.elements.push_back(element);
    } else if (keyword == "property") {
      if (header.elements.empty()) scanner.fail("'element' before the first 'property'");
      Property property;
      if (!scanner.at_line_end() && scanner.peek() == "list") {
        scanner.word();
        property.list_count = parse_kind(scanner);
      }
      property.kind = parse_kind(scanner);
      property.name = scanner.word_on_line();
      header.elements.back().properties.push_back(property);
    } else if (keyword != "comment" && keyword != "obj_info") {
      scanner.move_to(scanner.position() - keyword.size());
      scanner.fail("'element', 'property', 'comment' or 'end_header'");
    }
    scanner.skip_line();
  }
  if (!has_format) scanner.fail("'format' before the end of the header");
  scanner.skip_line();
  header.size = scanner.position();
  return header;
}

// The numbers after the header, from text or from bytes.
class Values {
 public:
  Values(std::string_view bytes, const Header& header)
      : format_(header.format),
        text_(bytes),
        binary_(bytes, header.format == Format::big_endian, header.size) {
    text_.move_to(header.size);
  }

  double number(NumberKind kind) {
    if (format_ == Format::text) return text_.number("a number");
    return load_as_double(kind, binary_.take(size_of(kind), "a number").data(), binary_.swaps());
  }
  std::int64_t integer(NumberKind kind) {
    if (format_ == Format::text) return text_.integer("a whole number");
    return load_as_integer(kind, binary_.take(size_of(kind), "a whole number").data(), binary_.swaps());
  }
  // What a number of this kind takes at least.
  std::size_t least_bytes(NumberKind kind) const { return format_ == Format::text ? 2 : size_of(kind); }
  std::uint64_t room(std::size_t bytes_each) {
    return (format_ == Format::text ? text_.remaining() + 1 : binary_.remaining()) / bytes_each;
  }
  [[noreturn]] void fail(const std::string& sentence) {
    if (format_ == Format::text) text_.fail_at(text_.position(), sentence);
    binary_.fail(sentence);
  }
  std::uint64_t list_length(const Property& list) {
    const std::int64_t length = integer(*list.list_count);
    if (length < 0 || static_cast<std::uint64_t>(length) > room(least_bytes(list.kind)))
      fail(fmt::format("found a list of length {} named '{}'; expected at most what is left of the file",
                       length, list.name));
    return static_cast<std::uint64_t>(length);
  }
  void skip(const Property& property) {
    if (!property.list_count) {
      number(property.kind);
      return;
    }
    const std::uint64_t length = list_length(property);
    if (format_ == Format::text)
      for (std::uint64_t i = 0; i < length; ++i) text_.number("a number");
    else
      binary_.take_records(length, size_of(property.kind), "a list");
  }

 private:
  Format format_;
  TextScanner text_;
  ByteReader binary_;
};

void read_vertices(const Element& element, Values& values, MeshLists& mesh) {
  int axis_of_property[3] = {-1, -1, -1};
  constexpr std::string_view axes[3] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t p = 0; p < element.properties.size(); ++p)
      if (element.properties[p].name == axes[axis] && !element.properties[p].list_count)
        axis_of_property[axis] = static_cast<int>(p);
    if (axis_of_property[axis] < 0)
      throw InputError(
          fmt::format("the header gives 'vertex' no property '{}'; expected x, y and z", axes[axis]));
  }
  if (mesh.vertex_count() > 0) values.fail("found a second element 'vertex'; expected one");
  mesh.coordinates.resize(static_cast<std::size_t>(3 * element.count));
  for (std::uint64_t v = 0; v < element.count; ++v) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      int axis = 0;
      while (axis < 3 && axis_of_property[axis] != static_cast<int>(p)) ++axis;
      if (axis < 3)
        mesh.coordinates[static_cast<std::size_t>(3 * v) + static_cast<std::size_t>(axis)] =
            values.number(element.properties[p].kind);
      else
        values.skip(element.properties[p]);
    }
  }
}

void read_faces(const Element& element, Values& values, MeshLists& mesh, std::int64_t vertices) {
  std::vector<std::int32_t> corners;
  for (std::uint64_t f = 0; f < element.count; ++f)
    for (const Property& property : element.properties) {
      if (!property.list_count || (property.name != "vertex_indices" && property.name != "vertex_index")) {
        values.skip(property);
        continue;
      }
      corners.resize(static_cast<std::size_t>(values.list_length(property)));
      for (std::int32_t& corner : corners) {
        const std::int64_t vertex = values.integer(property.kind);
        if (vertex < 0 || vertex >= vertices)
          values.fail(fmt::format("found vertex {} in face {}; expected 0 to {}", vertex, f, vertices - 1));
        corner = static_cast<std::int32_t>(vertex);
      }
      mesh.add_polygon(corners);
    }
}

}  // namespace

MeshData read_ply(std::string_view bytes) {
  const Header header = read_header(bytes);
  Values values(bytes, header);

  // Faces may come before the vertices, so the range of indices is taken from the header.
  std::uint64_t vertices = 0;
  bool has_vertices = false;
  for (const Element& element : header.elements)
    if (element.name == "vertex") {
      vertices = element.count;
      has_vertices = true;
    }
  if (!has_vertices) throw InputError("the header names no element 'vertex'; expected one");

  MeshLists mesh;
  for (const Element& element : header.elements) {
    if (element.properties.empty() && element.name != "vertex") continue;
    std::size_t least = 0;
    for (const Property& property : element.properties)
      least += values.least_bytes(property.list_count ? *property.list_count : property.kind);
    if (least > 0 && element.count > values.room(least))
      values.fail(fmt::format("the header announces {} of '{}', but the file is too short for them",
                              element.count, element.name));
    if (element.count > INT32_MAX)
      values.fail(fmt::format("the header announces {} of '{}'; expected at most 2147483647", element.count,
                              element.name));
    if (element.name == "vertex") {
      read_vertices(element, values, mesh);
    } else if (element.name == "face") {
      read_faces(element, values, mesh, static_cast<std::int64_t>(vertices));
    } else {
      for (std::uint64_t i = 0; i < element.count; ++i)
        for (const Property& property : element.properties) values.skip(property);
    }
  }
  return mesh.finish();
}

void write_ply(std::ostream& out, const TriMesh& mesh, const PlyOptions& options) {
  OutputBuffer buffer(out);
  buffer << "ply\nformat "
         << (!options.binary      ? "ascii"
             : options.big_endian ? "binary_big_endian"
                                  : "binary_little_endian")
         << " 1.0\ncomment written by Pliant\nelement vertex " << mesh.vertex_count()
         << "\nproperty double x\nproperty double y\nproperty double z\nelement face "
         << mesh.triangle_count() << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (options.binary)
      for (int i = 0; i < 3; ++i) buffer.raw(mesh.vertices(v, i), options.big_endian);
    else
      buffer << mesh.vertices(v, 0) << ' ' << mesh.vertices(v, 1) << ' ' << mesh.vertices(v, 2) << '\n';
  }
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    if (options.binary) {
      buffer.raw(std::uint8_t{3});
      for (int k = 0; k < 3; ++k) buffer.raw(mesh.triangles(t, k), options.big_endian);
    } else {
      buffer << "3 " << mesh.triangles(t, 0) << ' ' << mesh.triangles(t, 1) << ' ' << mesh.triangles(t, 2)
             << '\n';
    }
  }
  buffer.finish();
}

}  // namespace pliant
