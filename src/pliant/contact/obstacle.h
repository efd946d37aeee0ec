#pragma once
// Things a body bumps into: shapes with a signed distance, at rest or on a path.
#include <Eigen/Geometry>
#include <memory>
#include <variant>
#include <vector>

#include "pliant/geometry/signed_distance.h"

namespace pliant {

// Shapes in their own frame: centred at the origin, capsules along y, the plane's solid side below y = 0.
struct PlaneShape {};
struct SphereShape {
  double radius = 1;  ///< metres
};
struct CapsuleShape {
  double radius = 0.5;       ///< metres
  double half_length = 0.5;  ///< metres: of the axis, without the caps
};
struct BoxShape {
  Vector3d half_size = Vector3d::Constant(0.5);  ///< metres
};
/// Any surface, in its own coordinates; shared, since it may be large.
struct MeshShape {
  std::shared_ptr<const SignedDistance> distance;
};
using ObstacleShape = std::variant<PlaneShape, SphereShape, CapsuleShape, BoxShape, MeshShape>;

/// Where an obstacle is at a time.
struct Keyframe {
  double time = 0;  ///< seconds
  Vector3d position = Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
};

/// Positions run linearly from one keyframe to the next, rotations along the shorter arc; before the first and
/// after the last the obstacle rests. At least one keyframe, times ascending.
struct ObstaclePath {
  std::vector<Keyframe> keyframes = {Keyframe{}};
};

struct Obstacle {
  ObstacleShape shape = PlaneShape{};
  ObstaclePath path = {};
  double friction = 0.3;   ///< Coulomb's coefficient
  double restitution = 0;  ///< part of the normal speed that is given back, 0 to 1
  double thickness = 0;    ///< metres: contact begins this far outside
};

/// An obstacle frozen at one time: what a step asks. Making one allocates nothing.
struct PlacedObstacle {
  const Obstacle* obstacle = nullptr;
  Matrix3d rotation = Matrix3d::Identity();
  Vector3d position = Vector3d::Zero();
  Vector3d velocity = Vector3d::Zero();          ///< of the origin, m/s
  Vector3d angular_velocity = Vector3d::Zero();  ///< rad/s
};
PlacedObstacle place(const Obstacle& obstacle, double time);

/// How a point stands to an obstacle.
struct Contact {
  double distance = 0;                   ///< metres, to the thickened surface; negative inside
  Vector3d normal = Vector3d::UnitY();   ///< outward, unit length: the gradient of the distance
  Vector3d velocity = Vector3d::Zero();  ///< of the obstacle at this point, m/s
};
Contact contact_at(const PlacedObstacle& obstacle, const Vector3d& point);

/// The same for a point whose distance is below `reach` (metres), and false for all others; points far from a
/// mesh or a plane cost next to nothing.
bool contact_within(const PlacedObstacle& obstacle, const Vector3d& point, double reach, Contact& contact);

/// The second derivative of the distance, 1/m: the curvatures of the surface of equal distance through the point.
/// At one point they all have the same sign: outside above 0, and below 0 where the nearest part of a mesh is a
/// concave edge or corner seen from inside.
Matrix3d distance_hessian(const PlacedObstacle& obstacle, const Vector3d& point);

/// Refuses negative sizes, unordered or missing keyframes and numbers that are not finite.
void check(const Obstacle& obstacle);

}  // namespace pliant
