#include "pliant/server/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/fullspace/newton.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"

namespace pliant::server {
namespace {

/// A plane that lies still and level.
bool is_floor(const Obstacle& obstacle) {
  return std::holds_alternative<PlaneShape>(obstacle.shape) && obstacle.path.keyframes.size() == 1 &&
         obstacle.path.keyframes[0].rotation.isApprox(Eigen::Quaterniond::Identity());
}

int iterations_of(const Simulator& simulator) {
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator)) return hrpd->options().iterations;
  if (const auto* full = dynamic_cast<const ProjectiveDynamics*>(&simulator))
    return full->options().iterations;
  return 0;
}

}  // namespace

LoneSimulator lone_simulator(std::shared_ptr<Simulator> simulator) {
  LoneSimulator lone;
  const auto take = [&](const ModelBody& body, const Points& rest) {
    lone.rest_positions = rest;
    lone.mesh = shown(body, rest);
    if (body.carried) lone.embedding = body.carried->embedding;
  };
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(simulator.get())) {
    take(hrpd->model(), hrpd->model().basis.rest);
  } else if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(simulator.get())) {
    take(fem->model(), fem->model().rest_positions);
  } else if (const auto* newton = dynamic_cast<const NewtonSimulator*>(simulator.get())) {
    const Body& body = newton->body();
    lone.rest_positions = body.rest_positions();
    lone.mesh = {body.rest_positions(), body.triangles(), body.tets()};
  } else if (const auto* full = dynamic_cast<const ProjectiveDynamics*>(simulator.get());
             full && full->surface_triangles().rows() > 0) {
    lone.rest_positions = full->rest_positions();
    lone.mesh = {full->rest_positions(), full->surface_triangles(), Tets(0, 4)};
  } else {
    throw InputError(
        fmt::format("view: a simulator of the kind {} does not know its mesh; expected one beside it",
                    simulator->kind()));
  }
  lone.simulator = std::move(simulator);
  return lone;
}

Settings clamped(Settings s, double box) {
  s.stiffness = std::clamp(s.stiffness, 1e-3, 1e3);
  s.volume = std::clamp(s.volume, 0.1, 10.0);
  s.damping = std::clamp(s.damping, 0.0, 1e3);
  s.time_step = std::clamp(s.time_step, 1e-4, 0.1);
  if (s.iterations > 0) s.iterations = std::clamp(s.iterations, 1, 1000);
  for (int c = 0; c < 3; ++c) {
    s.gravity[c] = std::clamp(s.gravity[c], -1000.0, 1000.0);
    s.sphere_center[c] = std::clamp(s.sphere_center[c], -1e3 * box, 1e3 * box);
  }
  s.floor_height = std::clamp(s.floor_height, -1e3 * box, 1e3 * box);
  s.sphere_radius = std::clamp(s.sphere_radius, 1e-3 * box, 1e2 * box);
  return s;
}

Stage::Stage(StageSource source, std::string title) : title_(std::move(title)) {
  if (auto* lone = std::get_if<LoneSimulator>(&source)) {
    lone_ = std::move(*lone);
    Shown shown;
    shown.simulator = lone_->simulator.get();
    draw(shown, {lone_->rest_positions, lone_->mesh, lone_->embedding ? &*lone_->embedding : nullptr});
    bodies_.push_back(std::move(shown));
  } else {
    scene_ = std::move(std::get<std::shared_ptr<Scene>>(source));
    for (std::size_t b = 0; b < scene_->bodies().size(); ++b) {
      const SceneBody& body = scene_->bodies()[b];
      Shown shown;
      shown.simulator = body.simulator.get();
      const Json& words = scene_->description()["bodies"][b];
      if (!words.contains("model")) shown.words = words;
      draw(shown, {body.rest_positions, body.shown, body.embedding ? &*body.embedding : nullptr});
      bodies_.push_back(std::move(shown));
    }
  }
  for (Shown& shown : bodies_) shown.start = shown.simulator->save();
  measure_box();
  take_settings();
}

void Stage::draw(Shown& shown, const ShownMesh& mesh) {
  auto drawn = std::make_shared<const DrawnBody>(drawn_body(*shown.simulator, mesh));
  shown.data = data_blob(*drawn);
  shown.drawn = std::move(drawn);
}

void Stage::measure_box() {
  low_.setConstant(std::numeric_limits<double>::infinity());
  high_ = -low_;
  for (const Shown& shown : bodies_) {
    low_ = low_.cwiseMin(shown.drawn->rest.colwise().minCoeff().transpose());
    high_ = high_.cwiseMax(shown.drawn->rest.colwise().maxCoeff().transpose());
  }
  diagonal_ = std::max((high_ - low_).norm(), 1e-12);
}

void Stage::take_settings() {
  const Simulator& first = simulator(0);
  settings_.stiffness = first.stiffness();
  settings_.damping = first.damping();
  settings_.time_step = first.time_step();
  settings_.gravity = first.gravity();
  for (std::size_t b = 0; b < size(); ++b) {
    if (simulator(b).can_change_volume()) settings_.volume = simulator(b).volume();
    if (settings_.iterations == 0) settings_.iterations = iterations_of(simulator(b));
  }
  settings_.floor_height = low_.y();
  settings_.sphere_radius = 0.15 * diagonal_;
  settings_.sphere_center =
      Vector3d((low_.x() + high_.x()) / 2, high_.y() + 0.2 * diagonal_, (low_.z() + high_.z()) / 2);
  for (const Obstacle& obstacle : first.obstacles()) {
    if (!settings_.floor && is_floor(obstacle)) {
      settings_.floor = true;
      settings_.floor_height = obstacle.path.keyframes[0].position.y();
      floor_obstacle_ = obstacle;
    } else {
      others_.push_back(obstacle);
    }
  }
}

std::string Stage::name(std::size_t b) const { return scene_ ? scene_->bodies()[b].name : lone_->name; }

const Points& Stage::rest_positions(std::size_t b) const {
  return scene_ ? scene_->bodies()[b].rest_positions : lone_->rest_positions;
}

Index Stage::tets(std::size_t b) const {
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator(b))) return hrpd->model().tets.rows();
  if (const auto* fem = dynamic_cast<const NewmarkBroyden*>(&simulator(b))) return fem->model().tets.rows();
  if (const auto* newton = dynamic_cast<const NewtonSimulator*>(&simulator(b)))
    return newton->body().tets().rows();
  return scene_ ? scene_->bodies()[b].shown.tets.rows() : lone_->mesh.tets.rows();
}

const Json* Stage::words(std::size_t b) const {
  return bodies_[b].words.is_null() ? nullptr : &bodies_[b].words;
}

StepReport Stage::step() { return scene_ ? scene_->step() : lone_->simulator->step(); }

void Stage::restart() {
  if (scene_) {
    std::vector<State> starts;
    for (const Shown& shown : bodies_) starts.push_back(shown.start);
    scene_->restart(starts);
  } else {
    lone_->simulator->restore(bodies_[0].start);
  }
  for (Shown& shown : bodies_) apply(*shown.simulator);
  place_obstacles(settings_);
}

void Stage::apply(Simulator& simulator) const {
  if (simulator.stiffness() != settings_.stiffness) simulator.set_stiffness(settings_.stiffness);
  if (simulator.can_change_volume() && simulator.volume() != settings_.volume)
    simulator.set_volume(settings_.volume);
  if (simulator.time_step() != settings_.time_step) simulator.set_time_step(settings_.time_step);
  simulator.set_damping(settings_.damping);
  simulator.set_gravity(settings_.gravity);
  if (settings_.iterations == 0) return;
  if (auto* hrpd = dynamic_cast<Hrpd*>(&simulator)) hrpd->set_iterations(settings_.iterations);
  if (auto* full = dynamic_cast<ProjectiveDynamics*>(&simulator)) full->set_iterations(settings_.iterations);
}

void Stage::place_obstacles(const Settings& before) {
  std::vector<Obstacle> all = others_;
  if (settings_.floor) {
    Obstacle floor = floor_obstacle_;
    floor.path.keyframes[0].position.y() = settings_.floor_height;
    all.push_back(std::move(floor));
  }
  if (settings_.sphere) {
    Obstacle sphere;
    sphere.shape = SphereShape{settings_.sphere_radius};
    // On its way from where it was: what it touches feels how fast it goes.
    sphere.path.keyframes[0] = {time(), before.sphere ? before.sphere_center : settings_.sphere_center};
    if (before.sphere && before.sphere_center != settings_.sphere_center)
      sphere.path.keyframes.push_back(
          {time() + std::max(settings_.time_step, 1.0 / 30), settings_.sphere_center});
    all.push_back(std::move(sphere));
  }
  for (Shown& shown : bodies_) shown.simulator->set_obstacles(all);
  ++obstacle_changes_;
}

void Stage::set(const Settings& wanted) {
  const Settings before = settings_;
  settings_ = clamped(wanted, diagonal_);
  for (Shown& shown : bodies_) apply(*shown.simulator);
  const bool same = before.floor == settings_.floor && before.floor_height == settings_.floor_height &&
                    before.sphere == settings_.sphere && before.sphere_radius == settings_.sphere_radius &&
                    before.sphere_center == settings_.sphere_center;
  if (!same) place_obstacles(before);
}

void Stage::replace(std::size_t b, SceneBody body, const Json& words, std::shared_ptr<const DrawnBody> drawn,
                    Bytes data) {
  SceneBody& old = scene_->bodies()[b];
  Simulator& before = *old.simulator;
  Simulator& after = *body.simulator;
  if (after.vertex_count() != before.vertex_count())
    throw InputError(fmt::format("rebuild: {} vertices where there were {}; expected the same mesh",
                                 after.vertex_count(), before.vertex_count()));
  std::vector<int> all(static_cast<std::size_t>(before.vertex_count()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  Points velocities;
  before.velocities_of(all, velocities);
  after.set_obstacles(before.obstacles());
  if (iterations_of(after) > 0) settings_.iterations = iterations_of(after);
  apply(after);
  State start = after.save();
  after.set_motion(before.positions(), velocities);
  after.set_time(before.time());
  body.name = old.name;
  old = std::move(body);
  bodies_[b] = {old.simulator.get(), std::move(drawn), std::move(data), std::move(start), words};
  if (iterations_of(*old.simulator) > 0) return;
  settings_.iterations = 0;
  for (std::size_t i = 0; i < size() && settings_.iterations == 0; ++i)
    settings_.iterations = iterations_of(simulator(i));
}

}  // namespace pliant::server
