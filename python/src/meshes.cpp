// Meshes as numpy arrays, and mesh files.
#include "bind.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/mesh_file.h"

namespace pliant::python {
namespace {

// A view of the mesh's own memory: assigning to elements changes the mesh. The array never moves, because the setters
// below keep its size.
template <class Mesh, class Matrix>
py::array view(const Matrix& matrix, const Mesh& owner) {
  using Scalar = typename Matrix::Scalar;
  return py::array_t<Scalar>({matrix.rows(), matrix.cols()}, matrix.data(), py::cast(&owner));
}

void move_vertices(Points& vertices, const py::object& array) {
  const Points moved = to_points(array, "vertices");
  if (moved.rows() != vertices.rows())
    throw InputError("vertices has " + std::to_string(moved.rows()) + " rows but the mesh has " +
                     std::to_string(vertices.rows()) + " vertices; make a new mesh to change their number");
  vertices = moved;
}

std::string describe(const TetMesh& mesh) {
  return "<pliant.TetMesh: " + std::to_string(mesh.vertex_count()) + " vertices, " +
         std::to_string(mesh.tet_count()) + " tets>";
}
std::string describe(const TriMesh& mesh) {
  return "<pliant.TriMesh: " + std::to_string(mesh.vertex_count()) + " vertices, " +
         std::to_string(mesh.triangle_count()) + " triangles>";
}

}  // namespace

py::object to_mesh(MeshData&& data) {
  if (data.has_tets()) return py::cast(TetMesh{std::move(data.vertices), std::move(data.tets)});
  return py::cast(TriMesh{std::move(data.vertices), std::move(data.triangles)});
}

void bind_meshes(py::module_& module) {
  py::class_<TetMesh>(module, "TetMesh", "A solid: `vertices` (n, 3) in metres and `tets` (m, 4), 0-based.")
      .def(py::init([](const py::object& vertices, const py::object& tets) {
             return TetMesh{to_points(vertices, "vertices"), to_ids<4>(tets, "tets")};
           }),
           py::arg("vertices"), py::arg("tets"))
      .def_property(
          "vertices", [](const TetMesh& mesh) { return view(mesh.vertices, mesh); },
          [](TetMesh& mesh, const py::object& array) { move_vertices(mesh.vertices, array); },
          "Positions, (n, 3) float64. A view: assigning to its elements moves the mesh.")
      .def_property_readonly(
          "tets", [](const TetMesh& mesh) { return view(mesh.tets, mesh); },
          "Vertex ids of each tetrahedron, (m, 4) int32. A view.")
      .def(
          "surface",
          [](const TetMesh& mesh) {
            Surface surface;
            {
              const py::gil_scoped_release release;
              surface = extract_surface(mesh);
            }
            return py::make_tuple(std::move(surface.mesh), surface.source);
          },
          "The boundary as (TriMesh, ids): vertex i of the surface is vertex ids[i] of this mesh.")
      .def("__repr__", [](const TetMesh& mesh) { return describe(mesh); })
      .def(py::pickle([](const TetMesh& mesh) { return py::make_tuple(mesh.vertices, mesh.tets); },
                      [](const py::tuple& state) {
                        return TetMesh{to_points(state[0], "vertices"), to_ids<4>(state[1], "tets")};
                      }));

  py::class_<TriMesh>(
      module, "TriMesh",
      "A surface or a soup of triangles: `vertices` (n, 3) in metres and `triangles` (t, 3), 0-based.")
      .def(py::init([](const py::object& vertices, const py::object& triangles) {
             return TriMesh{to_points(vertices, "vertices"), to_ids<3>(triangles, "triangles")};
           }),
           py::arg("vertices"), py::arg("triangles"))
      .def_property(
          "vertices", [](const TriMesh& mesh) { return view(mesh.vertices, mesh); },
          [](TriMesh& mesh, const py::object& array) { move_vertices(mesh.vertices, array); },
          "Positions, (n, 3) float64. A view: assigning to its elements moves the mesh.")
      .def_property_readonly(
          "triangles", [](const TriMesh& mesh) { return view(mesh.triangles, mesh); },
          "Vertex ids of each triangle, (t, 3) int32. A view.")
      .def("__repr__", [](const TriMesh& mesh) { return describe(mesh); })
      .def(py::pickle([](const TriMesh& mesh) { return py::make_tuple(mesh.vertices, mesh.triangles); },
                      [](const py::tuple& state) {
                        return TriMesh{to_points(state[0], "vertices"), to_ids<3>(state[1], "triangles")};
                      }));

  module.def(
      "read_mesh",
      [](const std::filesystem::path& path) {
        MeshData data;
        {
          const py::gil_scoped_release release;
          data = read_mesh(path);
        }
        return to_mesh(std::move(data));
      },
      py::arg("path"),
      R"(Reads a mesh file of any known format, also gzipped; the extension chooses the reader.

Returns a TetMesh where the file holds tetrahedra, otherwise a TriMesh. Vertices keep the file's order.
Raises pliant.InputError with the file, the line or byte, what was found and what was expected.

    >>> mesh = pliant.read_mesh("bunny.mesh.gz")
    >>> mesh.vertices.shape
)");

  const auto write = [](const std::filesystem::path& path, const MeshData& data, bool binary,
                        int msh_version) {
    write_mesh(path, data, {.binary = binary, .msh_version = msh_version});
  };
  module.def(
      "write_mesh",
      [write](const std::filesystem::path& path, const TetMesh& mesh, bool binary, int msh_version) {
        write(path, MeshData{mesh.vertices, Triangles(0, 3), mesh.tets}, binary, msh_version);
      },
      py::arg("path"), py::arg("mesh"), py::arg("binary") = true, py::arg("msh_version") = 41, ReleaseGil(),
      "Writes a mesh; the extension chooses the format. The file appears whole or not at all.");
  module.def(
      "write_mesh",
      [write](const std::filesystem::path& path, const TriMesh& mesh, bool binary, int msh_version) {
        write(path, MeshData{mesh.vertices, mesh.triangles, Tets(0, 4)}, binary, msh_version);
      },
      py::arg("path"), py::arg("mesh"), py::arg("binary") = true, py::arg("msh_version") = 41, ReleaseGil());
}

}  // namespace pliant::python
