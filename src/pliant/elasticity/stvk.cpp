#include "pliant/elasticity/stvk.h"

#include "pliant/elasticity/invariants.h"

namespace pliant {

StVK StVK::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.mu = lame.mu, .lambda = lame.lambda};
}

double energy(const StVK& material, const Matrix3d& F) {
  const Matrix3d E = (F.transpose() * F - Matrix3d::Identity()) / 2;
  return material.mu * E.squaredNorm() + material.lambda / 2 * E.trace() * E.trace();
}

Matrix3d stress(const StVK& material, const Matrix3d& F) {
  const Matrix3d E = (F.transpose() * F - Matrix3d::Identity()) / 2;
  return F * (2 * material.mu * E + material.lambda * E.trace() * Matrix3d::Identity());
}

Matrix9d hessian(const StVK& material, const Matrix3d& F) {
  // tr E = (I1 - 3)/2 and E:E = (I1² - 2 I2 - 2 I1 + 3)/4.
  const double I1 = F.squaredNorm(), mu = material.mu, lambda = material.lambda;
  InvariantDerivatives W;
  W.first = {mu * (I1 - 1) / 2 + lambda * (I1 - 3) / 4, -mu / 2, 0};
  W.second(0, 0) = mu / 2 + lambda / 4;
  return hessian_of(W, F);
}

}  // namespace pliant
