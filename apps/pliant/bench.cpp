// pliant bench: how long a step takes on this machine, and what of it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>

#include "bench.h"
#include "pliant/fullspace/newton.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/validation.h"
#include "pliant/io/mesh_file.h"

namespace pliant::app {
TetMesh bench_mesh(const std::string& file, const std::string& shape, Index vertices) {
  if (file.empty()) return make_shape(shape, {.vertices = vertices});
  const MeshData data = read_mesh(file);
  if (!data.has_tets())
    throw InputError(fmt::format("{}: a surface; expected tets (pliant tetrahedralize)", file));
  return repair(TetMesh{data.vertices, data.tets}).mesh;
}

std::vector<int> bottom(const Points& vertices, double part) {
  const double low = vertices.col(1).minCoeff(), high = vertices.col(1).maxCoeff();
  std::vector<int> out;
  for (Index i = 0; i < vertices.rows(); ++i)
    if (vertices(i, 1) <= low + part * (high - low)) out.push_back(static_cast<int>(i));
  return out;
}

namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

namespace {

/// Milliseconds of steps after the first few, phase by phase: medians, so that other work on the machine counts little.
/// A phase counts 0 in a step without it; what only a few steps have (a factorisation) shows in the means.
struct StepTimes {
  double step = 0, mean_step = 0;
  std::map<std::string, double> phases, mean_phases;
  double iterations = 0;
};

StepTimes time_steps(Simulator& simulator, int steps) {
  constexpr int warm_up = 2;
  std::vector<double> totals, iterations;
  std::map<std::string, std::vector<double>> phases;
  for (int i = 0; i < warm_up + steps; ++i) {
    Trace whole;
    StepReport report;
    {
      const Trace::Scope scope(whole, "step");
      report = simulator.step();
    }
    if (interrupted()) throw Interrupted();
    if (i < warm_up) continue;
    totals.push_back(whole.microseconds("step") / 1000);
    iterations.push_back(report.iterations);
    for (const Trace::Phase& phase : simulator.trace().phases()) {
      std::vector<double>& values = phases[phase.name];
      values.resize(totals.size(), 0.0);
      values.back() = phase.microseconds / 1000;
    }
  }
  StepTimes times;
  times.step = median(totals);
  times.mean_step = mean(totals);
  times.iterations = median(iterations);
  for (auto& [name, values] : phases) {
    values.resize(totals.size(), 0.0);
    times.phases[name] = median(values);
    times.mean_phases[name] = mean(values);
  }
  return times;
}

Json common_json(Index vertices, const char* elements, Index count, const StepTimes& times) {
  Json json = {{"vertices", vertices},           {elements, count},
               {"threads", thread_count()},      {"ms_per_step", times.step},
               {"iterations", times.iterations}, {"phases_ms", Json::object()}};
  for (const auto& [name, value] : times.phases) json["phases_ms"][name] = value;
  json["mean_ms_per_step"] = times.mean_step;
  json["mean_phases_ms"] = Json::object();
  for (const auto& [name, value] : times.mean_phases) json["mean_phases_ms"][name] = value;
  json["peak_mb"] = peak_megabytes();
  return json;
}

}  // namespace

std::string table(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      text += key + "\n";
      for (const auto& [name, part] : value.items())
        text += fmt::format("  {:<18} {:.3f}\n", name, part.get<double>());
    } else if (value.is_number_float())
      text += fmt::format("{:<20} {:.3f}\n", key, value.get<double>());
    else
      text += fmt::format("{:<20} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

namespace {

struct NewtonArguments {
  std::string mesh, shape = "bar", material = "corotated", solver = "automatic";
  Index vertices = 5000;
  double young = 1e6, poisson = 0.4, thickness = 1e-3, time_step = 1.0 / 60;
  int steps = 20, iterations = 1;
  bool json = false;
};

/// A solid, or a shell of a surface.
Body newton_body(const NewtonArguments& a) {
  if (!a.mesh.empty()) {
    const MeshData data = read_mesh(a.mesh);
    if (!data.has_tets())
      return Body(TriMesh{data.vertices, data.triangles},
                  ShellMaterial::from_young(a.young, a.poisson, a.thickness, 1000),
                  {.fixed = bottom(data.vertices)});
  }
  const TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  return Body(mesh, {make_material(a.material, a.young, a.poisson)}, {.fixed = bottom(mesh.vertices)});
}

void bench_newton(const NewtonArguments& a) {
  const Body body = newton_body(a);
  NewtonOptions options{.time_step = a.time_step, .iterations = a.iterations};
  options.solver = linear_solver(a.solver);
  NewtonSimulator simulator(body, options);
  const StepTimes times = time_steps(simulator, a.steps);
  const bool shell = body.is_shell();
  Json json = common_json(body.vertex_count(), shell ? "triangles" : "tets",
                          shell ? body.triangles().rows() : body.tets().rows(), times);
  json["material"] = shell ? "shell" : a.material;
  json["solver"] = name_of(simulator.solver());
  json["factor_nonzeros"] = simulator.factor_nonzeros();
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

void add_newton(CLI::App& bench) {
  auto a = std::make_shared<NewtonArguments>();
  CLI::App* command =
      bench.add_subcommand("newton", "A step of full-space Newton: implicit Euler, its lower end held");
  command->add_option("--mesh", a->mesh,
                      "A file with tets, or a surface: a shell; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--thickness", a->thickness, "Of a shell, metres")->capture_default_str();
  command->add_option("--material", a->material, "Which material")->capture_default_str();
  command->add_option("--young", a->young, "Young's modulus, Pa")->capture_default_str();
  command->add_option("--poisson", a->poisson, "Poisson's ratio")->capture_default_str();
  command->add_option("--time-step", a->time_step, "Seconds")->capture_default_str();
  command->add_option("--solver", a->solver, "Of the linear systems")
      ->check(CLI::IsMember({"automatic", "cholesky", "pcg"}))
      ->capture_default_str();
  command->add_option("--iterations", a->iterations, "Of Newton a step; 0: until converged, with line search")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--steps", a->steps, "Steps that are timed; medians are printed")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_common(*command, a->json, "  pliant bench newton --mesh dragon.veg --json");
  command->callback([a] { bench_newton(*a); });
}

struct ProjectiveArguments {
  std::string mesh, shape = "bear";
  Index vertices = 19000;
  double young = 1e5, poisson = 0;
  int steps = 40, iterations = 10;
  bool single = false, json = false;
};

/// The body was stretched, and falls onto a floor.
void bench_projective(const ProjectiveArguments& a) {
  const TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  const Vector3d low = mesh.vertices.colwise().minCoeff(), high = mesh.vertices.colwise().maxCoeff();
  ProjectiveConstraints constraints(mesh.vertices);
  if (a.poisson > 0)
    add_tet_volume(constraints, mesh.tets, TetVolume::from_young(a.young, a.poisson));
  else
    add_tet_strain(constraints, mesh.tets, {.stiffness = a.young});
  ProjectiveDynamics simulator(constraints, vertex_masses(mesh.vertices, mesh.tets, 1000),
                               {.iterations = a.iterations, .single_precision = a.single});
  Points stretched = mesh.vertices;
  stretched.col(1) = low[1] + 1.2 * (stretched.col(1).array() - low[1]);
  simulator.set_motion(stretched, Points::Zero(stretched.rows(), 3));
  const Vector3d floor(0, low[1] - 0.05 * (high - low).maxCoeff(), 0);
  simulator.set_obstacles({Obstacle{.path = {{{0, floor}}}}});
  simulator.step();
  const double factorize = simulator.trace().microseconds("factorize") / 1000;
  Json json = common_json(mesh.vertex_count(), "tets", mesh.tet_count(), time_steps(simulator, a.steps));
  json["projections"] = a.single ? "float" : "double";
  json["factorize_ms"] = factorize;
  json["factor_nonzeros"] = simulator.factor_nonzeros();
  json["simulator_mb"] = static_cast<double>(simulator.memory_bytes()) / (1 << 20);
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

void add_projective(CLI::App& bench) {
  auto a = std::make_shared<ProjectiveArguments>();
  CLI::App* command = bench.add_subcommand(
      "projective", "A step of projective dynamics: a stretched body falls onto a floor");
  command->add_option("--mesh", a->mesh, "A file with tets; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--young", a->young, "Young's modulus, Pa")->capture_default_str();
  command->add_option("--poisson", a->poisson, "Poisson's ratio; above 0 the tets also keep their volume")
      ->capture_default_str();
  command->add_option("--iterations", a->iterations, "Local/global turns a step")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--steps", a->steps, "Steps that are timed; medians are printed")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("--single", a->single, "Projections in float");
  add_common(*command, a->json, "  pliant bench projective --mesh armadillo.mesh.gz --json");
  command->callback([a] { bench_projective(*a); });
}

}  // namespace

void add_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand("bench", "Measure how long a step takes here");
  command->require_subcommand(1);
  command->footer("Example:\n  pliant bench newton --mesh dragon.veg --json");
  add_newton(*command);
  add_projective(*command);
  add_bench_hrpd(*command);
  add_bench_reduced_fem(*command);
  add_bench_snapshots(*command);
  add_bench_view(*command);
}

}  // namespace pliant::app
