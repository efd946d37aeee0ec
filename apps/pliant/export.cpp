// pliant export: from any mesh format to any other, or to a picture.
#include <fmt/format.h>

#include <memory>

#include "mesh_table.h"
#include "output.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/validation.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string input;
  std::vector<std::string> outputs;
  bool repair = false, surface = false, json = false;
  OutputOptions output;
};

MeshData mend(const MeshData& mesh, std::string& what) {
  if (mesh.has_tets()) {
    auto repaired = repair(TetMesh{mesh.vertices, mesh.tets});
    what = to_text(repaired.log);
    return to_mesh_data(std::move(repaired.mesh));
  }
  auto repaired = repair(TriMesh{mesh.vertices, mesh.triangles});
  what = to_text(repaired.log);
  return to_mesh_data(std::move(repaired.mesh));
}

void run(const Arguments& arguments) {
  for (const std::string& path : arguments.outputs) check_output(path);
  MeshData mesh = read_mesh(arguments.input);
  std::string mended;
  if (arguments.repair) mesh = mend(mesh, mended);
  if (arguments.surface && mesh.has_tets())
    mesh = to_mesh_data(extract_surface(TetMesh{mesh.vertices, mesh.tets}).mesh);
  for (const std::string& path : arguments.outputs) write_output(path, mesh, arguments.output);

  if (arguments.json) {
    Json json = {{"input", arguments.input}};
    json.update(to_json(summarize(mesh)));
    json["files"] = arguments.outputs;
    if (arguments.repair) json["repair"] = mended;
    print_json(json);
  } else {
    std::string text = mended;
    for (const std::string& path : arguments.outputs) text += "wrote " + path + "\n";
    print(text);
  }
}

std::string format_list() {
  std::string text = "\nFormats (each also .gz):\n";
  for (const MeshFormat& format : mesh_formats())
    text +=
        fmt::format("  {:<7} {:<24} {}{}  {}{}\n", format.extension, format.name, format.reads ? "r" : "-",
                    format.writes ? "w" : "-", format.surfaces ? "surfaces " : "", format.tets ? "tets" : "");
  return text + "  .png    picture                  -w\n";
}

}  // namespace

void add_export(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("export", "Convert a mesh to other formats, or to a picture");
  command->add_option("input", arguments->input, "Mesh file to read")->required();
  command->add_option("outputs", arguments->outputs, "Files to write; the extensions choose the formats")
      ->required();
  command->add_flag("--repair", arguments->repair,
                    "Drop broken and duplicate elements and unused vertices, turn inverted tets, and say so");
  command->add_flag("--surface", arguments->surface, "Of a solid, write only the boundary");
  add_output_options(*command, arguments->output);
  add_common(*command, arguments->json,
             "  pliant export bunny.mesh.gz bunny.vtu bunny.msh\n  pliant export bunny.vtu bunny.png --cut z "
             "--edges\n"
             "  pliant export broken.mesh mended.mesh --repair" +
                 format_list());
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
