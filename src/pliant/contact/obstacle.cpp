#include "pliant/contact/obstacle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant {
namespace {

struct Local {
  double distance;
  Vector3d normal;
};

/// Distance to a point swollen by `radius`; any direction serves at the centre itself.
Local round(const Vector3d& offset, double radius) {
  const double length = offset.norm();
  return {length - radius, length > 0 ? Vector3d(offset / length) : Vector3d::UnitY()};
}

Local local_contact(const PlaneShape&, const Vector3d& p) { return {p.y(), Vector3d::UnitY()}; }

Local local_contact(const SphereShape& sphere, const Vector3d& p) { return round(p, sphere.radius); }

Local local_contact(const CapsuleShape& capsule, const Vector3d& p) {
  const double along = std::clamp(p.y(), -capsule.half_length, capsule.half_length);
  Local local = round(p - Vector3d(0, along, 0), capsule.radius);
  if (p.x() == 0 && p.z() == 0 && along == p.y()) local.normal = Vector3d::UnitX();  // on the axis
  return local;
}

Local local_contact(const BoxShape& box, const Vector3d& p) {
  const Vector3d outside = p.cwiseAbs() - box.half_size;
  const Vector3d clamped = p.cwiseMax(-box.half_size).cwiseMin(box.half_size);
  if (outside.maxCoeff() > 0) return round(p - clamped, 0);
  Index axis = 0;
  const double depth = outside.maxCoeff(&axis);  // inside: the nearest face
  Vector3d normal = Vector3d::Zero();
  normal[axis] = p[axis] < 0 ? -1 : 1;
  return {depth, normal};
}

Local local_contact(const MeshShape& mesh, const Vector3d& p) {
  const double distance = (*mesh.distance)(p);
  const Vector3d offset = p - mesh.distance->closest(p).point;
  const double length = offset.norm();
  if (!(length > 0)) return {0, Vector3d::UnitY()};
  return {distance, offset / (distance < 0 ? -length : length)};
}

void require(bool holds, const char* what) {
  if (!holds) throw InputError(fmt::format("obstacle: {}", what));
}

struct Checker {
  void operator()(const PlaneShape&) const {}
  void operator()(const SphereShape& s) const { require(s.radius > 0, "radius must be above 0 metres"); }
  void operator()(const CapsuleShape& c) const {
    require(c.radius > 0, "radius must be above 0 metres");
    require(c.half_length >= 0, "half_length must not be negative");
  }
  void operator()(const BoxShape& b) const {
    require(b.half_size.minCoeff() > 0 && b.half_size.allFinite(), "half_size must be above 0 metres");
  }
  void operator()(const MeshShape& m) const { require(m.distance != nullptr, "a mesh shape needs its surface"); }
};

}  // namespace

PlacedObstacle place(const Obstacle& obstacle, double time) {
  const std::vector<Keyframe>& keys = obstacle.path.keyframes;
  PlacedObstacle placed;
  placed.obstacle = &obstacle;
  const auto next = std::upper_bound(keys.begin(), keys.end(), time,
                                     [](double t, const Keyframe& key) { return t < key.time; });
  const Keyframe& before = next == keys.begin() ? keys.front() : *(next - 1);
  placed.position = before.position;
  placed.rotation = before.rotation.toRotationMatrix();
  if (next == keys.begin() || next == keys.end()) return placed;

  const double span = next->time - before.time, part = (time - before.time) / span;
  const Eigen::AngleAxisd turn(before.rotation.conjugate() * next->rotation);
  const double angle = turn.angle() > M_PI ? turn.angle() - 2 * M_PI : turn.angle();
  placed.velocity = (next->position - before.position) / span;
  placed.position = before.position + part * (next->position - before.position);
  placed.angular_velocity = placed.rotation * turn.axis() * (angle / span);
  placed.rotation = placed.rotation * Eigen::AngleAxisd(part * angle, turn.axis()).toRotationMatrix();
  return placed;
}

Contact contact_at(const PlacedObstacle& placed, const Vector3d& point) {
  const Vector3d arm = point - placed.position;
  const Vector3d p = placed.rotation.transpose() * arm;
  const Local local =
      std::visit([&](const auto& shape) { return local_contact(shape, p); }, placed.obstacle->shape);
  return {local.distance - placed.obstacle->thickness, placed.rotation * local.normal,
          placed.velocity + placed.angular_velocity.cross(arm)};
}

void check(const Obstacle& obstacle) {
  std::visit(Checker{}, obstacle.shape);
  require(obstacle.friction >= 0 && std::isfinite(obstacle.friction), "friction must not be negative");
  require(obstacle.restitution >= 0 && obstacle.restitution <= 1, "restitution must be 0 to 1");
  require(obstacle.thickness >= 0 && std::isfinite(obstacle.thickness), "thickness must not be negative");
  const std::vector<Keyframe>& keys = obstacle.path.keyframes;
  require(!keys.empty(), "a path needs at least one keyframe");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    require(std::isfinite(keys[i].time) && keys[i].position.allFinite(), "keyframes must be finite");
    require(std::abs(keys[i].rotation.norm() - 1) < 1e-6, "rotations must be unit quaternions");
    require(i == 0 || keys[i].time > keys[i - 1].time, "times of keyframes must ascend");
  }
}

}  // namespace pliant
