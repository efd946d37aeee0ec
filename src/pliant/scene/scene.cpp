#include "pliant/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/input_file.h"
#include "pliant/scene/build.h"
#include "pliant/scene/region.h"
#include "pliant/scene/scene_schema.h"

namespace pliant {
namespace {

/// What the simulation depends on, without what only says how much of it is wanted: a run may be continued further.
std::uint64_t fingerprint_of(Json description, const std::vector<SceneBody>& bodies) {
  for (const char* key : {"$schema", "title", "frames"}) description.erase(key);
  const std::string text = description.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::uint64_t hash = hash_bytes(text.data(), text.size());
  for (const SceneBody& body : bodies) {
    const auto add = [&](const auto& array) {
      hash = hash_bytes(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()), hash);
    };
    add(body.rest_positions);
    add(body.shown.tets);
    add(body.shown.triangles);
  }
  return hash;
}

}  // namespace

Scene Scene::load(const std::filesystem::path& file, const Progress& progress) {
  const InputFile input(file);
  return with_context(file.string(), [&] { return from_text(input.bytes(), file.parent_path(), progress); });
}

Scene Scene::from_text(std::string_view text, const std::filesystem::path& folder, const Progress& progress) {
  Scene scene;
  scene.description_ = read_scene_text(text);
  scene.folder_ = folder;
  Json& description = scene.description_;

  std::set<std::string> names;
  Json& bodies = description["bodies"];
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (!bodies[b].contains("name")) bodies[b]["name"] = fmt::format("body{}", b);
    if (!names.insert(bodies[b]["name"].get<std::string>()).second)
      throw InputError(fmt::format("bodies[{}].name is {} for the second time; expected another", b,
                                   bodies[b]["name"].dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  const std::vector<Obstacle> obstacles = build_obstacles(description["obstacles"], folder);
  Rng rng(static_cast<std::uint64_t>(description["seed"].get<std::int64_t>()));
  const Vector3d gravity = to_vector3(description["gravity"]);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Rng body_rng = rng.split();
    SceneBody body = build_body(bodies[b], fmt::format("bodies[{}]", b), folder, body_rng, progress);
    body.simulator->set_time_step(description["time_step"].get<double>());
    body.simulator->set_gravity(gravity);
    body.simulator->set_damping(description["damping"].get<double>());
    body.simulator->set_obstacles(obstacles);
    scene.bodies_.push_back(std::move(body));
  }
  scene.fingerprint_ = fingerprint_of(description, scene.bodies_);
  scene.script_.emplace(description["script"], gravity, scene.bodies_);
  return scene;
}

StepReport Scene::step() {
  script_->apply(bodies_);
  StepReport all;
  for (SceneBody& body : bodies_) {
    const StepReport one = body.simulator->step();
    all.converged = all.converged && one.converged;
    all.iterations = std::max(all.iterations, one.iterations);
    all.residual = std::max(all.residual, one.residual);
  }
  return all;
}

Measures Scene::measure() {
  Measures all;
  for (SceneBody& body : bodies_) {
    const Measures one = body.simulator->measure();
    all.kinetic += one.kinetic, all.elastic += one.elastic, all.gravitational += one.gravitational;
    all.momentum += one.momentum, all.angular_momentum += one.angular_momentum;
  }
  return all;
}

MeshData Scene::shown() const {
  MeshData all;
  const bool solids = std::all_of(bodies_.begin(), bodies_.end(),
                                  [](const SceneBody& body) { return body.shown.has_tets(); });
  const auto append = [](auto& to, const auto& rows, int offset) {
    const Index before = to.rows();
    to.conservativeResize(before + rows.rows(), to.cols());
    to.bottomRows(rows.rows()) = rows;
    to.bottomRows(rows.rows()).array() += offset;
  };
  for (const SceneBody& body : bodies_) {
    const auto offset = static_cast<int>(all.vertices.rows());
    append(all.vertices, body.shown.vertices, 0);
    if (solids)
      append(all.tets, body.shown.tets, offset);
    else if (body.shown.has_tets())
      append(all.triangles, boundary_triangles(body.shown.tets), offset);
    else
      append(all.triangles, body.shown.triangles, offset);
  }
  return all;
}

Points Scene::shown_positions() {
  Index count = 0;
  for (const SceneBody& body : bodies_) count += body.shown.vertices.rows();
  Points all(count, 3);
  Index at = 0;
  for (SceneBody& body : bodies_) {
    const Points one = body.shown_positions();
    all.middleRows(at, one.rows()) = one;
    at += one.rows();
  }
  return all;
}

State Scene::save() const {
  StateWriter writer("scene", static_cast<Index>(bodies_.size()));
  writer.value(fingerprint_);
  for (const SceneBody& body : bodies_)
    writer.array(std::span<const std::byte>(body.simulator->save().bytes));
  script_->write(writer);
  return writer.take();
}

void Scene::restore(const State& state) {
  StateReader reader(state, "scene", static_cast<Index>(bodies_.size()));
  if (reader.value<std::uint64_t>() != fingerprint_)
    throw InputError("state: saved from another scene; expected one of this scene, unchanged");
  std::vector<State> states(bodies_.size());
  for (State& one : states) one.bytes = reader.array<std::byte>();
  Script script = *script_;
  script.read(reader);
  reader.end();
  // Bodies one by one; if one refuses, those before go back.
  const State before = save();
  try {
    for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b].simulator->restore(states[b]);
  } catch (...) {
    StateReader undo(before, "scene", static_cast<Index>(bodies_.size()));
    undo.value<std::uint64_t>();
    for (SceneBody& body : bodies_) body.simulator->restore(State{undo.array<std::byte>()});
    throw;
  }
  *script_ = std::move(script);
}

void Scene::restart(const std::vector<State>& bodies) {
  if (bodies.size() != bodies_.size())
    throw InputError(fmt::format("restart: states of {} bodies; expected {}", bodies.size(), bodies_.size()));
  for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b].simulator->restore(bodies[b]);
  script_.emplace(description_["script"], to_vector3(description_["gravity"]), bodies_);
}

}  // namespace pliant
