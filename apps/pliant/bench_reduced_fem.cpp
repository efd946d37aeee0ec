// pliant bench reduced-fem: how long the offline stage takes, how good it is, how fast the model then runs.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "bench.h"
#include "pliant/fullspace/newton.h"
#include "pliant/geometry/measures.h"
#include "pliant/hyperreduction/cubature_greedy.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/reduced/reduce_fem.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "squid", material = "stvk", basis = "extended_modes", forces = "cubature";
  Index vertices = 20000;
  double young = 1e6, poisson = 0.4, bend = 0.2;
  int modes = 15, dimension = 0, samples = 150, poses = 1000, steps = 1000, full_steps = 30;
  bool greedy = true, json = false;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A constant sideways acceleration that would bend the body by this part of its box if it stayed linear.
Vector3d bending_load(const DenseBasis& basis, const VectorXd& masses, double bend) {
  Points unit = Points::Zero(basis.vertex_count(), 3);
  unit.col(0) = masses;
  const VectorXd q = pull_back(basis, unit).cwiseQuotient(basis.eigenvalues.cwiseMax(1e-300));
  const double largest = (positions(basis, q) - basis.origin).rowwise().norm().maxCoeff();
  return Vector3d(bend * bounding_box(basis.origin).diagonal() / largest, 0, 0);
}

/// Velocities that twist the body about the vertical through its middle, more the higher up.
Points twist(const Points& X, double speed) {
  const BoundingBox box = bounding_box(X);
  const Vector3d middle = (box.low + box.high) / 2, size = box.high - box.low;
  Points v(X.rows(), 3);
  for (Index i = 0; i < X.rows(); ++i) {
    const double height = (X(i, 1) - box.low.y()) / size.y();
    v.row(i) << height * speed * (X(i, 2) - middle.z()), 0, -height * speed * (X(i, 0) - middle.x());
  }
  return v;
}

struct FullMotion {
  MatrixXd displacements;  // 3n x frames
  double seconds_per_step = 0;
  double largest = 0;  // in box diagonals
};

/// The full simulation bends under the load, then, started anew, twists: motions that no training pose knows.
FullMotion full_motion(const Body& body, const Vector3d& load, int steps) {
  FullMotion motion;
  const Points& X = body.rest_positions();
  const double box = bounding_box(X).diagonal();
  motion.displacements.resize(3 * body.vertex_count(), 2 * steps);
  for (int kind = 0; kind < 2; ++kind) {
    NewtonSimulator full(body, {.scheme = TimeScheme::newmark});
    full.set_gravity(kind == 0 ? load : Vector3d::Zero());
    if (kind == 1) full.set_motion(X, twist(X, 10));
    for (int i = 0; i < steps; ++i) {
      motion.seconds_per_step += seconds_of([&] { full.step(); }) / (2 * steps);
      if (interrupted()) throw Interrupted();
      const Points u = full.positions() - X;
      motion.displacements.col(kind * steps + i) = Eigen::Map<const VectorXd>(u.data(), u.size());
      motion.largest = std::max(motion.largest, u.rowwise().norm().maxCoeff() / box);
    }
  }
  return motion;
}

void run(const Arguments& a) {
  CommandProgress progress;
  const TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  const Body body(mesh, SolidMaterial{make_material(a.material, a.young, a.poisson), 1000},
                  {.fixed = bottom(mesh.vertices), .damping = {.mass = 0.1, .stiffness = 1e-3}});
  ReduceFemOptions options;
  options.basis = basis_kind(a.basis), options.forces = force_kind(a.forces);
  options.modes = a.modes, options.dimension = a.dimension;
  options.samples = a.samples;
  options.poses.count = a.poses;
  options.progress = progress.callback();
  ReducedFem model = reduce_fem(body, options);
  Json json = {{"vertices", mesh.vertex_count()},
               {"tets", mesh.tet_count()},
               {"threads", thread_count()},
               {"dimension", model.dimension()},
               {"samples", model.elements.elements().count()}};
  double offline = 0;
  for (const auto& [name, value] : model.measured) {
    json[name] = value;
    if (name.starts_with("seconds_")) offline += value;
  }
  json["offline_s"] = offline;

  // === The same problem by the greedy method, and forces on motion that was not trained
  const DenseBasis basis = make_basis(body, options);
  Rng rng(options.seed);
  const TrainingPoses training = training_poses(basis, rng, options.poses);
  const bool cubature_used = options.forces == ForceKind::cubature;
  if (a.greedy && cubature_used) {
    const CubatureProblem problem(body, basis, training.q, {.memory = options.memory});
    Cubature greedy;
    json["greedy_seconds"] =
        seconds_of([&] { greedy = cubature_greedy(problem, rng, {.samples = a.samples}); });
    json["greedy_error"] = greedy.error;
  }
  const Vector3d load = bending_load(basis, body.masses(), a.bend);
  if (a.full_steps > 0) {
    const FullMotion motion = full_motion(body, load, a.full_steps);
    if (cubature_used) {
      const ElementArrays chosen = model.elements.elements().arrays();
      Cubature cubature;
      cubature.elements.assign(chosen.elements.data(), chosen.elements.data() + chosen.elements.size());
      cubature.weights = model.elements.weights();
      const MatrixXd q = poses_of_motion(body, basis, motion.displacements).q;
      json["motion_error"] = force_errors(body, basis, cubature, q).mean();
    }
    json["motion_largest_displacement"] = motion.largest;
    json["full_steps_per_s"] = 1 / motion.seconds_per_step;
  }

  // === Steps under the constant load
  const auto shared = std::make_shared<const ReducedFem>(std::move(model));
  NewmarkBroyden simulator(shared, {.tolerance = 1e-5});
  simulator.set_gravity(load);
  double jacobian = 0, iterations = 0, forces = 0, largest = 0;
  int unconverged = 0;
  for (int i = 0; i < 10; ++i) simulator.step();
  const double seconds = seconds_of([&] {
    for (int i = 0; i < a.steps; ++i) {
      const StepReport report = simulator.step();
      iterations += report.iterations;
      unconverged += !report.converged;
      forces += simulator.trace().microseconds("forces");
      jacobian += simulator.trace().microseconds("jacobian");
    }
  });
  NewmarkBroyden again(shared, {.tolerance = 1e-5});
  again.set_gravity(load);
  for (int i = 0; i < 120; ++i) {
    again.step();
    largest = std::max(largest, (again.positions() - mesh.vertices).rowwise().norm().maxCoeff());
  }
  json["load_m_per_s2"] = load.x();
  json["largest_displacement"] = largest / bounding_box(mesh.vertices).diagonal();
  json["steps_per_s"] = a.steps / seconds;
  json["iterations_per_step"] = iterations / a.steps;
  json["newton_steps"] = simulator.newton_steps();
  json["unconverged_steps"] = unconverged;
  json["microseconds_per_force"] = forces / std::max(1.0, iterations);
  json["microseconds_jacobian"] = jacobian / a.steps;
  json["peak_mb"] = peak_megabytes();
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

}  // namespace

void add_bench_reduced_fem(CLI::App& bench) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = bench.add_subcommand(
      "reduced-fem",
      "Reduced finite elements: offline stage, errors, and steps of a body bent by a constant load");
  command->add_option("--mesh", a->mesh, "A file with tets; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--material", a->material, "Which material")->capture_default_str();
  command->add_option("--young", a->young, "Young's modulus, Pa")->capture_default_str();
  command->add_option("--poisson", a->poisson, "Poisson's ratio")->capture_default_str();
  command->add_option("--modes", a->modes, "Vibration modes")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--basis", a->basis, "extended_modes, modal_derivatives or linear_modes")
      ->check(CLI::IsMember({"extended_modes", "modal_derivatives", "linear_modes"}))
      ->capture_default_str();
  command
      ->add_option("--dimension", a->dimension, "Coordinates, where the basis leaves a choice; 0: automatic")
      ->check(CLI::Range(0, 3000))
      ->capture_default_str();
  command->add_option("--forces", a->forces, "cubature, polynomial (of stvk) or exact: every element")
      ->check(CLI::IsMember({"cubature", "polynomial", "exact"}))
      ->capture_default_str();
  command->add_option("--samples", a->samples, "Elements of the cubature")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--poses", a->poses, "Training poses")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--bend", a->bend, "How far the load bends the body, in box diagonals, were it linear")
      ->capture_default_str();
  command->add_option("--steps", a->steps, "Reduced steps that are timed")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--full-steps", a->full_steps, "Full steps of each held-out motion; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_flag("!--no-greedy", a->greedy, "Leave out the greedy method");
  add_common(*command, a->json, "  pliant bench reduced-fem --mesh dragon.mesh.gz --samples 300 --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
