// Scenes: loaded from JSON, stepped, run to files.
#include "bind.h"
#include "pliant/scene/scene.h"
#include "pliant/scene/scene_schema.h"
#include "pliant/scene/simulate.h"

namespace pliant::python {
namespace {

py::object from_json(const Json& json) {
  return py::module_::import("json").attr("loads")(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Scene load(const py::object& scene, const std::optional<std::filesystem::path>& folder,
           const py::object& progress) {
  const Progress report = to_progress(progress);
  if (py::isinstance<py::dict>(scene)) {
    const auto text = py::module_::import("json").attr("dumps")(scene).cast<std::string>();
    const py::gil_scoped_release release;
    return Scene::from_text(text, folder.value_or(""), report);
  }
  const auto path = scene.cast<std::filesystem::path>();
  const py::gil_scoped_release release;
  return Scene::load(path, report);
}

py::dict run(Scene& scene, const std::vector<std::filesystem::path>& outputs,
             const std::optional<std::filesystem::path>& csv, int frames,
             const std::optional<std::filesystem::path>& checkpoint, int checkpoint_every, bool resume,
             const py::object& progress) {
  SimulateOptions options;
  options.outputs = outputs;
  options.csv = csv.value_or("");
  options.frames = frames;
  options.checkpoint = checkpoint.value_or("");
  options.checkpoint_every = checkpoint_every;
  options.resume = resume;
  options.progress = to_progress(progress);
  SimulateReport report;
  {
    const py::gil_scoped_release release;
    report = simulate(scene, options);
  }
  py::dict phases;
  for (const PhaseTime& phase : report.phases) phases[py::str(phase.name)] = phase.milliseconds;
  py::list files;
  for (const AnimationReport& animation : report.animations)
    for (const auto& file : animation.files) files.append(file);
  py::dict result;
  result["frames"] = report.frames;
  result["resumed_frame"] = report.resumed_frame;
  result["seconds"] = report.seconds;
  result["steps"] = report.steps;
  result["unconverged_steps"] = report.unconverged_steps;
  result["phases_ms"] = phases;
  result["files"] = files;
  return result;
}

std::vector<const Simulator*> simulators_of(Scene& scene) {
  std::vector<const Simulator*> all;
  for (SceneBody& body : scene.bodies()) all.push_back(body.simulator.get());
  return all;
}

/// As in_use, with the simulators of all bodies.
template <class R>
auto bodies_in_use(R (Scene::*method)()) {
  return [method](Scene& scene) -> R {
    const InUse guard(simulators_of(scene));
    const py::gil_scoped_release release;
    return (scene.*method)();
  };
}

}  // namespace

void bind_scenes(py::module_& module) {
  py::class_<Scene>(module, "Scene",
                    "Bodies, obstacles and a script: Scene('scenes/twist.json') or Scene({...}).")
      .def(py::init(&load), py::arg("scene"), py::arg("folder") = py::none(),
           py::arg("progress") = py::none(),
           "A .json file, or its content as a dict; `folder` is where a dict's meshes are looked for.")
      .def("step", bodies_in_use(&Scene::step), "One time step of every body.")
      .def_property_readonly("time", &Scene::time, "seconds")
      .def_property_readonly(
          "description", [](const Scene& s) { return from_json(s.description()); },
          "The document with every default filled in.")
      .def_property_readonly("names",
                             [](Scene& s) {
                               std::vector<std::string> names;
                               for (const SceneBody& body : s.bodies()) names.push_back(body.name);
                               return names;
                             })
      .def(
          "__getitem__",
          [](Scene& s, const std::string& name) -> Simulator& {
            for (SceneBody& body : s.bodies())
              if (body.name == name) return *body.simulator;
            throw py::key_error("no body is named '" + name + "'");
          },
          py::return_value_policy::reference_internal, py::arg("name"), "The simulator of a body.")
      .def("__len__", [](Scene& s) { return s.bodies().size(); })
      .def("measure", bodies_in_use(&Scene::measure), "Energies and momenta of all bodies together.")
      .def_property_readonly("positions", &Scene::shown_positions,
                             "(n, 3), of all bodies as a person sees them")
      .def("run", &run, py::arg("outputs") = std::vector<std::filesystem::path>(),
           py::arg("csv") = py::none(), py::arg("frames") = 0, py::arg("checkpoint") = py::none(),
           py::arg("checkpoint_every") = 10, py::arg("resume") = false, py::arg("progress") = py::none(),
           "Runs to the end and writes .pvd, .pc2, .glb or .obj, and a .csv; returns a dict of what it did.")
      .def("save",
           [](Scene& s) {
             const InUse guard(simulators_of(s));
             return from_state(s.save());
           })
      .def(
          "restore",
          [](Scene& s, const std::string& bytes) {
            const State state = to_state(bytes);
            const InUse guard(simulators_of(s));
            s.restore(state);
          },
          py::arg("state"));
  module.def(
      "scene_schema", [] { return from_json(scene_schema()); }, "The JSON Schema of scenes, as a dict.");
}

}  // namespace pliant::python
