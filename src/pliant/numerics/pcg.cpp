#include "pliant/numerics/pcg.h"

#include <Eigen/LU>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

constexpr Index grain = 512;  // block rows a task

std::size_t at(Index i) { return static_cast<std::size_t>(i); }
auto vertex(double* x, Index i) { return Eigen::Map<Vector3d>(x + 3 * i); }
auto vertex(const double* x, Index i) { return Eigen::Map<const Vector3d>(x + 3 * i); }

}  // namespace

void Pcg::invert_diagonal(const SymmetricBlocks& A) {
  parallel_for(A.size(), grain, [&](Index i) {
    const Matrix3d D = A.diagonal(i);
    Matrix3d inverse;
    bool invertible = false;
    D.computeInverseWithCheck(inverse, invertible);
    // A block that is not positive definite would turn the preconditioner indefinite: leave it out.
    const bool positive =
        invertible && D(0, 0) > 0 && D.topLeftCorner<2, 2>().determinant() > 0 && D.determinant() > 0;
    Eigen::Map<Matrix3d>(inverse_.data() + 9 * i) =
        positive ? Matrix3d((inverse + inverse.transpose()) / 2) : Matrix3d(Matrix3d::Identity());
  });
}

double Pcg::sum() const { return std::accumulate(partial_.begin(), partial_.end(), 0.0); }

PcgReport Pcg::solve(const SymmetricBlocks& A, std::span<const double> b, std::span<double> x,
                     const PcgOptions& options) {
  const Index n = A.size(), chunks = (n + grain - 1) / grain;
  inverse_.resize(at(9 * n));
  for (auto* v : {&r_, &z_, &p_, &Ap_}) v->resize(at(3 * n));
  partial_.resize(at(chunks));
  invert_diagonal(A);
  const auto each_chunk = [&](auto&& row) {  // the sum over rows of what row(i) returns
    parallel_for_chunks(n, grain, [&](Index begin, Index end) {
      double total = 0;
      for (Index i = begin; i < end; ++i) total += row(i);
      partial_[at(begin / grain)] = total;
    });
    return sum();
  };
  const auto precondition = [&](Index i) {
    vertex(z_.data(), i) = Eigen::Map<const Matrix3d>(inverse_.data() + 9 * i) * vertex(r_.data(), i);
    return vertex(z_.data(), i).dot(vertex(r_.data(), i));
  };

  double rz = each_chunk([&](Index i) {
    vertex(x.data(), i).setZero();
    vertex(r_.data(), i) = vertex(b.data(), i);
    const double product = precondition(i);
    vertex(p_.data(), i) = vertex(z_.data(), i);
    return product;
  });
  PcgReport report;
  const double first = rz, target = options.tolerance * options.tolerance * first;
  const Index most = options.max_iterations > 0 ? options.max_iterations : 3 * n;
  report.converged = !(rz > target);
  while (!report.converged && report.iterations < most) {
    multiply(A, p_, Ap_);
    const double curvature =
        each_chunk([&](Index i) { return vertex(p_.data(), i).dot(vertex(Ap_.data(), i)); });
    if (!(curvature > 0)) {
      report.indefinite = true;
      break;
    }
    const double alpha = rz / curvature;
    const double next = each_chunk([&](Index i) {
      vertex(x.data(), i) += alpha * vertex(p_.data(), i);
      vertex(r_.data(), i) -= alpha * vertex(Ap_.data(), i);
      return precondition(i);
    });
    const double beta = next / rz;
    rz = next;
    ++report.iterations;
    report.converged = rz <= target;
    if (!std::isfinite(rz)) break;
    parallel_for(n, 4 * grain,
                 [&](Index i) { vertex(p_.data(), i) = vertex(z_.data(), i) + beta * vertex(p_.data(), i); });
  }
  report.residual = first > 0 ? std::sqrt(rz / first) : 0;
  return report;
}

}  // namespace pliant
