#include "pliant/subspace/linear_modes.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/numerics/eigenpairs.h"
#include "pliant/subspace/free_unknowns.h"
#include "pliant/subspace/orthonormalize.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Parts of the body that K connects, as lists of vertices, in the order of their lowest vertex.
std::vector<std::vector<int>> connected_parts(const SparseMatrix& K) {
  const Index n = K.rows() / 3;
  std::vector<int> parent(at(n));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[at(v)] != v) v = parent[at(v)] = parent[at(parent[at(v)])];
    return v;
  };
  for (Index column = 0; column < K.cols(); ++column)
    for (SparseMatrix::InnerIterator entry(K, column); entry; ++entry) {
      const int a = root(static_cast<int>(entry.row() / 3)), b = root(static_cast<int>(column / 3));
      parent[at(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::vector<int>> parts;
  std::vector<int> part_of(at(n), -1);
  for (int v = 0; v < n; ++v) {
    int& part = part_of[at(root(v))];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[at(part)].push_back(v);
  }
  return parts;
}

/// Columns are the velocities of these vertices in three translations and three rotations about `centre`, the
/// rotations divided by `size` to be as large.
MatrixXd rigid_velocities(const Points& rest, std::span<const int> vertices, const Vector3d& centre,
                          double size) {
  MatrixXd R(3 * static_cast<Index>(vertices.size()), 6);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector3d arm = (rest.row(vertices[i]).transpose() - centre) / size;
    auto rows = R.middleRows<3>(3 * static_cast<Index>(i));
    rows.leftCols<3>().setIdentity();
    for (int axis = 0; axis < 3; ++axis) rows.col(3 + axis) = Vector3d::Unit(axis).cross(arm);
  }
  return R;
}

/// All rigid motions of all parts that move no fixed vertex, M-orthonormal, 3n x k.
MatrixXd rigid_motions(const SparseMatrix& K, const SparseMatrix& M, const Points& rest,
                       std::span<const int> fixed) {
  std::vector<MatrixXd> motions;
  Index count = 0;
  for (const std::vector<int>& part : connected_parts(K)) {
    Vector3d centre = Vector3d::Zero();
    for (int v : part) centre += rest.row(v).transpose() / static_cast<double>(part.size());
    double size = 0;
    for (int v : part) size = std::max(size, (rest.row(v).transpose() - centre).norm());
    if (!(size > 0)) size = 1;

    std::vector<int> held;
    std::set_intersection(part.begin(), part.end(), fixed.begin(), fixed.end(), std::back_inserter(held));
    MatrixXd free = MatrixXd::Identity(6, 6);  // combinations of the six that are zero at the held vertices
    if (!held.empty()) {
      const MatrixXd moved = rigid_velocities(rest, held, centre, size);
      const Eigen::JacobiSVD<MatrixXd> svd(moved, Eigen::ComputeFullV);
      Index rank = 0;
      while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-8) ++rank;
      free = svd.matrixV().rightCols(6 - rank);
    }
    MatrixXd R = rigid_velocities(rest, part, centre, size) * free;

    // M-orthonormal, and without combinations that move nothing (a part that is a point or a line).
    MatrixXd all = MatrixXd::Zero(K.rows(), R.cols());
    for (std::size_t i = 0; i < part.size(); ++i)
      all.middleRows<3>(3 * part[i]) = R.middleRows<3>(3 * static_cast<Index>(i));
    for (int v : held) all.middleRows<3>(3 * v).setZero();  // of rounding
    for (int pass = 0; pass < 2 && all.cols() > 0; ++pass) {
      const Eigen::SelfAdjointEigenSolver<MatrixXd> gram(all.transpose() * (M * all));
      const double largest = gram.eigenvalues().maxCoeff();
      std::vector<Index> kept;
      for (Index i = 0; i < all.cols(); ++i)
        if (gram.eigenvalues()[i] > 1e-12 * largest) kept.push_back(i);
      MatrixXd next(all.rows(), static_cast<Index>(kept.size()));
      for (std::size_t i = 0; i < kept.size(); ++i)
        next.col(static_cast<Index>(i)) =
            all * gram.eigenvectors().col(kept[i]) / std::sqrt(gram.eigenvalues()[kept[i]]);
      all.swap(next);
    }
    count += all.cols();
    motions.push_back(std::move(all));
  }
  MatrixXd result(K.rows(), count);
  Index column = 0;
  for (const MatrixXd& m : motions) {
    result.middleCols(column, m.cols()) = m;
    column += m.cols();
  }
  return result;
}

/// Those combinations of M-orthonormal motions that K does not resist. At rest all; under load not the
/// rotations, since the load does not turn with the body.
MatrixXd without_stiffness(const SparseMatrix& K, const MatrixXd& motions) {
  if (motions.cols() == 0) return motions;
  const MatrixXd forces = K * motions;
  // What rounding leaves of sums that should cancel is far below the sum of magnitudes.
  const double rounding = 1e-11 * (K.cwiseAbs() * motions.cwiseAbs()).norm();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(forces.transpose() * forces);
  Index count = 0;
  while (count < motions.cols() && eigen.eigenvalues()[count] <= rounding * rounding) ++count;
  if (count == motions.cols()) return motions;
  return motions * eigen.eigenvectors().leftCols(count);
}

}  // namespace

LinearModes linear_modes(const SparseMatrix& K, const SparseMatrix& M, const Points& positions,
                         std::span<const int> fixed, const LinearModesOptions& options) {
  const Index n = positions.rows();
  if (K.rows() != 3 * n || K.cols() != 3 * n || M.rows() != 3 * n || M.cols() != 3 * n)
    throw InputError(fmt::format("linear_modes: K is {} x {} and M {} x {} for {} vertices; expected {} x {}",
                                 K.rows(), K.cols(), M.rows(), M.cols(), n, 3 * n, 3 * n));
  LinearModes modes;
  modes.positions = positions;
  modes.rigid = without_stiffness(K, rigid_motions(K, M, positions, fixed));
  const FreeUnknowns free = free_unknowns(n, fixed);
  const auto unknowns = static_cast<Index>(free.unknowns.size());
  const Index most = unknowns - modes.rigid.cols();
  if (options.count < 1 || options.count > most)
    throw InputError(fmt::format("linear_modes: count is {}; expected 1 to {}, as many as this body has",
                                 options.count, std::max<Index>(most, 0)));

  EigenpairsOptions search;
  search.count = options.count;
  search.tolerance = options.tolerance;
  search.memory_budget = options.memory_budget;
  search.progress = options.progress;
  search.known.resize(unknowns, modes.rigid.cols());
  for (Index i = 0; i < unknowns; ++i) search.known.row(i) = modes.rigid.row(free.unknowns[at(i)]);
  const Eigenpairs pairs = lowest_eigenpairs(restrict_to(K, free), restrict_to(M, free), search);
  modes.converged = pairs.converged;
  modes.iterative = pairs.iterative;
  modes.residuals = pairs.residuals;
  modes.eigenvalues = pairs.values;
  // Rounding may leave a motion without stiffness a little below zero.
  modes.frequencies = pairs.values.cwiseMax(0.0).cwiseSqrt() / (2 * M_PI);
  modes.U = MatrixXd::Zero(3 * n, pairs.vectors.cols());
  for (Index i = 0; i < unknowns; ++i) modes.U.row(free.unknowns[at(i)]) = pairs.vectors.row(i);
  return modes;
}

LinearModes linear_modes(const Body& body, const LinearModesOptions& options) {
  const Points& positions = options.positions.size() > 0 ? options.positions : body.rest_positions();
  const auto K = std::make_shared<const SymmetricBlocks>(stiffness_blocks(body, positions));
  const SparseMatrix M =
      options.mass == MassKind::lumped ? body.mass_matrix() : body.consistent_mass_matrix();
  LinearModes modes = linear_modes(to_sparse(*K), M, positions, body.fixed(), options);
  modes.stiffness = K;
  return modes;
}

DenseBasis modal_basis(const Body& body, const LinearModes& modes) {
  if (modes.U.rows() != 3 * body.vertex_count())
    throw InputError(fmt::format("modal_basis: the modes have {} rows; expected {}", modes.U.rows(),
                                 3 * body.vertex_count()));
  MatrixXd all(modes.U.rows(), modes.rigid.cols() + modes.U.cols());
  all << modes.rigid, modes.U;
  MatrixXd U = orthonormalize(std::move(all), row_masses(body)).Q;
  return dense_basis("linear_modes", body, modes.positions, std::move(U), modes.rigid);
}

}  // namespace pliant
