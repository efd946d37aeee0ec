#pragma once
// Hooke's law in the stretches: linear elasticity that turns with the material.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = mu Σ(s-1)² + lambda/2 (Σs - 3)², s the singular values of F, the smallest signed like det F.
struct Corotated {
  double mu = 0, lambda = 0;  ///< Pa

  static Corotated from_young(double young, double poisson);
};

/// The rotation is not unique where two singular values cancel, and the Hessian grows like one over their sum there;
/// the sum counts as this much at least.
inline constexpr double corotated_floor = 1e-4;

double energy(const Corotated& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const Corotated& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const Corotated& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
