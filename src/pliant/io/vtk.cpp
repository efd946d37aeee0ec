#include "pliant/io/vtk.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/io/byte_reader.h"
#include "pliant/io/letter_case.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"
#include "pliant/io/vtk_cells.h"

namespace pliant {
namespace {

// Cells as the file lists them: corners of cell i from offsets[i] to offsets[i + 1].
struct CellList {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> corners;
  std::optional<std::int64_t> type;  // of all cells, where the section says so
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes), text_(bytes) {}

  MeshData read() {
    read_header();
    while (!text_.at_end()) {
      const std::size_t start = text_.position();
      const std::string keyword = upper_case(text_.word());
      if (keyword == "POINTS") {
        read_points();
      } else if (keyword == "CELLS") {
        cells_ = read_cells();
      } else if (keyword == "CELL_TYPES") {
        read_types();
      } else if (keyword == "POLYGONS" || keyword == "TRIANGLE_STRIPS") {
        faces_.push_back(read_cells());
        faces_.back().type = keyword == "POLYGONS" ? 7 : 6;
      } else if (keyword == "VERTICES" || keyword == "LINES") {
        read_cells();
      } else if (keyword == "FIELD") {
        skip_fields();
      } else if (keyword == "METADATA") {
        text_.skip_line();
        while (text_.remaining() > 0 && !text_.line().empty()) {
        }
      } else if (keyword == "POINT_DATA" || keyword == "CELL_DATA") {
        break;  // the mesh is complete
      } else {
        text_.move_to(start);
        text_.fail("POINTS, CELLS, CELL_TYPES or POLYGONS");
      }
    }
    build();
    return mesh_.finish();
  }

 private:
  void read_header() {
    const std::string_view first = text_.line();
    if (first.substr(0, 22) != "# vtk DataFile Version")
      throw InputError(
          fmt::format("line 1: found {}; expected '# vtk DataFile Version ...'", in_quotes(first)));
    text_.line();  // a title
    const std::string form = upper_case(text_.peek());
    if (form != "ASCII" && form != "BINARY") text_.fail("ASCII or BINARY");
    binary_ = form == "BINARY";
    text_.skip_line();
    if (upper_case(text_.peek()) != "DATASET") text_.fail("DATASET");
    text_.word();
    if (const std::string kind = upper_case(text_.peek()); kind != "UNSTRUCTURED_GRID" && kind != "POLYDATA")
      text_.fail("UNSTRUCTURED_GRID or POLYDATA");
    text_.skip_line();
  }

  NumberKind read_kind() {
    using enum NumberKind;
    constexpr std::pair<std::string_view, NumberKind> names[] = {
        {"UNSIGNED_CHAR", uint8}, {"CHAR", int8},      {"UNSIGNED_SHORT", uint16}, {"SHORT", int16},
        {"UNSIGNED_INT", uint32}, {"INT", int32},      {"UNSIGNED_LONG", uint64},  {"LONG", int64},
        {"FLOAT", float32},       {"DOUBLE", float64}, {"VTKIDTYPE", int32},       {"VTKTYPEINT64", int64},
        {"VTKTYPEUINT64", uint64}};
    const std::string word = upper_case(text_.peek());
    for (const auto& [name, kind] : names)
      if (word == name) {
        text_.word();
        return kind;
      }
    text_.fail("a number type, as float or int");
  }

  // `count` numbers that begin on the next line, big-endian where they are binary. Each is at least two bytes
  // of text, so that memory asked for stays within what the file could fill.
  std::vector<double> read_reals(std::uint64_t count, NumberKind kind, const char* expected) {
    return read_numbers<double>(
        count, kind, expected, [&] { return text_.number(expected); }, load_as_double);
  }
  std::vector<std::int64_t> read_integers(std::uint64_t count, NumberKind kind, const char* expected) {
    return read_numbers<std::int64_t>(
        count, kind, expected, [&] { return text_.integer(expected); }, load_as_integer);
  }
  template <class T, class ReadText, class Load>
  std::vector<T> read_numbers(std::uint64_t count, NumberKind kind, const char* expected,
                              const ReadText& read_text, const Load& load_any) {
    text_.skip_line();
    std::vector<T> numbers;
    if (!binary_) {
      numbers.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(count, text_.remaining())));
      for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(read_text());
      return numbers;
    }
    ByteReader reader(bytes_, true, text_.position());
    const std::string_view data = reader.take_records(count, size_of(kind), expected);
    text_.move_to(reader.position());
    numbers.resize(static_cast<std::size_t>(count));
    const char* next = data.data();
    if (kind == NumberKind::int32)  // nearly all that there is, without asking for the kind each time
      for (T& number : numbers)
        number = static_cast<T>(load<std::int32_t>(std::exchange(next, next + 4), true));
    else
      for (T& number : numbers) number = load_any(kind, std::exchange(next, next + size_of(kind)), true);
    return numbers;
  }

  std::uint64_t read_count(const char* expected) {
    return static_cast<std::uint64_t>(text_.count(expected, 1));
  }

  void read_points() {
    if (mesh_.vertex_count() > 0) text_.fail("one section POINTS; here is a second");
    const std::uint64_t count = read_count("the number of points");
    const NumberKind kind = read_kind();
    mesh_.coordinates = read_reals(3 * count, kind, "a coordinate");
  }

  CellList read_cells() {
    const std::uint64_t first = read_count("the number of cells"),
                        second = read_count("the size of the cells");
    const std::size_t line_end = text_.position();
    text_.skip_line();
    CellList cells;
    if (upper_case(text_.rest().substr(0, 7)) == "OFFSETS") {
      // Version 5: one offset more than cells, then all corners.
      text_.word();
      cells.offsets = read_integers(first, read_kind(), "an offset");
      if (cells.offsets.empty()) cells.offsets.push_back(0);
      if (upper_case(text_.peek()) != "CONNECTIVITY") text_.fail("CONNECTIVITY");
      text_.word();
      cells.corners = read_integers(second, read_kind(), "a point");
    } else {
      // Before: each cell's number of corners, then the corners.
      text_.move_to(line_end);
      std::vector<std::int64_t> numbers = read_integers(second, NumberKind::int32, "a point");
      std::size_t corners = 0;  // moved to the front of the numbers
      for (std::size_t i = 0; i < numbers.size();) {
        const auto size = static_cast<std::uint64_t>(numbers[i++]);  // negative becomes huge
        if (size > numbers.size() - i)
          text_.fail_at(line_end, fmt::format("cell {} has {} points; expected 0 to {}",
                                              cells.offsets.size() - 1, numbers[i - 1], numbers.size() - i));
        for (const std::size_t end = i + static_cast<std::size_t>(size); i < end; ++i)
          numbers[corners++] = numbers[i];
        cells.offsets.push_back(static_cast<std::int64_t>(corners));
      }
      numbers.resize(corners);
      cells.corners = std::move(numbers);
      if (cells.offsets.size() - 1 != first)
        text_.fail_at(line_end, fmt::format("found {} cells in {} numbers; expected {}",
                                            cells.offsets.size() - 1, second, first));
    }
    for (std::size_t i = 0; i < cells.offsets.size(); ++i)
      if (const std::int64_t offset = cells.offsets[i];
          offset < (i > 0 ? cells.offsets[i - 1] : 0) ||
          offset > static_cast<std::int64_t>(cells.corners.size()))
        text_.fail_at(line_end, fmt::format("cell {} has offset {}; expected them to rise from 0 to {}", i,
                                            offset, cells.corners.size()));
    return cells;
  }

  void read_types() {
    types_ = read_integers(read_count("the number of cells"), NumberKind::int32, "a cell type");
  }

  void skip_fields() {
    text_.word_on_line();  // a name
    const std::uint64_t arrays = read_count("the number of arrays");
    text_.skip_line();
    for (std::uint64_t a = 0; a < arrays; ++a) {
      text_.word();  // a name
      const std::uint64_t components = read_count("the number of components"),
                          rows = read_count("the number of rows");
      // What does not fit is refused by the reading itself; the product of two counts does not overflow.
      read_reals(components * rows, read_kind(), "a number");
      if (upper_case(text_.peek()) == "METADATA") {
        text_.skip_line();
        while (text_.remaining() > 0 && !text_.line().empty()) {
        }
      }
    }
  }

  void build() {
    if (cells_.offsets.size() - 1 != types_.size())
      throw InputError(fmt::format("found {} cells and {} cell types; expected as many of both",
                                   cells_.offsets.size() - 1, types_.size()));
    add_cells(cells_);
    for (const CellList& list : faces_) add_cells(list);
  }

  void add_cells(const CellList& list) {
    std::vector<std::int32_t> corners;
    for (std::size_t c = 0; c + 1 < list.offsets.size(); ++c) {
      corners.clear();
      for (std::int64_t i = list.offsets[c]; i < list.offsets[c + 1]; ++i) {
        const std::int64_t point = list.corners[static_cast<std::size_t>(i)];
        if (point < 0 || point >= mesh_.vertex_count())
          throw InputError(
              fmt::format("cell {}: found point {}; expected 0 to {}", c, point, mesh_.vertex_count() - 1));
        corners.push_back(static_cast<std::int32_t>(point));
      }
      add_vtk_cell(mesh_, list.type ? *list.type : types_[c], corners, static_cast<Index>(c));
    }
  }

  std::string_view bytes_;
  TextScanner text_;
  bool binary_ = false;
  MeshLists mesh_;
  CellList cells_;
  std::vector<CellList> faces_;
  std::vector<std::int64_t> types_;
};

}  // namespace

MeshData read_vtk(std::string_view bytes) { return Reader(bytes).read(); }

void write_vtk(std::ostream& out, const MeshData& mesh, bool binary) {
  const Index triangles = mesh.triangles.rows(), tets = mesh.tets.rows(), cells = triangles + tets;
  OutputBuffer buffer(out);
  buffer << "# vtk DataFile Version 3.0\nwritten by Pliant\n"
         << (binary ? "BINARY" : "ASCII") << "\nDATASET UNSTRUCTURED_GRID\nPOINTS " << mesh.vertices.rows()
         << " double\n";
  const auto put = [&](auto value, bool ends_line) {
    if (binary)
      buffer.raw(value, true);
    else
      buffer << value << (ends_line ? '\n' : ' ');
  };
  for (Index i = 0; i < mesh.vertices.size(); ++i) put(mesh.vertices.data()[i], i % 3 == 2);
  buffer << "\nCELLS " << cells << ' ' << 4 * triangles + 5 * tets << '\n';
  const auto put_cells = [&](const auto& list) {
    for (Index c = 0; c < list.rows(); ++c) {
      put(static_cast<std::int32_t>(list.cols()), false);
      for (Index k = 0; k < list.cols(); ++k) put(list(c, k), k + 1 == list.cols());
    }
  };
  put_cells(mesh.triangles);
  put_cells(mesh.tets);
  buffer << "\nCELL_TYPES " << cells << '\n';
  for (Index c = 0; c < cells; ++c) put(std::int32_t{c < triangles ? vtk_triangle : vtk_tetra}, true);
  buffer << '\n';
  buffer.finish();
}

}  // namespace pliant
