// The project's own shapes.
#include "pliant/geometry/shapes.h"

#include "bind.h"

namespace pliant::python {

void bind_shapes(py::module_& module) {
  module.def(
      "shapes",
      [] {
        py::dict all;
        for (const ShapeInfo& shape : shapes()) all[py::str(shape.name)] = shape.description;
        return all;
      },
      "The shapes make_shape knows, with a line about each.");
  module.def(
      "make_shape",
      [](const std::string& name, Index tets, Index triangles, Index vertices, double size,
         const std::string& text, int level, bool graded, const py::object& progress) -> py::object {
        const ShapeOptions options{.tets = tets,
                                   .vertices = vertices,
                                   .triangles = triangles,
                                   .size = size,
                                   .level = level,
                                   .text = text,
                                   .graded = graded,
                                   .progress = to_progress(progress)};
        for (const ShapeInfo& shape : shapes())
          if (shape.name == name && shape.kind == ShapeKind::shell) {
            TriMesh mesh;
            {
              const py::gil_scoped_release release;
              mesh = make_shell(name, options);
            }
            return py::cast(std::move(mesh));
          }
        TetMesh mesh;
        {
          const py::gil_scoped_release release;
          mesh = make_shape(name, options);
        }
        return py::cast(std::move(mesh));
      },
      py::arg("name"), py::arg("tets") = ShapeOptions{}.tets, py::arg("triangles") = ShapeOptions{}.triangles,
      py::arg("vertices") = 0, py::arg("size") = 1.0, py::arg("text") = ShapeOptions{}.text,
      py::arg("level") = 0, py::arg("graded") = true, py::arg("progress") = py::none(),
      R"(One of the project's own shapes: a TetMesh for a solid, a TriMesh for a shell.

tets, triangles or vertices: about how many. size: factor on all lengths (1: longest side about 1 m).
text: what "letters" say. level: of "menger_sponge". graded: larger tets inside.
progress: called with (phase, fraction).

    >>> squid = pliant.make_shape("squid", vertices=20_000)
)");
}

}  // namespace pliant::python
