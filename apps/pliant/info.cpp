// pliant info: what is in a mesh or model file, and whether it is sound.
#include <fmt/format.h>

#include <memory>

#include "mesh_table.h"
#include "model_table.h"
#include "pliant/geometry/validation.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool json = false;
};

ValidationReport check(const MeshData& mesh) {
  return mesh.has_tets() ? validate(TetMesh{mesh.vertices, mesh.tets})
                         : validate(TriMesh{mesh.vertices, mesh.triangles});
}

void run(const Arguments& arguments) {
  Json all = Json::array();
  for (const std::string& file : arguments.files) {
    if (std::filesystem::path(file).extension() == ".pliant") {
      const ReducedModel model = read_model(file);
      if (arguments.json)
        all.push_back(to_json(model, file));
      else
        print(to_table(model, file));
      continue;
    }
    const MeshData mesh = read_mesh(file);
    const MeshSummary summary = summarize(mesh);
    const ValidationReport report = check(mesh);
    if (arguments.json) {
      Json one = {{"file", file}};
      one.update(to_json(summary));
      one["valid"] = report.ok();
      one["report"] = to_text(report);
      all.push_back(std::move(one));
    } else {
      std::string text = to_table(file, summary) + to_text(report);
      if (!report.ok())
        text += "Mend it with: pliant export " + file + " mended" + (mesh.has_tets() ? ".vtu" : ".obj") +
                " --repair\n";
      print(text);
    }
  }
  if (arguments.json) print_json(all.size() == 1 ? all[0] : all);
}

}  // namespace

void add_info(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("info", "Show what is in a mesh or model file, and whether it is sound");
  command
      ->add_option("files", arguments->files,
                   "Mesh files of any format pliant reads, also .gz, and models (.pliant)")
      ->required();
  add_common(*command, arguments->json, "  pliant info bunny.mesh.gz\n  pliant info bunny.obj --json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
