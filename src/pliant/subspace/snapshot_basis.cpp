#include "pliant/subspace/snapshot_basis.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/orthonormalize.h"

namespace pliant {
namespace {

/// The pseudo-inverse of a Gram matrix: columns may depend on each other.
MatrixXd inverse(const MatrixXd& gram) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  VectorXd values = eigen.eigenvalues();
  const double least = 1e-13 * std::max(values.cwiseAbs().maxCoeff(), 1e-300);
  for (double& value : values) value = value > least ? 1 / value : 0;
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

VectorXd thrice(const VectorXd& masses) {
  VectorXd out(3 * masses.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = masses[i / 3];
  return out;
}

}  // namespace

SnapshotFrames frames_of(const std::vector<Points>& frames) {
  const Index n = frames.empty() ? 0 : frames.front().rows();
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (frames[f].rows() != n)
      throw InputError(fmt::format("snapshots: frame {} has {} vertices; expected the {} of the first", f,
                                   frames[f].rows(), n));
    if (!frames[f].allFinite())
      throw InputError(fmt::format("snapshots: frame {} has a number that is not finite", f));
  }
  return {static_cast<Index>(frames.size()), n,
          [&frames](Index frame, Index first, Index vertices, double* out) {
            const Points& x = frames[static_cast<std::size_t>(frame)];
            std::copy_n(x.data() + 3 * first, 3 * vertices, out);
          }};
}

void check_finite(const SnapshotFrames& frames) {
  Points x(frames.vertices, 3);
  for (Index f = 0; f < frames.count; ++f) {
    frames.read(f, 0, frames.vertices, x.data());
    if (!x.allFinite())
      throw InputError(fmt::format("snapshots: frame {} has a number that is not finite", f));
  }
}

SnapshotFrames aligned_frames(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses) {
  if (frames.vertices != rest.rows() || masses.size() != rest.rows())
    throw InputError(
        fmt::format("snapshots: frames have {} vertices, the mesh {} and {} masses; expected the same",
                    frames.vertices, rest.rows(), masses.size()));
  struct Motion {
    Matrix3d turn;
    Eigen::RowVector3d from, to;
  };
  std::vector<Motion> motions(static_cast<std::size_t>(frames.count));
  const Eigen::RowVector3d to = masses.transpose() * rest / masses.sum();
  parallel_for(frames.count, 1, [&](Index f) {
    Points x(frames.vertices, 3);
    frames.read(f, 0, frames.vertices, x.data());
    const Eigen::RowVector3d from = masses.transpose() * x / masses.sum();
    const Matrix3d products = (x.rowwise() - from).transpose() * masses.asDiagonal() * (rest.rowwise() - to);
    const Eigen::JacobiSVD<Matrix3d> svd(products, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
    motions[static_cast<std::size_t>(f)] = {svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose(),
                                            from, to};
  });
  return {frames.count, frames.vertices,
          [read = frames.read, motions = std::move(motions)](Index frame, Index first, Index vertices,
                                                             double* out) {
            read(frame, first, vertices, out);
            const Motion& m = motions[static_cast<std::size_t>(frame)];
            Eigen::Map<Points> x(out, vertices, 3);
            x = (((x.rowwise() - m.from) * m.turn).rowwise() + m.to).eval();
          }};
}

SnapshotCoordinates snapshot_coordinates(std::string_view name) {
  if (name == "shared") return SnapshotCoordinates::shared;
  if (name == "separate") return SnapshotCoordinates::separate;
  if (name == "joint") return SnapshotCoordinates::joint;
  throw InputError(fmt::format("coordinates are '{}'; expected shared, separate or joint", name));
}

std::string_view name(SnapshotCoordinates coordinates) {
  return coordinates == SnapshotCoordinates::shared     ? "shared"
         : coordinates == SnapshotCoordinates::separate ? "separate"
                                                        : "joint";
}

AppendedMotions appended_motions(std::string_view name) {
  if (name == "none") return AppendedMotions::none;
  if (name == "translations") return AppendedMotions::translations;
  if (name == "affine") return AppendedMotions::affine;
  throw InputError(fmt::format("appended motions are '{}'; expected none, translations or affine", name));
}

SnapshotBasis appended_basis(const Points& rest, const VectorXd& masses, SnapshotCoordinates coordinates,
                             AppendedMotions motions) {
  const Index n = rest.rows();
  if (masses.size() != n || !(masses.minCoeff() > 0) || !masses.allFinite())
    throw InputError(
        fmt::format("snapshots: {} masses for {} vertices; expected a positive one each", masses.size(), n));
  MatrixXd scalars(n, motions == AppendedMotions::none           ? 0
                      : motions == AppendedMotions::translations ? 1
                                                                 : 4);
  if (scalars.cols() > 0) scalars.col(0).setOnes();
  if (scalars.cols() > 1) {
    const Eigen::RowVector3d middle = rest.colwise().mean();
    const double size =
        std::max((rest.rowwise() - middle).norm() / std::sqrt(static_cast<double>(n)), 1e-300);
    scalars.rightCols(3) = (rest.rowwise() - middle) / size;
  }
  if (scalars.cols() > 0) scalars = orthonormalize(scalars, masses).Q;

  SnapshotBasis basis;
  basis.coordinates = coordinates;
  basis.rest = rest;
  if (coordinates == SnapshotCoordinates::joint) {
    MatrixXd vectors = MatrixXd::Zero(3 * n, 3 * scalars.cols());
    for (Index k = 0; k < scalars.cols(); ++k)
      for (int c = 0; c < 3; ++c)
        for (Index i = 0; i < n; ++i) vectors(3 * i + c, 3 * k + c) = scalars(i, k);
    basis.U.push_back(std::move(vectors));
  } else {
    basis.U.assign(coordinates == SnapshotCoordinates::separate ? 3 : 1, scalars);
  }
  basis.appended = basis.columns();
  basis.centers.assign(static_cast<std::size_t>(basis.appended), -1);
  return basis;
}

SnapshotProjector::SnapshotProjector(const SnapshotBasis& basis, const VectorXd& masses)
    : basis_(basis), masses_(basis.coordinates == SnapshotCoordinates::joint ? thrice(masses) : masses) {
  for (const MatrixXd& U : basis.U) inverse_.push_back(inverse(inner_products(U, masses_, U)));
}

MatrixXd SnapshotProjector::operator()(const Points& positions) const {
  const Points moved = positions - basis_.rest;
  if (basis_.coordinates == SnapshotCoordinates::joint) {
    const Eigen::Map<const VectorXd> stacked(moved.data(), moved.size());
    return inverse_[0] * (basis_.U[0].transpose() * masses_.cwiseProduct(stacked));
  }
  MatrixXd q(basis_.columns(), 3);
  for (int c = 0; c < 3; ++c) {
    const std::size_t part = basis_.U.size() == 3 ? static_cast<std::size_t>(c) : 0;
    q.col(c) = inverse_[part] * (basis_.U[part].transpose() * masses_.cwiseProduct(moved.col(c)));
  }
  return q;
}

Points positions(const SnapshotBasis& basis, const MatrixXd& q) {
  Points x = basis.rest;
  if (basis.coordinates == SnapshotCoordinates::joint) {
    const VectorXd moved = basis.U[0] * q.col(0);
    x += Eigen::Map<const Points>(moved.data(), x.rows(), 3);
    return x;
  }
  for (int c = 0; c < 3; ++c)
    x.col(c) += basis.U[basis.U.size() == 3 ? static_cast<std::size_t>(c) : 0] * q.col(c);
  return x;
}

double projection_error(const SnapshotBasis& basis, const VectorXd& masses, const SnapshotFrames& frames) {
  const SnapshotProjector project(basis, masses);
  Points x(frames.vertices, 3);
  double missed = 0, moved = 0;
  for (Index f = 0; f < frames.count; ++f) {
    frames.read(f, 0, frames.vertices, x.data());
    const Points found = positions(basis, project(x));
    missed += masses.dot((x - found).rowwise().squaredNorm());
    moved += masses.dot((x - basis.rest).rowwise().squaredNorm());
  }
  return moved > 0 ? std::sqrt(missed / moved) : 0;
}

}  // namespace pliant
