// pliant tetrahedralize: any surface becomes a solid of good tetrahedra.
#include "pliant/geometry/tetrahedralize.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "mesh_table.h"
#include "output.h"
#include "pliant/geometry/surface.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string input;
  std::vector<std::string> outputs;
  TetrahedralizeOptions options;
  std::string open = "auto";
  bool uniform = false, json = false;
  OutputOptions output;
};

// What a person should know about what was changed.
std::string remarks(const Tetrahedralization& result, bool was_solid) {
  std::string text;
  const auto say = [&](const std::string& line) { text += "  " + line + "\n"; };
  if (was_solid) say("the input has tets already: its boundary was filled anew");
  if (result.shells > 0)
    say(fmt::format("{} of {} pieces {} open and became {} of finite thickness", result.shells,
                    result.input_components, result.shells == 1 ? "is" : "are",
                    result.shells == 1 ? "a sheet" : "sheets"));
  if (result.thickened_fraction > 0)
    say(fmt::format(
        "{:.1f} % of the surface was too thin and was thickened, by at most {:.3g} m; more tets would keep "
        "it as it is",
        100 * result.thickened_fraction, result.max_thickening));
  else if (result.thin_fraction > 0)
    say(fmt::format("{:.1f} % of the surface is thinner than two cells", 100 * result.thin_fraction));
  if (result.removed_islands > 0)
    say(fmt::format("{} crumbs smaller than a cell were left out", result.removed_islands));
  if (result.duplicates + result.degenerate > 0)
    say(fmt::format("{} duplicated and {} degenerate triangles were passed over", result.duplicates,
                    result.degenerate));
  if (result.flipped > 0) say(fmt::format("{} triangles faced the wrong way", result.flipped));
  return text;
}

void run(Arguments& arguments) {
  for (const std::string& path : arguments.outputs) check_output(path);
  MeshData input = read_mesh(arguments.input);
  const bool was_solid = input.has_tets();
  if (was_solid) input = to_mesh_data(extract_surface(TetMesh{input.vertices, input.tets}).mesh);

  Tetrahedralization result;
  {
    CommandProgress progress;
    arguments.options.progress = progress.callback();
    arguments.options.graded = !arguments.uniform;
    arguments.options.open = arguments.open == "solid"   ? OpenSurface::solid
                             : arguments.open == "shell" ? OpenSurface::shell
                                                         : OpenSurface::automatic;
    result = with_context(arguments.input, [&] {
      return tetrahedralize({input.vertices, input.triangles}, arguments.options);
    });
  }
  const MeshData mesh = to_mesh_data(std::move(result.mesh));
  for (const std::string& path : arguments.outputs) write_output(path, mesh, arguments.output);

  const MeshSummary summary = summarize(mesh);
  if (arguments.json) {
    Json json = {{"input", arguments.input}};
    json.update(to_json(summary));
    json.update({{"cell", result.cell},
                 {"input_components", result.input_components},
                 {"shells", result.shells},
                 {"thin_fraction", result.thin_fraction},
                 {"thickened_fraction", result.thickened_fraction},
                 {"max_thickening", result.max_thickening},
                 {"removed_islands", result.removed_islands},
                 {"duplicate_triangles", result.duplicates},
                 {"degenerate_triangles", result.degenerate},
                 {"flipped_triangles", result.flipped},
                 {"files", arguments.outputs}});
    print_json(json);
  } else {
    std::string text = to_table(arguments.input, summary) + remarks(result, was_solid);
    for (const std::string& path : arguments.outputs) text += "wrote " + path + "\n";
    print(text);
  }
}

}  // namespace

void add_tetrahedralize(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  TetrahedralizeOptions& options = arguments->options;
  CLI::App* command =
      program.add_subcommand("tetrahedralize", "Fill any surface, dirty or not, with good tetrahedra");
  command->add_option("input", arguments->input, "Surface to fill: any triangle soup")->required();
  auto* tets = command->add_option("--tets", options.target_tets, "About how many tetrahedra")
                   ->check(CLI::Range(Index(1), Index(50'000'000)))
                   ->capture_default_str();
  command->add_option("--edge-length", options.edge_length, "Edge length at the surface, metres, instead")
      ->check(number_where([](double x) { return x > 0 && std::isfinite(x); }, "metres, above 0"))
      ->excludes(tets);
  command->add_flag("--uniform", arguments->uniform, "Tetrahedra of one size, also inside");
  command->add_option("--open", arguments->open, "What an open surface stands for")
      ->check(CLI::IsMember({"auto", "solid", "shell"}))
      ->capture_default_str();
  command
      ->add_option("-o,--output", arguments->outputs,
                   "File to write; may be given several times; .png makes a picture")
      ->allow_extra_args(false);
  add_output_options(*command, arguments->output);
  add_common(*command, arguments->json,
             "  pliant tetrahedralize bunny.obj --tets 100000 -o bunny.vtu -o bunny.png --cut z --edges");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
