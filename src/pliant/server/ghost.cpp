#include "pliant/server/ghost.h"

#include <algorithm>
#include <numeric>

#include "pliant/scene/build.h"

namespace pliant::server {
namespace {

void follow_pulls(const Simulator& from, Simulator& to) {
  while (!to.drags().empty()) to.end_drag(to.drags().back().id);
  for (const Drag& drag : from.drags()) to.begin_drag(drag.vertex, drag.target, drag.strength);
}

void follow_held(const Simulator& from, Simulator& to) {
  std::vector<int> gone, come;
  std::set_difference(to.fixed().begin(), to.fixed().end(), from.fixed().begin(), from.fixed().end(),
                      std::back_inserter(gone));
  std::set_difference(from.fixed().begin(), from.fixed().end(), to.fixed().begin(), to.fixed().end(),
                      std::back_inserter(come));
  if (!gone.empty()) to.release(gone);
  if (!come.empty()) to.fix(come);
  if (!from.fixed().empty()) to.move_fixed(from.fixed(), from.fixed_targets());
}

}  // namespace

Ghost::Ghost(const std::vector<Json>& words, const std::filesystem::path& folder, const Progress& progress) {
  for (const Json& body : words) {
    Rng rng(1);
    bodies_.push_back(build_body(full_space_words(body), "body", folder, rng, progress));
  }
}

void Ghost::start(const Stage& stage) {
  obstacle_changes_ = -1;
  follow(stage);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Simulator& simulator = stage.simulator(b);
    std::vector<int> all(static_cast<std::size_t>(simulator.vertex_count()));
    std::iota(all.begin(), all.end(), 0);
    Points velocities;
    simulator.velocities_of(all, velocities);
    bodies_[b].simulator->set_motion(simulator.positions(), velocities);
    bodies_[b].simulator->set_time(simulator.time());
  }
}

void Ghost::follow(const Stage& stage) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const Simulator& from = stage.simulator(b);
    Simulator& to = *bodies_[b].simulator;
    if (to.stiffness() != from.stiffness()) to.set_stiffness(from.stiffness());
    if (to.can_change_volume() && from.can_change_volume() && to.volume() != from.volume())
      to.set_volume(from.volume());
    if (to.time_step() != from.time_step()) to.set_time_step(from.time_step());
    to.set_damping(from.damping());
    to.set_gravity(from.gravity());
    if (obstacle_changes_ != stage.obstacle_changes()) to.set_obstacles(from.obstacles());
    follow_pulls(from, to);
    follow_held(from, to);
  }
  obstacle_changes_ = stage.obstacle_changes();
}

void Ghost::step() {
  for (SceneBody& body : bodies_) body.simulator->step();
}

void Ghost::surface(std::size_t b, const DrawnBody& drawn, Points& out) const {
  combine(drawn, bodies_[b].simulator->positions(), drawn.surface, out);
}

}  // namespace pliant::server
