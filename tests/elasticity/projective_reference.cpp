#include "elasticity/projective_reference.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::testing_support {

Matrix3d random_matrix(Rng& rng) {
  Matrix3d A;
  for (double& a : A.reshaped()) a = rng.normal();
  return A;
}

Matrix3d random_rotation(Rng& rng) {
  const double w = rng.normal(), x = rng.normal(), y = rng.normal(), z = rng.normal();
  return Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
}

SignedSvd::SignedSvd(const Matrix3d& F) {
  const Eigen::JacobiSVD<MatrixXd> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  U = svd.matrixU(), V = svd.matrixV(), s = svd.singularValues();
  if (U.determinant() < 0) U.col(2) = -U.col(2), s[2] = -s[2];
  if (V.determinant() < 0) V.col(2) = -V.col(2), s[2] = -s[2];
}

Matrix3d SignedSvd::with(const Vector3d& x) const { return U * x.asDiagonal() * V.transpose(); }

Matrix3d nearest_rotation(const Matrix3d& F) { return SignedSvd(F).with(Vector3d::Ones()); }

Vector3d nearest_volume_search(const Vector3d& s, double c) {
  const auto point = [&](double a, double b) {
    return Vector3d(std::exp(a), std::exp(b), c / std::exp(a + b));
  };
  const double top = std::log(std::max(s.cwiseAbs().maxCoeff(), std::cbrt(c)) * 1.5);
  const double bottom = std::min(std::log(std::cbrt(c)), top) - 14;
  double best = std::numeric_limits<double>::max(), a0 = 0, b0 = 0;
  const int cells = 400;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) {
      const double a = bottom + (top - bottom) * i / cells, b = bottom + (top - bottom) * j / cells;
      const double cost = (point(a, b) - s).squaredNorm();
      if (cost < best) best = cost, a0 = a, b0 = b;
    }
  for (double h = (top - bottom) / cells; h > 1e-12; h *= 0.7) {
    const double a1 = a0, b1 = b0;
    for (int i = -3; i <= 3; ++i)
      for (int j = -3; j <= 3; ++j) {
        const double cost = (point(a1 + i * h / 2, b1 + j * h / 2) - s).squaredNorm();
        if (cost < best) best = cost, a0 = a1 + i * h / 2, b0 = b1 + j * h / 2;
      }
  }
  return point(a0, b0);
}

VectorXd slow_projection(ProjectiveKind kind, const VectorXd& inputs, const VectorXd& p) {
  switch (kind) {
    case ProjectiveKind::tet_strain: {
      const SignedSvd svd(Matrix3d(inputs.reshaped(3, 3)) * Matrix3d(p.head<9>().reshaped(3, 3)));
      return svd.with(svd.s.cwiseMax(p[10]).cwiseMin(p[11])).reshaped();
    }
    case ProjectiveKind::triangle_strain: {
      const Eigen::Matrix<double, 3, 2> F = inputs.reshaped(3, 2) * p.head<4>().reshaped(2, 2);
      const Eigen::JacobiSVD<MatrixXd> svd(F, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const MatrixXd P = svd.matrixU() * svd.singularValues().cwiseMax(p[5]).cwiseMin(p[6]).asDiagonal() *
                         svd.matrixV().transpose();
      return P.reshaped();
    }
    case ProjectiveKind::spring: {
      const double length = inputs.norm();
      return inputs * std::clamp(length, p[1], p[2]) / length;
    }
    case ProjectiveKind::bending: {
      const Vector3d v = inputs.head<3>(), normal = inputs.tail<3>();
      return p[2] * v.dot(normal) < 0 ? VectorXd(-v.normalized() * p[1]) : VectorXd(v.normalized() * p[1]);
    }
    default:
      return {};
  }
}

}  // namespace pliant::testing_support
