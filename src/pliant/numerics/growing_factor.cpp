#include "pliant/numerics/growing_factor.h"

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>
#include <cmath>

namespace pliant {

GrowingFactor::GrowingFactor(const MatrixXd& matrix, double dependent)
    : matrix_(matrix), dependent_(dependent), L_(matrix.rows(), matrix.rows()) {
  members_.reserve(static_cast<std::size_t>(matrix.rows()));
}

bool GrowingFactor::add(Index i) {
  const Index k = size();
  VectorXd row(k);
  for (Index j = 0; j < k; ++j) row[j] = matrix_(members_[static_cast<std::size_t>(j)], i);
  if (k > 0) L_.topLeftCorner(k, k).triangularView<Eigen::Lower>().solveInPlace(row);
  const double left = matrix_(i, i) - row.squaredNorm();
  if (!(left > dependent_ * matrix_(i, i))) return false;
  L_.row(k).head(k) = row.transpose();
  L_(k, k) = std::sqrt(left);
  members_.push_back(i);
  return true;
}

// Its row goes, rotations make the rest triangular again.
void GrowingFactor::remove(Index place) {
  const Index last = size() - 1;
  for (Index r = place; r < last; ++r) {
    L_.row(r).head(r + 2) = L_.row(r + 1).head(r + 2);
    Eigen::JacobiRotation<double> rotation;
    double length;
    rotation.makeGivens(L_(r, r), L_(r, r + 1), &length);
    L_(r, r) = length;
    // The rows below, which have not moved up yet.
    for (Index i = r + 2; i <= last; ++i) {
      const double a = L_(i, r), b = L_(i, r + 1);
      L_(i, r) = rotation.c() * a - rotation.s() * b;
      L_(i, r + 1) = rotation.s() * a + rotation.c() * b;
    }
    if (length < 0) L_.col(r).segment(r, last - r + 1) *= -1;
  }
  members_.erase(members_.begin() + place);
}

VectorXd GrowingFactor::solve(const Eigen::Ref<const VectorXd>& right) const {
  VectorXd x(size());
  for (Index j = 0; j < size(); ++j) x[j] = right[members_[static_cast<std::size_t>(j)]];
  const auto L = L_.topLeftCorner(size(), size()).triangularView<Eigen::Lower>();
  L.solveInPlace(x);
  L.adjoint().solveInPlace(x);
  return x;
}

}  // namespace pliant
