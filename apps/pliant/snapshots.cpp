// pliant snapshots: motion recorded for subspaces.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "command.h"
#include "pliant/geometry/measures.h"
#include "pliant/hyperreduction/projection_fitting.h"
#include "pliant/io/frame_sequence.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::string output, body;
  int every = 1, frames = 0;
  bool projections = false, json = false;
};

bool is(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

/// What the constraints of a body project to, all of them, kind by kind.
class Projections {
 public:
  Projections(const Scene& scene, std::size_t body, const Progress& progress)
      : constraints_(constraints_of(scene, body, progress)) {}

  void record(const Points& x, double volume, Snapshots& out) const {
    for (const ProjectiveGroup& group : constraints_.groups) {
      if (group.size() == 0) continue;
      std::vector<int> all(static_cast<std::size_t>(group.size()));
      std::iota(all.begin(), all.end(), 0);
      out.projections[std::string(name(group.kind))].push_back(
          projections_at(group, all, x, volume).cast<float>());
    }
  }

 private:
  static ProjectiveConstraints constraints_of(const Scene& scene, std::size_t body,
                                              const Progress& progress) {
    const Json& words = scene.description()["bodies"][body];
    const std::string path = fmt::format("bodies[{}]", body);
    const auto kind = words["simulator"]["kind"].get<std::string>();
    if (words.contains("model") || (kind != "projective_dynamics" && kind != "hrpd"))
      throw UsageError(
          fmt::format("--projections: {} has no constraints that project; expected a mesh or shape with the "
                      "simulator projective_dynamics or hrpd",
                      path));
    const PhysicalBody physical = build_physical_body(words, path, scene.folder(), progress);
    return build_constraints(words["simulator"], physical.body);
  }

  ProjectiveConstraints constraints_;
};

/// Every nth frame of a scene, the beginning included: positions of one body's own vertices.
Snapshots from_scene(const Arguments& a, const Progress& progress) {
  Scene scene = Scene::load(a.inputs[0], progress);
  SceneBody* body = &scene.bodies().front();
  if (!a.body.empty()) {
    const auto found = std::find_if(scene.bodies().begin(), scene.bodies().end(),
                                    [&](const SceneBody& b) { return b.name == a.body; });
    if (found == scene.bodies().end())
      throw UsageError(
          fmt::format("--body {}: not in {}; expected the name of one of its bodies", a.body, a.inputs[0]));
    body = &*found;
  }
  std::optional<Projections> projections;
  if (a.projections)
    projections.emplace(scene, static_cast<std::size_t>(body - scene.bodies().data()), progress);
  const int total = a.frames > 0 ? a.frames : scene.frames();
  Snapshots out;
  std::vector<double> times;
  for (int frame = 0; frame <= total; ++frame) {
    report(progress, "recording", static_cast<double>(frame) / total);
    for (int i = 0; frame > 0 && i < scene.steps_per_frame(); ++i) scene.step();
    if (frame % a.every != 0) continue;
    out.frames.push_back(body->simulator->positions());
    times.push_back(scene.time());
    if (projections) projections->record(out.frames.back(), body->simulator->volume(), out);
  }
  out.times = Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()));
  return out;
}

/// Every nth frame of files.
Snapshots from_files(const Arguments& a, const Progress& progress) {
  Snapshots all = read_frame_sequence({a.inputs.begin(), a.inputs.end()}, progress), out;
  std::vector<double> times;
  for (std::size_t i = 0; i < all.frames.size(); i += static_cast<std::size_t>(a.every)) {
    out.frames.push_back(std::move(all.frames[i]));
    times.push_back(all.times[static_cast<Index>(i)]);
  }
  out.times = Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()));
  return out;
}

void run(const Arguments& a) {
  CommandProgress progress;
  const bool scene = is(a.inputs[0], ".json");
  if (scene && a.inputs.size() > 1)
    throw UsageError("snapshots record: more than one scene; expected one, or mesh files");
  if (!scene && (a.frames > 0 || !a.body.empty() || a.projections))
    throw UsageError(
        "--frames, --body and --projections belong to a scene; the input is a sequence of meshes");
  const Snapshots recorded = scene ? from_scene(a, progress.callback()) : from_files(a, progress.callback());
  if (recorded.frames.empty())
    throw InputError(fmt::format("{}: no frame; expected one or more", a.inputs[0]));
  double largest = 0;
  const Points& first = recorded.frames.front();
  for (const Points& x : recorded.frames)
    largest = std::max(largest, (x - first).rowwise().norm().maxCoeff());
  largest /= std::max(bounding_box(first).diagonal(), 1e-300);
  write_snapshots(a.output, recorded);
  if (a.json)
    print_json({{"frames", recorded.frames.size()},
                {"vertices", first.rows()},
                {"largest_motion", largest},
                {"projections", recorded.projections.size()},
                {"file", a.output}});
  else
    print(fmt::format("wrote {}: {} frames of {} vertices, which move up to {:.3g} of the box\n", a.output,
                      recorded.frames.size(), first.rows(), largest));
}

}  // namespace

void add_snapshots(CLI::App& program) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("snapshots", "Record motion that subspaces are made from");
  command->require_subcommand(1);
  CLI::App* record =
      command->add_subcommand("record", "Run a scene, or read a sequence, and keep its frames");
  record
      ->add_option(
          "input", a->inputs,
          "A scene, .json; or mesh files of the same vertices, one a frame; or a .pc2 or .npy of all")
      ->required();
  record->add_option("-o,--output", a->output, "The frames, .safetensors")->required();
  record->add_option("--every", a->every, "Keep one frame of so many")->check(CLI::Range(1, 1'000'000));
  record->add_option("--frames", a->frames, "How many frames of the scene, instead of what it says")
      ->check(CLI::Range(1, 10'000'000));
  record->add_option("--body", a->body, "Which body of the scene, by its name; otherwise the first");
  record->add_flag("--projections", a->projections,
                   "Of projective simulators, also what constraints project to: 36 bytes a tet and frame");
  add_common(*record, a->json,
             "  pliant snapshots record scenes/drop.json -o drop.safetensors\n"
             "  pliant snapshots record frames/*.obj --every 2 -o walk.safetensors");
  record->callback([a] { run(*a); });
}

}  // namespace pliant::app
