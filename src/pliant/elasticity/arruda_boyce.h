#pragma once
// Rubber as chains of limited length [Arruda and Boyce 1993], in five terms.
#include <array>

#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = m Σᵢ Cᵢ L^(2-2i) (Iⁱ - 3ⁱ) + kappa/2 (J-1)², I = J^(-2/3) I1, C = 1/2, 1/20, 11/1050, 19/7000, 519/673750, and
/// m such that the shear modulus at rest is mu. The powers of J are continued below J = 0.1 (continued_power.h).
struct ArrudaBoyce {
  double mu = 0;       ///< shear modulus at rest, Pa
  double kappa = 0;    ///< bulk modulus, Pa
  double locking = 3;  ///< L, the stretch at which chains lock

  static ArrudaBoyce from_young(double young, double poisson);
};

/// m Cᵢ L^(2-2i) for i = 1 to 5, Pa.
std::array<double, 5> chain_coefficients(const ArrudaBoyce& material);

double energy(const ArrudaBoyce& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const ArrudaBoyce& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const ArrudaBoyce& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
