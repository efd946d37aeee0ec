#include "pliant/simulation/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {
namespace {

double checked(std::string_view who, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw InputError(fmt::format("{}: {} given; expected {} to {}", who, value, low, high));
  return value;
}

void check_finite(std::string_view who, const auto& values) {
  if (!values.allFinite())
    throw InputError(fmt::format("{}: not a finite number; expected finite ones", who));
}

void check_rows(std::string_view who, Index found, std::size_t expected) {
  if (found != static_cast<Index>(expected))
    throw InputError(fmt::format("{}: {} rows for {} vertices; expected one a vertex", who, found, expected));
}

}  // namespace

void Simulator::check_vertices(std::string_view who, std::span<const int> vertices) const {
  for (int v : vertices)
    if (v < 0 || v >= vertex_count_)
      throw InputError(fmt::format("{}: vertex {} given; expected 0 to {}", who, v, vertex_count_ - 1));
}

void Simulator::check_not_held(std::string_view who, std::span<const int> vertices) const {
  for (int v : vertices)
    if (holds(v))
      throw InputError(fmt::format(
          "{}: vertex {} was fixed when the model was made, and its subspace cannot move it; expected "
          "another, or a model made without fixing it",
          who, v));
}

bool Simulator::is_fixed(int vertex) const {
  return std::binary_search(fixed_.begin(), fixed_.end(), vertex);
}

void Simulator::check_count_held(std::string_view who, std::span<const int> fixed) const {
  if (fixed.size() <= most_held()) return;
  const auto count =
      static_cast<std::size_t>(std::count_if(fixed.begin(), fixed.end(), [&](int v) { return !holds(v); }));
  if (count > most_held())
    throw InputError(
        fmt::format("{}: {} vertices held while running; expected at most {}, and the others fixed when the "
                    "model is made",
                    who, count, most_held()));
}

void Simulator::set_time_step(double seconds) {
  time_step_ = checked("set_time_step", seconds, 1e-6, 1);
  changes_.time_step = true;
}

void Simulator::set_time(double seconds) {
  if (!std::isfinite(seconds)) throw InputError("set_time: not a finite number; expected seconds");
  time_ = seconds;
}

void Simulator::set_gravity(const Vector3d& acceleration) {
  check_finite("set_gravity", acceleration);
  gravity_ = acceleration;
}

void Simulator::set_stiffness(double factor) {
  stiffness_ = checked("set_stiffness", factor, 1e-6, 1e6);
  changes_.stiffness = true;
}

void Simulator::set_volume(double factor) {
  if (!can_change_volume())
    throw InputError(
        fmt::format("set_volume: {} keeps its volume; expected a simulator whose body has "
                    "volume constraints",
                    kind()));
  volume_ = checked("set_volume", factor, 0.01, 100);
  changes_.volume = true;
}

void Simulator::set_damping(double per_second) { damping_ = checked("set_damping", per_second, 0, 1e6); }

void Simulator::set_obstacles(std::vector<Obstacle> obstacles) {
  for (const Obstacle& obstacle : obstacles) check(obstacle);
  obstacles_ = std::move(obstacles);
  changes_.obstacles = true;
}

void Simulator::apply_force(std::span<const int> vertices, const Points& forces) {
  check_vertices("apply_force", vertices);
  check_rows("apply_force", forces.rows(), vertices.size());
  check_finite("apply_force", forces);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    applied_.push_back({vertices[i], forces.row(static_cast<Index>(i)).transpose()});
}

int Simulator::begin_drag(int vertex, const Vector3d& target, double strength) {
  check_vertices("begin_drag", std::span(&vertex, 1));
  check_finite("begin_drag", target);
  drags_.push_back({next_drag_, vertex, target, checked("begin_drag", strength, 0, 100)});
  return next_drag_++;
}

void Simulator::move_drag(int id, const Vector3d& target) {
  check_finite("move_drag", target);
  for (Drag& drag : drags_)
    if (drag.id == id) {
      drag.target = target;
      return;
    }
  throw InputError(
      fmt::format("move_drag: there is no drag {}; expected an id that begin_drag returned", id));
}

void Simulator::end_drag(int id) {
  if (std::erase_if(drags_, [&](const Drag& drag) { return drag.id == id; }) == 0)
    throw InputError(
        fmt::format("end_drag: there is no drag {}; expected an id that begin_drag returned", id));
}

void Simulator::fix(std::span<const int> vertices) {
  check_vertices("fix", vertices);
  Points here;
  positions_of(vertices, here);
  std::vector<std::pair<int, Vector3d>> all;
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    all.emplace_back(fixed_[i], fixed_targets_.row(static_cast<Index>(i)).transpose());
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!std::binary_search(fixed_.begin(), fixed_.end(), vertices[i]))
      all.emplace_back(vertices[i], here.row(static_cast<Index>(i)).transpose());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  all.erase(
      std::unique(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
      all.end());
  std::vector<int> held;
  for (const auto& [vertex, target] : all) held.push_back(vertex);
  check_count_held("fix", held);
  fixed_.resize(all.size());
  fixed_targets_.resize(static_cast<Index>(all.size()), 3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    fixed_[i] = all[i].first;
    fixed_targets_.row(static_cast<Index>(i)) = all[i].second.transpose();
  }
  changes_.fixed = true;
}

void Simulator::move_fixed(std::span<const int> vertices, const Points& targets) {
  check_rows("move_fixed", targets.rows(), vertices.size());
  check_finite("move_fixed", targets);
  check_not_held("move_fixed", vertices);
  for (int v : vertices)
    if (!std::binary_search(fixed_.begin(), fixed_.end(), v))
      throw InputError(fmt::format("move_fixed: vertex {} is not fixed; fix it first", v));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto at = std::lower_bound(fixed_.begin(), fixed_.end(), vertices[i]) - fixed_.begin();
    fixed_targets_.row(at) = targets.row(static_cast<Index>(i));
  }
}

void Simulator::release(std::span<const int> vertices) {
  check_vertices("release", vertices);
  check_not_held("release", vertices);
  std::vector<int> gone(vertices.begin(), vertices.end());
  std::sort(gone.begin(), gone.end());
  Index kept = 0;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    if (std::binary_search(gone.begin(), gone.end(), fixed_[i])) continue;
    fixed_[static_cast<std::size_t>(kept)] = fixed_[i];
    fixed_targets_.row(kept) = fixed_targets_.row(static_cast<Index>(i)).eval();
    ++kept;
  }
  fixed_.resize(static_cast<std::size_t>(kept));
  fixed_targets_.conservativeResize(kept, 3);
  changes_.fixed = true;
}

void Simulator::set_motion(const Points& positions, const Points& velocities) {
  check_rows("set_motion", positions.rows(), static_cast<std::size_t>(vertex_count_));
  check_rows("set_motion", velocities.rows(), static_cast<std::size_t>(vertex_count_));
  check_finite("set_motion", positions);
  check_finite("set_motion", velocities);
  motion_set(positions, velocities);
}

void Simulator::finish_step() {
  time_ += time_step_;
  ++steps_;
  applied_.clear();
  changes_ = {false, false, false, false, false};
}

namespace {

// What of the interface is saved beside the simulator's own part.
struct Common {
  double time, time_step, gravity[3], stiffness, volume, damping;
  std::int64_t steps, next_drag;
};
struct SavedVector {
  std::int64_t id, vertex;
  double xyz[3], strength;
};

}  // namespace

State Simulator::save() const {
  StateWriter writer(kind(), vertex_count_);
  writer.value(Common{time_,
                      time_step_,
                      {gravity_.x(), gravity_.y(), gravity_.z()},
                      stiffness_,
                      volume_,
                      damping_,
                      steps_,
                      next_drag_});
  std::vector<SavedVector> drags, applied;
  for (const Drag& d : drags_)
    drags.push_back({d.id, d.vertex, {d.target.x(), d.target.y(), d.target.z()}, d.strength});
  for (const AppliedForce& a : applied_)
    applied.push_back({0, a.vertex, {a.force.x(), a.force.y(), a.force.z()}, 0});
  writer.array(std::span<const SavedVector>(drags));
  writer.array(std::span<const SavedVector>(applied));
  writer.array(std::span<const int>(fixed_));
  writer.points(fixed_targets_);
  write_state(writer);
  return writer.take();
}

void Simulator::restore(const State& state) {
  // Whatever is wrong shows while reading; the state from before is put back then.
  const State before = save();
  const auto read = [this](const State& from) {
    StateReader reader(from, kind(), vertex_count_);
    const auto common = reader.value<Common>();
    const auto drags = reader.array<SavedVector>();
    const auto applied = reader.array<SavedVector>();
    auto fixed = reader.array<int>();
    Points targets(static_cast<Index>(fixed.size()), 3);
    reader.points(targets);
    check_vertices("state", fixed);
    if (!std::is_sorted(fixed.begin(), fixed.end()))
      throw InputError("state: fixed vertices are not in order");
    check_count_held("state", fixed);
    for (const auto* list : {&drags, &applied})
      for (const SavedVector& s : *list) {
        const int vertex = static_cast<int>(s.vertex);
        check_vertices("state", std::span(&vertex, 1));
      }
    for (const SavedVector& s : drags) checked("state: strength of a drag", s.strength, 0, 100);
    for (const auto* list : {&drags, &applied})
      for (const SavedVector& s : *list)
        check_finite("state: a drag or a force", Eigen::Map<const Vector3d>(s.xyz));
    check_finite("state: gravity", Eigen::Map<const Vector3d>(common.gravity));
    check_finite("state: where vertices are held", targets);
    if (!std::isfinite(common.time)) throw InputError("state: the time is not a finite number");
    checked("state: time step", common.time_step, 1e-6, 1);
    checked("state: stiffness", common.stiffness, 1e-6, 1e6);
    checked("state: volume", common.volume, 0.01, 100);
    checked("state: damping", common.damping, 0, 1e6);
    time_ = common.time, time_step_ = common.time_step, stiffness_ = common.stiffness;
    gravity_ = Vector3d(common.gravity[0], common.gravity[1], common.gravity[2]);
    volume_ = common.volume, damping_ = common.damping, steps_ = common.steps;
    next_drag_ = static_cast<int>(common.next_drag);
    drags_.clear(), applied_.clear();
    for (const SavedVector& s : drags)
      drags_.push_back({static_cast<int>(s.id), static_cast<int>(s.vertex),
                        Vector3d(s.xyz[0], s.xyz[1], s.xyz[2]), s.strength});
    for (const SavedVector& s : applied)
      applied_.push_back({static_cast<int>(s.vertex), Vector3d(s.xyz[0], s.xyz[1], s.xyz[2])});
    fixed_ = std::move(fixed), fixed_targets_ = std::move(targets);
    changes_ = {};
    read_state(reader);
    reader.end();
  };
  try {
    read(state);
  } catch (...) {
    read(before);
    throw;
  }
}

}  // namespace pliant
