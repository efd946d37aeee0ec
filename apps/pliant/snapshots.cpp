// pliant snapshots: motion recorded for subspaces.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "pliant/geometry/measures.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/point_cache.h"
#include "pliant/io/snapshots.h"
#include "pliant/scene/scene.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  std::string output, body;
  int every = 1, frames = 0;
  bool json = false;
};

bool is(const std::string& path, const char* extension) {
  return std::filesystem::path(path).extension() == extension;
}

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
  const int total = a.frames > 0 ? a.frames : scene.frames();
  Snapshots out;
  std::vector<double> times;
  for (int frame = 0; frame <= total; ++frame) {
    report(progress, "recording", static_cast<double>(frame) / total);
    for (int i = 0; frame > 0 && i < scene.steps_per_frame(); ++i) scene.step();
    if (frame % a.every != 0) continue;
    out.frames.push_back(body->simulator->positions());
    times.push_back(scene.time());
  }
  out.times = Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()));
  return out;
}

/// Meshes of the same vertices, one file a frame; or a point cache.
Snapshots from_files(const Arguments& a, const Progress& progress) {
  Snapshots out;
  std::vector<Points> frames;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    report(progress, "reading", static_cast<double>(i) / static_cast<double>(a.inputs.size()));
    if (is(a.inputs[i], ".pc2")) {
      for (Points& x : read_pc2_file(a.inputs[i]).frames) frames.push_back(std::move(x));
    } else {
      frames.push_back(read_mesh(a.inputs[i]).vertices);
      if (frames.back().rows() != frames.front().rows())
        throw InputError(fmt::format("{}: {} vertices; expected the {} of {}", a.inputs[i],
                                     frames.back().rows(), frames.front().rows(), a.inputs[0]));
    }
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < frames.size(); i += static_cast<std::size_t>(a.every)) {
    out.frames.push_back(std::move(frames[i]));
    times.push_back(static_cast<double>(i));
  }
  out.times = Eigen::Map<const VectorXd>(times.data(), static_cast<Index>(times.size()));
  return out;
}

void run(const Arguments& a) {
  CommandProgress progress;
  const bool scene = is(a.inputs[0], ".json");
  if (scene && a.inputs.size() > 1)
    throw UsageError("snapshots record: more than one scene; expected one, or mesh files");
  if (!scene && (a.frames > 0 || !a.body.empty()))
    throw UsageError("--frames and --body belong to a scene; the input is a sequence of meshes");
  const Snapshots recorded = scene ? from_scene(a, progress.callback()) : from_files(a, progress.callback());
  for (std::size_t f = 0; f < recorded.frames.size(); ++f)
    if (recorded.frames[f].rows() != recorded.frames[0].rows() || !recorded.frames[f].allFinite())
      throw InputError(
          fmt::format("frame {}: another number of vertices, or a number that is not finite", f));
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
      ->add_option("input", a->inputs,
                   "A scene, .json; or mesh files of the same vertices, one a frame; or a .pc2")
      ->required();
  record->add_option("-o,--output", a->output, "The frames, .safetensors")->required();
  record->add_option("--every", a->every, "Keep one frame of so many")->check(CLI::Range(1, 1'000'000));
  record->add_option("--frames", a->frames, "How many frames of the scene, instead of what it says")
      ->check(CLI::Range(1, 10'000'000));
  record->add_option("--body", a->body, "Which body of the scene, by its name; otherwise the first");
  add_common(*record, a->json,
             "  pliant snapshots record scenes/drop.json -o drop.safetensors\n"
             "  pliant snapshots record frames/*.obj --every 2 -o walk.safetensors");
  record->callback([a] { run(*a); });
}

}  // namespace pliant::app
