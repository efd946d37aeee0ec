// pliant bench hrpd: hyper-reduced projective dynamics beside the full method.
#include <fmt/format.h>

#include <Eigen/Geometry>

#include <memory>
#include <optional>

#include "bench.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/embedding.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/tetrahedralize.h"
#include "pliant/reduced/hrpd.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "bear", motion = "drop", radial = "smooth", sampling = "weighted";
  Index vertices = 19000;
  double young = 1e5, poisson = 0, support = SkinningOptions().support, ramp = 0.5, push = 10, size = 1;
  double prediction = HrpdOptions().prediction, smoothing = ReduceHrpdOptions().smoothing;
  int handles = 120, samples = 1000, iterations = 10, projection_handles = 80, dimension = 0;
  int steps = 500, full_steps = 5, compare = 0, full_iterations = 10, threads = 0;
  int acceleration = HrpdOptions().acceleration;
  int coarse_tets = 0, contact_samples = ReduceHrpdOptions().contact_samples;
  Index other_vertices = 0;
  double other_young = 0;
  bool fit = true, spread = false, json = false;
};

/// Stretched, above a floor; or held at its lower end, and pushed to the side.
/// @param box  of the mesh that is compared, whatever the simulator's own
void set_up(Simulator& simulator, const Points& X, const BoundingBox& box, const std::vector<int>& held,
            const Arguments& a) {
  if (a.motion == "drop") {
    Points stretched = X;
    stretched.col(1) = box.low[1] + 1.2 * (stretched.col(1).array() - box.low[1]);
    simulator.set_motion(stretched, Points::Zero(X.rows(), 3));
    simulator.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, box.low[1] - 0.05 * box.diagonal(), 0)}}}}});
    return;
  }
  for (const int v : held) {
    const bool already = std::binary_search(simulator.fixed().begin(), simulator.fixed().end(), v);
    if (!already) simulator.fix(std::span(&v, 1));
  }
  simulator.set_gravity(a.motion == "push" ? Vector3d(a.push, 0, 0) : Vector3d(0, a.push, 0));
}

constexpr double density = 1000;      // kg/m³
constexpr double large_motion = 0.2;  // of a vertex, in box diagonals

/// The same points turned and moved to where they are closest to others, in the mean of squares.
Points rigidly_laid_on(const Points& others, const Points& points) {
  const Eigen::Matrix4d to =
      Eigen::umeyama(Eigen::MatrixXd(points.transpose()), Eigen::MatrixXd(others.transpose()), false);
  return (points * to.topLeftCorner<3, 3>().transpose()).rowwise() + to.topRightCorner<3, 1>().transpose();
}

ProjectiveConstraints resistance(const TetMesh& mesh, const Arguments& a) {
  ProjectiveConstraints constraints(mesh.vertices);
  if (a.poisson > 0)
    add_tet_volume(constraints, mesh.tets, TetVolume::from_young(a.young, a.poisson));
  else
    add_tet_strain(constraints, mesh.tets, {.stiffness = a.young});
  return constraints;
}

/// The mesh that is asked for, or the same shape with about so many vertices.
TetMesh mesh_of(const Arguments& a, Index vertices) {
  TetMesh mesh = bench_mesh(a.mesh, a.shape, vertices);
  if (a.size > 0) {
    const BoundingBox as_read = bounding_box(mesh.vertices);
    mesh.vertices *= a.size / (as_read.high - as_read.low).maxCoeff();
  }
  return mesh;
}

/// A mesh that carries the vertices of another.
class CarryingMesh {
 public:
  CarryingMesh(TetMesh mesh, const TetMesh& carried, const Arguments& a, int iterations)
      : mesh_(std::move(mesh)),
        embedding_(embed(mesh_, carried.vertices)),
        simulator_(resistance(mesh_, a), vertex_masses(mesh_.vertices, mesh_.tets, density),
                   {.iterations = iterations}) {
    const Points& X = mesh_.vertices;
    set_up(simulator_, X, bounding_box(carried.vertices), a.motion == "drop" ? std::vector<int>() : bottom(X),
           a);
  }

  void step() { simulator_.step(); }
  Points positions() { return embedding_.positions(simulator_.positions()); }
  Index vertex_count() const { return mesh_.vertex_count(); }

 private:
  TetMesh mesh_;
  Embedding embedding_;
  ProjectiveDynamics simulator_;
};

/// The other way to a cheap body: a coarse mesh around it, in full space.
TetMesh coarse_mesh(const TetMesh& fine, const Arguments& a) {
  return tetrahedralize({fine.vertices, boundary_triangles(fine.tets)}, {.target_tets = a.coarse_tets}).mesh;
}

void run(const Arguments& a) {
  if (a.other_vertices > 0 && !a.mesh.empty())
    throw InputError(
        "bench hrpd: --other-vertices with a mesh file; expected a shape, which can be made again");
  CommandProgress progress;
  if (a.threads > 0) set_thread_count(a.threads);
  const TetMesh mesh = mesh_of(a, a.vertices);
  const Points& X = mesh.vertices;
  const double box = bounding_box(X).diagonal();
  const std::vector<int> held = a.motion == "drop" ? std::vector<int>() : bottom(X);
  const ProjectiveConstraints constraints = resistance(mesh, a);
  const VectorXd masses = vertex_masses(X, mesh.tets, density);

  ReduceHrpdOptions options;
  options.positions.handles = a.handles;
  options.positions.support = a.support, options.positions.ramp = a.ramp;
  options.positions.fixed = held;
  options.positions.radial = radial_function(a.radial);
  options.projections.handles = a.projection_handles;
  options.projections.dimension = a.dimension;
  options.projections.samples = a.samples;
  options.projections.radial = options.positions.radial;
  options.fit = a.fit;
  options.sampling = sampling(a.sampling);
  options.smoothing = a.smoothing;
  options.contact_samples = a.contact_samples;
  options.progress = progress.callback();
  std::shared_ptr<const HrpdModel> model;
  const double offline = seconds_of([&] {
    GeodesicSolver solver(mesh);
    model = std::make_shared<const HrpdModel>(
        reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), options));
  });
  Json json = {{"vertices", X.rows()},
               {"tets", mesh.tet_count()},
               {"threads", thread_count()},
               {"dofs", model->degrees_of_freedom()},
               {"samples", a.fit ? model->kinds[0].samples.size() : constraints.size()},
               {"fitted_dimension", model->kinds[0].samples.dimension() * model->kinds[0].samples.width},
               {"offline_s", offline}};
  for (const auto& [name, value] : model->measured) json[name] = value;

  // === Speed
  Hrpd simulator(model,
                 {.iterations = a.iterations, .prediction = a.prediction, .acceleration = a.acceleration});
  set_up(simulator, X, bounding_box(X), held, a);
  std::map<std::string, double> phases;
  for (int i = 0; i < 10; ++i) simulator.step();
  double fit_sum = 0, fit_elastic = 0;
  int fits = 0;
  double seconds = 0;
  for (int i = 0; i < a.steps; ++i) {
    seconds += seconds_of([&] { simulator.step(); });
    for (const Trace::Phase& phase : simulator.trace().phases())
      phases[phase.name] += phase.microseconds / a.steps;
    if (i < 60 && i % 6 == 0) {
      const FitError error = fit_error(constraints, *model, simulator.coordinates(), a.prediction);
      fit_sum += error.right_hand_side, fit_elastic += error.elastic_force, ++fits;
    }
    if (interrupted()) throw Interrupted();
  }
  json["steps_per_s"] = a.steps / seconds;
  for (const auto& [name, value] : phases) json["microseconds_" + name] = value;
  json["fit_error"] = fit_sum / fits;
  json["fit_error_of_elastic_force"] = fit_elastic / fits;
  std::vector<double> refactorize;
  for (int i = 0; i < 7; ++i) {
    simulator.set_stiffness(i % 2 == 0 ? 1.1 : 1.0);
    simulator.step();
    refactorize.push_back(simulator.trace().microseconds("factorize") / 1000);
  }
  std::nth_element(refactorize.begin(), refactorize.begin() + 3, refactorize.end());
  json["refactorize_ms"] = refactorize[3];  // the median
  json["model_mb"] = static_cast<double>(simulator.memory_bytes()) / (1 << 20);

  // === The full method: its speed, and how far apart both are after the same start
  if (a.full_steps > 0) {
    ProjectiveDynamics full(constraints, masses, {.iterations = a.iterations});
    set_up(full, X, bounding_box(X), held, a);
    // Falling it would have nothing to do with the floor: it goes on where the reduced body has come to.
    if (a.motion == "drop") full.set_motion(simulator.positions(), Points::Zero(X.rows(), 3));
    for (int i = 0; i < 2; ++i) full.step();
    json["full_steps_per_s"] = a.full_steps / seconds_of([&] {
                                 for (int i = 0; i < a.full_steps; ++i) full.step();
                               });
    json["ratio"] = json["steps_per_s"].get<double>() / json["full_steps_per_s"].get<double>();
  }
  if (a.compare > 0) {
    ProjectiveDynamics full(constraints, masses, {.iterations = a.full_iterations});
    Hrpd reduced(model,
                 {.iterations = a.iterations, .prediction = a.prediction, .acceleration = a.acceleration});
    set_up(full, X, bounding_box(X), held, a);
    set_up(reduced, X, bounding_box(X), held, a);
    Hrpd projected(model);
    std::optional<CarryingMesh> coarse, other;
    if (a.coarse_tets > 0) coarse.emplace(coarse_mesh(mesh, a), mesh, a, a.iterations);
    if (a.other_vertices > 0 || a.other_young > 0) {
      Arguments b = a;
      if (b.other_young > 0) b.young = b.other_young;
      other.emplace(b.other_vertices > 0 ? mesh_of(b, b.other_vertices) : mesh, mesh, b, b.full_iterations);
    }
    std::optional<ProjectiveDynamics> turned;  // the full method once more, gravity being a little aside
    if (a.spread) {
      turned.emplace(constraints, masses, ProjectiveDynamicsOptions{.iterations = a.full_iterations});
      set_up(*turned, X, bounding_box(X), held, a);
      turned->set_gravity(Eigen::AngleAxisd(1e-3, Vector3d::UnitZ()) * turned->gravity());
    }
    double error = 0, error_before = 0, shape_error = 0, shape_error_after = 0, projection = 0, largest = 0,
           last = 0, spread = 0, spread_before = 0, coarse_error = 0, coarse_seconds = 0, other_error = 0,
           other_before = 0;
    int before = 0;  // steps until the full motion reaches a fifth of the box
    for (int i = 0; i < a.compare; ++i) {
      full.step(), reduced.step();
      if (turned) turned->step();
      if (interrupted()) throw Interrupted();
      const auto distance_to_full = [&](const Points& x) {
        return (full.positions() - x).rowwise().norm().mean() / box;
      };
      last = distance_to_full(reduced.positions());
      const double shape = distance_to_full(rigidly_laid_on(full.positions(), reduced.positions()));
      const double apart = turned ? distance_to_full(turned->positions()) : 0;
      if (other) other->step();
      const double other_apart = other ? distance_to_full(other->positions()) : 0;
      other_error += other_apart / a.compare;
      error += last / a.compare;
      shape_error += shape / a.compare;
      spread += apart / a.compare;
      if (largest < large_motion) {
        error_before += last, spread_before += apart, other_before += other_apart, ++before;
      } else {
        shape_error_after += shape;
      }
      if (coarse) {
        coarse_seconds += seconds_of([&] { coarse->step(); });
        coarse_error += distance_to_full(coarse->positions()) / a.compare;
      }
      projected.set_motion(full.positions(), Points::Zero(X.rows(), 3));
      projection += distance_to_full(projected.positions()) / a.compare;
      const Eigen::RowVector3d drift = full.positions().colwise().mean() - X.colwise().mean();
      const Points moved =
          (full.positions() - X).rowwise() - (held.empty() ? drift : Eigen::RowVector3d(0, 0, 0));
      largest = std::max(largest, moved.rowwise().norm().maxCoeff() / box);
    }
    json["position_error"] = error;
    json["position_error_at_end"] = last;
    json["steps_to_large_motion"] = before;
    json["position_error_to_large_motion"] = error_before / before;
    json["shape_error"] = shape_error;
    if (before < a.compare) json["shape_error_after_large_motion"] = shape_error_after / (a.compare - before);
    json["projection_error"] = projection;
    json["largest_motion"] = largest;
    if (turned) {
      json["full_spread"] = spread;
      json["full_spread_to_large_motion"] = spread_before / before;
    }
    if (other) {
      json["other_vertices"] = other->vertex_count();
      json["other_full_error"] = other_error;
      json["other_full_error_to_large_motion"] = other_before / before;
    }
    if (coarse) {
      json["coarse_vertices"] = coarse->vertex_count();
      json["coarse_steps_per_s"] = a.compare / coarse_seconds;
      json["coarse_position_error"] = coarse_error;
    }
  }
  json["peak_mb"] = peak_megabytes();
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

}  // namespace

void add_bench_hrpd(CLI::App& bench) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = bench.add_subcommand(
      "hrpd", "Hyper-reduced projective dynamics: offline stage, steps, and the full method beside them");
  command->add_option("--mesh", a->mesh, "A file with tets; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")
      ->check(CLI::Range(20, 4'000'000))
      ->capture_default_str();
  command->add_option("--size", a->size, "Longest side of the mesh's box, metres; 0: as in the file")
      ->check(number_from(0.0, 1e6))
      ->capture_default_str();
  command->add_option("--young", a->young, "Young's modulus, Pa")
      ->check(number_from(1e-6, 1e15))
      ->capture_default_str();
  command->add_option("--poisson", a->poisson, "Poisson's ratio; above 0 the tets also keep their volume")
      ->check(number_from(0.0, 0.499))
      ->capture_default_str();
  command
      ->add_option("--motion", a->motion,
                   "drop: stretched, onto a floor; push or hang: held at its lower end")
      ->check(CLI::IsMember({"drop", "push", "hang"}))
      ->capture_default_str();
  command->add_option("--push", a->push, "The load on a held body, m/s^2")->capture_default_str();
  command->add_option("--handles", a->handles, "Of the positions: twelve degrees of freedom each")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  command->add_option("--support", a->support, "Radius of weights, in distances of handles")
      ->check(CLI::Range(least_support, most_support))
      ->capture_default_str();
  command->add_option("--radial", a->radial, "Weight function")
      ->check(CLI::IsMember({"smooth", "kinked"}))
      ->capture_default_str();
  command->add_option("--ramp", a->ramp, "How far held vertices are felt, in radii")->capture_default_str();
  command
      ->add_option("--sampling", a->sampling,
                   "weighted: samples stand for all by their weights; fitted: projections of all are fitted, "
                   "as in the paper")
      ->check(CLI::IsMember({"weighted", "fitted"}))
      ->capture_default_str();
  command
      ->add_option("--smoothing", a->smoothing,
                   "Of weighted samples: how much of their strain is the mean over what they stand for")
      ->check(number_from(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--samples", a->samples, "Constraints that are evaluated")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--projection-handles", a->projection_handles, "Of the projections")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  command->add_option("--dimension", a->dimension, "Kept of them; 0: half")->capture_default_str();
  command->add_option("--contact-samples", a->contact_samples, "Vertices that feel the floor")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_flag("!--no-fit", a->fit, "Evaluate every constraint: the subspace of positions alone");
  command
      ->add_option("--prediction", a->prediction,
                   "Of projections: what is predicted before the rest is fitted; 0: nothing, as in the paper")
      ->check(number_from(0.0, 0.99))
      ->capture_default_str();
  command
      ->add_option("--acceleration", a->acceleration,
                   "Turns that Anderson's acceleration looks back at; 0: none, as in the paper")
      ->check(CLI::Range(0, AndersonMixing::most))
      ->capture_default_str();
  command->add_option("--iterations", a->iterations, "Local/global turns a step")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--steps", a->steps, "Steps that are timed")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--full-steps", a->full_steps, "Steps of the full method that are timed; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command
      ->add_option("--compare", a->compare, "Steps over which positions are compared with the full method's")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_flag("--spread", a->spread,
                    "With --compare: how far the full method is from itself with gravity turned by 1 mrad");
  command
      ->add_option(
          "--other-vertices", a->other_vertices,
          "With --compare, of a shape: how far the full method on a mesh of about so many vertices is from "
          "it; 0: none")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command
      ->add_option(
          "--other-young", a->other_young,
          "With --compare: how far the full method with this Young's modulus is from it, Pa; 0: none")
      ->check(number_from(0.0, 1e15))
      ->capture_default_str();
  command
      ->add_option("--full-iterations", a->full_iterations, "Turns a step of the full method compared with")
      ->capture_default_str();
  command
      ->add_option("--coarse-tets", a->coarse_tets,
                   "With --compare: also a mesh of about so many tets around the body, simulated in full, "
                   "that carries "
                   "its vertices; 0: none")
      ->check(CLI::Range(0, 4'000'000))
      ->capture_default_str();
  command->add_option("--threads", a->threads, "0: all")->check(CLI::Range(0, 1024))->capture_default_str();
  add_common(*command, a->json, "  pliant bench hrpd --mesh armadillo.mesh.gz --handles 120 --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
