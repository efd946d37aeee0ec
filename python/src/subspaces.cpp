// Subspaces: linear modes, extended modes, modal derivatives.
#include "bind.h"
#include "pliant/subspace/extended_modes.h"
#include "pliant/subspace/linear_modes.h"
#include "pliant/subspace/modal_derivatives.h"

namespace pliant::python {
namespace {

/// Modes as they are given, or the lowest so many.
LinearModes to_modes(const Body& body, const py::object& modes, const Progress& progress) {
  if (py::isinstance<LinearModes>(modes)) return modes.cast<LinearModes>();
  LinearModesOptions options;
  options.count = modes.cast<int>();
  options.progress = progress;
  const py::gil_scoped_release release;
  return linear_modes(body, options);
}

void bind_linear_modes(py::module_& module) {
  py::class_<LinearModes>(module, "LinearModes", "The lowest vibrations of a body.")
      .def_readonly("positions", &LinearModes::positions, "(n, 3), metres: the shape about which it vibrates")
      .def_readonly("U", &LinearModes::U, "(3n, r), mass-orthonormal")
      .def_readonly("frequencies", &LinearModes::frequencies, "(r,), Hz, ascending")
      .def_readonly("eigenvalues", &LinearModes::eigenvalues, "(r,), (2 pi frequency)^2")
      .def_readonly("rigid", &LinearModes::rigid, "(3n, k): rigid motions that the fixed vertices leave")
      .def_readonly("residuals", &LinearModes::residuals)
      .def_readonly("converged", &LinearModes::converged)
      .def_readonly("iterative", &LinearModes::iterative, "found without a factorisation")
      .def("__repr__", [](const LinearModes& modes) {
        return "<pliant.LinearModes: " + std::to_string(modes.U.cols()) + " modes and " +
               std::to_string(modes.rigid.cols()) + " rigid motions>";
      });
  module.def(
      "linear_modes",
      [](const Body& body, int count, bool consistent, const py::object& positions, double tolerance,
         double memory_budget, const py::object& progress) {
        LinearModesOptions options;
        options.count = count;
        options.mass = consistent ? MassKind::consistent : MassKind::lumped;
        if (!positions.is_none()) options.positions = to_points(positions, "positions");
        options.tolerance = tolerance;
        options.memory_budget = memory_budget;
        options.progress = to_progress(progress);
        const py::gil_scoped_release release;
        return linear_modes(body, options);
      },
      py::arg("body"), py::arg("count") = 20, py::arg("consistent_mass") = false,
      py::arg("positions") = py::none(), py::arg("tolerance") = 1e-10, py::arg("memory_budget") = 8e9,
      py::arg("progress") = py::none(),
      "The lowest `count` elastic modes; rigid motions are set aside.\n\n"
      "positions (n, 3): an equilibrium under a constant load, about which the body vibrates; without it, "
      "the "
      "rest shape.\n"
      "memory_budget: bytes that a factorisation may take; above, modes are found without one, slower.");
}

void bind_dense_basis(py::module_& module) {
  py::class_<DenseBasis, std::shared_ptr<DenseBasis>>(
      module, "DenseBasis",
      "A subspace x = origin + U q of dense columns, mass-orthonormal and turned into the modes that the "
      "body "
      "has within it: the reduced mass is the identity, the reduced stiffness `eigenvalues`.")
      .def_readonly("kind", &DenseBasis::kind, "how it was made")
      .def_readonly("origin", &DenseBasis::origin, "(n, 3), metres: positions where q = 0")
      .def_readonly("U", &DenseBasis::U, "(3n, d), zero at fixed vertices")
      .def_readonly("frequencies", &DenseBasis::frequencies, "(d,), Hz, ascending; zero for rigid motions")
      .def_readonly("eigenvalues", &DenseBasis::eigenvalues, "(d,), (2 pi frequency)^2")
      .def_property_readonly("dimension", &DenseBasis::dimension)
      .def(
          "positions", [](const DenseBasis& basis, const VectorXd& q) { return positions(basis, q); },
          py::arg("q"), ReleaseGil(), "origin + U q, (n, 3).")
      .def(
          "positions_of",
          [](const DenseBasis& basis, const VectorXd& q, const py::object& vertices) {
            Points out;
            positions_of(basis, q, to_id_list(vertices, "vertices"), out);
            return out;
          },
          py::arg("q"), py::arg("vertices"), "The same for some vertices.")
      .def(
          "pull_back",
          [](const DenseBasis& basis, const py::object& forces) {
            return pull_back(basis, to_points(forces, "forces"));
          },
          py::arg("forces"), "U^T f, (d,): the reduced force of forces (n, 3).")
      .def(
          "project",
          [](const DenseBasis& basis, const Body& body, const py::object& x) {
            return project(basis, body.masses(), to_points(x, "x"));
          },
          py::arg("body"), py::arg("x"),
          "U^T M (x - origin), (d,): q of the nearest deformation to x (n, 3).")
      .def("__repr__", [](const DenseBasis& basis) {
        return "<pliant.DenseBasis: " + basis.kind + ", " + std::to_string(basis.dimension()) +
               " dimensions of " + std::to_string(3 * basis.vertex_count()) + ">";
      });
}

}  // namespace

void bind_subspaces(py::module_& module) {
  bind_linear_modes(module);
  bind_dense_basis(module);
  module.def(
      "modal_basis",
      [](const Body& body, const py::object& modes, const py::object& progress) {
        const LinearModes linear = to_modes(body, modes, to_progress(progress));
        const py::gil_scoped_release release;
        return std::make_shared<DenseBasis>(modal_basis(body, linear));
      },
      py::arg("body"), py::arg("modes") = 15, py::arg("progress") = py::none(),
      "The subspace of linear modes and of rigid motions. modes: a LinearModes, or how many elastic ones.");
  module.def(
      "extended_modes",
      [](const Body& body, const py::object& modes, double tolerance, const py::object& progress) {
        const LinearModes linear = to_modes(body, modes, to_progress(progress));
        const py::gil_scoped_release release;
        return std::make_shared<DenseBasis>(extended_modes(body, linear, {.tolerance = tolerance}));
      },
      py::arg("body"), py::arg("modes") = 15, py::arg("tolerance") = 1e-5, py::arg("progress") = py::none(),
      "The subspace of all nine linear maps of each mode, and of all affine maps if the body is free.\n\n"
      "modes: a LinearModes, or how many elastic ones; tolerance: directions below this part of the largest "
      "singular value are left out.");
  module.def(
      "modal_derivatives",
      [](const Body& body, const py::object& modes, Index dimension, double tolerance,
         const py::object& progress) {
        ModalDerivativesOptions options;
        options.dimension = dimension;
        options.tolerance = tolerance;
        options.progress = to_progress(progress);
        const LinearModes linear = to_modes(body, modes, options.progress);
        const py::gil_scoped_release release;
        return std::make_shared<DenseBasis>(modal_derivatives(body, linear, options));
      },
      py::arg("body"), py::arg("modes") = 15, py::arg("dimension") = -1, py::arg("tolerance") = 1e-5,
      py::arg("progress") = py::none(),
      "The subspace of modes and of how they bend as others grow [Barbic and James 2005].\n\n"
      "modes: a LinearModes, or how many elastic ones; dimension: the strongest directions of the "
      "derivatives "
      "up to this, -1: all.");
}

}  // namespace pliant::python
