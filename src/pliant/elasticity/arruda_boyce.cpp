#include "pliant/elasticity/arruda_boyce.h"

#include <cmath>

#include "pliant/elasticity/continued_power.h"
#include "pliant/elasticity/invariants.h"

namespace pliant {
namespace {

InvariantDerivatives derivatives(const ArrudaBoyce& material, const Matrix3d& F) {
  const Vector3d I = invariants(F);
  const auto c = chain_coefficients(material);
  InvariantDerivatives W;
  for (int i = 1; i <= 5; ++i) {
    const ContinuedPower g = continued_power(I[2], -2.0 / 3 * i);
    const double ci = c[static_cast<std::size_t>(i - 1)];
    const double once = i * std::pow(I[0], i - 1), twice = i * (i - 1) * std::pow(I[0], i - 2);
    W.first[0] += ci * g.value * once;
    W.first[2] += ci * g.first * std::pow(I[0], i);
    W.second(0, 0) += i > 1 ? ci * g.value * twice : 0;
    W.second(0, 2) += ci * g.first * once;
    W.second(2, 2) += ci * g.second * std::pow(I[0], i);
  }
  W.first[2] += material.kappa * (I[2] - 1);
  W.second(2, 0) = W.second(0, 2);
  W.second(2, 2) += material.kappa;
  return W;
}

}  // namespace

std::array<double, 5> chain_coefficients(const ArrudaBoyce& material) {
  const double shrink = 1 / (material.locking * material.locking);
  // The modulus at rest is 2 ∂W/∂I1 there.
  const double sum =
      1 + shrink * (3.0 / 5 + shrink * (99.0 / 175 + shrink * (513.0 / 875 + shrink * 42039.0 / 67375)));
  std::array<double, 5> c = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
  double scale = material.mu / sum;
  for (double& ci : c) {
    ci *= scale;
    scale *= shrink;
  }
  return c;
}

ArrudaBoyce ArrudaBoyce::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.mu = lame.mu, .kappa = lame.bulk()};
}

double energy(const ArrudaBoyce& material, const Matrix3d& F) {
  const Vector3d I = invariants(F);
  const auto c = chain_coefficients(material);
  double W = material.kappa / 2 * (I[2] - 1) * (I[2] - 1);
  for (int i = 1; i <= 5; ++i)
    W += c[static_cast<std::size_t>(i - 1)] *
         (continued_power(I[2], -2.0 / 3 * i).value * std::pow(I[0], i) - std::pow(3.0, i));
  return W;
}
Matrix3d stress(const ArrudaBoyce& material, const Matrix3d& F) {
  return stress_of(derivatives(material, F), F);
}
Matrix9d hessian(const ArrudaBoyce& material, const Matrix3d& F) {
  return hessian_of(derivatives(material, F), F);
}

}  // namespace pliant
