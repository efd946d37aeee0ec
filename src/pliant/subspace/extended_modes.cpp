#include "pliant/subspace/extended_modes.h"

#include <fmt/format.h>

#include <vector>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/orthonormalize.h"

namespace pliant {
namespace {

// The map with a single entry, from coordinate k to coordinate l, takes the field (x, y, z) to its component k in coordinate l.
// So all extended fields are those with any component of any mode in any one coordinate: the basis is I₃ ⊗ S, S the n x 3r
// components, and M and every orthonormalisation are three times those of S. Everything below works on S, a
// twenty-seventh of the work.

/// n x 3r: the components of all fields. Those of the rigid motions of a free body span 1, x, y, z, and so with the three
/// coordinates all affine maps.
MatrixXd components(const MatrixXd& rigid, const MatrixXd& elastic) {
  const Index n = elastic.rows() / 3;
  MatrixXd S(n, 3 * (rigid.cols() + elastic.cols()));
  parallel_for(rigid.cols() + elastic.cols(), 1, [&](Index i) {
    const double* field = i < rigid.cols() ? rigid.col(i).data() : elastic.col(i - rigid.cols()).data();
    S.middleCols<3>(3 * i) = Eigen::Map<const Points>(field, n, 3);
  });
  return S;
}

/// UᵀKU for U = I₃ ⊗ Q, coordinate by coordinate: entry (k c + a, l c + b) is Σ_ij Q_ia K_ij[k, l] Q_jb.
MatrixXd reduced_stiffness(const SymmetricBlocks& K, const MatrixXd& Q) {
  const Index n = Q.rows(), c = Q.cols();
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows rows = Q;
  constexpr Index grain = 512;
  return parallel_reduce(
      n, grain, MatrixXd(MatrixXd::Zero(3 * c, 3 * c)),
      [&](Index begin, Index end) {
        // Column block 3 l + k holds Σ_j K_ij[k, l] Q_j, a row a vertex i of the chunk.
        Rows product = Rows::Zero(end - begin, 9 * c);
        for (Index i = begin; i < end; ++i) {
          auto sum = product.row(i - begin);
          const auto add = [&](const Matrix3d& block, Index j) {
            for (int l = 0; l < 3; ++l)
              for (int k = 0; k < 3; ++k) sum.segment((3 * l + k) * c, c) += block(k, l) * rows.row(j);
          };
          const auto at = static_cast<std::size_t>(i);
          for (int b = K.row_start[at]; b < K.row_start[at + 1]; ++b)
            add(K.block(K.row_blocks[static_cast<std::size_t>(b)]),
                K.row_columns[static_cast<std::size_t>(b)]);
          for (int b = K.column_start[at]; b < K.column_start[at + 1]; ++b)
            add(K.block(b).transpose(), K.rows[static_cast<std::size_t>(b)]);
        }
        const MatrixXd part = rows.middleRows(begin, end - begin).transpose() * product;  // c x 9c
        MatrixXd result(3 * c, 3 * c);
        for (int l = 0; l < 3; ++l)
          for (int k = 0; k < 3; ++k) result.block(k * c, l * c, c, c) = part.middleCols((3 * l + k) * c, c);
        return result;
      },
      [](MatrixXd sum, const MatrixXd& part) {
        sum += part;
        return sum;
      });
}

/// Rows v of coordinate l of a stacked tall matrix, as n x d with a stride of three.
auto coordinate(MatrixXd& U, int l) {
  using Strided = Eigen::Map<MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, 3>>;
  return Strided(U.data() + l, U.rows() / 3, U.cols(), Eigen::Stride<Eigen::Dynamic, 3>(U.rows(), 3));
}

}  // namespace

DenseBasis extended_modes(const Body& body, const LinearModes& modes, const ExtendedModesOptions& options) {
  const Index n = body.vertex_count();
  if (modes.U.rows() != 3 * n)
    throw InputError(fmt::format("extended_modes: the modes have {} rows for {} vertices; expected {}",
                                 modes.U.rows(), n, 3 * n));
  // === Nine linear maps of each mode, orthonormal
  const MatrixXd Q =
      orthonormalize(components(modes.rigid, modes.U), body.masses(), {.tolerance = options.tolerance}).Q;
  const Index c = Q.cols(), d = 3 * c;

  // === The modes of the body within their span
  BodyWorkspace work;
  SymmetricBlocks K = body.block_pattern();
  Points forces;
  body.stiffness_blocks(modes.positions, K, forces, work);
  MatrixXd rigid(d, modes.rigid.cols());  // UᵀMR, row l c + a
  for (Index r = 0; r < rigid.cols(); ++r) {
    const MatrixXd within =
        inner_products(Q, body.masses(), MatrixXd(Eigen::Map<const Points>(modes.rigid.col(r).data(), n, 3)));
    rigid.col(r) = Eigen::Map<const VectorXd>(within.data(), d);
  }
  const ReducedModes reduced = reduced_modes(reduced_stiffness(K, Q), rigid);

  // === U = (I₃ ⊗ Q) rotation
  MatrixXd U(3 * n, d), turned(n, d);
  for (int l = 0; l < 3; ++l) {
    multiply_tall(Q, reduced.rotation.middleRows(l * c, c), turned);
    auto rows = coordinate(U, l);
    parallel_for(d, 4, [&](Index column) { rows.col(column) = turned.col(column); });
  }
  return dense_basis("extended_modes", modes.positions, std::move(U), reduced.eigenvalues);
}

}  // namespace pliant
