#include "pliant/elasticity/mooney_rivlin.h"

#include "pliant/elasticity/continued_power.h"
#include "pliant/elasticity/invariants.h"

namespace pliant {
namespace {

InvariantDerivatives derivatives(const MooneyRivlin& material, const Matrix3d& F) {
  const Vector3d I = invariants(F);
  const ContinuedPower g1 = continued_power(I[2], -2.0 / 3), g2 = continued_power(I[2], -4.0 / 3);
  const double a = material.c10, b = material.c01;
  InvariantDerivatives W;
  W.first = {a * g1.value, b * g2.value,
             a * g1.first * I[0] + b * g2.first * I[1] + material.kappa * (I[2] - 1)};
  W.second(0, 2) = W.second(2, 0) = a * g1.first;
  W.second(1, 2) = W.second(2, 1) = b * g2.first;
  W.second(2, 2) = a * g1.second * I[0] + b * g2.second * I[1] + material.kappa;
  return W;
}

}  // namespace

MooneyRivlin MooneyRivlin::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.c10 = 0.4 * lame.mu, .c01 = 0.1 * lame.mu, .kappa = lame.bulk()};
}

double energy(const MooneyRivlin& material, const Matrix3d& F) {
  const Vector3d I = invariants(F);
  return material.c10 * (continued_power(I[2], -2.0 / 3).value * I[0] - 3) +
         material.c01 * (continued_power(I[2], -4.0 / 3).value * I[1] - 3) +
         material.kappa / 2 * (I[2] - 1) * (I[2] - 1);
}
Matrix3d stress(const MooneyRivlin& material, const Matrix3d& F) {
  return stress_of(derivatives(material, F), F);
}
Matrix9d hessian(const MooneyRivlin& material, const Matrix3d& F) {
  return hessian_of(derivatives(material, F), F);
}

}  // namespace pliant
