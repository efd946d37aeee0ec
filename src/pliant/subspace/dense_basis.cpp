#include "pliant/subspace/dense_basis.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

constexpr Index rows_a_task = 2048;

Eigen::Map<const VectorXd> stacked(const Points& x) { return {x.data(), x.size()}; }

void check_coordinates(const DenseBasis& basis, const VectorXd& q) {
  if (q.size() != basis.dimension())
    throw InputError(fmt::format("dense_basis: q has {} entries; expected {}", q.size(), basis.dimension()));
}

void check_points(const DenseBasis& basis, const Points& x) {
  if (x.rows() != basis.vertex_count())
    throw InputError(fmt::format("dense_basis: {} rows for {} vertices", x.rows(), basis.vertex_count()));
}

}  // namespace

void positions(const DenseBasis& basis, const VectorXd& q, Points& out) {
  check_coordinates(basis, q);
  out.resize(basis.vertex_count(), 3);
  Eigen::Map<VectorXd> x(out.data(), out.size());
  parallel_for_chunks(x.size(), rows_a_task, [&](Index begin, Index end) {
    auto rows = x.segment(begin, end - begin);
    rows = stacked(basis.origin).segment(begin, end - begin);
    rows.noalias() += basis.U.middleRows(begin, end - begin) * q;
  });
}

Points positions(const DenseBasis& basis, const VectorXd& q) {
  Points out;
  positions(basis, q, out);
  return out;
}

void positions_of(const DenseBasis& basis, const VectorXd& q, std::span<const int> vertices, Points& out) {
  check_coordinates(basis, q);
  out.resize(static_cast<Index>(vertices.size()), 3);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const int v = vertices[i];
    if (v < 0 || v >= basis.vertex_count())
      throw InputError(fmt::format("dense_basis: vertex {}; expected 0 to {}", v, basis.vertex_count() - 1));
    out.row(static_cast<Index>(i)) = basis.origin.row(v) + (basis.U.middleRows<3>(3 * v) * q).transpose();
  }
}

VectorXd pull_back(const DenseBasis& basis, const Points& forces) {
  check_points(basis, forces);
  return parallel_reduce(
      3 * basis.vertex_count(), rows_a_task, VectorXd(VectorXd::Zero(basis.dimension())),
      [&](Index begin, Index end) -> VectorXd {
        return basis.U.middleRows(begin, end - begin).transpose() *
               stacked(forces).segment(begin, end - begin);
      },
      [](VectorXd sum, const VectorXd& part) {
        sum += part;
        return sum;
      });
}

VectorXd project(const DenseBasis& basis, const VectorXd& masses, const Points& x) {
  check_points(basis, x);
  if (masses.size() != basis.vertex_count())
    throw InputError(
        fmt::format("dense_basis: {} masses for {} vertices", masses.size(), basis.vertex_count()));
  return pull_back(basis, masses.asDiagonal() * (x - basis.origin));
}

VectorXd row_masses(const Body& body) {
  VectorXd result(3 * body.vertex_count());
  for (Index v = 0; v < body.vertex_count(); ++v) result.segment<3>(3 * v).setConstant(body.masses()[v]);
  return result;
}

ReducedModes reduced_modes(const MatrixXd& stiffness, const MatrixXd& rigid) {
  const Index d = stiffness.rows(), k = rigid.cols();
  // === An orthonormal basis whose first vectors are the rigid motions
  MatrixXd basis = MatrixXd::Identity(d, d);
  if (k > 0) basis = Eigen::HouseholderQR<MatrixXd>(rigid).householderQ() * basis;
  // === Modes of the rest, which rounding in the rigid ones does not reach
  const MatrixXd elastic = basis.rightCols(d - k);
  const MatrixXd inner = elastic.transpose() * stiffness * elastic;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((inner + inner.transpose()) / 2);
  ReducedModes result{std::move(basis), VectorXd::Zero(d)};
  result.rotation.rightCols(d - k) = elastic * eigen.eigenvectors();
  result.eigenvalues.tail(d - k) = eigen.eigenvalues();
  return result;
}

DenseBasis dense_basis(std::string kind, const Body& body, const Points& origin, MatrixXd U,
                       const MatrixXd& rigid) {
  const SymmetricBlocks K = stiffness_blocks(body, origin);
  const ReducedModes modes =
      reduced_modes(inner_products(U, multiply(K, U)), inner_products(U, row_masses(body), rigid));
  multiply_tall_in_place(U, modes.rotation);
  return dense_basis(std::move(kind), origin, std::move(U), modes.eigenvalues);
}

DenseBasis dense_basis(std::string kind, const Points& origin, MatrixXd U, VectorXd eigenvalues) {
  DenseBasis basis;
  basis.kind = std::move(kind);
  basis.origin = origin;
  // The largest entry of each column is positive, so that signs do not depend on the solver's chance.
  parallel_for(U.cols(), 1, [&](Index i) {
    Index largest = 0;
    U.col(i).cwiseAbs().maxCoeff(&largest);
    if (U(largest, i) < 0) U.col(i) = -U.col(i);
  });
  basis.U = std::move(U);
  basis.frequencies = eigenvalues.cwiseMax(0.0).cwiseSqrt() / (2 * M_PI);
  basis.eigenvalues = std::move(eigenvalues);
  return basis;
}

}  // namespace pliant
