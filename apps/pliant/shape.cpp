// pliant shape: the project's own shapes, at any resolution.
#include "pliant/geometry/shapes.h"

#include <fmt/format.h>

#include <memory>

#include "mesh_table.h"
#include "output.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string name;
  ShapeOptions options;
  bool uniform = false;
  std::vector<std::string> outputs;
  OutputOptions output;
  bool list = false, json = false;
};

const ShapeInfo* find_shape(const std::string& name) {
  for (const ShapeInfo& shape : shapes())
    if (shape.name == name) return &shape;
  return nullptr;
}

std::string shape_names() {
  std::string names;
  for (const ShapeInfo& shape : shapes()) names += (names.empty() ? "" : ", ") + shape.name;
  return names;
}

void list_shapes(bool json) {
  if (json) {
    Json all = Json::array();
    for (const ShapeInfo& shape : shapes())
      all.push_back({{"name", shape.name},
                     {"kind", shape.kind == ShapeKind::solid ? "solid" : "shell"},
                     {"description", shape.description}});
    print_json(all);
    return;
  }
  std::string text;
  for (const ShapeInfo& shape : shapes())
    text += fmt::format("  {:<16} {:<6} {}\n", shape.name, shape.kind == ShapeKind::solid ? "solid" : "shell",
                        shape.description);
  print(text);
}

void run(Arguments& arguments) {
  if (arguments.list) return list_shapes(arguments.json);
  if (arguments.name.empty()) throw UsageError("shape: which one? " + shape_names());
  const ShapeInfo* shape = find_shape(arguments.name);
  if (!shape)
    throw UsageError(fmt::format("shape: there is no '{}'; there are {}", arguments.name, shape_names()));
  for (const std::string& path : arguments.outputs) check_output(path);

  MeshData mesh;
  {
    CommandProgress progress;
    arguments.options.progress = progress.callback();
    arguments.options.graded = !arguments.uniform;
    mesh = shape->kind == ShapeKind::solid ? to_mesh_data(make_shape(arguments.name, arguments.options))
                                           : to_mesh_data(make_shell(arguments.name, arguments.options));
  }
  for (const std::string& path : arguments.outputs) write_output(path, mesh, arguments.output);

  const MeshSummary summary = summarize(mesh);
  if (arguments.json) {
    Json json = {{"shape", arguments.name}};
    json.update(to_json(summary));
    json["files"] = arguments.outputs;
    print_json(json);
  } else {
    std::string text = to_table(arguments.name, summary);
    for (const std::string& path : arguments.outputs) text += "wrote " + path + "\n";
    print(text);
  }
}

}  // namespace

void add_shape(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("shape", "Make one of the project's own shapes");
  command->add_option("name", arguments->name, "Which: " + shape_names());
  command->add_flag("--list", arguments->list, "List the shapes and stop");
  auto* tets = command->add_option("--tets", arguments->options.tets, "About how many tetrahedra, for solids")
                   ->check(CLI::Range(Index(1), Index(20'000'000)))
                   ->capture_default_str();
  command->add_option("--triangles", arguments->options.triangles, "About how many triangles, for shells")
      ->check(CLI::Range(Index(1), Index(20'000'000)))
      ->capture_default_str();
  command->add_option("--vertices", arguments->options.vertices, "About how many vertices, instead")
      ->check(CLI::Range(Index(1), Index(10'000'000)))
      ->excludes(tets);
  command
      ->add_option("--size", arguments->options.size,
                   "Factor on all lengths; at 1 the longest side is about 1 m")
      ->check(number_where([](double x) { return x > 0 && x < 1e9; }, "a number above 0 and below 1e9"))
      ->capture_default_str();
  command->add_option("--text", arguments->options.text, "What the letters say")->capture_default_str();
  command->add_option("--level", arguments->options.level, "Of the sponge, 1 to 4; 0 chooses")
      ->check(CLI::Range(0, 4))
      ->capture_default_str();
  command->add_flag("--uniform", arguments->uniform, "Tetrahedra of one size, also inside");
  command
      ->add_option("-o,--output", arguments->outputs,
                   "File to write; may be given several times; .png makes a picture")
      ->allow_extra_args(false);
  add_output_options(*command, arguments->output);
  add_common(
      *command, arguments->json,
      "  pliant shape squid --vertices 20000 -o squid.vtu -o squid.glb -o squid.png\n  pliant shape --list");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
