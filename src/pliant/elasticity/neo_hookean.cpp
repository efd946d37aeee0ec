#include "pliant/elasticity/neo_hookean.h"

#include "pliant/elasticity/invariants.h"

namespace pliant {
namespace {

InvariantDerivatives derivatives(const NeoHookean& material, const Matrix3d& F) {
  const double stiff = material.lambda + material.mu;
  InvariantDerivatives W;
  W.first = {material.mu / 2, 0, stiff * (F.determinant() - 1) - material.mu};
  W.second(2, 2) = stiff;
  return W;
}

}  // namespace

NeoHookean NeoHookean::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.mu = lame.mu, .lambda = lame.lambda};
}

double energy(const NeoHookean& material, const Matrix3d& F) {
  const double mu = material.mu, growth = F.determinant() - 1;
  return mu / 2 * (F.squaredNorm() - 3) - mu * growth + (material.lambda + mu) / 2 * growth * growth;
}
Matrix3d stress(const NeoHookean& material, const Matrix3d& F) {
  return stress_of(derivatives(material, F), F);
}
Matrix9d hessian(const NeoHookean& material, const Matrix3d& F) {
  return hessian_of(derivatives(material, F), F);
}

}  // namespace pliant
