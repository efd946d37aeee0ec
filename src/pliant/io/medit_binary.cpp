#include "pliant/io/medit_binary.h"

#include <fmt/format.h>

#include <array>

#include "pliant/io/byte_reader.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"

namespace pliant {
namespace {

// A file is a chain of sections: keyword, position of the next section, count, records.
enum Keyword : std::int32_t {
  dimension = 3,
  vertices = 4,
  triangles = 6,
  quadrilaterals = 7,
  tetrahedra = 8,
  prisms = 9,
  hexahedra = 10,
  pyramids = 49,
  end_of_file = 54
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes), input_(bytes) {}

  MeshData read() {
    const auto one = input_.read<std::int32_t>("the number 1");
    if (one == 0x01000000)
      input_ = ByteReader(bytes_, true, 4);
    else if (one != 1)
      input_.fail_at(0, fmt::format("found {}; expected the number 1", one));
    version_ = input_.read<std::int32_t>("a version");
    if (version_ < 1 || version_ > 4)
      input_.fail_at(4, fmt::format("found version {}; expected 1 to 4", version_));

    while (input_.remaining() > 0) {
      const std::size_t start = input_.position();
      const auto keyword = input_.read<std::int32_t>("a keyword");
      if (keyword == end_of_file) break;
      const std::int64_t next =
          version_ >= 3 ? input_.read<std::int64_t>("a position") : input_.read<std::int32_t>("a position");
      read_section(keyword);
      if (next == 0) break;
      // Only forward, past what was read: a chain that turns back would never end, one that overlaps would grow.
      if (next < static_cast<std::int64_t>(input_.position()) ||
          next > static_cast<std::int64_t>(bytes_.size()))
        input_.fail_at(start, fmt::format("found the next section at byte {}; expected {} to {}", next,
                                          input_.position(), bytes_.size()));
      input_ = ByteReader(bytes_, input_.swaps(), static_cast<std::size_t>(next));
    }
    if (highest_.index >= mesh_.vertex_count())
      input_.fail_at(highest_.position, fmt::format("found vertex {}; expected 1 to {}", highest_.index + 1,
                                                    mesh_.vertex_count()));
    return mesh_.finish();
  }

 private:
  std::int64_t integer(const char* expected) {
    return version_ >= 4 ? input_.read<std::int64_t>(expected) : input_.read<std::int32_t>(expected);
  }
  double real(const char* expected) {
    return version_ >= 2 ? input_.read<double>(expected) : static_cast<double>(input_.read<float>(expected));
  }

  void read_section(std::int32_t keyword) {
    switch (keyword) {
      case dimension:
        if (const auto value = input_.read<std::int32_t>("a dimension"); value != 3)
          input_.fail(fmt::format("found dimension {}; expected 3", value));
        return;
      case vertices:
        return read_vertices();
      case triangles:
        return read_cells(3, false);
      case quadrilaterals:
        return read_cells(4, false);
      case tetrahedra:
        return read_cells(4, true);
      case prisms:
      case hexahedra:
      case pyramids:
        if (integer("a count") != 0)
          input_.fail(fmt::format("found {}; expected tetrahedra", keyword == prisms      ? "prisms"
                                                                   : keyword == hexahedra ? "hexahedra"
                                                                                          : "pyramids"));
        return;
      default:
        return;  // the next section's position leads past it
    }
  }

  std::size_t integer_size() const { return version_ >= 4 ? 8 : 4; }
  Index checked_count(std::size_t bytes_each) {
    const std::int64_t count = integer("a count");
    if (count < 0 || count > INT32_MAX || static_cast<std::uint64_t>(count) > input_.remaining() / bytes_each)
      input_.fail(fmt::format("found a count of {}; expected at most {}, for which there is room", count,
                              input_.remaining() / bytes_each));
    return static_cast<Index>(count);
  }

  void read_vertices() {
    if (mesh_.vertex_count() > 0) input_.fail("found a second section of vertices; expected one");
    const Index count = checked_count(3 * (version_ >= 2 ? 8 : 4) + integer_size());
    mesh_.coordinates.reserve(static_cast<std::size_t>(3 * count));
    for (Index v = 0; v < count; ++v) {
      const double x = real("a coordinate"), y = real("a coordinate"), z = real("a coordinate");
      mesh_.add_vertex(x, y, z);
      integer("a reference number");
    }
  }

  void read_cells(int corner_count, bool are_tets) {
    const Index count = checked_count((static_cast<std::size_t>(corner_count) + 1) * integer_size());
    std::array<std::int32_t, 4> corners{};
    for (Index c = 0; c < count; ++c) {
      for (int k = 0; k < corner_count; ++k) {
        const std::int64_t vertex = integer("a vertex");
        if (vertex < 1 || vertex > INT32_MAX)
          input_.fail(fmt::format("found vertex {}; expected 1 or more", vertex));
        highest_.see(vertex - 1, input_.position());
        corners[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(vertex - 1);
      }
      integer("a reference number");
      if (are_tets)
        mesh_.add_tet(corners[0], corners[1], corners[2], corners[3]);
      else
        mesh_.add_polygon({corners.data(), static_cast<std::size_t>(corner_count)});
    }
  }

  std::string_view bytes_;
  ByteReader input_;
  std::int32_t version_ = 0;
  MeshLists mesh_;
  HighestIndex highest_;
};

}  // namespace

MeshData read_medit_binary(std::string_view bytes) { return Reader(bytes).read(); }

void write_medit_binary(std::ostream& out, const MeshData& mesh) {
  OutputBuffer buffer(out);
  std::int64_t position = 8;
  const auto begin = [&](Keyword keyword, std::int64_t bytes) {
    position += 12 + bytes;
    buffer.raw(static_cast<std::int32_t>(keyword));
    buffer.raw(position);
  };
  const auto put_cells = [&](Keyword keyword, const auto& cells) {
    if (cells.rows() == 0) return;
    begin(keyword, 4 + 4 * cells.rows() * (cells.cols() + 1));
    buffer.raw(static_cast<std::int32_t>(cells.rows()));
    for (Index c = 0; c < cells.rows(); ++c) {
      for (Index k = 0; k < cells.cols(); ++k) buffer.raw(cells(c, k) + 1);
      buffer.raw(std::int32_t{0});
    }
  };
  buffer.raw(std::int32_t{1});
  buffer.raw(std::int32_t{3});
  begin(dimension, 4);
  buffer.raw(std::int32_t{3});
  begin(vertices, 4 + 28 * mesh.vertices.rows());
  buffer.raw(static_cast<std::int32_t>(mesh.vertices.rows()));
  for (Index v = 0; v < mesh.vertices.rows(); ++v) {
    for (int k = 0; k < 3; ++k) buffer.raw(mesh.vertices(v, k));
    buffer.raw(std::int32_t{0});
  }
  put_cells(triangles, mesh.triangles);
  put_cells(tetrahedra, mesh.tets);
  buffer.raw(static_cast<std::int32_t>(end_of_file));
  buffer.raw(std::int64_t{0});
  buffer.finish();
}

}  // namespace pliant
