#pragma once
// Small strains: the first material of every textbook, and the only one whose forces are linear in the positions.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = mu e:e + lambda/2 tr(e)², e = sym(F) - I. Rotations strain it.
struct Linear {
  double mu = 0, lambda = 0;  ///< Pa

  static Linear from_young(double young, double poisson);
};

double energy(const Linear& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const Linear& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const Linear& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
