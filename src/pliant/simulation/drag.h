#pragma once
// How hard a drag pulls, the same in every simulator.

namespace pliant {

/// The spring of a drag, N/m: as stiff as the body itself is around the vertex, so that it yields about half the way
/// where the body is held elsewhere; and at least stiff enough to carry the whole body along at 20 rad/s.
/// @param local_stiffness  what the vertex alone resists, N/m
inline double drag_stiffness(double strength, double total_mass, double local_stiffness) {
  constexpr double rate = 20;  // rad/s
  return strength * (total_mass * rate * rate + local_stiffness);
}

}  // namespace pliant
