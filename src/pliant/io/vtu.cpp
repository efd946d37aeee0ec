#include "pliant/io/vtu.h"

#include <fmt/format.h>

#include <limits>

#include "pliant/base/error.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"
#include "pliant/io/vtk_cells.h"
#include "pliant/io/vtu_data.h"
#include "pliant/io/xml_scanner.h"

namespace pliant {
namespace {

struct Piece {
  std::uint64_t points = 0, cells = 0;
  std::vector<VtuArray> point_arrays, cell_arrays, point_data, cell_data;
};

struct File {
  VtuEncoding encoding;
  std::vector<Piece> pieces;
  std::uint64_t decoded = 0;  // numbers so far
};

std::uint64_t whole_attribute(const XmlScanner& scanner, const XmlTag& tag, std::string_view name,
                              std::uint64_t otherwise) {
  const auto text = xml_attribute(tag, name);
  if (!text) return otherwise;
  std::uint64_t value = 0;
  for (const char c : *text) {
    if (c < '0' || c > '9' || value > 1'000'000'000'000'000)
      scanner.fail_at(tag.begin, fmt::format("found {}={}; expected a whole number", name, in_quotes(*text)));
    value = 10 * value + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// === What the file declares: its encoding, its pieces, and where each array's numbers are

void read_file_tag(const XmlScanner& scanner, const XmlTag& tag, VtuEncoding& encoding) {
  const std::string type = xml_attribute(tag, "type").value_or("");
  if (type != "UnstructuredGrid")
    scanner.fail_at(tag.begin,
                    fmt::format("found a VTKFile of type {}; expected UnstructuredGrid", in_quotes(type)));
  encoding.swap = xml_attribute(tag, "byte_order").value_or("LittleEndian") == "BigEndian";
  const std::string header = xml_attribute(tag, "header_type").value_or("UInt32");
  if (header != "UInt32" && header != "UInt64")
    scanner.fail_at(tag.begin,
                    fmt::format("found header_type {}; expected UInt32 or UInt64", in_quotes(header)));
  encoding.long_headers = header == "UInt64";
  const std::string compressor = xml_attribute(tag, "compressor").value_or("");
  if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
    scanner.fail_at(tag.begin, fmt::format("found compressor {}; expected vtkZLibDataCompressor or none",
                                           in_quotes(compressor)));
  encoding.compressed = !compressor.empty();
}

// Nothing for a type without numbers, as String.
bool parse_kind(std::string_view name, NumberKind& kind) {
  using enum NumberKind;
  constexpr std::pair<std::string_view, NumberKind> names[] = {
      {"Int8", int8},     {"UInt8", uint8}, {"Int16", int16},   {"UInt16", uint16},   {"Int32", int32},
      {"UInt32", uint32}, {"Int64", int64}, {"UInt64", uint64}, {"Float32", float32}, {"Float64", float64}};
  for (const auto& [known, value] : names)
    if (known == name) {
      kind = value;
      return true;
    }
  return false;
}

VtuFormat parse_format(const XmlScanner& scanner, const XmlTag& tag) {
  const std::string format = xml_attribute(tag, "format").value_or("ascii");
  if (format == "ascii") return VtuFormat::ascii;
  if (format == "binary") return VtuFormat::binary;
  if (format == "appended") return VtuFormat::appended;
  scanner.fail_at(tag.begin,
                  fmt::format("found format {}; expected ascii, binary or appended", in_quotes(format)));
}

File read_structure(std::string_view bytes) {
  XmlScanner scanner(bytes);
  File file;
  file.encoding.file = bytes;
  bool has_file_tag = false;
  std::vector<VtuArray>* section = nullptr;
  for (XmlTag tag = scanner.next(); !tag.name.empty(); tag = scanner.next()) {
    const bool leaves = tag.closes;
    if (tag.name == "VTKFile" && tag.opens) {
      read_file_tag(scanner, tag, file.encoding);
      has_file_tag = true;
    } else if (!has_file_tag) {
      scanner.fail_at(tag.begin, fmt::format("found the tag {}; expected VTKFile", in_quotes(tag.name)));
    } else if (tag.name == "Piece" && tag.opens) {
      file.pieces.emplace_back();
      file.pieces.back().points = whole_attribute(scanner, tag, "NumberOfPoints", 0);
      file.pieces.back().cells = whole_attribute(scanner, tag, "NumberOfCells", 0);
      section = nullptr;
    } else if (tag.name == "Points" || tag.name == "Cells" || tag.name == "PointData" ||
               tag.name == "CellData") {
      section = nullptr;
      if (leaves || file.pieces.empty()) continue;
      Piece& piece = file.pieces.back();
      section = tag.name == "Points"      ? &piece.point_arrays
                : tag.name == "Cells"     ? &piece.cell_arrays
                : tag.name == "PointData" ? &piece.point_data
                                          : &piece.cell_data;
    } else if (tag.name == "DataArray" && tag.opens && section) {
      VtuArray array;
      array.name = xml_attribute(tag, "Name").value_or("");
      if (!parse_kind(xml_attribute(tag, "type").value_or(""), array.kind)) continue;
      array.components = static_cast<std::int64_t>(whole_attribute(scanner, tag, "NumberOfComponents", 1));
      array.format = parse_format(scanner, tag);
      array.offset = whole_attribute(scanner, tag, "offset", 0);
      array.text_begin = tag.end;
      array.text_end = leaves ? tag.end : std::min(bytes.find('<', tag.end), bytes.size());
      section->push_back(std::move(array));
    } else if (tag.name == "AppendedData" && tag.opens) {
      file.encoding.appended_base64 = xml_attribute(tag, "encoding").value_or("raw") == "base64";
      const std::size_t start = bytes.find('_', tag.end);
      if (start == std::string_view::npos)
        scanner.fail_at(tag.begin, "found no '_' before the appended data");
      file.encoding.appended = bytes.substr(start + 1);
      if (file.encoding.appended_base64)
        file.encoding.appended = file.encoding.appended.substr(0, file.encoding.appended.find('<'));
      break;  // raw data is not XML any more
    }
  }
  if (!has_file_tag) throw InputError("line 1: found no tag VTKFile; expected a .vtu file");
  return file;
}

// === The numbers

// Arrays may share data, and compression may shrink it a thousandfold. A file that makes far more numbers
// than it has bytes is made to exhaust memory; the bound is that of gzipped files, 200 times and 64 MiB.
// Where the file says how many numbers it needs, no more are inflated.
VtuNumbers decode(File& file, const VtuArray& array, std::uint64_t needed) {
  return with_context(fmt::format("DataArray {}", in_quotes(array.name)), [&] {
    const std::uint64_t limit = 25 * static_cast<std::uint64_t>(file.encoding.file.size()) + (8 << 20);
    VtuNumbers numbers(file.encoding, array, std::min(needed, limit - file.decoded));
    file.decoded += numbers.size();
    if (file.decoded > limit)
      throw InputError(
          fmt::format("the arrays so far hold {} numbers; expected at most {} in a file of {} bytes",
                      file.decoded, limit, file.encoding.file.size()));
    return numbers;
  });
}

VtuNumbers decode(File& file, const std::vector<VtuArray>& arrays, std::string_view name,
                  std::uint64_t needed) {
  for (const VtuArray& array : arrays)
    if (name.empty() || array.name == name) return decode(file, array, needed);
  throw InputError(
      fmt::format("found no DataArray {}; expected one", name.empty() ? "in Points" : in_quotes(name)));
}

void read_points(File& file, const Piece& piece, MeshLists& mesh) {
  const VtuNumbers points = decode(file, piece.point_arrays, "", 3 * piece.points);
  if (points.size() % 3 != 0 || points.size() / 3 != piece.points)
    throw InputError(
        fmt::format("found {} coordinates; expected {}, three a point", points.size(), 3 * piece.points));
  const std::size_t before = mesh.coordinates.size();
  if ((before + points.size()) / 3 > std::numeric_limits<std::int32_t>::max())
    throw InputError(
        fmt::format("found {} points; expected at most 2147483647", (before + points.size()) / 3));
  mesh.coordinates.resize(before + points.size());
  for (std::size_t i = 0; i < points.size(); ++i) mesh.coordinates[before + i] = points.number(i);
}

// True if triangles come first, then tets, and nothing else.
bool read_cells(File& file, const Piece& piece, std::int64_t first_point, MeshLists& mesh) {
  if (piece.cells == 0) return true;
  const VtuNumbers connectivity = decode(file, piece.cell_arrays, "connectivity", UINT64_MAX),
                   offsets = decode(file, piece.cell_arrays, "offsets", piece.cells),
                   types = decode(file, piece.cell_arrays, "types", piece.cells);
  if (offsets.size() != piece.cells || types.size() != piece.cells)
    throw InputError(fmt::format("found {} offsets and {} types; expected one for each of {} cells",
                                 offsets.size(), types.size(), piece.cells));
  bool in_order = true;
  std::int64_t last_type = vtk_triangle, begin = 0;
  std::vector<std::int32_t> corners;
  const auto points = static_cast<std::int64_t>(piece.points);
  for (std::size_t c = 0; c < offsets.size(); ++c) {
    const std::int64_t end = offsets.integer(c);
    if (end < begin || end > static_cast<std::int64_t>(connectivity.size()))
      throw InputError(
          fmt::format("cell {}: found offset {}; expected {} to {}", c, end, begin, connectivity.size()));
    corners.resize(static_cast<std::size_t>(end - begin));
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const std::int64_t point = connectivity.integer(static_cast<std::size_t>(begin) + k);
      if (point < 0 || point >= points)
        throw InputError(fmt::format("cell {}: found point {}; expected 0 to {}", c, point, points - 1));
      corners[k] = static_cast<std::int32_t>(first_point + point);
    }
    const std::int64_t type = types.integer(c);
    add_vtk_cell(mesh, type, corners, static_cast<Index>(c));
    in_order = in_order && (type == vtk_triangle || type == vtk_tetra) && type >= last_type;
    last_type = type;
    begin = end;
  }
  return in_order;
}

std::vector<MeshField> read_fields(File& file, const std::vector<VtuArray>& arrays, Index rows) {
  std::vector<MeshField> fields;
  for (const VtuArray& array : arrays) {
    const auto columns = static_cast<Index>(std::min<std::int64_t>(array.components, INT32_MAX));
    const VtuNumbers numbers = decode(file, array, static_cast<std::uint64_t>(rows * columns));
    if (static_cast<Index>(numbers.size()) != rows * columns)
      throw InputError(fmt::format("DataArray {}: found {} numbers; expected {} rows of {}",
                                   in_quotes(array.name), numbers.size(), rows, columns));
    MeshField field{.name = array.name, .values = {}};
    field.values.resize(rows, columns);
    for (std::size_t i = 0; i < numbers.size(); ++i) field.values.data()[i] = numbers.number(i);
    fields.push_back(std::move(field));
  }
  return fields;
}

MeshLists read_pieces(File& file, bool& in_order) {
  MeshLists mesh;
  in_order = file.pieces.size() == 1;
  for (const Piece& piece : file.pieces) {
    const std::int64_t first_point = mesh.vertex_count();
    if (piece.points > 0) read_points(file, piece, mesh);
    const bool piece_in_order = read_cells(file, piece, first_point, mesh);
    in_order = in_order && piece_in_order;
  }
  return mesh;
}

// === Writing

// The arrays in the order of the file. Raw data is announced by its offset and comes after all tags.
class Writer {
 public:
  Writer(OutputBuffer& out, bool binary) : out_(out), binary_(binary) {}

  template <class Number>
  void array(std::string_view type, const std::string& name, Index components, const Number* data,
             Index count) {
    out_ << "<DataArray type=\"" << type << "\" Name=\"" << xml_escaped(name) << "\" NumberOfComponents=\""
         << components << "\" format=\"";
    if (binary_) {
      const auto size = static_cast<std::size_t>(count) * sizeof(Number);
      out_ << "appended\" offset=\"" << offset_ << "\"/>\n";
      offset_ += sizeof(std::uint64_t) + size;
      appended_.push_back({data, size});
      return;
    }
    out_ << "ascii\">\n";
    for (Index i = 0; i < count; ++i) out_ << data[i] << ((i + 1) % components == 0 ? '\n' : ' ');
    out_ << "</DataArray>\n";
  }
  void fields(std::string_view section, const std::vector<MeshField>& fields) {
    if (fields.empty()) return;
    out_ << '<' << section << ">\n";
    for (const MeshField& field : fields)
      array("Float64", field.name, std::max<Index>(field.values.cols(), 1), field.values.data(),
            field.values.size());
    out_ << "</" << section << ">\n";
  }
  void appended_data() {
    if (!binary_) return;
    out_ << "<AppendedData encoding=\"raw\">\n_";
    for (const auto& [data, size] : appended_) {
      out_.raw(static_cast<std::uint64_t>(size));
      out_.bytes(data, size);
    }
    out_ << "\n</AppendedData>\n";
  }

 private:
  struct Block {
    const void* data;
    std::size_t size;
  };
  OutputBuffer& out_;
  bool binary_;
  std::size_t offset_ = 0;
  std::vector<Block> appended_;
};

}  // namespace

MeshData read_vtu(std::string_view bytes) {
  bool in_order = false;
  File file = read_structure(bytes);
  return read_pieces(file, in_order).finish();
}

VtuContent read_vtu_fields(std::string_view bytes) {
  File file = read_structure(bytes);
  bool in_order = false;
  VtuContent content;
  content.mesh = read_pieces(file, in_order).finish();
  if (in_order) {
    content.fields.vertices = read_fields(file, file.pieces[0].point_data, content.mesh.vertices.rows());
    content.fields.cells =
        read_fields(file, file.pieces[0].cell_data, content.mesh.triangles.rows() + content.mesh.tets.rows());
  }
  return content;
}

void write_vtu(std::ostream& out, const MeshData& mesh, const MeshFields& fields, bool binary) {
  const Index vertices = mesh.vertices.rows(), triangles = mesh.triangles.rows(), tets = mesh.tets.rows();
  const Index cells = triangles + tets;
  for (const auto& [list, rows, what] :
       {std::tuple{&fields.vertices, vertices, "vertices"}, std::tuple{&fields.cells, cells, "cells"}})
    for (const MeshField& field : *list)
      if (field.values.rows() != rows)
        throw InputError(fmt::format("write_vtu: field '{}' has {} rows; expected {}, one for each of the {}",
                                     field.name, field.values.rows(), rows, what));

  std::vector<std::int32_t> connectivity;
  connectivity.reserve(static_cast<std::size_t>(3 * triangles + 4 * tets));
  connectivity.assign(mesh.triangles.data(), mesh.triangles.data() + mesh.triangles.size());
  connectivity.insert(connectivity.end(), mesh.tets.data(), mesh.tets.data() + mesh.tets.size());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(cells));
  std::vector<std::uint8_t> types(static_cast<std::size_t>(cells), vtk_tetra);
  for (Index c = 0; c < cells; ++c)
    offsets[static_cast<std::size_t>(c)] =
        c < triangles ? 3 * (c + 1) : 3 * triangles + 4 * (c + 1 - triangles);
  std::fill_n(types.begin(), triangles, std::uint8_t{vtk_triangle});

  OutputBuffer buffer(out);
  Writer writer(buffer, binary);
  buffer << "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\""
         << vertices << "\" NumberOfCells=\"" << cells << "\">\n<Points>\n";
  writer.array("Float64", "Points", 3, mesh.vertices.data(), mesh.vertices.size());
  buffer << "</Points>\n<Cells>\n";
  writer.array("Int32", "connectivity", 1, connectivity.data(), static_cast<Index>(connectivity.size()));
  writer.array("Int64", "offsets", 1, offsets.data(), cells);
  writer.array("UInt8", "types", 1, types.data(), cells);
  buffer << "</Cells>\n";
  writer.fields("PointData", fields.vertices);
  writer.fields("CellData", fields.cells);
  buffer << "</Piece>\n</UnstructuredGrid>\n";
  writer.appended_data();
  buffer << "</VTKFile>\n";
  buffer.finish();
}

}  // namespace pliant
