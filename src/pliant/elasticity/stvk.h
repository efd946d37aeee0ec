#pragma once
// Saint Venant and Kirchhoff's density: Hooke's law in the strain of Green.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = mu E:E + lambda/2 tr(E)², E = (FᵀF - I)/2. Weak in compression; mirrored it has no energy at all.
struct StVK {
  double mu = 0, lambda = 0;  ///< Pa

  static StVK from_young(double young, double poisson);
};

double energy(const StVK& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const StVK& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const StVK& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
