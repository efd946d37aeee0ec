#include "pliant/elasticity/fung.h"

#include <algorithm>
#include <cmath>

#include "pliant/elasticity/stvk.h"

namespace pliant {
namespace {

struct Exponential {
  double value, first, second;
};

// exp(x), above the largest exponent its second-order Taylor polynomial there.
Exponential continued_exp(double x) {
  const double at = std::min(x, fung_largest_exponent), e = std::exp(at), step = x - at;
  return {e * (1 + step + step * step / 2), e * (1 + step), e};
}

}  // namespace

Fung Fung::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  const double c = lame.mu / 20;
  return {.mu1 = lame.mu / 2,
          .lambda1 = lame.lambda / 2,
          .c = c,
          .mu2 = lame.mu / 2 / c,
          .lambda2 = lame.lambda / 2 / c};
}

double energy(const Fung& material, const Matrix3d& F) {
  return energy(StVK{material.mu1, material.lambda1}, F) +
         material.c * (continued_exp(energy(StVK{material.mu2, material.lambda2}, F)).value - 1);
}

Matrix3d stress(const Fung& material, const Matrix3d& F) {
  const StVK inner{material.mu2, material.lambda2};
  return stress(StVK{material.mu1, material.lambda1}, F) +
         material.c * continued_exp(energy(inner, F)).first * stress(inner, F);
}

Matrix9d hessian(const Fung& material, const Matrix3d& F) {
  const StVK inner{material.mu2, material.lambda2};
  const Exponential e = continued_exp(energy(inner, F));
  const Vector9d P = stress(inner, F).reshaped();
  return hessian(StVK{material.mu1, material.lambda1}, F) +
         material.c * (e.first * hessian(inner, F) + e.second * P * P.transpose());
}

}  // namespace pliant
