// pliant reduce: a body becomes a model that runs in real time.
#include <fmt/format.h>

#include <memory>

#include "body_source.h"
#include "model_table.h"
#include "pliant/scene/build.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  std::string output, basis = "extended_modes", forces = "cubature";
  int modes = 15, dimension = 0, samples = 150, poses = 1000, contact_samples = 200;
  std::uint64_t seed = 1;
  bool json = false;
};

void run(const Arguments& a) {
  CommandProgress progress;
  const BodyWords words = body_words(a.source);
  const PhysicalBody physical =
      build_physical_body(words.json, "bodies[0]", words.folder, progress.callback());
  ReduceFemOptions options;
  options.basis = basis_kind(a.basis);
  options.forces = force_kind(a.forces);
  options.modes = a.modes;
  options.dimension = a.dimension;
  options.samples = a.samples;
  options.poses.count = a.poses;
  options.contact_samples = a.contact_samples;
  options.seed = a.seed;
  options.progress = progress.callback();
  const ReducedFem model = build_reduced_fem(physical, options);
  write_reduced_fem(model, a.output);
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
  command->add_option("--basis", a->basis, "extended_modes, modal_derivatives or linear_modes")
      ->check(CLI::IsMember({"extended_modes", "modal_derivatives", "linear_modes"}))
      ->capture_default_str();
  command->add_option("--modes", a->modes, "Vibration modes")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--dimension", a->dimension, "Coordinates, where the basis leaves a choice; 0: automatic")
      ->check(CLI::Range(0, 3000))
      ->capture_default_str();
  command
      ->add_option("--forces", a->forces,
                   "cubature; polynomial: exact, of stvk in up to about 40 coordinates; exact: every element")
      ->check(CLI::IsMember({"cubature", "polynomial", "exact"}))
      ->capture_default_str();
  command->add_option("--samples", a->samples, "Elements that are evaluated")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--poses", a->poses, "Random poses from which they are chosen")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--contact-samples", a->contact_samples, "Vertices that feel obstacles")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--seed", a->seed, "Of the poses and the choice of elements")->capture_default_str();
  add_common(*command, a->json,
             "  pliant reduce dragon.mesh --fix-lowest 0.05 -o dragon.pliant\n"
             "  pliant reduce bear --tets 50000 --young 2e4 -o bear.pliant\n"
             "  pliant reduce scenes/cantilever.json -o cantilever.pliant");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
