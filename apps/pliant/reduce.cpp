// pliant reduce: a body becomes a model that runs in real time.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "model_table.h"
#include "pliant/scene/build.h"
#include "reduction.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  Reduction reduction;
  std::string output;
  bool json = false;
};

void run(const Arguments& a) {
  if (std::filesystem::path(a.output).extension() != ".pliant")
    throw UsageError(fmt::format("reduce: the output is {}; expected a name that ends in .pliant", a.output));
  CommandProgress progress;
  const BodyWords words = reduced_body_words(a.source, a.reduction);
  const PhysicalBody physical =
      build_physical_body(words.json, "bodies[0]", words.folder, progress.callback());
  const ReducedModel model =
      build_model(physical, words.json["simulator"], words.folder, progress.callback());
  write_model(model, a.output);
  if (a.json)
    print_json(to_json(model, a.output));
  else
    print(to_table(model, a.output) + fmt::format("Try next: pliant simulate {} -o motion.glb\n", a.output));
}

}  // namespace

void add_reduce(CLI::App& program) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("reduce", "Turn a body into a small model that runs in real time");
  add_body_source(*command, a->source);
  command->add_option("-o,--output", a->output, "The model, .pliant")->required();
  add_reduction(*command, a->reduction);
  add_common(*command, a->json,
             "  pliant reduce bunny.obj -o bunny.pliant\n"
             "  pliant reduce dragon.mesh --fix-lowest 0.05 --handles 200 -o dragon.pliant\n"
             "  pliant reduce bear --tets 50000 --young 2e4 --method reduced_fem --modes 20 -o bear.pliant\n"
             "  pliant reduce scenes/cantilever.json -o cantilever.pliant");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
