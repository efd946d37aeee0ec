#pragma once
// Random scenes, roughly treated: whatever happens, every number stays finite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "pliant/base/rng.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct SoakReport {
  std::int64_t scenes = 0, steps = 0, unconverged = 0;
  double largest_position = 0;  ///< metres
  std::string failure;          ///< empty, or the scene and step that made a number that is not finite
};

namespace soak {

template <class T>
const T& pick(Rng& rng, const std::vector<T>& list) {
  return list[static_cast<std::size_t>(rng.integer(static_cast<std::int64_t>(list.size())))];
}

inline Json random_vector(Rng& rng, double size) {
  return {rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size)};
}

inline double log_uniform(Rng& rng, double low, double high) {
  return low * std::pow(high / low, rng.uniform());
}

inline Json random_material(Rng& rng) {
  return {{"kind", pick<std::string>(rng, {"stvk", "corotated", "neo_hookean", "mooney_rivlin", "fung",
                                           "arruda_boyce", "linear"})},
          {"young", log_uniform(rng, 1e2, 1e8)},
          {"poisson", rng.uniform(0, 0.49)}};
}

inline Json random_simulator(Rng& rng) {
  if (rng.uniform() < 0.3)
    return {{"kind", "hrpd"},
            {"iterations", 1 + rng.integer(12)},
            {"handles", 1 + rng.integer(20)},
            {"fitted_handles", 1 + rng.integer(20)},
            {"samples", 1 + rng.integer(100)},
            {"weights", pick<std::string>(rng, {"smooth", "kinked"})},
            {"fit", rng.uniform() < 0.8}};
  if (rng.uniform() < 0.5) {
    Json pd = {{"kind", "projective_dynamics"}, {"iterations", 1 + rng.integer(12)}};
    if (rng.uniform() < 0.3) pd["strain_min"] = rng.uniform(0, 1), pd["strain_max"] = rng.uniform(1, 3);
    return pd;
  }
  return {{"kind", "newton"},
          {"scheme", pick<std::string>(rng, {"implicit_euler", "implicit_euler", "newmark", "quasi_static"})},
          {"solver", pick<std::string>(rng, {"automatic", "cholesky", "pcg"})},
          {"max_iterations", 1 + rng.integer(6)}};
}

inline Json random_obstacle(Rng& rng) {
  const auto kind = pick<std::string>(rng, {"plane", "sphere", "capsule", "box"});
  Json obstacle = {{"kind", kind}, {"friction", rng.uniform(0, 2)}, {"restitution", rng.uniform()}};
  if (kind == "sphere" || kind == "capsule") obstacle["radius"] = rng.uniform(0.01, 0.5);
  if (kind == "capsule") obstacle["length"] = rng.uniform();
  if (kind == "box") obstacle["size"] = {rng.uniform(0.1, 1), rng.uniform(0.1, 1), rng.uniform(0.1, 1)};
  if (rng.uniform() < 0.5)
    obstacle["position"] = random_vector(rng, 0.7);
  else
    obstacle["path"] = {{{"time", 0}, {"position", random_vector(rng, 1)}},
                        {{"time", rng.uniform(0.05, 0.5)},
                         {"position", random_vector(rng, 1)},
                         {"rotation", random_vector(rng, 180)}}};
  return obstacle;
}

inline Json random_scene(Rng& rng) {
  Json body = {{"simulator", random_simulator(rng)},
               {"pose", pick<std::string>(rng, {"rest", "rest", "flattened", "inverted", "random"})},
               {"velocity", random_vector(rng, 10)},
               {"angular_velocity", random_vector(rng, 20)},
               {"density", log_uniform(rng, 10, 1e4)}};
  if (rng.uniform() < 0.25) {
    body["shape"] = {{"name", "plate_shell"}, {"triangles", 30 + rng.integer(150)}};
    body["shell"] = {{"young", log_uniform(rng, 1e3, 1e9)}, {"thickness", log_uniform(rng, 1e-4, 1e-2)}};
  } else {
    body["shape"] = {{"name", pick<std::string>(rng, {"bar", "plate", "u_beam", "cylinder"})},
                     {"tets", 40 + rng.integer(400)},
                     {"size", log_uniform(rng, 0.1, 10)}};
    body["material"] = random_material(rng);
  }
  if (rng.uniform() < 0.4) {
    const double end = rng.uniform(0.05, 0.5);
    body["fixed"] = {{{"box", {{"low", {0, 0, 0}}, {"high", {end, 1, 1}}}}, {"relative", true}}};
  }
  if (rng.uniform() < 0.2)
    body["damping"] = {{"mass", rng.uniform()}, {"stiffness", log_uniform(rng, 1e-4, 1e-1)}};
  Json scene = {
      {"time_step", log_uniform(rng, 1e-3, 1.0 / 30)}, {"bodies", {body}}, {"seed", rng.integer(1000000)}};
  if (rng.uniform() < 0.3) scene["gravity"] = random_vector(rng, 100);
  scene["obstacles"] = Json::array();
  while (rng.uniform() < 0.5) scene["obstacles"].push_back(random_obstacle(rng));
  return scene;
}

inline Vector3d random_point(Rng& rng, double size) {
  return {rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size)};
}

/// Fixed vertices that can be let go: those that a subspace holds cannot.
inline std::vector<int> movable(const Simulator& simulator) {
  std::vector<int> out = simulator.fixed();
  if (const auto* hrpd = dynamic_cast<const Hrpd*>(&simulator))
    std::erase_if(out, [&](int v) {
      return std::binary_search(hrpd->model().fixed.begin(), hrpd->model().fixed.end(), v);
    });
  return out;
}

/// Something a rough hand might do between two steps.
inline void disturb(Simulator& simulator, Rng& rng) {
  const auto vertex = [&] { return static_cast<int>(rng.integer(simulator.vertex_count())); };
  switch (rng.integer(12)) {
    case 0:
      simulator.set_stiffness(pick<double>(rng, {0.001, 1, 1000}));
      break;
    case 1:
      simulator.begin_drag(vertex(), random_point(rng, 20), log_uniform(rng, 0.01, 100));
      break;
    case 2:
      if (!simulator.drags().empty()) simulator.end_drag(simulator.drags().front().id);
      break;
    case 3:
      for (const Drag& drag : std::vector<Drag>(simulator.drags()))
        simulator.move_drag(drag.id, random_point(rng, 20));
      break;
    case 4: {
      const std::vector<int> some = {vertex(), vertex(), vertex()};
      simulator.fix(some);
      break;
    }
    case 5:
      simulator.release(movable(simulator));
      break;
    case 6: {
      const std::vector<int> held = movable(simulator);
      Points targets(static_cast<Index>(held.size()), 3);
      for (Index i = 0; i < targets.rows(); ++i) targets.row(i) = random_point(rng, 3).transpose();
      simulator.move_fixed(held, targets);
      break;
    }
    case 7: {
      const std::vector<int> some = {vertex()};
      Points force(1, 3);
      force.row(0) = random_point(rng, 1e5).transpose();
      simulator.apply_force(some, force);
      break;
    }
    case 8:
      simulator.set_time_step(log_uniform(rng, 1e-4, 1.0 / 30));
      break;
    case 9:
      if (simulator.can_change_volume()) simulator.set_volume(log_uniform(rng, 0.05, 20));
      break;
    case 10:
      simulator.set_damping(pick<double>(rng, {0, 0, 1, 100}));
      break;
    default: {
      Points x(simulator.vertex_count(), 3), v(simulator.vertex_count(), 3);
      const double size = log_uniform(rng, 1e-3, 10);
      for (Index i = 0; i < x.rows(); ++i) {
        x.row(i) = random_point(rng, size).transpose();
        v.row(i) = random_point(rng, 100 * size).transpose();
      }
      simulator.set_motion(x, v);
    }
  }
}

}  // namespace soak

/// Runs random scenes until `steps` steps are done. The same seed gives the same scenes.
inline SoakReport run_soak(std::int64_t steps, std::uint64_t seed,
                           const std::function<void(const SoakReport&)>& progress = {}) {
  SoakReport report;
  Rng rng(seed);
  while (report.steps < steps && report.failure.empty()) {
    const std::string text = soak::random_scene(rng).dump();
    Scene scene = Scene::from_text(text);
    Simulator& simulator = *scene.bodies().front().simulator;
    std::vector<int> all(static_cast<std::size_t>(simulator.vertex_count()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    Points velocities, reactions;
    const std::int64_t length = 20 + rng.integer(40);
    for (std::int64_t i = 0; i < length && report.steps < steps; ++i) {
      if (rng.uniform() < 0.15) soak::disturb(simulator, rng);
      if (!scene.step().converged) ++report.unconverged;
      ++report.steps;
      simulator.velocities_of(all, velocities);
      simulator.reactions_of(all, reactions);
      if (!simulator.positions().allFinite() || !velocities.allFinite() || !reactions.allFinite() ||
          !std::isfinite(simulator.measure().total())) {
        report.failure = fmt::format("step {} of scene {} (seed {}): {}", i, report.scenes, seed, text);
        break;
      }
      report.largest_position =
          std::max(report.largest_position, simulator.positions().cwiseAbs().maxCoeff());
    }
    ++report.scenes;
    if (progress) progress(report);
  }
  return report;
}

}  // namespace pliant
