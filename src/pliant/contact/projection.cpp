#include "pliant/contact/projection.h"

#include <algorithm>
#include <atomic>

namespace pliant {
namespace {

constexpr Index grain = 256;
constexpr int rounds =
    4;  // a corner of two obstacles needs two or three, a wedge sharper than 60 degrees more

/// Reduces the part of `motion` across the normal by `limit`, at most to nothing.
Vector3d friction(const Vector3d& motion, const Vector3d& normal, double limit) {
  const Vector3d slip = motion - normal.dot(motion) * normal;
  const double length = slip.norm();
  return length > limit ? Vector3d(slip * (-limit / length)) : Vector3d(-slip);
}

}  // namespace

VertexContact move_outside(std::span<const PlacedObstacle> obstacles, const Vector3d& start, double time_step,
                           Vector3d& x) {
  VertexContact result;
  Contact contact;
  for (int round = 0; round < rounds; ++round) {
    bool moved = false;
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
      if (!contact_within(obstacles[o], x, 0, contact)) continue;
      const double depth = -contact.distance;
      const Vector3d motion = x - start - time_step * contact.velocity;
      x += friction(motion, contact.normal, obstacles[o].obstacle->friction * depth);
      // On a curved obstacle the way along its tangent leaves the surface: the depth is measured again.
      const Contact after = contact_at(obstacles[o], x);
      x -= std::min(after.distance, 0.0) * after.normal;
      result = {static_cast<int>(o), after.normal, after.velocity};
      moved = true;
    }
    if (!moved || obstacles.size() == 1) break;
  }
  return result;
}

Index project_positions(std::span<const PlacedObstacle> obstacles, std::span<const int> vertices,
                        const Points& start, double time_step, Points& positions,
                        std::vector<VertexContact>& contacts) {
  contacts.resize(vertices.size());
  std::atomic<Index> total = 0;
  parallel_for_chunks(static_cast<Index>(vertices.size()), grain, [&](Index begin, Index end) {
    Index count = 0;
    for (Index i = begin; i < end; ++i) {
      const int v = vertices[static_cast<std::size_t>(i)];
      Vector3d x = positions.row(v);
      VertexContact& contact = contacts[static_cast<std::size_t>(i)];
      contact = move_outside(obstacles, start.row(v), time_step, x);
      if (!contact.touches()) continue;
      positions.row(v) = x;
      ++count;
    }
    total += count;
  });
  return total;
}

void project_velocities(std::span<const PlacedObstacle> obstacles, std::span<const int> vertices,
                        std::span<const VertexContact> contacts, const Points& before, Points& velocities) {
  parallel_for(static_cast<Index>(vertices.size()), grain, [&](Index i) {
    const VertexContact& contact = contacts[static_cast<std::size_t>(i)];
    if (!contact.touches()) return;
    const int v = vertices[static_cast<std::size_t>(i)];
    const Obstacle& obstacle = *obstacles[static_cast<std::size_t>(contact.obstacle)].obstacle;
    const Vector3d relative = velocities.row(v).transpose() - contact.velocity;
    const double leaving = contact.normal.dot(relative);
    const double coming = std::min(0.0, contact.normal.dot(before.row(v).transpose() - contact.velocity));
    const double change = -obstacle.restitution * coming - leaving;
    if (!(change > 0)) return;
    velocities.row(v) +=
        change * contact.normal + friction(relative, contact.normal, obstacle.friction * change);
  });
}

}  // namespace pliant
