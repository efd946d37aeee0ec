// Subspaces of recorded motion.
#include "bind.h"
#include "pliant/elasticity/body.h"
#include "pliant/io/frame_sequence.h"
#include "pliant/subspace/snapshot_blocks.h"
#include "pliant/subspace/splocs.h"

namespace pliant::python {
namespace {

std::vector<Points> to_frames(const py::object& frames) {
  std::vector<Points> out;
  for (const py::handle& frame : frames)
    out.push_back(to_points(py::reinterpret_borrow<py::object>(frame), "frames"));
  return out;
}

SnapshotBasis make(const Body& body, const py::object& frames, const std::string& kind, int components,
                   const std::string& coordinates, const std::string& appended, double tolerance, bool align,
                   double inner, double outer, const py::object& regions, double sparsity, int iterations,
                   const py::object& progress) {
  const std::vector<Points> list = to_frames(frames);
  std::vector<int> labels;
  if (!regions.is_none()) labels = to_id_list(regions, "regions");
  SnapshotPcaOptions options;
  options.components = components, options.tolerance = tolerance;
  options.coordinates = snapshot_coordinates(coordinates), options.appended = appended_motions(appended);
  options.progress = to_progress(progress);
  const SupportOptions supports{.inner = inner, .outer = outer, .regions = labels};
  const py::gil_scoped_release release;
  const Points& rest = body.rest_positions();
  const SnapshotFrames given = frames_of(list);
  const SnapshotFrames recorded = align ? aligned_frames(given, rest, body.masses()) : given;
  if (kind == "pca") return snapshot_pca(recorded, rest, body.masses(), options);
  if (kind != "localized" && kind != "splocs")
    throw InputError("snapshot_basis: kind is '" + kind + "'; expected pca, localized or splocs");
  GeodesicSolver solver = body.is_shell() ? GeodesicSolver(TriMesh{rest, body.triangles()})
                                          : GeodesicSolver(TetMesh{rest, body.tets()});
  if (kind == "localized") return localized_pca(recorded, rest, body.masses(), solver, options, supports);
  return splocs(recorded, rest, body.masses(), solver, options, supports,
                {.sparsity = sparsity, .iterations = iterations});
}

}  // namespace

void bind_snapshots(py::module_& module) {
  py::class_<SnapshotBasis, std::shared_ptr<SnapshotBasis>>(
      module, "SnapshotBasis",
      "x = rest + U q, U from recorded motion. q is (k, 3) for shared and separate coordinates, (k, 1) for "
      "joint ones.")
      .def_readonly("rest", &SnapshotBasis::rest)
      .def_readonly("U", &SnapshotBasis::U, "A list of matrices: one, or three for separate coordinates.")
      .def_readonly("appended", &SnapshotBasis::appended, "Columns that came before those of snapshots.")
      .def_readonly("singular_values", &SnapshotBasis::singular_values, "Of global components, descending.")
      .def_readonly("centers", &SnapshotBasis::centers, "Of local components: a vertex each.")
      .def_property_readonly("coordinates",
                             [](const SnapshotBasis& b) { return std::string(name(b.coordinates)); })
      .def_property_readonly("degrees_of_freedom", &SnapshotBasis::degrees_of_freedom)
      .def(
          "positions",
          [](const SnapshotBasis& basis, const MatrixXd& q) {
            const Index width = basis.coordinates == SnapshotCoordinates::joint ? 1 : 3;
            if (q.rows() != basis.columns() || q.cols() != width)
              throw InputError("coordinates are (" + std::to_string(q.rows()) + ", " +
                               std::to_string(q.cols()) + "); expected (" + std::to_string(basis.columns()) +
                               ", " + std::to_string(width) + ")");
            return positions(basis, q);
          },
          py::arg("q"))
      .def(
          "project",
          [](const SnapshotBasis& basis, const VectorXd& masses, const py::object& x) {
            const Points points = to_points(x, "positions");
            if (points.rows() != basis.rest.rows() || masses.size() != basis.rest.rows())
              throw InputError("project: expected a mass and a position for each vertex");
            return SnapshotProjector(basis, masses)(points);
          },
          py::arg("masses"), py::arg("positions"),
          "The nearest coordinates in the inner product of the masses.")
      .def(
          "error",
          [](const SnapshotBasis& basis, const VectorXd& masses, const py::object& frames) {
            const std::vector<Points> list = to_frames(frames);
            if (!list.empty() && list[0].rows() != basis.rest.rows())
              throw InputError("error: frames of another mesh");
            return projection_error(basis, masses, frames_of(list));
          },
          py::arg("masses"), py::arg("frames"), "What it cannot say of frames, relative to their motion.");
  module.def(
      "snapshot_basis", &make, py::arg("body"), py::arg("frames"), py::kw_only(),
      py::arg("kind") = "localized", py::arg("components") = 200, py::arg("coordinates") = "shared",
      py::arg("appended") = "affine", py::arg("tolerance") = 0.0, py::arg("align") = false,
      py::arg("inner") = SupportOptions().inner, py::arg("outer") = SupportOptions().outer,
      py::arg("regions") = py::none(), py::arg("sparsity") = SplocsOptions().sparsity,
      py::arg("iterations") = SplocsOptions().iterations, py::arg("progress") = py::none(),
      R"(A subspace from recorded motion: frames is a sequence of (n, 3) positions of the body's vertices.

kind: pca (components of the whole body), localized (each around a vertex), splocs (sparse as well).
coordinates: shared (one scalar basis for x, y and z), separate (three), joint (vectors).
appended: none, translations, or affine motions, which are in the span whatever was recorded.
align: frames are turned and moved as a whole to the rest shape first, so that only deformation is left.
inner, outer: where local components act, in box diagonals; or regions, a number a vertex.

    >>> basis = pliant.snapshot_basis(body, frames, components=100)
    >>> model = pliant.reduce_hrpd(body, basis=basis)
)");
  module.def(
      "read_frames",
      [](const py::object& files) {
        std::vector<std::filesystem::path> paths;
        if (py::isinstance<py::str>(files) || py::hasattr(files, "__fspath__"))
          paths.push_back(files.cast<std::filesystem::path>());
        else
          for (const py::handle& file : files) paths.push_back(file.cast<std::filesystem::path>());
        Snapshots read;
        {
          const py::gil_scoped_release release;
          read = read_frame_sequence(paths);
        }
        const Index n = read.frames.empty() ? 0 : read.frames.front().rows();
        py::array_t<double> out({static_cast<Index>(read.frames.size()), n, Index{3}});
        for (std::size_t f = 0; f < read.frames.size(); ++f)
          std::copy_n(read.frames[f].data(), 3 * n, out.mutable_data(static_cast<Index>(f), 0, 0));
        return out;
      },
      py::arg("files"),
      "Positions (frames, n, 3) of a file (.pc2, .npy, .safetensors of `pliant snapshots record`), or of "
      "mesh files of the "
      "same vertices, one a frame. Any may be gzipped.");
}

}  // namespace pliant::python
