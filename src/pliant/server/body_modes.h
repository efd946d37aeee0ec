#pragma once
// How a body would swing by itself: modes as frames can show them.
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/elasticity/body.h"
#include "pliant/server/drawn_body.h"

namespace pliant::server {

/// Modes within the subspace that a body moves in.
struct BodyModes {
  VectorXd frequencies;  ///< Hz, ascending
  std::vector<std::vector<float>>
      vectors;  ///< coordinates, as frames have them, of a largest displacement of 1 m
};

/// How many can be asked for; full-space bodies have none.
int mode_count(const Simulator& simulator);

/// Those that are known without work; empty where there is some to do.
VectorXd known_frequencies(const Simulator& simulator);

/// @param body  what it is made of, where that is known. Models of hyper-reduced projective dynamics do not say it: without,
///              their stiffness is found by small movements, and the fit of projections makes low frequencies too high.
BodyModes body_modes(const Simulator& simulator, const DrawnBody& drawn, const Body* body = nullptr,
                     const Progress& progress = {});

}  // namespace pliant::server
