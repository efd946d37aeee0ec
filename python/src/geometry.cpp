// Measures, checks, geodesics, samples, distance, embedding, tetrahedra.
#include "bind.h"
#include "pliant/geometry/embedding.h"
#include "pliant/geometry/geodesics.h"
#include "pliant/geometry/sampling.h"
#include "pliant/geometry/signed_distance.h"
#include "pliant/geometry/summary.h"
#include "pliant/geometry/tetrahedralize.h"
#include "pliant/geometry/validation.h"

namespace pliant::python {
namespace {

py::dict to_dict(const MeshSummary& s) {
  using namespace py::literals;
  return py::dict("vertices"_a = s.vertices, "triangles"_a = s.triangles, "tets"_a = s.tets,
                  "components"_a = s.components, "closed"_a = s.closed,
                  "box"_a = py::make_tuple(s.box.low, s.box.high), "area"_a = s.area, "volume"_a = s.volume,
                  "mean_edge"_a = s.mean_edge, "min_angle"_a = s.min_angle, "max_angle"_a = s.max_angle);
}

template <class Mesh>
void bind_for(py::module_& module) {
  module.def(
      "info",
      [](const Mesh& mesh) {
        MeshSummary summary;
        {
          const py::gil_scoped_release release;
          summary = summarize(mesh);
        }
        return to_dict(summary);
      },
      py::arg("mesh"),
      "What there is to know about a mesh at first sight, as a dict: vertices, triangles (of a solid: on "
      "its\n"
      "boundary), tets, components, closed, box, area, volume, mean_edge, min_angle, max_angle (degrees).");
  module.def(
      "geodesic_distance",
      [](const Mesh& mesh, const py::object& sources, double max_distance, int window) {
        const std::vector<int> ids = to_id_list(sources, "sources");
        const py::gil_scoped_release release;
        return geodesic_distance(mesh, ids, {.window = window, .max_distance = max_distance});
      },
      py::arg("mesh"), py::arg("sources"), py::arg("max_distance") = std::numeric_limits<double>::infinity(),
      py::arg("window") = GeodesicOptions{}.window,
      R"(Distance of every vertex to the nearest source, along a surface or through a solid, in metres.

sources: a vertex id or a list of them. Beyond max_distance, and where no path leads, infinity.
window: edges of a path that are straightened together; 1 is Dijkstra's algorithm.

    >>> d = pliant.geodesic_distance(mesh, [0, 17])
)");
  const auto sample = [](const Mesh& mesh, int count, const py::object& start, bool elements) {
    const std::vector<int> ids = to_id_list(start, "start");
    FurthestPoints samples;
    {
      const py::gil_scoped_release release;
      const FurthestPointOptions options{.count = count, .start = ids};
      samples = elements ? furthest_point_elements(mesh, options) : furthest_point_vertices(mesh, options);
    }
    const auto count_of = static_cast<py::ssize_t>(samples.ids.size());
    return py::make_tuple(py::array_t<int>(count_of, samples.ids.data()),
                          py::array_t<double>(count_of, samples.radius.data()));
  };
  module.def(
      "furthest_points",
      [sample](const Mesh& mesh, int count, const py::object& start) {
        return sample(mesh, count, start, false);
      },
      py::arg("mesh"), py::arg("count"), py::arg("start") = py::tuple(),
      R"(Vertices spread evenly by geodesic distance: each where the ones before are furthest away.

Returns (ids, radius): radius[i] is the largest distance of any vertex to the first i + 1 samples, in metres. start: ids
already chosen, kept first. Every connected component gets a sample before any gets its second.
)");
  module.def(
      "furthest_elements",
      [sample](const Mesh& mesh, int count, const py::object& start) {
        return sample(mesh, count, start, true);
      },
      py::arg("mesh"), py::arg("count"), py::arg("start") = py::tuple(),
      "Elements (tets or triangles) spread evenly, as furthest_points does with vertices: (ids, radius).");
  module.def(
      "validate",
      [](const Mesh& mesh) {
        const ValidationReport report = validate(mesh);
        return py::make_tuple(report.ok(), to_text(report));
      },
      py::arg("mesh"), "Whether a mesh is sound, and a readable report: (ok, text).");
  module.def(
      "repair",
      [](const Mesh& mesh) {
        auto repaired = repair(mesh);
        const std::string text = to_text(repaired.log);
        return py::make_tuple(std::move(repaired.mesh), text);
      },
      py::arg("mesh"),
      "A sound mesh and what had to be done: (mesh, text). Broken and duplicate elements and unused vertices "
      "are\n"
      "dropped, inverted tets turned round.");
}

}  // namespace

void bind_geometry(py::module_& module) {
  bind_for<TetMesh>(module);
  bind_for<TriMesh>(module);

  py::class_<Tetrahedralization>(module, "Tetrahedralization",
                                 "A solid, and what became of the surface it was made from.")
      .def_readonly("mesh", &Tetrahedralization::mesh, "The TetMesh.")
      .def_readonly("cell", &Tetrahedralization::cell, "Edge length at the surface, metres.")
      .def_readonly("min_dihedral", &Tetrahedralization::min_dihedral, "Degrees, over all tets.")
      .def_readonly("max_dihedral", &Tetrahedralization::max_dihedral, "Degrees, over all tets.")
      .def_readonly("shells", &Tetrahedralization::shells, "Open pieces that were given a thickness.")
      .def_readonly("components", &Tetrahedralization::components, "Pieces of the mesh.")
      .def_readonly("thin_fraction", &Tetrahedralization::thin_fraction,
                    "Of the area: thinner than two cells.")
      .def_readonly("thickened_fraction", &Tetrahedralization::thickened_fraction, "Of the area: thickened.")
      .def_readonly("max_thickening", &Tetrahedralization::max_thickening,
                    "Most that was added to a thickness, metres.")
      .def_readonly("removed_islands", &Tetrahedralization::removed_islands, "Crumbs that were left out.");
  module.def(
      "tetrahedralize",
      [](const TriMesh& surface, Index tets, double edge_length, bool graded, const std::string& open,
         const py::object& progress) {
        TetrahedralizeOptions options{.target_tets = tets,
                                      .edge_length = edge_length,
                                      .graded = graded,
                                      .progress = to_progress(progress)};
        if (open == "solid")
          options.open = OpenSurface::solid;
        else if (open == "shell")
          options.open = OpenSurface::shell;
        else if (open != "auto")
          throw InputError("tetrahedralize: open is '" + open + "'; expected 'auto', 'solid' or 'shell'");
        const py::gil_scoped_release release;
        return tetrahedralize(surface, options);
      },
      py::arg("surface"), py::arg("tets") = TetrahedralizeOptions{}.target_tets, py::arg("edge_length") = 0.0,
      py::arg("graded") = true, py::arg("open") = "auto", py::arg("progress") = py::none(),
      R"(Fills any triangle soup with good tetrahedra; holes, intersections and doubled faces do not matter.

tets: about how many; or edge_length in metres at the surface. graded: larger tets inside. open: whether an open surface
stands for a 'solid' or a 'shell'; 'auto' decides by its holes. progress: called with (phase, fraction).

    >>> solid = pliant.tetrahedralize(pliant.read_mesh("bunny.obj"), tets=100_000).mesh
)");
  module.def(
      "embed",
      [](const TetMesh& mesh, const py::object& points) {
        const Points rows = to_points(points, "points");
        const py::gil_scoped_release release;
        return embed(mesh, rows).matrix();
      },
      py::arg("mesh"), py::arg("points"),
      R"(How points are carried by the tets around them: a scipy matrix (p, n) with points = matrix @ mesh.vertices.

A point inside has the barycentric weights of its tet; one outside, those of the nearest tet, some of them negative, so
that every affine motion carries every point exactly.
)");
  module.def(
      "signed_distance",
      [](const TriMesh& surface, const py::object& points) {
        const Points rows = to_points(points, "points");
        const py::gil_scoped_release release;
        return SignedDistance(surface).evaluate(rows);
      },
      py::arg("surface"), py::arg("points"),
      "Distance of points to any triangle soup, in metres, negative inside. Holes, overlaps and duplicated "
      "faces do\n"
      "not matter: inside is where the winding number of the cleaned soup exceeds 1/2.");
  module.def(
      "winding_number",
      [](const TriMesh& surface, const py::object& points) {
        const Points rows = to_points(points, "points");
        const py::gil_scoped_release release;
        return WindingNumber(surface).evaluate(rows);
      },
      py::arg("surface"), py::arg("points"),
      "Generalized winding number of a triangle soup at points: 1 inside, 0 outside, in between near holes.");
}

}  // namespace pliant::python
