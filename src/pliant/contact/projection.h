#pragma once
// Contact by projection: vertices found inside an obstacle are moved to its surface, with friction, and leave it with
// restitution [Brandt et al. 2018, appendix A]. For simulators that work on positions.
#include <span>
#include <vector>

#include "pliant/contact/obstacle.h"

namespace pliant {

/// What became of one vertex.
struct VertexContact {
  int obstacle = -1;  ///< the last one that moved it; -1: none
  Vector3d normal = Vector3d::UnitY();
  Vector3d velocity = Vector3d::Zero();  ///< of the obstacle there, m/s
  bool touches() const { return obstacle >= 0; }
};

/// Moves those of `vertices` whose `positions` (n x 3) lie inside an obstacle to its surface, and holds back their
/// slip against it, counted from `start`, by Coulomb's law: by friction times the depth, at most all of it. (The
/// push out of the obstacle is the normal impulse times h / mass, so this is the law exactly for free masses.)
/// Where obstacles overlap, each moves the vertex in turn, a few times round.
/// @param contacts  one a vertex of `vertices`; resized where needed
/// @return how many vertices were moved
/// Obstacles stand as they do at the end of the step. Vertices in parallel; same bits on any number of threads.
Index project_positions(std::span<const PlacedObstacle> obstacles, std::span<const int> vertices,
                        const Points& start, double time_step, Points& positions,
                        std::vector<VertexContact>& contacts);

/// The same for one point.
VertexContact move_outside(std::span<const PlacedObstacle> obstacles, const Vector3d& start, double time_step,
                           Vector3d& position);

/// After a step: vertices that touched an obstacle leave it at least with `restitution` times the speed at which
/// they came. Their slip is reduced by friction times that change of speed.
/// @param before      velocities at the beginning of the step, m/s, n x 3
/// @param velocities  those at its end, corrected in place
void project_velocities(std::span<const PlacedObstacle> obstacles, std::span<const int> vertices,
                        std::span<const VertexContact> contacts, const Points& before, Points& velocities);

}  // namespace pliant
