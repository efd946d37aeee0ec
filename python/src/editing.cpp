// Editing: poses under handles, in a subspace and in full space.
#include "bind.h"
#include "pliant/editing/full_pose.h"
#include "pliant/editing/pose_editing.h"

namespace pliant::python {
namespace {

/// The editor with all that it refers to.
struct Editor {
  std::shared_ptr<const Body> body;
  std::shared_ptr<const DenseBasis> basis;
  PoseEditor editor;

  Editor(std::shared_ptr<const Body> b, std::shared_ptr<const DenseBasis> s)
      : body(std::move(b)), basis(std::move(s)), editor(*basis, exact_energy(*body, *basis)) {
    if (basis->vertex_count() != body->vertex_count())
      throw InputError("PoseEditor: the basis has " + std::to_string(basis->vertex_count()) +
                       " vertices, the body " + std::to_string(body->vertex_count()));
  }
};

Handle make_handle(const py::object& vertices, const Vector3d& translation, const Vector3d& rotation,
                   const std::optional<Vector3d>& centre, double stiffness) {
  return {.vertices = to_id_list(vertices, "vertices"),
          .translation = translation,
          .rotation = rotation,
          .centre = centre,
          .stiffness = stiffness};
}

}  // namespace

void bind_editing(py::module_& module) {
  py::class_<Handle>(module, "Handle", "A region of a body that is moved and turned as a whole.")
      .def(py::init(&make_handle), py::arg("vertices"), py::kw_only(),
           py::arg("translation") = Vector3d(0, 0, 0), py::arg("rotation") = Vector3d(0, 0, 0),
           py::arg("centre") = py::none(), py::arg("stiffness") = 0.0,
           "vertices: ids; translation (m); rotation: axis times angle (radians) about `centre` (without it, "
           "the "
           "middle of the region); stiffness (N/m) of its springs together, 0: firm.")
      .def_readonly("vertices", &Handle::vertices)
      .def_readwrite("translation", &Handle::translation)
      .def_readwrite("rotation", &Handle::rotation);
  py::class_<PoseReport>(module, "PoseReport", "How an edit went.")
      .def_readonly("converged", &PoseReport::converged)
      .def_readonly("iterations", &PoseReport::iterations)
      .def_readonly("evaluations", &PoseReport::evaluations, "of the elastic energy and its gradient")
      .def_readonly("elastic", &PoseReport::elastic, "joules")
      .def_readonly("springs", &PoseReport::springs, "joules");
  py::class_<Editor>(
      module, "PoseEditor",
      "Poses of a body within a subspace under handles: minima of elastic energy and springs, by BFGS.")
      .def(py::init<std::shared_ptr<const Body>, std::shared_ptr<const DenseBasis>>(), py::arg("body"),
           py::arg("basis"))
      .def(
          "set_handles",
          [](Editor& e, const std::vector<Handle>& handles, int samples, double stiffness) {
            e.editor.set_handles(handles, {.samples = samples, .stiffness = stiffness});
          },
          py::arg("handles"), py::arg("samples") = 150, py::arg("stiffness") = 0.0,
          "samples: springs of a handle, at most; stiffness (N/m) of a handle's springs together, 0: firm.")
      .def(
          "move_handle",
          [](Editor& e, int handle, const Vector3d& translation, const Vector3d& rotation) {
            e.editor.move_handle(handle, translation, rotation);
          },
          py::arg("handle"), py::arg("translation") = Vector3d(0, 0, 0),
          py::arg("rotation") = Vector3d(0, 0, 0), "From where it is at rest.")
      .def(
          "solve",
          [](Editor& e, int max_iterations, double tolerance, int steps) {
            const py::gil_scoped_release release;
            return e.editor.solve({.max_iterations = max_iterations, .tolerance = tolerance, .steps = steps});
          },
          py::arg("max_iterations") = 1000, py::arg("tolerance") = 1e-6, py::arg("steps") = 1,
          "From the present pose; with several steps from rest, handles on their way (for large turns).")
      .def_property(
          "q", [](const Editor& e) { return e.editor.q(); },
          [](Editor& e, const VectorXd& q) { e.editor.set_q(q); }, "(d,): the pose")
      .def_property_readonly(
          "positions", [](const Editor& e) { return positions(*e.basis, e.editor.q()); }, "(n, 3), metres");
  module.def(
      "solve_full_pose",
      [](const Body& body, const std::vector<Handle>& handles, double stiffness, int samples, int steps,
         int max_iterations, double tolerance, const py::object& progress) {
        FullPoseOptions options;
        options.steps = steps;
        options.max_iterations = max_iterations;
        options.tolerance = tolerance;
        options.progress = to_progress(progress);
        FullPose pose;
        {
          const py::gil_scoped_release release;
          const HandleSprings springs =
              sample_handles(body.rest_positions(), handles, {.samples = samples, .stiffness = stiffness});
          pose = solve_full_pose(body, handles, springs, options);
        }
        return std::pair(pose.positions, pose.report);
      },
      py::arg("body"), py::arg("handles"), py::arg("stiffness"), py::arg("samples") = 150,
      py::arg("steps") = 10, py::arg("max_iterations") = 200, py::arg("tolerance") = 1e-7,
      py::arg("progress") = py::none(),
      "The same edit on all vertices, by Newton: (positions, report). stiffness (N/m) as that of the editor: "
      "see "
      "handle_stiffness.");
  module.def(
      "handle_stiffness", [](const DenseBasis& basis) { return handle_stiffness(basis); }, py::arg("basis"),
      "N/m by which a handle as a whole is held firmly: 300 times what the slowest mode resists.");
}

}  // namespace pliant::python
