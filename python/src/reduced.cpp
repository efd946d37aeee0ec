// Reduced models and their simulators.
#include "bind.h"
#include "pliant/reduced/model_file.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/reduced/reduce_fem.h"

namespace pliant::python {
namespace {

using Model = std::shared_ptr<ReducedFem>;

Model reduce(const Body& body, const std::string& basis, int modes, int dimension, const std::string& forces,
             int samples, int poses, double pose_scale, int contact_samples, std::uint64_t seed,
             const py::object& progress) {
  ReduceFemOptions options;
  options.basis = basis_kind(basis), options.forces = force_kind(forces);
  options.modes = modes, options.dimension = dimension, options.samples = samples;
  options.poses.count = poses;
  if (pose_scale > 0) options.poses.scale = pose_scale;
  options.contact_samples = contact_samples, options.seed = seed;
  options.progress = to_progress(progress);
  const py::gil_scoped_release release;
  return std::make_shared<ReducedFem>(reduce_fem(body, options));
}

/// What models of all kinds have.
void bind_model_body(py::module_& module) {
  py::class_<ModelBody, std::shared_ptr<ModelBody>>(module, "ReducedModel",
                                                    "A body made small, of any method.")
      .def_readonly("tets", &ModelBody::tets)
      .def_readonly("triangles", &ModelBody::triangles)
      .def_readonly("masses", &ModelBody::masses, "(n,), kg")
      .def_readonly("fixed", &ModelBody::fixed, "Vertices that the subspace does not move.")
      .def_readonly("contact_vertices", &ModelBody::contact_vertices, "Vertices that feel obstacles.")
      .def_readonly("measured", &ModelBody::measured, "Errors and seconds of the offline stage, by name.")
      .def(
          "shown",
          [](const ModelBody& m, const py::object& positions) {
            return to_mesh(shown(m, to_points(positions, "positions")));
          },
          py::arg("positions"),
          "What a person sees with the vertices there: the surface that was brought, or else the tets or the "
          "shell.");
  module.def(
      "load_model",
      [](const std::filesystem::path& file) -> py::object {
        ReducedModel model = [&] {
          const py::gil_scoped_release release;
          return read_model(file);
        }();
        return std::visit(
            [](auto& m) { return py::cast(std::make_shared<std::decay_t<decltype(m)>>(std::move(m))); },
            model);
      },
      py::arg("file"), "A model that `save` or `pliant reduce` wrote: an HrpdModel or a ReducedFem.");
}

void bind_fem(py::module_& module) {
  py::class_<ReducedFem, ModelBody, Model>(
      module, "ReducedFem", "A body made small: x = rest_positions + U q, and weighted elements.")
      .def_static(
          "load",
          [](const std::filesystem::path& file) {
            return std::make_shared<ReducedFem>(read_reduced_fem(file));
          },
          py::arg("file"), ReleaseGil(), "A model that `save` or `pliant reduce` wrote.")
      .def("save", &write_reduced_fem, py::arg("file"), ReleaseGil(), "Writes a .pliant file.")
      .def_readonly("rest_positions", &ReducedFem::rest_positions)
      .def_readonly("basis", &ReducedFem::basis)
      .def_readonly("U", &ReducedFem::U, "(3n, d) float32, orthonormal for the masses")
      .def_readonly("eigenvalues", &ReducedFem::eigenvalues, "(d,), 1/s^2: the reduced stiffness at rest")
      .def_property_readonly("dimension", &ReducedFem::dimension)
      .def_property_readonly("elements",
                             [](const ReducedFem& m) { return m.elements.elements().arrays().elements; })
      .def_property_readonly("weights", [](const ReducedFem& m) { return m.elements.weights(); })
      .def(
          "forces",
          [](const ReducedFem& m, const VectorXd& q) {
            if (q.size() != m.dimension())
              throw InputError("forces: " + std::to_string(q.size()) + " coordinates; expected " +
                               std::to_string(m.dimension()));
            ReducedForceWorkspace work;
            VectorXd out;
            elastic_force(m, q, out, work);
            return out;
          },
          py::arg("q"), "The reduced elastic force, -dE/dq.")
      .def(
          "positions", [](const ReducedFem& m, const VectorXd& q) { return positions(m, q); }, py::arg("q"),
          "Of all vertices, (n, 3).")
      .def("__repr__", [](const ReducedFem& m) {
        return "<pliant ReducedFem of " + std::to_string(m.vertex_count()) + " vertices in " +
               std::to_string(m.dimension()) + " coordinates>";
      });
  module.def(
      "reduce", &reduce, py::arg("body"), py::kw_only(), py::arg("basis") = "extended_modes",
      py::arg("modes") = 15, py::arg("dimension") = 0, py::arg("forces") = "cubature",
      py::arg("samples") = 150, py::arg("poses") = 1000, py::arg("pose_scale") = 0.0,
      py::arg("contact_samples") = 200, py::arg("seed") = 1, py::arg("progress") = py::none(),
      "Reduces a body: modes, subspace, training poses, cubature. Returns a ReducedFem. pose_scale 0: the "
      "default. forces: 'cubature', 'polynomial' (exact, of StVK in a small subspace) or 'exact' (every "
      "element).");
  module.def(
      "make_reduced_fem",
      [](const Body& body, const DenseBasis& basis, const py::object& cubature, int contact_samples) {
        Cubature chosen;
        if (!cubature.is_none()) chosen = cubature.cast<Cubature>();
        const bool exact = cubature.is_none();
        const py::gil_scoped_release release;
        return std::make_shared<ReducedFem>(
            exact ? make_exact_reduced_fem(body, basis, contact_samples)
                  : make_reduced_fem(body, basis, chosen.elements, chosen.weights, contact_samples));
      },
      py::arg("body"), py::arg("basis"), py::arg("cubature") = py::none(), py::kw_only(),
      py::arg("contact_samples") = 200,
      "Joins a body, a subspace and weighted elements into a ReducedFem; without a cubature, every element: "
      "exact "
      "and slow.");
  module.def(
      "reduce_exact",
      [](const Body& body, const std::string& basis, int modes, int dimension) {
        ReduceFemOptions options;
        options.basis = basis_kind(basis), options.modes = modes, options.dimension = dimension;
        const py::gil_scoped_release release;
        return std::make_shared<ReducedFem>(make_exact_reduced_fem(body, make_basis(body, options)));
      },
      py::arg("body"), py::kw_only(), py::arg("basis") = "extended_modes", py::arg("modes") = 15,
      py::arg("dimension") = 0,
      "The subspace with every element: exact forces, at a cost that grows with the mesh. To compare with.");
}

}  // namespace

void bind_reduced(py::module_& module) {
  bind_model_body(module);
  bind_fem(module);
  bind_hrpd(module);
  py::class_<NewmarkBroyden, Simulator>(
      module, "NewmarkBroyden", "A reduced body in time: implicit Newmark, solved by Broyden's method.")
      .def(py::init([](const Model& model, double time_step, double tolerance, int max_iterations,
                       const std::string& damping) {
             if (damping != "at_rest" && damping != "following")
               throw InputError("damping is '" + damping + "'; expected at_rest or following");
             NewmarkBroydenOptions options;
             options.time_step = time_step, options.tolerance = tolerance;
             options.max_iterations = max_iterations;
             if (damping == "following") options.damping = StiffnessDamping::following;
             return std::make_unique<NewmarkBroyden>(model, options);
           }),
           py::arg("model").none(false), py::kw_only(), py::arg("time_step") = 1.0 / 60,
           py::arg("tolerance") = 1e-5, py::arg("max_iterations") = 30, py::arg("damping") = "at_rest",
           "tolerance: relative residual of a step; max_iterations: of Broyden's method, 0: Newton alone; "
           "damping: by the stiffness at rest ('at_rest') or where the body is, as in full space "
           "('following').")
      .def_property_readonly("coordinates", &NewmarkBroyden::coordinates, "q, (d,)")
      .def_property_readonly("rates", &NewmarkBroyden::rates, "dq/dt, (d,)")
      .def("set_coordinates", &NewmarkBroyden::set_coordinates, py::arg("q"), py::arg("rates"))
      .def_property_readonly("newton_steps", &NewmarkBroyden::newton_steps,
                             "Steps so far in which Newton had to take over.");
}

}  // namespace pliant::python
