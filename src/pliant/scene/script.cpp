#include "pliant/scene/script.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/scene/region.h"

namespace pliant {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

std::vector<std::size_t> bodies_named(const Json& action, const std::vector<SceneBody>& bodies, bool only_one,
                                      const std::string& path) {
  std::vector<std::size_t> all;
  if (!action.contains("body")) {
    if (only_one && bodies.size() > 1)
      throw InputError(
          fmt::format("{}.body is missing; expected the name of one of {} bodies", path, bodies.size()));
    for (std::size_t b = 0; b < bodies.size(); ++b) all.push_back(b);
    return all;
  }
  const auto name = action["body"].get<std::string>();
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].name == name) return {b};
  std::string names;
  for (const SceneBody& body : bodies) names += (names.empty() ? "" : ", ") + body.name;
  throw InputError(fmt::format("{}.body is \"{}\"; expected one of {}", path, name, names));
}

int nearest_vertex(const Points& points, const Vector3d& at) {
  Index best = 0;
  (points.rowwise() - at.transpose()).rowwise().squaredNorm().minCoeff(&best);
  return static_cast<int>(best);
}

/// How much of an action is done at a time: 0 before, 1 after.
double part_done(double from, double until, double time) {
  if (time >= until) return 1;
  return time <= from ? 0 : (time - from) / (until - from);
}

}  // namespace

Script::Script(const Json& actions, const Vector3d& gravity, std::vector<SceneBody>& bodies)
    : gravity_(gravity) {
  static const std::vector<std::pair<std::string, Kind>> kinds = {{"stiffness", Kind::stiffness},
                                                                  {"volume", Kind::volume},
                                                                  {"gravity", Kind::gravity},
                                                                  {"drag", Kind::drag},
                                                                  {"force", Kind::force},
                                                                  {"move", Kind::move},
                                                                  {"fix", Kind::fix},
                                                                  {"release", Kind::release}};
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Json& json = actions[i];
    const std::string path = fmt::format("script[{}]", i);
    Action action;
    for (const auto& [name, kind] : kinds)
      if (json["kind"] == name) action.kind = kind;
    const bool one_body = action.kind >= Kind::drag;
    action.time = json["time"].get<double>();
    const bool lasts = action.kind == Kind::drag || action.kind == Kind::force;
    action.until = json.contains("until") ? json["until"].get<double>() : lasts ? forever : action.time;
    if (action.until < action.time)
      throw InputError(
          fmt::format("{}.until is {}; expected at least its time, {}", path, action.until, action.time));
    action.bodies = bodies_named(json, bodies, one_body, path);
    const SceneBody& body = bodies[action.bodies.front()];
    if (json.contains("where"))
      action.vertices = select_vertices(json["where"], body.rest_positions, path + ".where");
    if (json.contains("factor")) action.factor = json["factor"].get<double>();
    switch (action.kind) {
      case Kind::volume:
        for (const std::size_t b : action.bodies)
          if (!bodies[b].simulator->can_change_volume())
            throw InputError(
                fmt::format("{}: the simulator of {} cannot change volume; expected "
                            "projective_dynamics with volume_preservation",
                            path, bodies[b].name));
        break;
      case Kind::gravity:
        action.vector = to_vector3(json["acceleration"]);
        break;
      case Kind::drag:
        action.vertices = {nearest_vertex(body.rest_positions, to_vector3(json["at"]))};
        action.vector = to_vector3(json["by"]);
        action.factor = json["strength"].get<double>();
        action.reached = json.contains("reached") ? json["reached"].get<double>() : action.time;
        break;
      case Kind::force:
        action.vector = to_vector3(json["total"]) / static_cast<double>(action.vertices.size());
        break;
      case Kind::move:
        action.vector = to_vector3(json["translation"]);
        action.axis = to_vector3(json["rotation_axis"]);
        if (!(action.axis.norm() > 0))
          throw InputError(path + ".rotation_axis is zero; expected a direction");
        action.axis.normalize();
        action.angle = json["rotation_degrees"].get<double>() * M_PI / 180;
        for (const int v : action.vertices) action.center += body.rest_positions.row(v).transpose();
        action.center /= static_cast<double>(action.vertices.size());
        if (json.contains("center")) action.center = to_vector3(json["center"]);
        break;
      default:
        break;
    }
    actions_.push_back(std::move(action));
  }
  std::stable_sort(actions_.begin(), actions_.end(),
                   [](const Action& a, const Action& b) { return a.time < b.time; });
  started_.assign(actions_.size(), 0);
  for (const SceneBody& body : bodies) held_.push_back(body.rest_positions);
}

void Script::apply_factors(SceneBody& body, std::size_t b, double time) {
  double stiffness = 1, volume = 1;
  for (const Action& action : actions_) {
    if (action.kind != Kind::stiffness && action.kind != Kind::volume) continue;
    if (std::find(action.bodies.begin(), action.bodies.end(), b) == action.bodies.end()) continue;
    if (action.time > time) continue;
    // Factors change by equal ratios in equal times.
    double& value = action.kind == Kind::stiffness ? stiffness : volume;
    const double part = part_done(action.time, action.until, time);
    value = part >= 1 ? action.factor : value * std::pow(action.factor / value, part);
  }
  if (stiffness != body.simulator->stiffness()) body.simulator->set_stiffness(stiffness);
  if (volume != body.simulator->volume()) body.simulator->set_volume(volume);
}

void Script::apply_once(Action& action, std::size_t i, SceneBody& body) {
  if (started_[i] != 0) return;
  started_[i] = 1;
  if (action.kind == Kind::release) {
    body.simulator->release(action.vertices);
    return;
  }
  body.simulator->fix(action.vertices);
  Points here;
  body.simulator->positions_of(action.vertices, here);
  Points& held = held_[action.bodies.front()];
  for (std::size_t k = 0; k < action.vertices.size(); ++k)
    held.row(action.vertices[k]) = here.row(static_cast<Index>(k));
}

void Script::apply_drag(const Action& action, std::size_t i, SceneBody& body, double start, double end) {
  const int vertex = action.vertices.front();
  const Vector3d target = body.rest_positions.row(vertex).transpose() +
                          part_done(action.time, action.reached, end) * action.vector;
  if (start >= action.until) {
    if (started_[i] > 0) body.simulator->end_drag(started_[i]);
    started_[i] = -1;
  } else if (started_[i] == 0) {
    started_[i] = body.simulator->begin_drag(vertex, target, action.factor);
  } else if (started_[i] > 0) {
    body.simulator->move_drag(started_[i], target);
  }
}

void Script::apply_moves(SceneBody& body, std::size_t b, double end) {
  bool any = false;
  for (const Action& action : actions_)
    any = any || (action.kind == Kind::move && action.bodies.front() == b && action.time <= end);
  const std::vector<int>& fixed = body.simulator->fixed();
  if (!any || fixed.empty()) return;

  // All moves so far, one after the other, of where each vertex was first held.
  Points targets(static_cast<Index>(fixed.size()), 3);
  for (std::size_t k = 0; k < fixed.size(); ++k) targets.row(static_cast<Index>(k)) = held_[b].row(fixed[k]);
  for (const Action& action : actions_) {
    if (action.kind != Kind::move || action.bodies.front() != b || action.time > end) continue;
    const double part = part_done(action.time, action.until, end);
    const Matrix3d R = Eigen::AngleAxisd(part * action.angle, action.axis).toRotationMatrix();
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      if (!std::binary_search(action.vertices.begin(), action.vertices.end(), fixed[k])) continue;
      const Vector3d x = targets.row(static_cast<Index>(k)).transpose();
      targets.row(static_cast<Index>(k)) =
          (action.center + R * (x - action.center) + part * action.vector).transpose();
    }
  }
  body.simulator->move_fixed(fixed, targets);
}

void Script::apply(std::vector<SceneBody>& bodies) {
  if (actions_.empty()) return;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    SceneBody& body = bodies[b];
    const double h = body.simulator->time_step();
    const double start = body.simulator->time() + 1e-6 * h;  // times are sums of steps: a little slack
    const double end = start + h;
    apply_factors(body, b, end);
    Vector3d gravity = gravity_;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      Action& action = actions_[i];
      if (action.time > start ||
          std::find(action.bodies.begin(), action.bodies.end(), b) == action.bodies.end())
        continue;
      switch (action.kind) {
        case Kind::gravity:
          gravity = action.vector;
          break;
        case Kind::drag:
          apply_drag(action, i, body, start, end);
          break;
        case Kind::force:
          if (start < action.until)
            body.simulator->apply_force(action.vertices, action.vector.transpose().replicate(
                                                             static_cast<Index>(action.vertices.size()), 1));
          break;
        case Kind::fix:
        case Kind::release:
          apply_once(action, i, body);
          break;
        default:
          break;
      }
    }
    if (gravity != body.simulator->gravity()) body.simulator->set_gravity(gravity);
    apply_moves(body, b, end);
  }
}

void Script::write(StateWriter& writer) const {
  writer.array(std::span<const std::int32_t>(started_));
  for (const Points& held : held_) writer.points(held);
}

void Script::read(StateReader& reader) {
  reader.into(std::span<std::int32_t>(started_));
  for (Points& held : held_) reader.points(held);
}

}  // namespace pliant
