#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/io/gmsh.h"
#include "pliant/io/output_buffer.h"

namespace pliant {
namespace {

enum : std::int32_t { triangle = 2, tetrahedron = 4 };

// One geometric entity: everything belongs to surface 1 or volume 1.
constexpr std::int32_t entity = 1;

class Writer {
 public:
  Writer(std::ostream& out, const MeshData& mesh, bool binary) : out_(out), mesh_(mesh), binary_(binary) {}

  void write_2() {
    begin("2.2");
    out_ << "$Nodes\n" << mesh_.vertices.rows() << '\n';
    for (Index v = 0; v < mesh_.vertices.rows(); ++v) {
      integer(v + 1);
      position(v);
    }
    end_section("$EndNodes\n");
    out_ << "$Elements\n" << mesh_.triangles.rows() + mesh_.tets.rows() << '\n';
    Index number = 0;
    const auto write_cells = [&](std::int32_t type, const auto& cells) {
      if (cells.rows() > 0 && binary_)
        for (const Index value : {static_cast<Index>(type), cells.rows(), Index{2}}) integer(value);
      for (Index c = 0; c < cells.rows(); ++c) {
        integer(++number);
        if (!binary_)
          for (const Index value : {static_cast<Index>(type), Index{2}}) integer(value);
        integer(entity);  // physical group, then geometric entity
        integer(entity);
        for (Index k = 0; k < cells.cols(); ++k) integer(Index{cells(c, k)} + 1);
        end_line();
      }
    };
    write_cells(triangle, mesh_.triangles);
    write_cells(tetrahedron, mesh_.tets);
    end_section("$EndElements\n");
    out_.finish();
  }

  void write_4() {
    begin("4.1");
    const Index vertices = mesh_.vertices.rows(), triangles = mesh_.triangles.rows(),
                tets = mesh_.tets.rows();
    out_ << "$Nodes\n";
    for (const Index value : {Index{vertices > 0}, vertices, Index{vertices > 0}, vertices}) tag(value);
    end_line();
    if (vertices > 0) {
      for (const Index value : {Index{tets > 0 ? 3 : 2}, Index{entity}, Index{0}}) integer(value);
      tag(vertices);
      end_line();
      for (Index v = 0; v < vertices; ++v) {
        tag(v + 1);
        end_line();
      }
      for (Index v = 0; v < vertices; ++v) position(v);
    }
    end_section("$EndNodes\n");
    const Index cells = triangles + tets;
    out_ << "$Elements\n";
    for (const Index value : {Index{triangles > 0} + Index{tets > 0}, cells, Index{cells > 0}, cells})
      tag(value);
    end_line();
    Index number = 0;
    const auto write_cells = [&](Index dimension, std::int32_t type, const auto& list) {
      if (list.rows() == 0) return;
      for (const Index value : {dimension, Index{entity}, static_cast<Index>(type)}) integer(value);
      tag(list.rows());
      end_line();
      for (Index c = 0; c < list.rows(); ++c) {
        tag(++number);
        for (Index k = 0; k < list.cols(); ++k) tag(Index{list(c, k)} + 1);
        end_line();
      }
    };
    write_cells(2, triangle, mesh_.triangles);
    write_cells(3, tetrahedron, mesh_.tets);
    end_section("$EndElements\n");
    out_.finish();
  }

 private:
  void begin(std::string_view version) {
    out_ << "$MeshFormat\n" << version << (binary_ ? " 1 8\n" : " 0 8\n");
    if (binary_) out_.raw(std::int32_t{1});
    end_section("$EndMeshFormat\n");
  }
  void end_section(std::string_view name) {
    if (binary_) out_ << '\n';
    out_ << name;
  }
  void integer(Index value) { binary_ ? out_.raw(static_cast<std::int32_t>(value)) : text(value); }
  void tag(Index value) { binary_ ? out_.raw(static_cast<std::uint64_t>(value)) : text(value); }
  void text(Index value) {
    if (!at_line_start_) out_ << ' ';
    out_ << value;
    at_line_start_ = false;
  }
  void position(Index v) {
    for (int k = 0; k < 3; ++k) {
      if (binary_) {
        out_.raw(mesh_.vertices(v, k));
        continue;
      }
      if (!at_line_start_) out_ << ' ';
      out_ << mesh_.vertices(v, k);
      at_line_start_ = false;
    }
    end_line();
  }
  void end_line() {
    if (binary_) return;
    out_ << '\n';
    at_line_start_ = true;
  }

  OutputBuffer out_;
  const MeshData& mesh_;
  bool binary_;
  bool at_line_start_ = true;
};

}  // namespace

void write_gmsh(std::ostream& out, const MeshData& mesh, const GmshOptions& options) {
  Writer writer(out, mesh, options.binary);
  if (options.version == 22)
    writer.write_2();
  else if (options.version == 41)
    writer.write_4();
  else
    throw InputError(fmt::format("write_gmsh: found version {}; expected 22 or 41", options.version));
}

}  // namespace pliant
