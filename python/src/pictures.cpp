// Pictures of meshes.
#include "bind.h"
#include "pliant/geometry/render.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/write_png.h"

namespace pliant::python {
namespace {

std::vector<RenderObject> objects_of(const py::object& mesh, const std::string& cut, const py::object& colors,
                                     bool edges) {
  if (!cut.empty() && (cut.size() != 1 || cut[0] < 'x' || cut[0] > 'z'))
    throw InputError("render: cut is '" + cut + "'; expected 'x', 'y', 'z' or ''");
  std::vector<RenderObject> objects;
  if (py::isinstance<TetMesh>(mesh) && !cut.empty()) {
    objects = cut_away(mesh.cast<const TetMesh&>(), {.normal = Vector3d::Unit(cut[0] - 'x')});
  } else {
    RenderObject object;
    Points vertex_colors;
    if (!colors.is_none()) vertex_colors = to_points(colors, "colors");
    if (py::isinstance<TetMesh>(mesh)) {
      Surface surface = extract_surface(mesh.cast<const TetMesh&>());
      if (vertex_colors.rows() == mesh.cast<const TetMesh&>().vertex_count() && vertex_colors.rows() > 0)
        vertex_colors = Points(vertex_colors(surface.source, Eigen::all));
      object.mesh = std::move(surface.mesh);
    } else {
      object.mesh = mesh.cast<const TriMesh&>();
    }
    object.vertex_colors = std::move(vertex_colors);
    objects.push_back(std::move(object));
  }
  if (edges)
    for (RenderObject& object : objects) object.edges = true;
  return objects;
}

}  // namespace

void bind_pictures(py::module_& module) {
  module.def(
      "render",
      [](const py::object& mesh, const std::optional<std::filesystem::path>& path, int width, int height,
         int samples, double azimuth, double elevation, bool edges, const std::string& cut,
         const py::object& colors, bool dark) {
        const std::vector<RenderObject> objects = objects_of(mesh, cut, colors, edges);
        RenderOptions options;
        options.width = width;
        options.height = height;
        options.samples = samples;
        options.azimuth = azimuth;
        options.elevation = elevation;
        options.dark = dark;
        options.progress = to_progress(py::none());
        Image image;
        {
          const py::gil_scoped_release release;
          image = render(objects, options);
          if (path) write_png(*path, image);
        }
        return py::array_t<std::uint8_t>({image.height, image.width, image.channels}, image.pixels.data());
      },
      py::arg("mesh"), py::arg("path") = py::none(), py::arg("width") = RenderOptions{}.width,
      py::arg("height") = RenderOptions{}.height, py::arg("samples") = RenderOptions{}.samples,
      py::arg("azimuth") = RenderOptions{}.azimuth, py::arg("elevation") = RenderOptions{}.elevation,
      py::arg("edges") = false, py::arg("cut") = "", py::arg("colors") = py::none(), py::arg("dark") = false,
      R"(A picture of a mesh, ray traced: (height, width, 3) uint8, also written as a PNG where a path is given.

edges: draw the mesh's edges. cut: 'x', 'y' or 'z' cuts a solid open. colors: (n, 3) sRGB from 0 to 1, one a vertex.

    >>> pliant.render(squid, "squid.png", cut="z", edges=True)
)");
}

}  // namespace pliant::python
