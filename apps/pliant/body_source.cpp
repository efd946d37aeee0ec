#include "body_source.h"

#include <fmt/format.h>

#include "pliant/io/input_file.h"
#include "pliant/io/mesh_file.h"
#include "pliant/scene/lone_body.h"
#include "pliant/scene/scene_schema.h"

namespace pliant::app {

void BodySource::refuse_words(std::string_view kind) const {
  for (const CLI::Option* word : words)
    if (word->count() > 0)
      throw UsageError(
          fmt::format("{}: a {} says itself what it is; expected no {}", input, kind, word->get_name()));
}

void add_body_source(CLI::App& command, BodySource& source) {
  command.add_option("input", source.input, "A mesh file, the name of a shape, or a scene (.json)")
      ->required();
  source.words = {
      command.add_option("--tets", source.tets, "About how many tets fill a surface, or make a shape")
          ->check(CLI::Range(20, 4'000'000))
          ->capture_default_str(),
      command
          .add_option("--material", source.material,
                      "linear, stvk, corotated, neo_hookean, mooney_rivlin, ...")
          ->capture_default_str(),
      command
          .add_option(
              "--young", source.young,
              "Young's modulus, Pa; by default 1e5, and of a mesh file what lets a column of its height sag "
              "by 5 % under its own weight, whatever its units")
          ->check(number_from(1e-6, 1e15)),
      command.add_option("--poisson", source.poisson, "Poisson's ratio")->capture_default_str(),
      command.add_option("--density", source.density, "kg/m^3")->capture_default_str(),
      command
          .add_option(
              "--fix-lowest", source.fix_lowest,
              "Hold the vertices in this lowest part of the height, 0 to 1; regions of other kinds in "
              "a scene")
          ->check(number_from(0.0, 1.0)),
      command.add_flag("--shell", source.shell, "A surface is a thin shell instead of a solid")};
}

BodyWords body_words(const BodySource& source) {
  const std::filesystem::path path(source.input);
  if (path.extension() == ".json") {
    source.refuse_words("scene");
    const InputFile file(path);
    return with_context(path.string(), [&] {
      return BodyWords{read_scene_text(file.bytes())["bodies"][0], path.parent_path()};
    });
  }
  Json body = {{"density", source.density}};
  double young = source.young;
  if (std::filesystem::exists(path) || path.has_extension())
    body["mesh"] = source.input, body["tets"] = source.tets;
  else
    body["shape"] = {{"name", source.input}, {"tets", source.tets}};
  if (young == 0)
    young = body.contains("mesh") && !source.shell
                ? size_free_young(read_mesh(source.input).vertices, source.density)
                : 1e5;
  if (source.shell) {
    body["as"] = "shell";
    body["shell"] = {{"young", young}, {"poisson", source.poisson}};
  } else {
    body["material"] = {{"kind", source.material}, {"young", young}, {"poisson", source.poisson}};
  }
  if (source.fix_lowest > 0)
    body["fixed"] = Json::array(
        {{{"box", {{"low", {0, 0, 0}}, {"high", {1, source.fix_lowest, 1}}}}, {"relative", true}}});
  const Json scene = {{"bodies", Json::array({body})}};
  return {read_scene_text(scene.dump())["bodies"][0], {}};
}

}  // namespace pliant::app
