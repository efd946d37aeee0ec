// pliant bench snapshots: subspaces of recorded motion, how long they take to make and what they cannot say.
#include <fmt/format.h>

#include <memory>

#include "bench.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/measures.h"
#include "pliant/subspace/splocs.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "bear", coordinates = "shared";
  Index vertices = 20000;
  int frames = 300, components = 200, threads = 0;
  std::vector<std::string> methods = {"pca", "localized", "splocs"};
  double young = 3e4;
  bool json = false;
};

/// A stretched body falls onto a floor, turns over and comes to rest.
std::vector<Points> recorded_drop(const TetMesh& mesh, const VectorXd& masses, const Arguments& a,
                                  const Progress& progress) {
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = a.young});
  ProjectiveDynamics full(constraints, masses, {.single_precision = true});
  const BoundingBox box = bounding_box(mesh.vertices);
  Points stretched = mesh.vertices;
  stretched.col(1) = box.low[1] + 1.2 * (stretched.col(1).array() - box.low[1]);
  full.set_motion(stretched, Points::Zero(stretched.rows(), 3));
  full.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, box.low[1] - 0.2 * box.diagonal(), 0)}}}}});
  std::vector<Points> frames;
  for (int f = 0; f < a.frames; ++f) {
    report(progress, "recording", static_cast<double>(f) / a.frames);
    full.step();
    frames.push_back(full.positions());
    if (interrupted()) throw Interrupted();
  }
  return frames;
}

void run(const Arguments& a) {
  CommandProgress progress;
  if (a.threads > 0) set_thread_count(a.threads);
  TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  const BoundingBox as_read = bounding_box(mesh.vertices);
  mesh.vertices /= (as_read.high - as_read.low).maxCoeff();
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  const std::vector<Points> recorded = recorded_drop(mesh, masses, a, progress.callback());
  const SnapshotFrames frames = frames_of(recorded);
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
  command->add_option("--young", a->young, "Young's modulus, Pa, of a body of 1 m")->capture_default_str();
  command->add_option("--threads", a->threads, "0: all")->check(CLI::Range(0, 1024))->capture_default_str();
  add_common(*command, a->json, "  pliant bench snapshots --vertices 20000 --frames 300 --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
