#include "pliant/server/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pliant/base/error.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene_schema.h"

namespace pliant::server {
namespace {

struct Parameter {
  const char* method;
  const char* key;
  const char* label;
  double minimum, maximum;
  bool whole = true;
  std::vector<std::string> choices = {};
};

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"hrpd", "handles", "Handles", 1, 500},
      {"hrpd",
       "subspace",
       "Subspace, or of the last recording",
       0,
       0,
       false,
       {"skinning", "pca", "localized", "splocs"}},
      {"hrpd", "components", "Components of a recording", 1, 500},
      {"hrpd", "sampling", "Samples stand for all", 0, 0, false, {"weighted", "fitted"}},
      {"hrpd", "smoothing", "Smoothing of samples", 0, 1, false},
      {"hrpd", "fitted_space", "Projections fitted in", 0, 0, false, {"handles", "snapshots"}},
      {"hrpd", "samples", "Sampled constraints", 1, 20000},
      {"hrpd", "fitted_handles", "Handles of projections", 1, 500},
      {"hrpd", "support", "Reach of handles", 1, 8, false},
      {"hrpd", "iterations", "Iterations", 1, 200},
      {"reduced_fem",
       "basis",
       "Subspace",
       0,
       0,
       false,
       {"extended_modes", "modal_derivatives", "linear_modes"}},
      {"reduced_fem", "modes", "Modes", 1, 60},
      {"reduced_fem", "samples", "Elements", 1, 5000},
      {"reduced_fem", "poses", "Training poses", 10, 5000},
      {"projective_dynamics", "iterations", "Iterations", 1, 200},
      {"newton", "max_iterations", "Iterations at most", 1, 100}};
  return all;
}

/// Keys that say what a body resists, whichever method of projective dynamics moves it.
constexpr std::array resistance = {"strain_min", "strain_max", "volume_preservation", "skin"};

bool is_projective(const std::string& method) { return method == "hrpd" || method == "projective_dynamics"; }

/// Words of a simulator with the number that counts where hrpd is given none.
Json with_iterations(Json simulator) {
  if (simulator["kind"] == "hrpd" && !simulator.contains("iterations"))
    simulator["iterations"] = ReduceHrpdOptions().iterations;
  return simulator;
}

Json with_simulator(const Json& words, Json simulator) {
  const Json& before = words["simulator"];
  const auto kind = before["kind"].get<std::string>(), method = simulator["kind"].get<std::string>();
  if (is_projective(kind) && is_projective(method))
    for (const char* key : resistance)
      if (before.contains(key) && !simulator.contains(key)) simulator[key] = before[key];
  Json body = words;
  body["simulator"] = std::move(simulator);
  const Json scene = {{"bodies", Json::array({body})}};
  return read_scene_text(scene.dump())["bodies"][0];
}

}  // namespace

Json rebuild_methods(const Json& words) {
  Json methods = Json::object();
  for (const char* method : {"hrpd", "reduced_fem", "projective_dynamics", "newton"}) {
    const bool own = words["simulator"]["kind"] == method;
    const Json filled =
        with_iterations(own ? words["simulator"] : with_simulator(words, {{"kind", method}})["simulator"]);
    Json list = Json::array();
    for (const Parameter& p : parameters()) {
      if (p.method != std::string_view(method)) continue;
      Json one = {{"key", p.key}, {"label", p.label}, {"value", filled[p.key]}};
      if (p.choices.empty()) {
        one["minimum"] = p.minimum, one["maximum"] = p.maximum;
        one["kind"] = p.whole ? "int" : "number";
      } else {
        one["kind"] = "choice", one["choices"] = p.choices;
      }
      list.push_back(std::move(one));
    }
    methods[method] = {{"parameters", std::move(list)}};
  }
  return methods;
}

Json rebuilt_words(const Json& words, const std::string& method, const Json& given) {
  Json simulator = {{"kind", method}};
  if (words["simulator"]["kind"] == method) simulator = words["simulator"];
  for (const auto& [key, value] : given.items()) {
    const auto known = std::find_if(parameters().begin(), parameters().end(),
                                    [&](const Parameter& p) { return p.method == method && p.key == key; });
    if (known == parameters().end())
      throw InputError(fmt::format("rebuild: {} has no parameter {}", method, key));
    if (value.is_number() && known->choices.empty() &&
        !(value.get<double>() >= known->minimum && value.get<double>() <= known->maximum))
      throw InputError(fmt::format("rebuild: {} is {}; expected {} to {}", key, value.get<double>(),
                                   known->minimum, known->maximum));
    simulator[key] = value;
  }
  return with_simulator(words, std::move(simulator));
}

bool asks_for_motion(const Json& words) {
  const Json& simulator = words["simulator"];
  return simulator["kind"] == "hrpd" &&
         (simulator["subspace"] != "skinning" || simulator["fitted_space"] == "snapshots");
}

Json full_space_words(const Json& words) {
  const auto kind = words["simulator"]["kind"].get<std::string>();
  Json simulator;
  if (kind == "reduced_fem")
    simulator = {{"kind", "newton"}, {"scheme", "newmark"}};
  else if (kind == "newton")
    simulator = words["simulator"];
  else
    simulator = {{"kind", "projective_dynamics"},
                 {"iterations", with_iterations(words["simulator"])["iterations"]}};
  return with_simulator(words, std::move(simulator));
}

RebuiltBody rebuild(const Json& words, const std::filesystem::path& folder, const Progress& progress) {
  Rng rng(1);
  RebuiltBody made{build_body(words, "body", folder, rng, progress), {}, {}};
  report(progress, "drawing", 0);
  made.drawn = std::make_shared<const DrawnBody>(drawn_body(
      *made.body.simulator,
      {made.body.rest_positions, made.body.shown, made.body.embedding ? &*made.body.embedding : nullptr}));
  made.data = data_blob(*made.drawn);
  return made;
}

}  // namespace pliant::server
