// Hyper-reduction: training poses, cubature, the cubic of StVK.
#include <numeric>

#include "bind.h"
#include "pliant/hyperreduction/cubature_greedy.h"
#include "pliant/hyperreduction/cubature_nn_htp.h"
#include "pliant/hyperreduction/polynomial_forces.h"
#include "pliant/hyperreduction/training_poses.h"

namespace pliant::python {
namespace {

ForceNorm to_norm(const std::string& name) {
  if (name == "energy") return ForceNorm::energy;
  if (name == "plain") return ForceNorm::plain;
  throw InputError("norm is '" + name + "'; expected 'energy' or 'plain'");
}

/// What a cubature is asked for, beside its poses.
struct Search {
  int samples, max_iterations, wide_rounds, subset;
  std::string method;
  double candidates, tolerance;
  Progress progress;
};

void check_method(const std::string& method) {
  if (method != "nn_htp" && method != "nn_htp_literal" && method != "greedy")
    throw InputError("cubature: method is '" + method + "'; expected 'nn_htp', 'nn_htp_literal' or 'greedy'");
}

Cubature search(const CubatureProblem& problem, Rng& rng, const Search& s) {
  if (s.method == "greedy")
    return cubature_greedy(
        problem, rng,
        {.samples = s.samples, .subset = s.subset, .tolerance = s.tolerance, .progress = s.progress});
  CubatureNnHtpOptions options{.samples = s.samples,
                               .candidates = s.candidates,
                               .max_iterations = s.max_iterations,
                               .tolerance = s.tolerance,
                               .wide_rounds = s.wide_rounds,
                               .progress = s.progress};
  if (s.method == "nn_htp_literal")
    options.exchange = CubatureExchange::gradient_step, options.normalize = false;
  return cubature_nn_htp(problem, rng, options);
}

Cubature find_cubature(const Body& body, const DenseBasis& basis, const py::object& poses, int samples,
                       const std::string& method, const std::string& norm, double candidates,
                       int max_iterations, int wide_rounds, double tolerance, int subset, std::uint64_t seed,
                       const py::object& progress) {
  check_method(method);
  Rng rng(seed);
  const Search wanted{samples, max_iterations, wide_rounds, subset,
                      method,  candidates,     tolerance,   to_progress(progress)};
  MatrixXd q;
  if (!poses.is_none()) q = poses.cast<MatrixXd>();
  const ForceNorm force_norm = to_norm(norm);
  const py::gil_scoped_release release;
  if (q.size() == 0) q = training_poses(basis, rng).q;
  const CubatureProblem problem(body, basis, q, {.norm = force_norm, .progress = wanted.progress});
  return search(problem, rng, wanted);
}

void bind_problem(py::module_& module) {
  py::class_<CubatureProblem>(
      module, "CubatureProblem",
      "Poses with their exact reduced forces, from which cubatures are found: several with one evaluation.")
      .def(py::init([](const Body& body, const DenseBasis& basis, const MatrixXd& poses,
                       const std::string& norm, const py::object& progress) {
             const CubatureProblemOptions options{.norm = to_norm(norm), .progress = to_progress(progress)};
             const py::gil_scoped_release release;
             return CubatureProblem(body, basis, poses, options);
           }),
           py::arg("body"), py::arg("basis"), py::arg("poses"), py::kw_only(), py::arg("norm") = "energy",
           py::arg("progress") = py::none(), py::keep_alive<1, 2>(), py::keep_alive<1, 3>(),
           "poses: (d, T); those without force are left out. norm: of forces, 'energy' or 'plain'.")
      .def_property_readonly("dimension", &CubatureProblem::dimension)
      .def_property_readonly("pose_count", &CubatureProblem::pose_count)
      .def_property_readonly("element_count", &CubatureProblem::element_count)
      .def(
          "cubature",
          [](const CubatureProblem& problem, int samples, const std::string& method, double candidates,
             int max_iterations, int wide_rounds, double tolerance, int subset, std::uint64_t seed,
             const py::object& progress) {
            check_method(method);
            Rng rng(seed);
            const Search wanted{samples, max_iterations, wide_rounds, subset,
                                method,  candidates,     tolerance,   to_progress(progress)};
            const py::gil_scoped_release release;
            return search(problem, rng, wanted);
          },
          py::arg("samples"), py::kw_only(), py::arg("method") = "nn_htp", py::arg("candidates") = 5.0,
          py::arg("max_iterations") = CubatureNnHtpOptions{}.max_iterations,
          py::arg("wide_rounds") = CubatureNnHtpOptions{}.wide_rounds, py::arg("tolerance") = 0.0,
          py::arg("subset") = 10, py::arg("seed") = 1, py::arg("progress") = py::none(),
          "As `pliant.cubature`, on these poses.")
      .def("errors", &CubatureProblem::errors, py::arg("cubature"), ReleaseGil(),
           "(T,): the relative error of the reduced force in each pose.");
}

/// Energy, force and stiffness in a subspace, whatever they come from.
template <class Reduced, class Class>
void bind_evaluation(Class& type) {
  const auto check = [](const Reduced& reduced, const VectorXd& q) {
    if (q.size() != reduced.dimension())
      throw InputError("q has " + std::to_string(q.size()) + " coordinates; expected " +
                       std::to_string(reduced.dimension()));
  };
  type.def_property_readonly("dimension", &Reduced::dimension)
      .def(
          "energy",
          [check](const Reduced& reduced, const VectorXd& q) {
            check(reduced, q);
            typename Reduced::Workspace work;
            return reduced.energy(q, work);
          },
          py::arg("q"), "J.")
      .def(
          "forces",
          [check](const Reduced& reduced, const VectorXd& q) {
            check(reduced, q);
            typename Reduced::Workspace work;
            VectorXd f;
            reduced.force(q, f, work);
            return f;
          },
          py::arg("q"), "-dE/dq, (d,).")
      .def(
          "stiffness",
          [check](const Reduced& reduced, const VectorXd& q) {
            check(reduced, q);
            typename Reduced::Workspace work;
            VectorXd f;
            MatrixXd K;
            reduced.stiffness(q, K, f, work);
            return K;
          },
          py::arg("q"), "d2E/dq2, (d, d).");
}

void bind_cubature(py::module_& module) {
  py::class_<Cubature>(module, "Cubature", "A few elements of a body with their weights.")
      .def_readonly("elements", &Cubature::elements, "tets of a solid, edge flaps of a shell; ascending")
      .def_readonly("weights", &Cubature::weights)
      .def_readonly("error", &Cubature::error, "relative, on the training poses")
      .def_readonly("errors", &Cubature::errors, "after each iteration")
      .def("__repr__", [](const Cubature& c) {
        return "<pliant.Cubature: " + std::to_string(c.elements.size()) + " elements, error " +
               std::to_string(c.error) + ">";
      });
  module.def(
      "cubature", &find_cubature, py::arg("body"), py::arg("basis"), py::kw_only(),
      py::arg("poses") = py::none(), py::arg("samples") = 150, py::arg("method") = "nn_htp",
      py::arg("norm") = "energy", py::arg("candidates") = 5.0,
      py::arg("max_iterations") = CubatureNnHtpOptions{}.max_iterations,
      py::arg("wide_rounds") = CubatureNnHtpOptions{}.wide_rounds, py::arg("tolerance") = 0.0,
      py::arg("subset") = 10, py::arg("seed") = 1, py::arg("progress") = py::none(),
      "At most `samples` elements whose weighted forces stand for those of all.\n\n"
      "poses: (d, T), what it learns from; without them `training_poses(basis)`. method: 'nn_htp', "
      "'nn_htp_literal' (as the paper has it) or 'greedy' (with `subset` poses to compare candidates by, 0: "
      "all). "
      "norm: of forces, 'energy' or 'plain'. candidates: looked at in an iteration, in multiples of samples. "
      "wide_rounds: after the iterations, exchanges with many candidates; more find better elements, slower. "
      "tolerance: ends below this error.");
  module.def(
      "force_errors",
      [](const Body& body, const DenseBasis& basis, const Cubature& cubature, const MatrixXd& poses,
         const std::string& norm) {
        const ForceNorm force_norm = to_norm(norm);
        const py::gil_scoped_release release;
        return force_errors(body, basis, cubature, poses, force_norm);
      },
      py::arg("body"), py::arg("basis"), py::arg("cubature"), py::arg("poses"), py::arg("norm") = "energy",
      "The relative error of the reduced force in each pose (d, T) that has one.");

  py::class_<ReducedElements> reduced(
      module, "ReducedElements", "Elastic energy, force and stiffness of a subspace from weighted elements.");
  reduced.def(py::init([](const Body& body, const DenseBasis& basis, const py::object& cubature) {
                Cubature chosen;
                if (cubature.is_none()) {
                  chosen.elements.resize(static_cast<std::size_t>(element_count(body)));
                  std::iota(chosen.elements.begin(), chosen.elements.end(), 0);
                  chosen.weights = VectorXd::Ones(element_count(body));
                } else {
                  chosen = cubature.cast<Cubature>();
                }
                const py::gil_scoped_release release;
                return reduced_elements(body, basis, chosen);
              }),
              py::arg("body"), py::arg("basis"), py::arg("cubature") = py::none(),
              "Without a cubature: all elements, exact and slow.");
  bind_evaluation<ReducedElements>(reduced);
}

}  // namespace

void bind_hyperreduction(py::module_& module) {
  module.def(
      "training_poses",
      [](const DenseBasis& basis, int count, double power, double scale, double spread, std::uint64_t seed) {
        Rng rng(seed);
        return training_poses(basis, rng, {.count = count, .power = power, .scale = scale, .spread = spread})
            .q;
      },
      py::arg("basis"), py::arg("count") = TrainingPosesOptions{}.count, py::kw_only(),
      py::arg("power") = TrainingPosesOptions{}.power, py::arg("scale") = TrainingPosesOptions{}.scale,
      py::arg("spread") = TrainingPosesOptions{}.spread, py::arg("seed") = 1, ReleaseGil(),
      "(d, count): coordinates drawn with deviations ~ 1 / frequency^power; scale: the median pose's largest "
      "displacement over the diagonal of the box; spread: the factor by which poses differ in size.");
  module.def(
      "poses_of_motion",
      [](const Body& body, const DenseBasis& basis, const MatrixXd& displacements) {
        return poses_of_motion(body, basis, displacements).q;
      },
      py::arg("body"), py::arg("basis"), py::arg("displacements"), ReleaseGil(),
      "(d, T): the nearest poses of the subspace to displacements (3n, T) from its origin, by their elastic "
      "energy.");
  bind_cubature(module);
  bind_problem(module);

  py::class_<PolynomialForces> polynomial(
      module, "PolynomialForces",
      "The exact energy, force and stiffness of StVK in a small subspace, as a polynomial.");
  polynomial
      .def(py::init([](const Body& body, const DenseBasis& basis, const py::object& progress) {
             const PolynomialForcesOptions options{.progress = to_progress(progress)};
             const py::gil_scoped_release release;
             return PolynomialForces(body, basis, options);
           }),
           py::arg("body"), py::arg("basis"), py::arg("progress") = py::none())
      .def_property_readonly("coefficients", &PolynomialForces::coefficients);
  bind_evaluation<PolynomialForces>(polynomial);
}

}  // namespace pliant::python
