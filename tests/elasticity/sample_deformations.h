#pragma once
// Deformation gradients of every temper, and a material of every kind.
#include <Eigen/Geometry>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/elasticity/material.h"

namespace pliant::testing_support {

inline std::vector<Material> all_materials(double young = 1, double poisson = 0.3) {
  std::vector<Material> all;
  for (const char* kind :
       {"linear", "stvk", "corotated", "neo_hookean", "mooney_rivlin", "fung", "arruda_boyce"})
    all.push_back(make_material(kind, young, poisson));
  return all;
}

inline Matrix3d random_rotation(Rng& rng) {
  const Eigen::Quaterniond q(rng.normal(), rng.normal(), rng.normal(), rng.normal());
  return q.normalized().toRotationMatrix();
}

/// With these singular values, turned at random on both sides.
inline Matrix3d turned(const Vector3d& sigma, Rng& rng) {
  return random_rotation(rng) * sigma.asDiagonal() * random_rotation(rng);
}

/// Near rest, strongly stretched, squeezed, flat, mirrored, and with repeated singular values. Singular values keep
/// apart from where the corotated rotation jumps (the sum of two of them is zero).
inline std::vector<Matrix3d> sample_deformations(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Matrix3d> all = {Matrix3d::Identity(), random_rotation(rng)};
  for (int i = 0; i < 6; ++i) {
    all.push_back(turned(Vector3d::NullaryExpr([&] { return rng.uniform(0.9, 1.1); }), rng));
    all.push_back(turned(Vector3d::NullaryExpr([&] { return rng.uniform(0.4, 2.2); }), rng));
    all.push_back(turned({rng.uniform(1.5, 2.0), rng.uniform(0.8, 1.2), rng.uniform(0.1, 0.3)}, rng));
    all.push_back(turned({rng.uniform(1.2, 2.0), rng.uniform(0.6, 1.1), -rng.uniform(0.05, 0.3)}, rng));
    all.push_back(turned({rng.uniform(1.0, 1.3), rng.uniform(0.8, 1.0), 0}, rng));
    all.push_back(turned({1.7, 0.8, 0.8}, rng));
    all.push_back(turned({1.3, 1.3, 1.3}, rng));
  }
  return all;
}

}  // namespace pliant::testing_support
