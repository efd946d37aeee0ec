#pragma once
// What every simulator whose state is positions and velocities of all vertices answers in the same way.
#include <span>
#include <string_view>

#include "pliant/simulation/simulator.h"

namespace pliant {

/// The rows of `all` at these vertices. Throws InputError on behalf of `who` where there is no such vertex, before it
/// writes.
void rows_of(std::string_view who, const Points& all, std::span<const int> vertices, Points& out);

/// Kinetic and gravitational energy and both momenta; `elastic` is 0.
Measures measures_of_motion(const VectorXd& masses, const Points& positions, const Points& velocities,
                            const Vector3d& gravity);

}  // namespace pliant
