#include "pliant/elasticity/linear.h"

namespace pliant {

Linear Linear::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.mu = lame.mu, .lambda = lame.lambda};
}

double energy(const Linear& material, const Matrix3d& F) {
  const Matrix3d e = (F + F.transpose()) / 2 - Matrix3d::Identity();
  return material.mu * e.squaredNorm() + material.lambda / 2 * e.trace() * e.trace();
}

Matrix3d stress(const Linear& material, const Matrix3d& F) {
  const Matrix3d e = (F + F.transpose()) / 2 - Matrix3d::Identity();
  return 2 * material.mu * e + material.lambda * e.trace() * Matrix3d::Identity();
}

Matrix9d hessian(const Linear& material, const Matrix3d&) {
  Matrix9d H;
  for (int k = 0; k < 9; ++k) {
    Matrix3d D = Matrix3d::Zero();
    D.reshaped()[k] = 1;
    const Matrix3d P = material.mu * (D + D.transpose()) + material.lambda * D.trace() * Matrix3d::Identity();
    H.col(k) = P.reshaped();
  }
  return H;
}

}  // namespace pliant
