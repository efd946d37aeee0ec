// pliant bench snapshots: subspaces of recorded motion, how long they take to make and what they cannot say.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "bench.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/subspace/snapshot_blocks.h"
#include "pliant/subspace/splocs.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "bear", coordinates = "shared";
  Index vertices = 20000;
  int frames = 300, components = 200, threads = 0;
  std::vector<std::string> methods = {"pca", "localized", "splocs"};
  double young = 3e4;
  int steps = 0, fitted_handles = 80, dimension = 0, samples = 1000;
  int contact_samples = ReduceHrpdOptions().contact_samples;
  bool waves = false, json = false;
};

/// Frames that are made as they are read, so that they take no memory: turning, and waves of many lengths.
SnapshotFrames made_frames(const Points& X, int count) {
  return {count, X.rows(), [&X, count](Index frame, Index first, Index vertices, double* out) {
            const double t = static_cast<double>(frame) / count;
            const double c = std::cos(3 * t), s = std::sin(3 * t);
            for (Index i = 0; i < vertices; ++i) {
              Vector3d x = X.row(first + i).transpose();
              for (int k = 1; k <= 6; ++k)
                x[k % 3] += 0.1 / k * std::sin(3 * k * x[(k + 1) % 3] + (2 * k + 1) * 6 * t + k);
              Eigen::Map<Vector3d>(out + 3 * i) << c * x[0] - s * x[1] + t, s * x[0] + c * x[1] - t * t, x[2];
            }
          }};
}

ProjectiveConstraints resistance(const TetMesh& mesh, const Arguments& a) {
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = a.young});
  return constraints;
}

/// Stretched, above a floor.
void set_up(Simulator& simulator, const Points& X) {
  const BoundingBox box = bounding_box(X);
  Points stretched = X;
  stretched.col(1) = box.low[1] + 1.2 * (stretched.col(1).array() - box.low[1]);
  simulator.set_motion(stretched, Points::Zero(X.rows(), 3));
  simulator.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, box.low[1] - 0.2 * box.diagonal(), 0)}}}}});
}

/// A stretched body falls onto a floor, turns over and comes to rest.
std::vector<Points> recorded_drop(const TetMesh& mesh, const VectorXd& masses, const Arguments& a,
                                  const Progress& progress) {
  ProjectiveDynamics full(resistance(mesh, a), masses, {.single_precision = true});
  set_up(full, mesh.vertices);
  std::vector<Points> frames;
  for (int f = 0; f < a.frames; ++f) {
    report(progress, "recording", static_cast<double>(f) / a.frames);
    full.step();
    frames.push_back(full.positions());
    if (interrupted()) throw Interrupted();
  }
  return frames;
}

/// The same drop in a subspace: how fast, and how far from what was recorded.
Json reduced_drop(const TetMesh& mesh, const VectorXd& masses, const ReduceHrpdOptions& options,
                  const std::vector<Points>& recorded, const Arguments& a) {
  const ProjectiveConstraints constraints = resistance(mesh, a);
  const double box = bounding_box(mesh.vertices).diagonal();
  std::shared_ptr<const HrpdModel> model;
  Json json;
  json["offline_s"] = seconds_of([&] {
    GeodesicSolver solver(mesh);
    model = std::make_shared<const HrpdModel>(
        reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), options));
  });
  Hrpd simulator(model);
  set_up(simulator, mesh.vertices);
  double seconds = 0, error = 0, fit = 0, elastic = 0;
  int fits = 0;
  const int compared = std::min(a.steps, static_cast<int>(recorded.size()));
  for (int i = 0; i < compared; ++i) {
    seconds += seconds_of([&] { simulator.step(); });
    error = (simulator.positions() - recorded[static_cast<std::size_t>(i)]).rowwise().norm().mean() / box;
    json["position_error"] = json.value("position_error", 0.0) + error / compared;
    if (i % 10 == 9 && options.fit) {
      const FitError found = fit_error(constraints, *model, simulator.coordinates());
      fit += found.right_hand_side, elastic += found.elastic_force, ++fits;
    }
    if (interrupted()) throw Interrupted();
  }
  json["position_error_at_end"] = error;
  if (fits > 0) json["fit_error"] = fit / fits, json["fit_error_of_elastic_force"] = elastic / fits;
  json["degrees_of_freedom"] = model->degrees_of_freedom();
  json["steps_per_s"] = compared / seconds;
  return json;
}

/// Subspaces of equal dimension in projective dynamics: affine maps at handles and local components; with weighted
/// samples, with projections fitted in what was recorded of them, and with all of them evaluated.
void add_drops(Json& json, const TetMesh& mesh, const VectorXd& masses, const std::vector<Points>& recorded,
               const SnapshotBasis& basis, GeodesicSolver& solver, const Arguments& a) {
  const SnapshotFrames frames = frames_of(recorded);
  const ProjectiveConstraints constraints = resistance(mesh, a);
  ReduceHrpdOptions options;
  options.positions.handles = static_cast<int>((basis.columns() + 3) / 4);
  options.projections.handles = a.fitted_handles, options.projections.dimension = a.dimension;
  options.projections.samples = a.samples;
  options.contact_samples = a.contact_samples;
  json["drop_skinning"] = reduced_drop(mesh, masses, options, recorded, a);
  options.basis = std::make_shared<const SkinningBasis>(snapshot_blocks(basis, masses, solver));
  json["drop_localized"] = reduced_drop(mesh, masses, options, recorded, a);
  options.recorded = {projections_of(constraints, ProjectiveKind::tet_strain, frames)};
  options.sample_choice = SampleChoice::spread;
  json["drop_localized_recorded_spread"] = reduced_drop(mesh, masses, options, recorded, a);
  options.sample_choice = SampleChoice::pivoted;
  json["drop_localized_recorded_pivoted"] = reduced_drop(mesh, masses, options, recorded, a);
  options.fit = false;
  json["drop_localized_positions_only"] = reduced_drop(mesh, masses, options, recorded, a);
  options.basis = nullptr;
  json["drop_skinning_positions_only"] = reduced_drop(mesh, masses, options, recorded, a);
}

void run(const Arguments& a) {
  CommandProgress progress;
  if (a.threads > 0) set_thread_count(a.threads);
  TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  const BoundingBox as_read = bounding_box(mesh.vertices);
  mesh.vertices /= (as_read.high - as_read.low).maxCoeff();
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  if (a.waves && a.steps > 0) throw UsageError("--steps runs the drop again; --waves records none");
  const std::vector<Points> recorded =
      a.waves ? std::vector<Points>() : recorded_drop(mesh, masses, a, progress.callback());
  const SnapshotFrames frames = a.waves ? made_frames(mesh.vertices, a.frames) : frames_of(recorded);
  GeodesicSolver solver(mesh);

  SnapshotPcaOptions options;
  options.components = a.components;
  options.coordinates = snapshot_coordinates(a.coordinates);
  options.progress = progress.callback();
  Json json = {{"vertices", mesh.vertex_count()},
               {"frames", a.frames},
               {"components", a.components},
               {"coordinates", a.coordinates},
               {"threads", thread_count()},
               {"frames_mb", 24.0 * static_cast<double>(mesh.vertex_count() * a.frames) / (1 << 20)},
               {"peak_mb_of_recording", peak_megabytes()}};
  for (const std::string& method : a.methods) {
    SnapshotBasis basis;
    json["seconds_" + method] = seconds_of([&] {
      basis = method == "pca"         ? snapshot_pca(frames, mesh.vertices, masses, options)
              : method == "localized" ? localized_pca(frames, mesh.vertices, masses, solver, options)
                                      : splocs(frames, mesh.vertices, masses, solver, options);
    });
    json["peak_mb_" + method] = peak_megabytes();
    json["error_" + method] = projection_error(basis, masses, frames);
    double zeros = 0;
    for (const MatrixXd& U : basis.U)
      zeros += static_cast<double>((U.rightCols(U.cols() - basis.appended).array() == 0).count()) /
               static_cast<double>(U.rows() * (U.cols() - basis.appended)) /
               static_cast<double>(basis.U.size());
    json["zeros_" + method] = zeros;
    if (interrupted()) throw Interrupted();
    if (method == "localized" && a.steps > 0) add_drops(json, mesh, masses, recorded, basis, solver, a);
  }
  json["peak_mb"] = peak_megabytes();
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

}  // namespace

void add_bench_snapshots(CLI::App& bench) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      bench.add_subcommand("snapshots", "Subspaces of a recorded drop: seconds, memory, errors a method");
  command->add_option("--mesh", a->mesh, "A file with tets; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--frames", a->frames, "That are recorded, 60 a second")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--components", a->components, "Of the recorded motion")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--coordinates", a->coordinates, "What a component is")
      ->check(CLI::IsMember({"shared", "separate", "joint"}))
      ->capture_default_str();
  command->add_option("--methods", a->methods, "Which, in what order: memory only ever grows")
      ->delimiter(',')
      ->check(CLI::IsMember({"pca", "localized", "splocs"}))
      ->capture_default_str();
  command->add_flag("--waves", a->waves,
                    "In place of the drop: frames made as they are read, which take no memory");
  command->add_option("--young", a->young, "Young's modulus, Pa, of a body of 1 m")->capture_default_str();
  command
      ->add_option("--steps", a->steps,
                   "Also: so many steps of the same drop in subspaces of equal dimension; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--fitted-handles", a->fitted_handles, "With --steps: handles of projections")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  command->add_option("--dimension", a->dimension, "With --steps: kept of projections; 0: half of these")
      ->check(CLI::Range(0, 10000))
      ->capture_default_str();
  command->add_option("--samples", a->samples, "With --steps: constraints that are evaluated")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--contact-samples", a->contact_samples, "With --steps: vertices that feel the floor")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--threads", a->threads, "0: all")->check(CLI::Range(0, 1024))->capture_default_str();
  add_common(*command, a->json, "  pliant bench snapshots --vertices 20000 --frames 300 --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
