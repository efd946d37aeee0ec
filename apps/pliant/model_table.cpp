#include "model_table.h"

#include <fmt/format.h>

namespace pliant::app {
namespace {

std::string mesh_text(const ModelBody& body) {
  const bool solid = body.tets.rows() > 0;
  return fmt::format("{} vertices, {} {}", body.vertex_count(),
                     solid ? body.tets.rows() : body.triangles.rows(), solid ? "tets" : "triangles");
}

// === Reduced finite elements

void add_json(const ReducedFem& model, Json& json) {
  json["basis"] = model.basis;
  json["dimension"] = model.dimension();
  json["samples"] = model.elements.elements().count();
}

std::string table(const ReducedFem& model, const std::string& file) {
  return fmt::format("{}: reduced finite elements, {}\n", file, model.basis) +
         fmt::format("  {} -> {} coordinates, {} elements\n", mesh_text(model), model.dimension(),
                     model.elements.elements().count());
}

std::string measured_text(const ReducedFem& model) {
  std::string text;
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

// === Hyper-reduced projective dynamics

/// How many constraints of a kind.
Index evaluated(const HrpdModel& model, const ReducedConstraints& kind) {
  return model.all ? model.all->group(kind.samples.kind).size() : kind.samples.size();
}

void add_json(const HrpdModel& model, Json& json) {
  json["handles"] = model.basis.weights.count();
  json["degrees_of_freedom"] = model.degrees_of_freedom();
  json["iterations"] = model.iterations;
  json["can_change_volume"] = model.can_change_volume;
  json["fit"] = !model.all;
  json["constraints"] = Json::array();
  for (const ReducedConstraints& kind : model.kinds)
    json["constraints"].push_back({{"kind", std::string(name(kind.samples.kind))},
                                   {"samples", evaluated(model, kind)},
                                   {"sampling", model.all                 ? "all"
                                                : kind.samples.weighted() ? "weighted"
                                                                          : "fitted"},
                                   {"fitted_dimension", kind.samples.dimension() * kind.samples.width}});
}

std::string table(const HrpdModel& model, const std::string& file) {
  std::string text =
      fmt::format("{}: hyper-reduced projective dynamics, {} iterations a step\n", file, model.iterations) +
      fmt::format("  {} -> {} handles, {} degrees of freedom\n", mesh_text(model),
                  model.basis.weights.count(), model.degrees_of_freedom());
  for (const ReducedConstraints& kind : model.kinds)
    text +=
        model.all
            ? fmt::format("  {}: all {} are evaluated\n", name(kind.samples.kind), evaluated(model, kind))
        : kind.samples.weighted()
            ? fmt::format("  {}: {} samples with weights\n", name(kind.samples.kind), evaluated(model, kind))
            : fmt::format("  {}: {} samples, fitted in {} dimensions\n", name(kind.samples.kind),
                          evaluated(model, kind), kind.samples.dimension() * kind.samples.width);
  return text;
}

std::string measured_text(const HrpdModel& model) {
  double seconds = 0;
  for (const auto& [name, value] : model.measured)
    if (name.starts_with("seconds_")) seconds += value;
  std::string text;
  if (seconds > 0) text += fmt::format("  made in {:.2f} s\n", seconds);
  const auto error = model.measured.find("fit_error"),
             elastic = model.measured.find("fit_error_of_elastic_force");
  if (error != model.measured.end() && elastic != model.measured.end())
    text += fmt::format(
        "  error of the samples over a motion: {:.2f} % of the right-hand side, {:.1f} % of the elastic "
        "force\n",
        100 * error->second, 100 * elastic->second);
  return text;
}

}  // namespace

Json to_json(const ReducedModel& model, const std::string& file) {
  const ModelBody& body = body_of(model);
  Json json = {{"file", file},
               {"method", std::string(method(model))},
               {"vertices", body.vertex_count()},
               {"tets", body.tets.rows()},
               {"triangles", body.triangles.rows()}};
  std::visit([&](const auto& m) { add_json(m, json); }, model);
  json["fixed_vertices"] = body.fixed.size();
  json["contact_vertices"] = body.contact_vertices.size();
  for (const auto& [name, value] : body.measured) json[name] = value;
  return json;
}

std::string to_table(const ReducedModel& model, const std::string& file) {
  const ModelBody& body = body_of(model);
  return std::visit([&](const auto& m) { return table(m, file); }, model) +
         fmt::format("  {} vertices held, {} feel obstacles\n", body.fixed.size(),
                     body.contact_vertices.size()) +
         std::visit([](const auto& m) { return measured_text(m); }, model);
}

}  // namespace pliant::app
