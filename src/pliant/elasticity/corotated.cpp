#include "pliant/elasticity/corotated.h"

#include <algorithm>

#include "pliant/numerics/svd3.h"

namespace pliant {

Corotated Corotated::from_young(double young, double poisson) {
  const Lame lame = lame_constants(young, poisson);
  return {.mu = lame.mu, .lambda = lame.lambda};
}

double energy(const Corotated& material, const Matrix3d& F) {
  const Vector3d e = svd3(F).sigma - Vector3d::Ones();
  return material.mu * e.squaredNorm() + material.lambda / 2 * e.sum() * e.sum();
}

Matrix3d stress(const Corotated& material, const Matrix3d& F) {
  const auto svd = svd3(F);
  const Matrix3d R = svd.U * svd.V.transpose();
  return 2 * material.mu * (F - R) + material.lambda * (svd.sigma.sum() - 3) * R;
}

Matrix9d hessian(const Corotated& material, const Matrix3d& F) {
  const auto svd = svd3(F);
  const Matrix3d R = svd.U * svd.V.transpose();
  const double spread = material.lambda * (svd.sigma.sum() - 3);
  Matrix9d H;
  for (int k = 0; k < 9; ++k) {
    Matrix3d D = Matrix3d::Zero();  // the direction of the derivative
    D.reshaped()[k] = 1;
    // dR = U Ω Vᵀ with Ω skew, Ω_ij = (d_ij - d_ji)/(s_i + s_j), d = Uᵀ D V: F = R S and dS symmetric.
    const Matrix3d d = svd.U.transpose() * D * svd.V;
    Matrix3d Omega = Matrix3d::Zero();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j)
          Omega(i, j) = (d(i, j) - d(j, i)) / std::max(svd.sigma[i] + svd.sigma[j], corotated_floor);
    const Matrix3d dR = svd.U * Omega * svd.V.transpose();
    H.col(k) =
        (2 * material.mu * (D - dR) + material.lambda * R.cwiseProduct(D).sum() * R + spread * dR).reshaped();
  }
  return H;
}

}  // namespace pliant
