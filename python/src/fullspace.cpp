// Simulators of the whole mesh: Newton and projective dynamics.
#include "bind.h"
#include "pliant/elasticity/body.h"
#include "pliant/elasticity/projective_body.h"
#include "pliant/fullspace/newton.h"
#include "pliant/fullspace/projective_dynamics.h"

namespace pliant::python {
namespace {

void bind_newton(py::module_& module) {
  py::class_<NewtonSimulator, Simulator>(module, "Newton",
                                         "Finite elements, implicit in time, by Newton's method.")
      .def(py::init([](const Body& body, const std::string& scheme, const std::string& solver,
                       int max_iterations, int fixed_iterations, double tolerance, double time_step) {
             NewtonOptions options;
             options.scheme = time_scheme(scheme);
             options.solver = linear_solver(solver);
             options.max_iterations = max_iterations;
             options.iterations = fixed_iterations;
             options.tolerance = tolerance;
             auto simulator = std::make_unique<NewtonSimulator>(body, options);
             simulator->set_time_step(time_step);
             return simulator;
           }),
           py::arg("body"), py::kw_only(), py::arg("scheme") = "implicit_euler",
           py::arg("solver") = "automatic", py::arg("max_iterations") = 30, py::arg("fixed_iterations") = 0,
           py::arg("tolerance") = 1e-7, py::arg("time_step") = 1.0 / 60,
           "scheme: 'implicit_euler', 'newmark' or 'quasi_static'; solver: 'automatic', 'cholesky' or 'pcg'; "
           "fixed_iterations: above 0, exactly so many, without line search.");
}

// === Constraints of projective dynamics

void bind_constraints(py::module_& module) {
  py::class_<ProjectiveConstraints>(
      module, "ProjectiveConstraints",
      "What a body resists in projective dynamics: any mix of constraints on one mesh.")
      .def(py::init([](const py::object& rest) {
             return ProjectiveConstraints(to_points(rest, "rest_positions"));
           }),
           py::arg("rest_positions"))
      .def("__len__", &ProjectiveConstraints::size)
      .def(
          "add_tet_strain",
          [](ProjectiveConstraints& c, const py::object& tets, double stiffness, double low, double high) {
            add_tet_strain(c, to_ids<4>(tets, "tets"), {stiffness, low, high});
          },
          py::arg("tets"), py::arg("stiffness") = 1e5, py::arg("min_stretch") = 1.0,
          py::arg("max_stretch") = 1.0, "Stretches of tets between limits; stiffness in Pa.")
      .def(
          "add_tet_volume",
          [](ProjectiveConstraints& c, const py::object& tets, double young, double poisson, double low,
             double high, double target) {
            TetVolume options = TetVolume::from_young(young, poisson);
            options.min_stretch = low, options.max_stretch = high, options.target = target;
            add_tet_volume(c, to_ids<4>(tets, "tets"), options);
          },
          py::arg("tets"), py::arg("young") = 1e5, py::arg("poisson") = 0.4, py::arg("min_stretch") = 1.0,
          py::arg("max_stretch") = 1.0, py::arg("target") = 1.0,
          "Strain and volume of tets; the target volume can be changed while running.")
      .def(
          "add_tet_examples",
          [](ProjectiveConstraints& c, const py::object& tets, const std::vector<py::object>& poses,
             double stiffness) {
            std::vector<Points> positions;
            for (const py::object& pose : poses) positions.push_back(to_points(pose, "pose"));
            add_tet_examples(c, to_ids<4>(tets, "tets"), positions, {stiffness});
          },
          py::arg("tets"), py::arg("poses"), py::arg("stiffness") = 1e5,
          "Tets that like to look as in one of one to three poses, or in between.")
      .def(
          "add_triangle_strain",
          [](ProjectiveConstraints& c, const py::object& triangles, double stiffness, double low,
             double high) {
            add_triangle_strain(c, to_ids<3>(triangles, "triangles"), {stiffness, low, high});
          },
          py::arg("triangles"), py::arg("stiffness") = 1e3, py::arg("min_stretch") = 1.0,
          py::arg("max_stretch") = 1.0, "Stretches of a membrane between limits; stiffness in N/m.")
      .def(
          "add_bending",
          [](ProjectiveConstraints& c, const py::object& triangles, double stiffness, bool keep_side) {
            add_bending(c, to_ids<3>(triangles, "triangles"), {stiffness, keep_side});
          },
          py::arg("triangles"), py::arg("stiffness") = 1e-3, py::arg("keep_side") = true,
          "Mean curvature vectors keep their length; stiffness is the flexural rigidity, N m.")
      .def(
          "add_springs",
          [](ProjectiveConstraints& c, const py::object& edges, double stiffness, double low, double high) {
            add_springs(c, to_ids<2>(edges, "edges"), {stiffness, low, high});
          },
          py::arg("edges"), py::arg("stiffness") = 1e3, py::arg("min_stretch") = 1.0,
          py::arg("max_stretch") = 1.0, "Edges whose lengths stay between limits; stiffness in N/m.");
  module.def(
      "projective_constraints",
      [](const Body& body, bool volume, double low, double high) {
        return projective_constraints(body, {volume, low, high});
      },
      py::arg("body"), py::kw_only(), py::arg("volume") = true, py::arg("min_stretch") = 1.0,
      py::arg("max_stretch") = 1.0,
      "A body as ProjectiveConstraints, by the small-strain moduli of its materials.");
}

void bind_projective(py::module_& module) {
  const auto make = [](const ProjectiveConstraints& constraints, const VectorXd& masses, int iterations,
                       double tolerance, bool single_precision, bool record_objective, double time_step) {
    ProjectiveDynamicsOptions options;
    options.iterations = iterations, options.tolerance = tolerance,
    options.single_precision = single_precision;
    options.record_objective = record_objective, options.time_step = time_step;
    return std::make_unique<ProjectiveDynamics>(constraints, masses, options);
  };
  py::class_<ProjectiveDynamics, Simulator>(module, "ProjectiveDynamics",
                                            "Projective dynamics: local projections, one factorised matrix.")
      .def(py::init([make](const Body& body, int iterations, double tolerance, bool single_precision,
                           bool record_objective, double time_step) {
             auto simulator = make(projective_constraints(body), body.masses(), iterations, tolerance,
                                   single_precision, record_objective, time_step);
             simulator->fix(body.fixed());
             return simulator;
           }),
           py::arg("body"), py::kw_only(), py::arg("iterations") = 10, py::arg("tolerance") = 0.0,
           py::arg("single_precision") = false, py::arg("record_objective") = false,
           py::arg("time_step") = 1.0 / 60,
           "A body of tets: strain and volume constraints from the small-strain moduli of its materials.")
      .def(py::init(make), py::arg("constraints"), py::arg("masses"), py::kw_only(),
           py::arg("iterations") = 10, py::arg("tolerance") = 0.0, py::arg("single_precision") = false,
           py::arg("record_objective") = false, py::arg("time_step") = 1.0 / 60,
           "Any constraints, with masses (n,) in kg.")
      .def(
          "add_position",
          [](ProjectiveDynamics& s, int vertex, const Vector3d& target, double stiffness) {
            return s.add_position(vertex, target, stiffness);
          },
          py::arg("vertex"), py::arg("target"), py::arg("stiffness"),
          "Pulls a vertex to a place by a spring, N/m; returns an id.")
      .def("move_position", &ProjectiveDynamics::move_position, py::arg("id"), py::arg("target"))
      .def("remove_position", &ProjectiveDynamics::remove_position, py::arg("id"))
      .def_property_readonly(
          "objective",
          [](const ProjectiveDynamics& s) {
            return std::vector<double>(s.objective().begin(), s.objective().end());
          },
          "Before the first iteration of the last step and after each, J; with record_objective.");
}

}  // namespace

void bind_fullspace(py::module_& module) {
  bind_newton(module);
  bind_constraints(module);
  bind_projective(module);
}

}  // namespace pliant::python
