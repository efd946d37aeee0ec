#pragma once
// Rubber that recovers from any inversion [Smith et al. 2018], in its simplest form.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = mu/2 (tr FᵀF - 3) - mu (J-1) + (lambda + mu)/2 (J-1)², J = det F.
struct NeoHookean {
  double mu = 0, lambda = 0;  ///< Pa

  static NeoHookean from_young(double young, double poisson);
};

double energy(const NeoHookean& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const NeoHookean& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const NeoHookean& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
