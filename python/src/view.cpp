// Bodies in a browser.
#include <cstdlib>

#include "bind.h"
#include "pliant/scene/lone_body.h"
#include "pliant/server/server.h"

namespace pliant::python {
namespace {

/// A server, and what it shows: that lives as long.
class Viewer {
 public:
  Viewer(SessionSource source, const ServerOptions& options, py::object shown)
      : shown_(std::move(shown)),
        server_(std::make_unique<Server>(std::move(source), options)),
        url_(server_->url()) {
    server_->start();
  }
  ~Viewer() { stop(); }

  const std::string& url() const { return url_; }
  bool running() const { return server_ != nullptr; }
  void stop() {
    const std::unique_ptr<Server> server = std::move(server_);
    if (!server) return;
    const py::gil_scoped_release release;
    server->stop();
  }

 private:
  py::object shown_;
  std::unique_ptr<Server> server_;
  std::string url_;
};

/// Not ours to delete: Python owns it.
template <class T>
std::shared_ptr<T> borrowed(T& object) {
  return {&object, [](T*) {}};
}

SessionSource to_source(const py::object& shown, const py::object& mesh, const py::object& progress,
                        std::string& title) {
  if (py::isinstance<Scene>(shown)) {
    title = "scene";
    return borrowed(shown.cast<Scene&>());
  }
  if (py::isinstance<Simulator>(shown)) {
    auto& simulator = shown.cast<Simulator&>();
    title = std::string(simulator.kind());
    if (mesh.is_none()) return server::lone_simulator(borrowed(simulator));
    server::LoneSimulator lone{.simulator = borrowed(simulator), .rest_positions = {}, .mesh = {}};
    if (py::isinstance<TetMesh>(mesh)) {
      const auto& tets = mesh.cast<const TetMesh&>();
      lone.mesh = {tets.vertices, Triangles(0, 3), tets.tets};
    } else {
      const auto& triangles = mesh.cast<const TriMesh&>();
      lone.mesh = {triangles.vertices, triangles.triangles, Tets(0, 4)};
    }
    lone.rest_positions = lone.mesh.vertices;
    if (lone.rest_positions.rows() != simulator.vertex_count())
      throw InputError("view: mesh has " + std::to_string(lone.rest_positions.rows()) +
                       " vertices; expected " + std::to_string(simulator.vertex_count()) +
                       ", as the simulator has");
    return lone;
  }
  const auto path = shown.cast<std::filesystem::path>();
  title = path.filename().string();
  const Progress report = to_progress(progress);
  const py::gil_scoped_release release;
  if (path.extension() == ".json") return std::make_shared<Scene>(Scene::load(path, report));
  const bool is_file = path.has_extension() || std::filesystem::exists(path);
  const std::string input = is_file ? path.filename().string() : path.string();
  const std::filesystem::path folder = is_file ? path.parent_path() : std::filesystem::path();
  return std::make_shared<Scene>(lone_scene(lone_body_words(input, folder), folder, true, report));
}

py::object view(const py::object& shown, int port, bool browser, bool block, const py::object& mesh,
                const std::string& address, bool paused, bool real_time, const py::object& progress) {
  ServerOptions options;
  options.port = port, options.address = address, options.paused = paused, options.real_time = real_time;
  SessionSource source = to_source(shown, mesh, progress, options.title);
  auto viewer = std::make_unique<Viewer>(std::move(source), options, shown);
  Viewer& running = *viewer;
  py::object result = py::cast(std::move(viewer));
  if (browser && (std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY")))
    py::module_::import("webbrowser").attr("open")(running.url());
  if (!block) return result;
  py::print(running.url(), "(Ctrl-C ends)");
  const py::object sleep = py::module_::import("time").attr("sleep");
  try {
    while (running.running()) sleep(0.1);
  } catch (py::error_already_set& error) {
    running.stop();
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
  }
  return py::none();
}

}  // namespace

void bind_view(py::module_& module) {
  py::class_<Viewer>(module, "Viewer", "Something that is shown in browsers, until stop().")
      .def_property_readonly("url", &Viewer::url)
      .def_property_readonly("running", &Viewer::running)
      .def("stop", &Viewer::stop, "What was shown may be used again.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Viewer& viewer, const py::args&) { viewer.stop(); })
      .def("__repr__", [](const Viewer& viewer) {
        return "<pliant.Viewer at " + viewer.url() + (viewer.running() ? ">" : ", stopped>");
      });
  module.def("view", &view, py::arg("shown"), py::kw_only(), py::arg("port") = 0, py::arg("browser") = true,
             py::arg("block") = true, py::arg("mesh") = py::none(), py::arg("address") = "127.0.0.1",
             py::arg("paused") = false, py::arg("real_time") = true, py::arg("progress") = py::none(),
             "Shows a simulator, a Scene, or a file or shape by name (a scene, a model, a mesh) in a "
             "browser, where it can be "
             "pulled. Until Ctrl-C; with block=False at once: a Viewer, and nobody else may use what is "
             "shown until its stop(). "
             "port 0: any that is free. mesh: what a simulator moves, where it does not know it itself.");
}

}  // namespace pliant::python
