#pragma once
// Shapes given by blended signed distances, at size 1. Called through make_shape and make_shell.
#include <functional>
#include <string_view>

#include "pliant/numerics/types.h"

namespace pliant::detail {

/// A solid as a function, metres, negative inside, of slope at most 1, and a box around it.
struct Implicit {
  std::function<double(const Vector3d&)> distance;
  Vector3d lower, upper;
};

/// `thinnest`: no limb gets thinner than this radius, so that coarse cells still hold it together.
Implicit squid(double thinnest);
Implicit bear(double thinnest);
Implicit cactus(double thinnest);
Implicit hand(double thinnest);  ///< a left hand, fingers up, open towards -y: its wrist ends below y = 0

}  // namespace pliant::detail
