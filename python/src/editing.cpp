// Editing: poses under handles, in a subspace and in full space.
#include "bind.h"
#include "pliant/editing/full_pose.h"
#include "pliant/editing/pose_editing.h"
#include "pliant/scene/handles_file.h"

namespace pliant::python {
namespace {

/// The editor with all that it refers to.
struct Editor {
  std::shared_ptr<const Body> body;
  std::shared_ptr<const DenseBasis> basis;
  std::shared_ptr<const ReducedFem> model;  // instead of both
  PoseEditor editor;

  Editor(std::shared_ptr<const Body> b, std::shared_ptr<const DenseBasis> s)
      : body(std::move(b)), basis(std::move(s)), editor(*basis, exact_energy(*body, *basis)) {
    if (basis->vertex_count() != body->vertex_count())
      throw InputError("PoseEditor: the basis has " + std::to_string(basis->vertex_count()) +
                       " vertices, the body " + std::to_string(body->vertex_count()));
  }
  explicit Editor(std::shared_ptr<const ReducedFem> m) : model(std::move(m)), editor(*model) {}

  HandleBody handle_body() const {
    if (model) return {model->rest_positions, model->fixed, handle_stiffness(*model)};
    return {body->rest_positions(), body->fixed(), handle_stiffness(*basis)};
  }
};

/// Handles of a file, or of a dict that says the same.
void load_handles(Editor& e, const py::object& handles) {
  const HandleBody body = e.handle_body();
  HandlesFile file;
  if (py::isinstance<py::dict>(handles))
    file = read_handles_text(py::module_::import("json").attr("dumps")(handles).cast<std::string>(), body);
  else
    file = read_handles(handles.cast<std::filesystem::path>(), body);
  e.editor.set_handles(std::move(file.handles), {.samples = file.samples, .stiffness = body.stiffness});
}

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
      .def_readwrite("rotation", &Handle::rotation)
      .def_readonly("stiffness", &Handle::stiffness);
  py::class_<PoseReport>(module, "PoseReport", "How an edit went.")
      .def_readonly("converged", &PoseReport::converged)
      .def_readonly("iterations", &PoseReport::iterations)
      .def_readonly("evaluations", &PoseReport::evaluations, "of the elastic energy and its gradient")
      .def_readonly("elastic", &PoseReport::elastic, "joules")
      .def_readonly("springs", &PoseReport::springs, "joules")
      .def_readonly("residual", &PoseReport::residual,
                    "the gradient that is left, over what the springs pull with at rest")
      .def_readonly("handle_error", &PoseReport::handle_error,
                    "metres: root mean square of what springs lack to where they are pulled");
  py::class_<Editor>(
      module, "PoseEditor",
      "Poses of a body within a subspace under handles: minima of elastic energy and springs, by BFGS.")
      .def(py::init<std::shared_ptr<const Body>, std::shared_ptr<const DenseBasis>>(), py::arg("body"),
           py::arg("basis"), "With all elements of the body.")
      .def(py::init([](const std::shared_ptr<ReducedFem>& model) { return std::make_unique<Editor>(model); }),
           py::arg("model"), "With the subspace and the forces of a model, which is all it needs.")
      .def("load_handles", &load_handles, py::arg("handles"),
           "Handles of a .json file as `pliant edit` reads it, or of a dict that says the same.")
      .def_property_readonly(
          "handles", [](const Editor& e) { return e.editor.handles(); }, "as they are now")
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
          "positions",
          [](const Editor& e) {
            return e.model ? positions(*e.model, e.editor.q()) : positions(*e.basis, e.editor.q());
          },
          "(n, 3), metres");
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
  module.def(
      "handle_stiffness", [](const ReducedFem& model) { return handle_stiffness(model); }, py::arg("model"));
}

}  // namespace pliant::python
