#include "pliant/contact/obstacle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Where a mesh's nearest point lies: the triangle's outward side, for points on the surface itself.
Vector3d facing(const SignedDistance& surface, const ClosestPoint& nearest) {
  const Vector3d a = surface.bvh().corner(nearest.triangle, 0), b = surface.bvh().corner(nearest.triangle, 1),
                 c = surface.bvh().corner(nearest.triangle, 2);
  const Vector3d normal = (b - a).cross(c - a).normalized();
  if (!(normal.squaredNorm() > 0.5)) return Vector3d::UnitY();  // a triangle without area
  const double step = 1e-6 * (surface.bvh().upper() - surface.bvh().lower()).norm();
  return surface.inside(nearest.point + step * normal) ? Vector3d(-normal) : normal;
}

Local local_contact(const MeshShape& mesh, const Vector3d& p) {
  const ClosestPoint nearest = mesh.distance->closest(p);
  if (nearest.triangle < 0) return {std::numeric_limits<double>::infinity(), Vector3d::UnitY()};
  const TriangleBvh& tree = mesh.distance->bvh();
  const Vector3d offset = p - nearest.point;
  const double length = offset.norm();
  const double sign = mesh.distance->inside(p) ? -1 : 1;
  // On the surface the direction to its nearest point is rounding: the triangle knows better.
  const double rounding = 1e-12 * (tree.lower().cwiseAbs().maxCoeff() + tree.upper().cwiseAbs().maxCoeff());
  if (!(length > rounding)) return {sign * length, facing(*mesh.distance, nearest)};
  return {sign * length, offset * (sign / length)};
}

// === Second derivatives. Around a point the distance curves by 1/length across the direction to it, around a line
//     by 1/length across both the direction and the line; over a face not at all.

Matrix3d curved(const Vector3d& offset, const Vector3d& straight) {
  const double length2 = offset.squaredNorm();
  if (!(length2 > 0)) return Matrix3d::Zero();  // no derivative here
  return (Matrix3d::Identity() - offset * offset.transpose() / length2 - straight * straight.transpose()) /
         std::sqrt(length2);
}

Matrix3d local_hessian(const PlaneShape&, const Vector3d&) { return Matrix3d::Zero(); }

Matrix3d local_hessian(const SphereShape&, const Vector3d& p) { return curved(p, Vector3d::Zero()); }

Matrix3d local_hessian(const CapsuleShape& capsule, const Vector3d& p) {
  const double along = std::clamp(p.y(), -capsule.half_length, capsule.half_length);
  const Vector3d axis(0, along == p.y() ? 1 : 0, 0);
  return curved(p - Vector3d(0, along, 0), axis);
}

Matrix3d local_hessian(const BoxShape& box, const Vector3d& p) {
  const Vector3d outside = p.cwiseAbs() - box.half_size;
  const auto beyond = outside.array() > 0;
  if (beyond.count() < 2) return Matrix3d::Zero();
  const Vector3d clamped = p.cwiseMax(-box.half_size).cwiseMin(box.half_size);
  return curved(p - clamped, beyond.select(0.0, Vector3d::Ones().array()).matrix());
}

Matrix3d local_hessian(const MeshShape& mesh, const Vector3d& p) {
  const ClosestPoint nearest = mesh.distance->closest(p);
  if (nearest.triangle < 0) return Matrix3d::Zero();
  const TriangleBvh& tree = mesh.distance->bvh();
  const double sign = mesh.distance->inside(p) ? -1 : 1;
  const double near2 = 1e-20 * (tree.upper() - tree.lower()).squaredNorm();
  for (int k = 0; k < 3; ++k)
    if ((nearest.point - tree.corner(nearest.triangle, k)).squaredNorm() <= near2)
      return sign * curved(p - nearest.point, Vector3d::Zero());
  for (int k = 0; k < 3; ++k) {
    const Vector3d a = tree.corner(nearest.triangle, k), b = tree.corner(nearest.triangle, (k + 1) % 3);
    const Vector3d along = (b - a).normalized();
    if (along.cross(nearest.point - a).squaredNorm() > near2) continue;
    // Above the plane of the triangle the nearest point of a face may lie on its border: no curvature there.
    const Vector3d c = tree.corner(nearest.triangle, (k + 2) % 3);
    const Vector3d offset = p - nearest.point, normal = along.cross(c - a).normalized();
    const Vector3d across = offset - normal.dot(offset) * normal;
    if (across.squaredNorm() <= 1e-20 * offset.squaredNorm()) return Matrix3d::Zero();
    return sign * curved(offset, along);
  }
  return Matrix3d::Zero();
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
  void operator()(const MeshShape& m) const {
    require(m.distance != nullptr, "a mesh shape needs its surface");
  }
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
  placed.rotation = before.rotation.normalized().toRotationMatrix();
  if (next == keys.begin() || next == keys.end()) return placed;

  const double span = next->time - before.time, part = (time - before.time) / span;
  const Eigen::AngleAxisd turn(before.rotation.conjugate() * next->rotation);  // 0 to pi: the shorter arc
  const double angle = turn.angle();
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

bool contact_within(const PlacedObstacle& placed, const Vector3d& point, double reach, Contact& contact) {
  if (const MeshShape* mesh = std::get_if<MeshShape>(&placed.obstacle->shape)) {
    const Vector3d p = placed.rotation.transpose() * (point - placed.position);
    const TriangleBvh& tree = mesh->distance->bvh();
    const double near = std::max(0.0, reach + placed.obstacle->thickness);
    if (!((tree.lower() - p).cwiseMax(p - tree.upper()).maxCoeff() <= near)) return false;
  }
  if (std::holds_alternative<PlaneShape>(placed.obstacle->shape) &&
      !(placed.rotation.col(1).dot(point - placed.position) - placed.obstacle->thickness < reach))
    return false;
  contact = contact_at(placed, point);
  return contact.distance < reach;
}

Matrix3d distance_hessian(const PlacedObstacle& placed, const Vector3d& point) {
  const Vector3d p = placed.rotation.transpose() * (point - placed.position);
  const Matrix3d local =
      std::visit([&](const auto& shape) { return local_hessian(shape, p); }, placed.obstacle->shape);
  return placed.rotation * local * placed.rotation.transpose();
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
