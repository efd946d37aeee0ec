#pragma once
// Soft tissue: compliant at first, exponentially stiff when stretched [Fung 1993].
#include "pliant/elasticity/lame.h"

namespace pliant {

/// W = stvk(mu1, lambda1) + c (exp(stvk(mu2, lambda2)) - 1). Above an exponent of 20 the exponential goes on as its
/// second-order Taylor polynomial. Moduli at rest: mu1 + c mu2 and lambda1 + c lambda2.
struct Fung {
  double mu1 = 0, lambda1 = 0;  ///< Pa
  double c = 0;                 ///< Pa
  double mu2 = 0, lambda2 = 0;  ///< without unit

  /// Half of the moduli from each term; c = mu/20, so that the exponential counts from strains of some 10 % on.
  static Fung from_young(double young, double poisson);
};

inline constexpr double fung_largest_exponent = 20;

double energy(const Fung& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const Fung& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const Fung& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

}  // namespace pliant
