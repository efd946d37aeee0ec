#include "load_scene.h"

#include <fmt/format.h>

#include "pliant/scene/lone_body.h"

namespace pliant::app {

Scene load_scene(const BodySource& source, const Reduction& reduction, bool floor, const Progress& progress) {
  const std::filesystem::path path(source.input);
  const bool is_scene = path.extension() == ".json", is_model = path.extension() == ".pliant";
  if ((is_scene || is_model) && reduction.given())
    throw UsageError(fmt::format("{}: a {} says itself how it is reduced; expected no options for that",
                                 source.input, is_scene ? "scene" : "model"));
  if (is_scene || is_model) source.refuse_words(is_scene ? "scene" : "model");
  if (is_scene) return Scene::load(path, progress);
  BodyWords words{{{"model", path.filename().string()}}, path.parent_path()};
  if (!is_model) words = reduced_body_words(source, reduction);
  return lone_scene(words.json, words.folder, floor, progress);
}

}  // namespace pliant::app
