#include "pliant/elasticity/invariants.h"

#include <Eigen/Eigenvalues>

namespace pliant {
namespace {

// Columns are the cross products of the others: ∂J/∂F.
Matrix3d cofactors(const Matrix3d& F) {
  Matrix3d cof;
  for (int j = 0; j < 3; ++j) cof.col(j) = F.col((j + 1) % 3).cross(F.col((j + 2) % 3));
  return cof;
}

// ∂I_a/∂F, stacked, one a column.
Eigen::Matrix<double, 9, 3> gradients(const Matrix3d& F) {
  const Matrix3d C = F.transpose() * F;
  Eigen::Matrix<double, 9, 3> g;
  g.col(0) = 2 * F.reshaped();
  g.col(1) = (2 * C.trace() * F - 2 * F * C).reshaped();
  g.col(2) = cofactors(F).reshaped();
  return g;
}

}  // namespace

Vector3d invariants(const Matrix3d& F) {
  const Matrix3d C = F.transpose() * F;
  const double I1 = C.trace();
  return {I1, (I1 * I1 - C.squaredNorm()) / 2, F.determinant()};
}

Matrix3d stress_of(const InvariantDerivatives& W, const Matrix3d& F) {
  return (gradients(F) * W.first).reshaped(3, 3);
}

Matrix9d hessian_of(const InvariantDerivatives& W, const Matrix3d& F) {
  const auto g = gradients(F);
  Matrix9d H = g * W.second * g.transpose();
  const Matrix3d C = F.transpose() * F, B = F * F.transpose();
  for (int k = 0; k < 9; ++k) {
    Matrix3d D = Matrix3d::Zero();  // the direction of the derivative
    D.reshaped()[k] = 1;
    const Matrix3d I1 = 2 * D;
    const Matrix3d I2 =
        4 * F.cwiseProduct(D).sum() * F + 2 * C.trace() * D - 2 * (D * C + F * D.transpose() * F + B * D);
    Matrix3d J;
    for (int j = 0; j < 3; ++j) {
      const int a = (j + 1) % 3, b = (j + 2) % 3;
      J.col(j) = D.col(a).cross(F.col(b)) + F.col(a).cross(D.col(b));
    }
    H.col(k) += (W.first[0] * I1 + W.first[1] * I2 + W.first[2] * J).reshaped();
  }
  return H;
}

Matrix9d positive_part(const Matrix9d& H) {
  const Eigen::SelfAdjointEigenSolver<Matrix9d> eigen(H);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace pliant
