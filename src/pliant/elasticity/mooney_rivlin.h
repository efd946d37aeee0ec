#pragma once
// Rubber with both isochoric invariants.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + kappa/2 (J-1)². The powers of J are continued below J = 0.1
/// (continued_power.h). The shear modulus at rest is 2 (c10 + c01).
struct MooneyRivlin {
  double c10 = 0, c01 = 0;  ///< Pa
  double kappa = 0;         ///< bulk modulus, Pa

  /// c10 = 0.4 mu, c01 = 0.1 mu, kappa = lambda + 2 mu/3.
  static MooneyRivlin from_young(double young, double poisson);
};

double energy(const MooneyRivlin& material, const Matrix3d& F);    ///< J/m³
Matrix3d stress(const MooneyRivlin& material, const Matrix3d& F);  ///< ∂W/∂F, Pa
Matrix9d hessian(const MooneyRivlin& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
