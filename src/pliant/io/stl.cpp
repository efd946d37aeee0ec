#include "pliant/io/stl.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>

#include "pliant/base/error.h"
#include "pliant/io/byte_reader.h"
#include "pliant/io/mesh_lists.h"
#include "pliant/io/output_buffer.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

constexpr std::size_t header_size = 84, facet_size = 50;

// Joins equal positions. A table of vertex ids with open addressing, at most half full.
class PositionMerger {
 public:
  explicit PositionMerger(MeshLists& mesh) : mesh_(mesh), table_(1024, -1) {}

  std::int32_t id(std::array<double, 3> p) {
    for (double& x : p) x += 0.0;  // -0 is 0
    if (2 * static_cast<std::size_t>(mesh_.vertex_count()) >= table_.size()) grow();
    for (std::size_t slot = slot_of(p);; slot = (slot + 1) & (table_.size() - 1)) {
      std::int32_t& id = table_[slot];
      if (id < 0) {
        id = static_cast<std::int32_t>(mesh_.vertex_count());
        mesh_.add_vertex(p[0], p[1], p[2]);
        return id;
      }
      if (bits(position(id)) == bits(p)) return id;
    }
  }

 private:
  // Compared bit by bit, so that even NaNs find themselves again.
  static std::array<std::uint64_t, 3> bits(const std::array<double, 3>& p) {
    return std::bit_cast<std::array<std::uint64_t, 3>>(p);
  }
  std::array<double, 3> position(std::int32_t id) const {
    const double* p = mesh_.coordinates.data() + 3 * static_cast<std::size_t>(id);
    return {p[0], p[1], p[2]};
  }
  // The best bits of a product are its highest: those of a float that became a double have zeros below.
  std::size_t slot_of(const std::array<double, 3>& p) const {
    std::uint64_t h = 0;
    for (const std::uint64_t word : bits(p)) h = (std::rotl(h, 23) ^ word) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ull;
    return static_cast<std::size_t>(h >> 32) & (table_.size() - 1);
  }
  void grow() {
    table_.assign(2 * table_.size(), -1);
    for (std::int32_t id = 0; id < mesh_.vertex_count(); ++id) {
      std::size_t slot = slot_of(position(id));
      while (table_[slot] >= 0) slot = (slot + 1) & (table_.size() - 1);
      table_[slot] = id;
    }
  }

  MeshLists& mesh_;
  std::vector<std::int32_t> table_;
};

MeshData read_binary(std::string_view bytes) {
  ByteReader reader(bytes);
  reader.take(80, "the header");
  const auto count = reader.read<std::uint32_t>("the number of facets");
  const std::string_view facets = reader.take_records(count, facet_size, "facets");

  MeshLists mesh;
  PositionMerger merger(mesh);
  mesh.triangles.reserve(std::size_t{3} * count);
  for (std::size_t f = 0; f < count; ++f) {
    const char* corner = facets.data() + facet_size * f + 12;  // after the normal
    for (int k = 0; k < 3; ++k, corner += 12)
      mesh.triangles.push_back(merger.id(
          {load<float>(corner, false), load<float>(corner + 4, false), load<float>(corner + 8, false)}));
  }
  return mesh.finish();
}

bool same_word(std::string_view a, std::string_view lower_case) {
  return a.size() == lower_case.size() &&
         std::equal(a.begin(), a.end(), lower_case.begin(),
                    [](char x, char y) { return std::tolower(static_cast<unsigned char>(x)) == y; });
}

MeshData read_text(std::string_view bytes) {
  TextScanner scanner(bytes);
  const auto expect = [&](std::string_view word) {
    if (!same_word(scanner.peek(), word)) scanner.fail(fmt::format("'{}'", word));
    scanner.word();
  };
  MeshLists mesh;
  PositionMerger merger(mesh);
  expect("solid");
  scanner.skip_line();  // its name
  while (true) {
    if (same_word(scanner.peek(), "endsolid")) {
      scanner.skip_line();
      if (scanner.at_end()) break;
      expect("solid");  // a file may hold several
      scanner.skip_line();
      continue;
    }
    if (!same_word(scanner.peek(), "facet")) scanner.fail("'facet' or 'endsolid'");
    scanner.word();
    expect("normal");
    for (int k = 0; k < 3; ++k) scanner.number("a normal");
    expect("outer");
    expect("loop");
    for (int k = 0; k < 3; ++k) {
      expect("vertex");
      const double x = scanner.number("a coordinate"), y = scanner.number("a coordinate"),
                   z = scanner.number("a coordinate");
      mesh.triangles.push_back(merger.id({x, y, z}));
    }
    expect("endloop");
    expect("endfacet");
  }
  return mesh.finish();
}

Vector3d unit_normal(const TriMesh& mesh, Index t) {
  const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                 c = mesh.vertices.row(mesh.triangles(t, 2));
  const Vector3d n = (b - a).cross(c - a);
  const double length = n.norm();
  return length > 0 ? Vector3d(n / length) : Vector3d(0, 0, 0);
}

}  // namespace

MeshData read_stl(std::string_view bytes) {
  const bool sized_as_binary =
      bytes.size() >= header_size &&
      bytes.size() == header_size + facet_size * load<std::uint32_t>(&bytes[80], false);
  std::size_t start = 0;
  while (start < bytes.size() && std::isspace(static_cast<unsigned char>(bytes[start]))) ++start;
  const bool begins_as_text = same_word(bytes.substr(start, 5), "solid");
  return begins_as_text && !sized_as_binary ? read_text(bytes) : read_binary(bytes);
}

void write_stl(std::ostream& out, const TriMesh& mesh, bool binary) {
  OutputBuffer buffer(out);
  if (binary) {
    std::array<char, 80> header{};
    constexpr std::string_view title = "binary STL written by Pliant";
    std::copy(title.begin(), title.end(), header.begin());
    buffer.bytes(header.data(), header.size());
    buffer.raw(static_cast<std::uint32_t>(mesh.triangle_count()));
  } else {
    buffer << "solid pliant\n";
  }
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const Vector3d n = unit_normal(mesh, t);
    if (binary) {
      for (int i = 0; i < 3; ++i) buffer.raw(static_cast<float>(n[i]));
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) buffer.raw(static_cast<float>(mesh.vertices(mesh.triangles(t, k), i)));
      buffer.raw(std::uint16_t{0});
    } else {
      buffer << "facet normal " << n[0] << ' ' << n[1] << ' ' << n[2] << "\nouter loop\n";
      for (int k = 0; k < 3; ++k) {
        const auto p = mesh.vertices.row(mesh.triangles(t, k));
        buffer << "vertex " << p[0] << ' ' << p[1] << ' ' << p[2] << '\n';
      }
      buffer << "endloop\nendfacet\n";
    }
  }
  if (!binary) buffer << "endsolid pliant\n";
  buffer.finish();
}

}  // namespace pliant
