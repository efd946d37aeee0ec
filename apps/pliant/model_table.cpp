#include "model_table.h"

#include <fmt/format.h>

namespace pliant::app {

Json to_json(const ReducedFem& model, const std::string& file) {
  Json json = {{"file", file},
               {"method", "reduced_fem"},
               {"basis", model.basis},
               {"vertices", model.vertex_count()},
               {"tets", model.tets.rows()},
               {"triangles", model.triangles.rows()},
               {"dimension", model.dimension()},
               {"samples", model.elements.elements().count()},
               {"fixed_vertices", model.fixed.size()},
               {"contact_vertices", model.contact_vertices.size()}};
  for (const auto& [name, value] : model.measured) json[name] = value;
  return json;
}

std::string to_table(const ReducedFem& model, const std::string& file) {
  std::string text = fmt::format("{}: reduced finite elements, {}\n", file, model.basis);
  text += fmt::format("  {} vertices, {} {} -> {} coordinates, {} elements\n", model.vertex_count(),
                      model.tets.rows() > 0 ? model.tets.rows() : model.triangles.rows(),
                      model.tets.rows() > 0 ? "tets" : "triangles", model.dimension(),
                      model.elements.elements().count());
  text += fmt::format("  {} vertices held, {} feel obstacles\n", model.fixed.size(),
                      model.contact_vertices.size());
  const auto& m = model.measured;
  const auto has = [&](const char* name) { return m.count(name) > 0; };
  if (has("seconds_subspace") && has("seconds_training") && has("seconds_cubature"))
    text += fmt::format("  made in: subspace {:.2f} s, training {:.2f} s, cubature {:.2f} s\n",
                        m.at("seconds_subspace"), m.at("seconds_training"), m.at("seconds_cubature"));
  if (has("training_error") && has("fresh_error") && has("pose_scale"))
    text += fmt::format(
        "  error of the forces: {:.2f} % on training poses, {:.2f} % on fresh ones (scale {:.2f} of the "
        "box)\n",
        100 * m.at("training_error"), 100 * m.at("fresh_error"), m.at("pose_scale"));
  return text;
}

}  // namespace pliant::app
