#pragma once
// What the SIMD kernel of each density reads as its parameters.
#include <array>

#include "pliant/elasticity/material.h"

namespace pliant {

inline constexpr int density_parameter_count = 7;

/// In the order of density_lanes-inl.h, zeros behind them.
std::array<double, density_parameter_count> density_parameters(const Material& material);

}  // namespace pliant
