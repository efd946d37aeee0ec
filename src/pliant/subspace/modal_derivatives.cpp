#include "pliant/subspace/modal_derivatives.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/numerics/sparse_cholesky.h"
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/free_unknowns.h"
#include "pliant/subspace/orthonormalize.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// X -= V (Wᵀ X)
void subtract_projection(const MatrixXd& V, const MatrixXd& W, MatrixXd& X) {
  if (V.cols() == 0 || X.cols() == 0) return;
  MatrixXd part(X.rows(), X.cols());
  multiply_tall(V, inner_products(W, X), part);
  X -= part;
}

/// Fields whose derivatives are taken: rotations, then elastic modes. A free body's rigid motions come as any
/// six that span them; without their translations three remain.
MatrixXd turning_fields(const LinearModes& modes, const Body& body, const VectorXd& masses) {
  MatrixXd rotations = modes.rigid;
  if (body.fixed().empty() && rotations.cols() >= 3) {
    MatrixXd translations = MatrixXd::Zero(rotations.rows(), 3);
    for (Index i = 0; i < translations.rows(); ++i) translations(i, i % 3) = 1;
    const MatrixXd among = inner_products(rotations, masses, translations);
    const MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(among).householderQ();
    rotations = (rotations * Q.rightCols(rotations.cols() - 3)).eval();
  }
  MatrixXd fields(modes.U.rows(), rotations.cols() + modes.U.cols());
  fields << rotations, modes.U;
  return fields;
}

/// The largest stretch or turn of an edge if each vertex moves by its entry of the field.
double largest_strain(const SymmetricBlocks& edges, const Points& x,
                      const Eigen::Ref<const VectorXd>& field) {
  double largest = 0;
  for (Index column = 0; column < edges.size(); ++column)
    for (int b = edges.column_start[at(column)] + 1; b < edges.column_start[at(column + 1)]; ++b) {
      const int row = edges.rows[at(b)];
      const double length = (x.row(row) - x.row(column)).norm();
      const double change = (field.segment<3>(3 * row) - field.segment<3>(3 * column)).norm();
      if (length > 0) largest = std::max(largest, change / length);
    }
  return largest;
}

/// (H : Ψⱼ) Ψᵢ for all i <= j, pair after pair: (0, 0), (0, 1), (1, 1), (0, 2), ...
MatrixXd second_forces(const Body& body, const Points& x, const MatrixXd& fields,
                       const ModalDerivativesOptions& options) {
  const Index r = fields.cols();
  MatrixXd result(fields.rows(), r * (r + 1) / 2);
  BodyWorkspace work;
  SymmetricBlocks forward = body.block_pattern(), backward = forward;
  Points forces, moved;
  for (Index j = 0; j < r; ++j) {
    const double strain = largest_strain(forward, x, fields.col(j));
    const double step = strain > 0 ? options.strain / strain : 1;
    const Eigen::Map<const Points> field(fields.col(j).data(), x.rows(), 3);
    moved = x + step * field;
    body.stiffness_blocks(moved, forward, forces, work);
    moved = x - step * field;
    body.stiffness_blocks(moved, backward, forces, work);
    parallel_for_chunks(static_cast<Index>(forward.values.size()), 65536, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        backward.values[at(k)] = (forward.values[at(k)] - backward.values[at(k)]) / (2 * step);
    });
    result.middleCols(j * (j + 1) / 2, j + 1) = multiply(backward, fields.leftCols(j + 1));
    report(options.progress, "modal derivatives", 0.5 * static_cast<double>(j + 1) / static_cast<double>(r));
  }
  return result;
}

/// As many unknowns as there are rigid motions, such that holding them holds the body: each is where the
/// motions that the ones before leave move most.
std::vector<int> statically_determinate(MatrixXd rigid) {
  std::vector<int> held;
  for (Index k = 0; k < rigid.cols(); ++k) {
    Index most = 0;
    rigid.rowwise().squaredNorm().maxCoeff(&most);
    held.push_back(static_cast<int>(most));
    const VectorXd direction = rigid.row(most).transpose().normalized();
    rigid -= (rigid * direction) * direction.transpose();
  }
  return held;
}

/// X = -K⁺ B: for loads without what moves the body as a whole, rigid motions left out of the answer.
void solve(const Body& body, const LinearModes& modes, const VectorXd& masses, MatrixXd& B,
           const Progress& progress) {
  const Index columns_at_once = 16;
  const MatrixXd rigid_loads = masses.asDiagonal() * modes.rigid;
  // The loads left are balanced. So it does not matter which unknowns hold the body: there is no force in
  // them.
  const FreeUnknowns free =
      free_unknowns(body.vertex_count(), body.fixed(), statically_determinate(modes.rigid));
  const SparseMatrix K = restrict_to(body.stiffness(modes.positions), free);
  SparseCholesky cholesky;
  cholesky.analyze(K);
  if (!cholesky.factorize(K))
    throw InputError(
        "modal_derivatives: the stiffness is not positive definite; take modes about a stable equilibrium");
  const auto unknowns = static_cast<Index>(free.unknowns.size());
  MatrixXd loads(unknowns, columns_at_once);
  for (Index first = 0; first < B.cols(); first += columns_at_once) {
    const Index count = std::min(columns_at_once, B.cols() - first);
    MatrixXd some = -B.middleCols(first, count);
    for (int v : body.fixed()) some.middleRows<3>(3 * v).setZero();
    subtract_projection(rigid_loads, modes.rigid, some);
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < unknowns; ++i) loads(i, c) = some(free.unknowns[at(i)], c);
    auto part = loads.leftCols(count);
    cholesky.solve(part, part);
    some.setZero();
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < unknowns; ++i) some(free.unknowns[at(i)], c) = loads(i, c);
    subtract_projection(modes.rigid, rigid_loads, some);
    B.middleCols(first, count) = some;
    report(progress, "modal derivatives",
           0.5 + 0.5 * static_cast<double>(first + count) / static_cast<double>(B.cols()));
  }
}

/// Scales the derivatives by how much they count: by frequency where a choice among them is made, else all
/// alike.
void weight(const LinearModes& modes, Index rotations, bool choose, const VectorXd& masses,
            MatrixXd& derivatives) {
  const Index r = rotations + modes.U.cols();
  const VectorXd lengths = (masses.transpose() * derivatives.cwiseAbs2()).cwiseSqrt().transpose();
  const double least = 1e-7 * lengths.maxCoeff();  // shorter ones are what rounding left of nothing
  const double first = std::abs(modes.eigenvalues[0]);
  const auto eigenvalue = [&](Index i) {
    return i < rotations ? first : std::abs(modes.eigenvalues[i - rotations]);
  };
  for (Index j = 0, pair = 0; j < r; ++j)
    for (Index i = 0; i <= j; ++i, ++pair) {
      double scale = choose ? first * first / (eigenvalue(i) * eigenvalue(j)) : 1 / lengths[pair];
      if (!(lengths[pair] > least)) scale = 0;
      derivatives.col(pair) *= scale;
    }
}

}  // namespace

DenseBasis modal_derivatives(const Body& body, const LinearModes& modes,
                             const ModalDerivativesOptions& options) {
  const Index n = body.vertex_count();
  if (modes.U.rows() != 3 * n)
    throw InputError(fmt::format("modal_derivatives: the modes have {} rows for {} vertices; expected {}",
                                 modes.U.rows(), n, 3 * n));
  const Index linear = modes.rigid.cols() + modes.U.cols();
  if (options.dimension >= 0 && options.dimension < linear)
    throw InputError(fmt::format("modal_derivatives: dimension is {}; expected {} or more, the modes alone",
                                 options.dimension, linear));
  if (!(options.strain > 0 && options.strain < 0.1))
    throw InputError(fmt::format("modal_derivatives: strain is {}; expected 0 to 0.1", options.strain));
  report(options.progress, "modal derivatives", 0);

  // === All derivatives
  const VectorXd masses = row_masses(body);
  const MatrixXd fields = turning_fields(modes, body, masses);
  MatrixXd derivatives = second_forces(body, modes.positions, fields, options);
  solve(body, modes, masses, derivatives, options.progress);

  // === The strongest directions beside the modes
  MatrixXd linear_fields(3 * n, linear);
  linear_fields << modes.rigid, modes.U;
  linear_fields = orthonormalize(std::move(linear_fields), masses).Q;
  const bool choose = options.dimension >= 0 && options.dimension - linear < derivatives.cols();
  weight(modes, fields.cols() - modes.U.cols(), choose, masses, derivatives);
  const MatrixXd loads = masses.asDiagonal() * linear_fields;
  for (int pass = 0; pass < 2; ++pass) subtract_projection(linear_fields, loads, derivatives);
  MatrixXd strongest = orthonormalize(std::move(derivatives), masses,
                                      {.tolerance = choose ? 1e-7 : options.tolerance,
                                       .max_count = choose ? options.dimension - linear : -1})
                           .Q;
  // Directions that were short beside the modes still hold a little of them.
  subtract_projection(linear_fields, loads, strongest);
  strongest = orthonormalize(std::move(strongest), masses).Q;

  MatrixXd U(3 * n, linear + strongest.cols());
  U << linear_fields, strongest;
  return dense_basis("modal_derivatives", body, modes.positions, std::move(U), modes.rigid);
}

}  // namespace pliant
