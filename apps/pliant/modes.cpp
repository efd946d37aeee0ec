// pliant modes: how a body vibrates, and the subspaces made of that.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "body_source.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/gltf_writer.h"
#include "pliant/io/safetensors.h"
#include "pliant/io/write_png.h"
#include "pliant/scene/build.h"
#include "pliant/scene/filmstrip.h"
#include "pliant/subspace/extended_modes.h"
#include "pliant/subspace/linear_modes.h"
#include "pliant/subspace/modal_derivatives.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  std::vector<std::string> outputs;
  std::string kind = "linear";
  int count = 15, dimension = -1, shown = 6;
  double size = 0.1, memory_gb = 8;
  bool json = false;
};

std::string extension_of(const std::string& path) { return std::filesystem::path(path).extension().string(); }

void check_outputs(const Arguments& a) {
  for (const std::string& path : a.outputs)
    if (const std::string e = extension_of(path); e != ".safetensors" && e != ".glb" && e != ".png")
      throw UsageError(fmt::format(
          "-o {}: modes cannot be written as \"{}\"; expected .safetensors, .glb or .png", path, e));
}

DenseBasis make_basis(const Arguments& a, const Body& body, const LinearModes& modes,
                      const Progress& progress) {
  if (a.kind == "extended") return extended_modes(body, modes);
  if (a.kind == "derivatives")
    return modal_derivatives(body, modes, {.dimension = a.dimension, .progress = progress});
  return modal_basis(body, modes);
}

/// The shapes that a person sees: the first `count` columns that are not rigid motions, each as large as `size` says.
struct Shown {
  MeshData mesh;
  std::vector<Points> displacements;  // of mesh.vertices
};

Shown shown_modes(const PhysicalBody& physical, const DenseBasis& basis, int count, double size) {
  Shown shown{physical.mesh.shown, {}};
  const Points& rest = shown.mesh.vertices;
  const double diagonal = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
  for (Index i = 0; i < basis.dimension() && static_cast<int>(shown.displacements.size()) < count; ++i) {
    if (basis.frequencies[i] == 0) continue;
    const VectorXd q = VectorXd::Unit(basis.dimension(), i);
    const Points x = positions(basis, q);
    Points moved = (physical.mesh.embedding ? physical.mesh.embedding->positions(x) : x) - rest;
    moved *= size * diagonal / std::max(moved.rowwise().norm().maxCoeff(), 1e-300);
    shown.displacements.push_back(std::move(moved));
  }
  return shown;
}

/// Every mode swings for two seconds, one after the other.
void write_animation(const std::string& path, const Shown& shown) {
  const Surface surface =
      compact_surface(shown.mesh.vertices,
                      shown.mesh.has_tets() ? boundary_triangles(shown.mesh.tets) : shown.mesh.triangles);
  constexpr int frames_a_mode = 48;
  const auto count = static_cast<Index>(shown.displacements.size());
  MorphMotion motion;
  motion.times = VectorXd::LinSpaced(frames_a_mode * count + 1, 0, 2.0 * static_cast<double>(count));
  motion.weights = MatrixXd::Zero(motion.times.size(), count);
  for (Index i = 0; i < count; ++i) {
    const Points& moved = shown.displacements[static_cast<std::size_t>(i)];
    motion.targets.push_back(Points(moved(surface.source, Eigen::all)));
    for (int f = 0; f <= frames_a_mode; ++f)
      motion.weights(frames_a_mode * i + f, i) = std::sin(2 * M_PI * f / frames_a_mode);
  }
  write_glb_morph(path, surface.mesh, motion, {.name = "modes"});
}

void write_picture(const std::string& path, const Shown& shown) {
  std::vector<Moment> moments;
  for (const Points& moved : shown.displacements) moments.push_back({0, shown.mesh.vertices + moved});
  RenderOptions options;
  options.width = 1600;
  options.height = 0;
  write_png(path, filmstrip(shown.mesh, moments, {}, options));
}

void write_arrays(const std::string& path, const DenseBasis& basis) {
  SafetensorsWriter writer;
  writer.set_format("pliant.subspace", 1);
  writer.set_metadata("kind", basis.kind);
  writer.set_metadata("units", "positions m, U kg^-1/2, frequencies Hz");
  writer.add("U", basis.U);
  writer.add("origin", basis.origin);
  writer.add("frequencies", basis.frequencies);
  writer.add("eigenvalues", basis.eigenvalues);
  writer.write(path);
}

void run(const Arguments& a) {
  check_outputs(a);
  CommandProgress progress;
  const BodyWords words = body_words(a.source);
  const PhysicalBody physical =
      build_physical_body(words.json, "bodies[0]", words.folder, progress.callback());
  LinearModesOptions options;
  options.count = a.count;
  options.memory_budget = 1e9 * a.memory_gb;
  options.progress = progress.callback();
  const LinearModes modes = linear_modes(physical.body, options);
  if (!modes.converged)
    throw Error(fmt::format("modes: of {} modes not all were found; ask for fewer", a.count));
  const DenseBasis basis = make_basis(a, physical.body, modes, options.progress);

  for (const std::string& path : a.outputs) {
    if (extension_of(path) == ".safetensors") write_arrays(path, basis);
    if (extension_of(path) == ".png") write_picture(path, shown_modes(physical, basis, a.shown, a.size));
    if (extension_of(path) == ".glb")
      write_animation(path, shown_modes(physical, basis, kMostMorphTargets, a.size));
  }

  if (a.json) {
    const Json json = {
        {"kind", basis.kind},
        {"vertices", basis.vertex_count()},
        {"fixed", physical.body.fixed().size()},
        {"rigid", modes.rigid.cols()},
        {"dimension", basis.dimension()},
        {"iterative", modes.iterative},
        {"frequencies", std::vector<double>(modes.frequencies.begin(), modes.frequencies.end())},
        {"reduced_frequencies", std::vector<double>(basis.frequencies.begin(), basis.frequencies.end())},
        {"files", a.outputs}};
    print_json(json);
    return;
  }
  std::string text = fmt::format("{} vertices, {} fixed, {} rigid motions\n  mode  frequency, Hz\n",
                                 basis.vertex_count(), physical.body.fixed().size(), modes.rigid.cols());
  for (Index i = 0; i < modes.frequencies.size(); ++i)
    text += fmt::format("  {:4}  {:13.6g}\n", i + 1, modes.frequencies[i]);
  text += fmt::format("{}: {} dimensions, up to {:.6g} Hz\n", basis.kind, basis.dimension(),
                      basis.frequencies[basis.dimension() - 1]);
  for (const std::string& path : a.outputs) text += fmt::format("wrote {}\n", path);
  print(text);
}

}  // namespace

void add_modes(CLI::App& program) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("modes", "Find the lowest vibrations of a body, and subspaces made of them");
  add_body_source(*command, a->source);
  command->add_option(
      "-o,--output", a->outputs,
      ".safetensors (arrays), .glb (each mode swings in turn) or .png (the first ones side by "
      "side); may come several times");
  command->add_option("--count", a->count, "Elastic modes; rigid motions are not counted")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--kind", a->kind, "linear, extended (nine linear maps of each) or derivatives")
      ->check(CLI::IsMember({"linear", "extended", "derivatives"}))
      ->capture_default_str();
  command->add_option("--dimension", a->dimension, "Of derivatives: the strongest up to this; -1: all")
      ->capture_default_str();
  command->add_option("--shown", a->shown, "How many modes a picture shows")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  command->add_option("--size", a->size, "Of pictures: largest movement, in box diagonals")
      ->check(number_from(1e-6, 10.0))
      ->capture_default_str();
  command
      ->add_option("--memory", a->memory_gb,
                   "GB that the factorisation may take; above, modes are found without one, slower")
      ->check(number_from(0.0, 1e6))
      ->capture_default_str();
  add_common(*command, a->json,
             "  pliant modes bear --fix-lowest 0.05 -o bear.png\n"
             "  pliant modes dragon.mesh --count 15 --kind extended -o dragon.safetensors --json");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
