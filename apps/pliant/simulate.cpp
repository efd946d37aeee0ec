// pliant simulate: a scene becomes motion.
#include "pliant/scene/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "load_scene.h"
#include "pliant/io/write_png.h"
#include "pliant/scene/filmstrip.h"
#include "pliant/scene/scene_schema.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  Reduction reduction;
  std::vector<std::string> outputs;
  std::string csv, checkpoint, picture;
  int frames = 0, every = 10, moments = 6;
  bool resume = false, floor = true, json = false, schema = false, keys = false;
};

void check_outputs(const Arguments& arguments) {
  const std::vector<std::string> formats = animation_formats();
  for (const std::string& path : arguments.outputs) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (std::find(formats.begin(), formats.end(), extension) == formats.end())
      throw UsageError(fmt::format("-o {}: motion cannot be written as \"{}\"; expected one of {}", path,
                                   extension, fmt::join(formats, " ")));
  }
  if (arguments.resume && arguments.checkpoint.empty())
    throw UsageError("--resume needs --checkpoint FILE, the checkpoint to go on from");
}

Json to_json(const SimulateReport& report, Scene& scene) {
  Json bodies = Json::array();
  for (SceneBody& body : scene.bodies())
    bodies.push_back({{"name", body.name},
                      {"simulator", std::string(body.simulator->kind())},
                      {"vertices", body.simulator->vertex_count()}});
  Json phases = Json::object();
  for (const PhaseTime& phase : report.phases) phases[phase.name] = phase.milliseconds;
  Json files = Json::array();
  Json errors = Json::object();
  for (const AnimationReport& animation : report.animations) {
    for (const auto& file : animation.files) files.push_back(file.string());
    if (animation.error) errors[animation.files.front().string()] = animation.error->largest;
  }
  const double steps = static_cast<double>(std::max<std::int64_t>(1, report.steps));
  return {{"bodies", bodies},
          {"frames", report.frames},
          {"resumed_frame", report.resumed_frame},
          {"steps", report.steps},
          {"unconverged_steps", report.unconverged_steps},
          {"simulated_seconds", scene.time()},
          {"seconds", report.seconds},
          {"ms_per_step", 1000 * report.seconds / steps},
          {"phases_ms", phases},
          {"files", files},
          {"largest_errors", errors}};
}

std::string to_text(const SimulateReport& report, Scene& scene) {
  std::string text;
  for (SceneBody& body : scene.bodies())
    text += fmt::format("{}: {} vertices, {}\n", body.name, body.simulator->vertex_count(),
                        body.simulator->kind());
  const double steps = static_cast<double>(std::max<std::int64_t>(1, report.steps));
  text += fmt::format("{} frames, {:.3g} s of motion in {:.3g} s: {:.3g} ms a step\n", report.frames,
                      scene.time(), report.seconds, 1000 * report.seconds / steps);
  if (report.resumed_frame > 0) text += fmt::format("resumed at frame {}\n", report.resumed_frame);
  for (const PhaseTime& phase : report.phases)
    text += fmt::format("  {:<18} {:9.3f} ms\n", phase.name, phase.milliseconds);
  if (report.unconverged_steps > 0)
    text += fmt::format(
        "{} of {} steps stopped before they converged; a smaller time_step or more iterations help\n",
        report.unconverged_steps, report.steps);
  for (const AnimationReport& animation : report.animations) {
    text += fmt::format(
        "wrote {}{}\n", animation.files.front().string(),
        animation.files.size() > 1 ? fmt::format(" and {} more", animation.files.size() - 1) : "");
    if (animation.error && animation.error->largest > 1e-6)
      text += fmt::format("  approximated: off by {:.2g} of the box at most\n", animation.error->largest);
  }
  return text;
}

/// The moments of a motion that a picture shows, taken as the run goes by.
void write_picture(const std::string& path, Scene& scene, std::vector<Moment> moments) {
  RenderOptions options;
  options.width = 1600;
  options.height = 0;
  write_png(path, filmstrip(scene.shown(), moments, scene.bodies().front().simulator->obstacles(), options));
}

void run(const Arguments& arguments) {
  if (arguments.schema) {
    print_json(scene_schema());
    return;
  }
  if (arguments.keys) {
    print(schema_table(scene_type()));
    return;
  }
  if (arguments.source.input.empty())
    throw UsageError("simulate: no scene given; expected a .json file, a .pliant model, a mesh or a shape");
  check_outputs(arguments);
  SimulateReport report;
  SimulateOptions options;
  options.outputs.assign(arguments.outputs.begin(), arguments.outputs.end());
  options.csv = arguments.csv;
  options.frames = arguments.frames;
  options.checkpoint = arguments.checkpoint;
  options.checkpoint_every = arguments.every;
  options.resume = arguments.resume;

  CommandProgress progress;
  options.progress = progress.callback();
  Scene scene = load_scene(arguments.source, arguments.reduction, arguments.floor, options.progress);
  std::vector<Moment> moments;
  if (!arguments.picture.empty()) {
    const int total = arguments.frames > 0 ? arguments.frames : scene.frames();
    options.frame_done = [&, total](int frame, double time, const Points& positions) {
      const int due = static_cast<int>(moments.size());
      if (due < arguments.moments &&
          frame >= (arguments.moments > 1 ? total * due / (arguments.moments - 1) : total))
        moments.push_back({time, positions});
    };
  }
  try {
    report = simulate(scene, options);
  } catch (Interrupted&) {
    if (!arguments.checkpoint.empty())
      throw Error(fmt::format("interrupted; go on with --checkpoint {} --resume", arguments.checkpoint));
    throw;
  }
  if (!arguments.picture.empty()) write_picture(arguments.picture, scene, std::move(moments));
  if (arguments.json)
    print_json(to_json(report, scene));
  else
    print(to_text(report, scene));
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("simulate", "Run a scene, a model or a mesh and write its motion");
  add_body_source(*command, arguments->source);
  command->get_option("input")->required(false)->description(
      "A scene, .json (see --schema and docs/scene.md), or a model, .pliant; or a mesh file or the name of a "
      "shape, which is reduced and then falls on a floor");
  command->add_option(
      "-o,--output", arguments->outputs,
      fmt::format("Where the motion goes: {}; may come several times", fmt::join(animation_formats(), " ")));
  command->add_option("--csv", arguments->csv, "Energies, momenta and timings, one row a frame");
  command->add_option("--picture", arguments->picture,
                      "A .png that shows moments of the motion side by side");
  command->add_option("--moments", arguments->moments, "How many moments the picture shows")
      ->check(CLI::Range(1, 100));
  command->add_option("--frames", arguments->frames, "How many frames, instead of what the scene says")
      ->check(CLI::Range(1, 10'000'000));
  command->add_option("--checkpoint", arguments->checkpoint,
                      "A file that a run can go on from after it was stopped; frames are kept beside it");
  command->add_option("--checkpoint-every", arguments->every, "Frames from one checkpoint to the next")
      ->check(CLI::Range(1, 10'000'000));
  command->add_flag("--resume", arguments->resume, "Go on from the checkpoint, if there is one");
  command->add_flag("!--no-floor", arguments->floor,
                    "No floor below a model, mesh or shape that nothing holds");
  add_reduction(*command, arguments->reduction);
  command->add_flag("--keys", arguments->keys, "Print a table of all keys of scenes, and do nothing else");
  command->add_flag("--schema", arguments->schema, "Print the JSON Schema of scenes, and do nothing else");
  add_common(*command, arguments->json,
             "  pliant simulate scenes/cantilever.json -o cantilever.pvd --csv cantilever.csv\n"
             "  pliant simulate bunny.obj --picture bunny.png\n"
             "  pliant simulate bear.pliant -o bear.glb --frames 300\n"
             "  pliant simulate scenes/balloon.json -o balloon.glb --checkpoint balloon.ckpt --resume");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
