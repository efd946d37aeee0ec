// Hyper-reduced projective dynamics.
#include "pliant/reduced/hrpd.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bind.h"
#include "pliant/elasticity/projective_body.h"
#include "pliant/reduced/hrpd_file.h"
#include "pliant/subspace/snapshot_blocks.h"

namespace pliant::python {
namespace {

using Model = std::shared_ptr<HrpdModel>;

/// Frames of positions, or recorded projections by kind; and readers of them, which know where it stands.
struct Recorded {
  std::vector<Points> frames;
  SnapshotFrames readers;
  std::map<std::string, std::vector<Eigen::MatrixXf>> projections;

  explicit Recorded(const py::object& given) {
    if (given.is_none()) return;
    if (!py::isinstance<py::dict>(given)) {
      for (const py::handle& frame : given)
        frames.push_back(to_points(py::reinterpret_borrow<py::object>(frame), "recorded"));
      readers = frames_of(frames);
      return;
    }
    using Array = py::array_t<float, py::array::c_style | py::array::forcecast>;
    for (const auto& [key, value] : given.cast<py::dict>()) {
      const auto array = py::reinterpret_borrow<py::object>(value).cast<Array>();
      if (array.ndim() != 3)
        throw InputError("recorded: projections have " + std::to_string(array.ndim()) +
                         " axes; expected (frames, constraints, numbers of one)");
      auto& list = projections[key.cast<std::string>()];
      for (Index f = 0; f < array.shape(0); ++f)
        list.push_back(Eigen::Map<const Eigen::MatrixXf>(array.data() + f * array.shape(1) * array.shape(2),
                                                         array.shape(2), array.shape(1)));
    }
  }

  std::vector<ProjectionFrames> of(const ProjectiveConstraints& constraints) const {
    std::vector<ProjectionFrames> out;
    std::vector<std::string> kinds;
    for (const ProjectiveGroup& group : constraints.groups)
      if (group.size() > 0) kinds.emplace_back(name(group.kind));
    for (const auto& [kind, frames_of_kind] : projections)
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
        throw InputError(fmt::format("recorded: projections of '{}'; expected kinds of this body: {}", kind,
                                     fmt::join(kinds, ", ")));
    for (const ProjectiveGroup& group : constraints.groups) {
      const auto found = projections.find(std::string(name(group.kind)));
      if (group.size() > 0 && found != projections.end())
        out.push_back(recorded_projections(group.kind, found->second));
      else if (group.size() > 0 && !frames.empty())
        out.push_back(projections_of(constraints, group.kind, readers));
    }
    return out;
  }
};

Model reduce(const Body& body, const ProjectiveConstraints* constraints, int handles, int iterations,
             const std::string& weights, double support, double ramp, bool fit, const std::string& how,
             double smoothing, int fitted_handles, int fitted_dimension, int samples, int contact_samples,
             const SnapshotBasis* basis, const py::object& recorded, const py::object& progress) {
  const Recorded motion(recorded);
  ReduceHrpdOptions options;
  options.positions.handles = handles, options.positions.support = support, options.positions.ramp = ramp;
  options.positions.radial = options.projections.radial = radial_function(weights);
  options.projections.handles = fitted_handles, options.projections.dimension = fitted_dimension;
  options.projections.samples = samples;
  options.sampling = sampling(how), options.smoothing = smoothing;
  options.fit = fit, options.contact_samples = contact_samples, options.iterations = iterations;
  options.progress = to_progress(progress);
  const py::gil_scoped_release release;
  if (basis) {
    GeodesicSolver solver = body.is_shell() ? GeodesicSolver(TriMesh{body.rest_positions(), body.triangles()})
                                            : GeodesicSolver(TetMesh{body.rest_positions(), body.tets()});
    const Points& X = body.rest_positions();
    if (basis->rest.rows() != X.rows())
      throw InputError("reduce_hrpd: the basis is of another mesh; expected one of this body");
    const double box = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
    options.basis = std::make_shared<const SkinningBasis>(
        snapshot_blocks(*basis, body.masses(), solver, body.fixed(), 0.05 * box));
  }
  const ProjectiveConstraints own = constraints ? *constraints : projective_constraints(body);
  options.recorded = motion.of(own);
  return std::make_shared<HrpdModel>(reduce_hrpd(body, own, options));
}

void check_coordinates(const HrpdModel& model, const MatrixXd& q) {
  if (q.rows() != model.columns() || q.cols() != 3)
    throw InputError("coordinates are (" + std::to_string(q.rows()) + ", " + std::to_string(q.cols()) +
                     "); expected (" + std::to_string(model.columns()) + ", 3)");
}

}  // namespace

void bind_hrpd(py::module_& module) {
  py::class_<HrpdModel, ModelBody, Model>(module, "HrpdModel",
                                          "A body made small: x = rest_positions + U q, q being (4 handles, "
                                          "3), and a few constraints in place of all.")
      .def_static(
          "load",
          [](const std::filesystem::path& file) { return std::make_shared<HrpdModel>(read_hrpd(file)); },
          py::arg("file"), ReleaseGil(), "A model that `save` or `pliant reduce` wrote.")
      .def("save", &write_hrpd, py::arg("file"), ReleaseGil(), "Writes a .pliant file.")
      .def_property_readonly("rest_positions", [](const HrpdModel& m) { return m.basis.rest; })
      .def_property_readonly(
          "handles", [](const HrpdModel& m) { return m.basis.weights.handles; }, "Vertices.")
      .def_property_readonly("degrees_of_freedom", &HrpdModel::degrees_of_freedom)
      .def_readonly("iterations", &HrpdModel::iterations)
      .def_readonly("can_change_volume", &HrpdModel::can_change_volume)
      .def_property_readonly(
          "samples",
          [](const HrpdModel& m) {
            py::dict samples;
            for (const ReducedConstraints& kind : m.kinds)
              samples[py::str(std::string(name(kind.samples.kind)))] =
                  m.all ? m.all->group(kind.samples.kind).size() : kind.samples.size();
            return samples;
          },
          "Constraints that are evaluated, by kind.")
      .def(
          "positions",
          [](const HrpdModel& m, const MatrixXd& q) {
            check_coordinates(m, q);
            Points x;
            positions(m.basis, q, x);
            return x;
          },
          py::arg("q"), "Of all vertices, (n, 3).")
      .def(
          "fit_error",
          [](const HrpdModel& m, const ProjectiveConstraints& constraints, const MatrixXd& q,
             double prediction) {
            check_coordinates(m, q);
            const FitError error = fit_error(constraints, m, q, prediction);
            return py::make_tuple(error.right_hand_side, error.elastic_force);
          },
          py::arg("constraints"), py::arg("q"), py::kw_only(),
          py::arg("prediction") = HrpdOptions().prediction,
          "How well the fit knows all projections there: relative to the whole right-hand side, and to the "
          "elastic "
          "force.")
      .def("__repr__", [](const HrpdModel& m) {
        return "<pliant HrpdModel of " + std::to_string(m.vertex_count()) + " vertices with " +
               std::to_string(m.basis.weights.count()) + " handles>";
      });
  module.def(
      "reduce_hrpd", &reduce, py::arg("body"), py::kw_only(), py::arg("constraints") = py::none(),
      py::arg("handles") = 120, py::arg("iterations") = 10, py::arg("weights") = "smooth",
      py::arg("support") = SkinningOptions().support, py::arg("ramp") = 0.5, py::arg("fit") = true,
      py::arg("sampling") = "weighted", py::arg("smoothing") = ReduceHrpdOptions().smoothing,
      py::arg("fitted_handles") = 80, py::arg("fitted_dimension") = 0, py::arg("samples") = 1000,
      py::arg("contact_samples") = ReduceHrpdOptions().contact_samples, py::arg("basis") = py::none(),
      py::arg("recorded") = py::none(), py::arg("progress") = py::none(),
      "Reduces a body for hyper-reduced projective dynamics; vertices that it fixes never move. constraints: "
      "ProjectiveConstraints on its mesh, in place of those of its materials. basis: a SnapshotBasis of "
      "shared coordinates, in place of handles. sampling: how sampled constraints stand for all, by weights "
      "or by the fit of projections of the paper (\"fitted\"). smoothing: of weighted samples, how much of "
      "their strain is the mean over what they stand for. recorded: a sequence of (n, 3) positions, or "
      "projections by "
      "kind of "
      "constraint, (frames, constraints, numbers of one) each: projections are fitted in what is recorded of "
      "them, in "
      "place of affine maps at handles. "
      "Returns an HrpdModel.");

  py::class_<Hrpd, Simulator>(module, "Hrpd", "Hyper-reduced projective dynamics.")
      .def(
          py::init([](const Model& model, int iterations, double time_step, bool double_precision,
                      double prediction, int acceleration) {
            return std::make_unique<Hrpd>(model, HrpdOptions{.iterations = iterations,
                                                             .time_step = time_step,
                                                             .double_precision = double_precision,
                                                             .prediction = prediction,
                                                             .acceleration = acceleration});
          }),
          py::arg("model").none(false), py::kw_only(), py::arg("iterations") = 0,
          py::arg("time_step") = 1.0 / 60, py::arg("double_precision") = false,
          py::arg("prediction") = HrpdOptions().prediction,
          py::arg("acceleration") = HrpdOptions().acceleration,
          "iterations: local/global turns a step; 0: as the model says. prediction: how much of the "
          "projections is "
          "taken from where the body would go by itself, before the rest is fitted. acceleration: turns that "
          "Anderson's acceleration looks back at; 0: none, as in the paper.")
      .def_property_readonly("coordinates", &Hrpd::coordinates, "q, (4 handles, 3)")
      .def_property_readonly("rates", &Hrpd::rates, "dq/dt")
      .def("set_coordinates", while_free(&Hrpd::set_coordinates), py::arg("q"), py::arg("rates"))
      .def("set_stiffness_of", &Hrpd::set_stiffness_of, py::arg("kind"), py::arg("factor"),
           "Of the constraints of one kind (a key of the model's samples), beside the factor on all.")
      .def("stiffness_of", &Hrpd::stiffness_of, py::arg("kind"))
      .def_property_readonly("factorizations", &Hrpd::factorizations, "so far");
}

}  // namespace pliant::python
