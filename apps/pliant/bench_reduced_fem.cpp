// pliant bench reduced-fem: how long the offline stage takes, how good it is, how fast the model then runs.
#include <fmt/format.h>

#include <memory>

#include "bench.h"
#include "pliant/fullspace/newton.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/hyperreduction/cubature_greedy.h"
#include "pliant/io/mesh_file.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/reduced/trial_motions.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "squid", material = "stvk", basis = "extended_modes", forces = "cubature";
  Index vertices = 20000;
  double young = 1e6, poisson = 0.4, thickness = 0.01, bend = 0.2;
  int modes = 15, dimension = 0, samples = 150, poses = 1000, steps = 1000, full_steps = 30;
  bool free = false, greedy = true, json = false;
};

/// The lowest part; of what lies flat, the end of its longest side.
std::vector<int> foot(const Points& vertices, double part) {
  const Vector3d size = bounding_box(vertices).size();
  int axis = 1;
  if (size.y() < 0.01 * size.norm()) size.maxCoeff(&axis);
  Points turned = vertices;
  turned.col(1).swap(turned.col(axis));
  return bottom(turned, part);
}

/// A solid, or a shell of a surface.
Body bench_body(const Arguments& a) {
  const auto options = [&](const Points& vertices, double part) {
    return BodyOptions{.fixed = a.free ? std::vector<int>{} : foot(vertices, part),
                       .damping = {.mass = 0.1, .stiffness = 1e-3}};
  };
  const auto shell = [&](const TriMesh& mesh) {
    return Body(
        mesh, ShellMaterial::from_young(a.young, a.poisson, a.thickness, 1000),
        options(mesh.vertices, 0.1));  // about a single row of vertices it would turn as about a hinge
  };
  if (a.mesh.empty() && a.shape.ends_with("_shell"))
    return shell(make_shell(a.shape, {.vertices = a.vertices}));
  if (!a.mesh.empty()) {
    const MeshData data = read_mesh(a.mesh);
    if (!data.has_tets()) return shell({data.vertices, data.triangles});
  }
  const TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  return Body(mesh, SolidMaterial{make_material(a.material, a.young, a.poisson), 1000},
              options(mesh.vertices, 0.05));
}

using Model = std::shared_ptr<const ReducedFem>;

/// Motion of the full simulation, which no training pose knows: errors of forces on it. Where it lasts a second, also how
/// far the run of the subspace is from it, and from that the run with cubature.
void measure_on_motion(const Body& body, const DenseBasis& basis, const Model& model,
                       const std::vector<TrialMotion>& trials, int steps, Json& json) {
  CommandProgress progress;
  const Points& X = body.rest_positions();
  const double box = bounding_box(X).diagonal();
  Cubature cubature;
  if (!model->polynomial) {
    cubature.elements = model->elements.elements().elements();
    cubature.weights = model->elements.weights();
  }
  const double time_step = NewtonOptions{}.time_step;
  Model exact;
  if (steps * time_step >= 1 - 1e-9)
    exact = std::make_shared<const ReducedFem>(make_exact_reduced_fem(body, basis));

  double seconds = 0, largest = 0, error = 0, subspace_gap = 0, cubature_gap = 0;
  const auto part = 1 / static_cast<double>(trials.size());
  for (const TrialMotion& trial : trials) {
    NewtonSimulator full(body, {.scheme = TimeScheme::newmark, .time_step = time_step});
    MatrixXd motion;
    seconds += seconds_of([&] { motion = run_trial(full, X, trial, steps, progress.callback()); });
    double furthest = 0;
    for (Index i = 0; i < motion.cols(); ++i) {
      const Eigen::Map<const Points> u(motion.col(i).data(), X.rows(), 3);
      furthest = std::max(furthest, u.rowwise().norm().maxCoeff() / box);
    }
    json["motion_largest_displacement_" + trial.name] = furthest;
    largest = std::max(largest, furthest);
    if (!model->polynomial) {
      const double one = force_errors(body, basis, cubature, poses_of_motion(body, basis, motion).q).mean();
      json["motion_error_" + trial.name] = one;
      error += part * one;
    }
    if (!exact) continue;
    const NewmarkBroydenOptions alike{.time_step = time_step, .damping = StiffnessDamping::following};
    NewmarkBroyden by_subspace(exact, alike), by_cubature(model, alike);
    const MatrixXd subspace = run_trial(by_subspace, X, trial, steps, progress.callback());
    const MatrixXd fast = run_trial(by_cubature, X, trial, steps);
    const double from_full = mean_distance(subspace, motion, body.masses()) / box;
    const double from_subspace = mean_distance(fast, subspace, body.masses()) / box;
    json["subspace_gap_" + trial.name] = from_full;
    json["cubature_gap_" + trial.name] = from_subspace;
    subspace_gap += part * from_full, cubature_gap += part * from_subspace;
  }
  if (!model->polynomial) json["motion_error"] = error;
  if (exact) json["subspace_gap"] = subspace_gap, json["cubature_gap"] = cubature_gap;
  json["motion_largest_displacement"] = largest;
  json["full_steps_per_s"] = static_cast<double>(trials.size()) * steps / seconds;
}

/// How fast the model runs on the first of the motions.
void measure_steps(const Model& model, const TrialMotion& trial, int steps, Json& json) {
  const auto begin = [&](NewmarkBroyden& simulator) {
    simulator.set_gravity(trial.gravity);
    simulator.set_motion(model->rest_positions, trial.velocities);
  };
  NewmarkBroyden simulator(model, {.tolerance = 1e-5});
  begin(simulator);
  double jacobian = 0, iterations = 0, forces = 0, largest = 0;
  int unconverged = 0;
  for (int i = 0; i < 10; ++i) simulator.step();
  const double seconds = seconds_of([&] {
    for (int i = 0; i < steps; ++i) {
      const StepReport report = simulator.step();
      iterations += report.iterations;
      unconverged += !report.converged;
      forces += simulator.trace().microseconds("forces");
      jacobian += simulator.trace().microseconds("jacobian");
    }
  });
  NewmarkBroyden again(model, {.tolerance = 1e-5});
  begin(again);
  for (int i = 0; i < 120; ++i) {
    again.step();
    largest = std::max(largest, (again.positions() - model->rest_positions).rowwise().norm().maxCoeff());
  }
  json["load_m_per_s2"] = trial.gravity.norm();
  json["largest_displacement"] = largest / bounding_box(model->rest_positions).diagonal();
  json["steps_per_s"] = steps / seconds;
  if (json.contains("full_steps_per_s"))
    json["ratio"] = json["steps_per_s"].get<double>() / json["full_steps_per_s"].get<double>();
  json["iterations_per_step"] = iterations / steps;
  json["newton_steps"] = simulator.newton_steps();
  json["unconverged_steps"] = unconverged;
  json["microseconds_per_force"] = forces / std::max(1.0, iterations);
  json["microseconds_jacobian"] = jacobian / steps;
}

void run(const Arguments& a) {
  CommandProgress progress;
  const Body body = bench_body(a);
  ReduceFemOptions options;
  options.basis = basis_kind(a.basis), options.forces = force_kind(a.forces);
  options.modes = a.modes, options.dimension = a.dimension;
  options.samples = a.samples;
  options.poses.count = a.poses;
  options.progress = progress.callback();

  // === Offline
  DenseBasis basis;
  const double seconds_subspace = seconds_of([&] { basis = make_basis(body, options); });
  const auto model = std::make_shared<const ReducedFem>(reduce_fem(body, basis, options));
  Json json = {{"vertices", body.vertex_count()},
               {body.is_shell() ? "triangles" : "tets",
                body.is_shell() ? body.triangles().rows() : body.tets().rows()},
               {"threads", thread_count()},
               {"fixed_vertices", body.fixed().size()},
               {"dimension", model->dimension()},
               {"samples", model->elements.elements().count()}};
  json["seconds_subspace"] = seconds_subspace;
  double offline = seconds_subspace;
  for (const auto& [name, value] : model->measured) {
    json[name] = value;
    if (name.starts_with("seconds_")) offline += value;
  }
  json["offline_s"] = offline;

  // === The same problem by the greedy method
  if (a.greedy && options.forces == ForceKind::cubature) {
    Rng rng(options.seed);
    const TrainingPoses training = training_poses(basis, rng, options.poses);
    const CubatureProblem problem(body, basis, training.q, {.memory = options.memory});
    Cubature greedy;
    json["greedy_seconds"] =
        seconds_of([&] { greedy = cubature_greedy(problem, rng, {.samples = a.samples}); });
    json["greedy_error"] = greedy.error;
  }

  // === Forces and runs on motion that was not trained, and how fast it is
  const std::vector<TrialMotion> trials = trial_motions(body, basis, {.reach = a.bend});
  if (a.full_steps > 0) measure_on_motion(body, basis, model, trials, a.full_steps, json);
  measure_steps(model, trials.front(), a.steps, json);
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
  command->add_option("--mesh", a->mesh,
                      "A file with tets, or a surface: a shell; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--material", a->material, "Which material")->capture_default_str();
  command->add_option("--young", a->young, "Young's modulus, Pa")->capture_default_str();
  command->add_option("--poisson", a->poisson, "Poisson's ratio")->capture_default_str();
  command->add_option("--thickness", a->thickness, "Of a shell, metres")->capture_default_str();
  command->add_flag("--free", a->free, "Nothing is held; otherwise the lowest twentieth, a tenth of a shell");
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
  command
      ->add_option("--full-steps", a->full_steps,
                   "Full steps of each held-out motion (bending, twisting, a drop); 0: none; 60 or more, a "
                   "second: also how far reduced runs go apart from it (slow)")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_flag("!--no-greedy", a->greedy, "Leave out the greedy method");
  add_common(*command, a->json, "  pliant bench reduced-fem --mesh dragon.mesh.gz --samples 300 --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
