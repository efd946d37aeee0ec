#include "pliant/io/vtk_cells.h"

#include <fmt/format.h>

#include "pliant/base/error.h"

namespace pliant {
namespace {

std::string name_of(std::int64_t type) {
  switch (type) {
    case 11:
      return "a voxel";
    case 12:
      return "a hexahedron";
    case 13:
      return "a wedge";
    case 14:
      return "a pyramid";
    case 22:
      return "a quadratic triangle";
    case 23:
      return "a quadratic quad";
    case 24:
      return "a quadratic tetrahedron";
    case 25:
      return "a quadratic hexahedron";
    case 42:
      return "a polyhedron";
    default:
      return fmt::format("a cell of type {}", type);
  }
}

}  // namespace

void add_vtk_cell(MeshLists& mesh, std::int64_t type, std::span<const std::int32_t> corners, Index cell) {
  const auto expect_corners = [&](std::size_t count, const char* name) {
    if (corners.size() != count)
      throw InputError(
          fmt::format("cell {}: found {} of {} points; expected {}", cell, name, corners.size(), count));
  };
  switch (type) {
    case 0:   // nothing
    case 1:   // vertex
    case 2:   // several vertices
    case 3:   // line
    case 4:   // several lines
    case 21:  // quadratic line
      return;
    case vtk_triangle:
      expect_corners(3, "a triangle");
      mesh.add_polygon(corners);
      return;
    case vtk_triangle_strip:
      // Every second triangle of a strip runs the other way round.
      for (std::size_t i = 2; i < corners.size(); ++i) {
        const std::int32_t a = corners[i - 2], b = corners[i - 1], c = corners[i];
        mesh.add_polygon(i % 2 == 0 ? std::array{a, b, c} : std::array{b, a, c});
      }
      return;
    case 7:  // polygon
      mesh.add_polygon(corners);
      return;
    case 8:  // pixel: a rectangle, row by row
      expect_corners(4, "a pixel");
      mesh.add_polygon(std::array{corners[0], corners[1], corners[3], corners[2]});
      return;
    case 9:
      expect_corners(4, "a quad");
      mesh.add_polygon(corners);
      return;
    case vtk_tetra:
      expect_corners(4, "a tetrahedron");
      mesh.add_tet(corners[0], corners[1], corners[2], corners[3]);
      return;
    default:
      throw InputError(fmt::format("cell {}: found {}; expected linear tetrahedra, triangles or polygons",
                                   cell, name_of(type)));
  }
}

}  // namespace pliant
