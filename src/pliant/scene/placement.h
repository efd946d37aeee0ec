#pragma once
// Where things are put.
#include <Eigen/Geometry>

#include "pliant/scene/region.h"

namespace pliant {

/// Degrees about the fixed axes x, then y, then z.
inline Eigen::Quaterniond to_rotation(const Json& degrees) {
  const Vector3d angle = to_vector3(degrees) * (M_PI / 180);
  const auto turn = [&](int axis) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(angle[axis], Vector3d::Unit(axis)));
  };
  return (turn(2) * turn(1) * turn(0)).normalized();
}

}  // namespace pliant
