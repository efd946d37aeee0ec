#include "pliant/subspace/extended_modes.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/orthonormalize.h"

namespace pliant {
namespace {

// The map with a single entry, from coordinate k to coordinate l, takes the field (x, y, z) to its component
// k in coordinate l. So all extended fields are those with any component of any mode in any one coordinate:
// the basis is I₃ ⊗ S, S the n x 3r components, and M and every orthonormalisation are three times those of
// S. Everything below works on S, a twenty-seventh of the work.

/// n x 3r: the components of all fields. Those of the rigid motions of a free body span 1, x, y, z, and so
/// with the three coordinates all affine maps.
MatrixXd components(const MatrixXd& rigid, const MatrixXd& elastic) {
  const Index n = elastic.rows() / 3;
  MatrixXd S(n, 3 * (rigid.cols() + elastic.cols()));
  parallel_for(rigid.cols() + elastic.cols(), 1, [&](Index i) {
    const double* field = i < rigid.cols() ? rigid.col(i).data() : elastic.col(i - rigid.cols()).data();
    S.middleCols<3>(3 * i) = Eigen::Map<const Points>(field, n, 3);
  });
  return S;
}

constexpr Index vertices_at_once = 128;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// UᵀKU for U = I₃ ⊗ Q, coordinate by coordinate: entry (k c + a, l c + b) is Σ_ij Q_ia K_ij[k, l] Q_jb. Of
/// the symmetric sum only half is formed: blocks left of the diagonal, and half of those on it.
MatrixXd reduced_stiffness(const SymmetricBlocks& K, const MatrixXd& Q) {
  const Index c = Q.cols();
  const Rows rows = Q;
  const MatrixXd half = parallel_reduce(
      Q.rows(), 1024, MatrixXd(MatrixXd::Zero(c, 9 * c)),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(c, 9 * c);
        // Columns (3 l + k) c onwards hold Σ_j K_ij[k, l] Q_j, a row a vertex i. A few vertices at a time
        // stay in the cache.
        Rows product(vertices_at_once, 9 * c);
        MatrixXd by_column(vertices_at_once, 9 * c);
        for (Index first = begin; first < end; first += vertices_at_once) {
          const Index count = std::min(vertices_at_once, end - first);
          product.setZero();
          for (Index i = first; i < first + count; ++i) {
            double* sum = &product(i - first, 0);
            const auto add = [&](double scale, Index b, Index j) {
              const double *block = K.values.data() + 9 * b, *q = &rows(j, 0);
              for (int entry = 0; entry < 9; ++entry)
                for (Index a = 0; a < c; ++a) sum[entry * c + a] += scale * block[entry] * q[a];
            };
            const auto at = static_cast<std::size_t>(i);
            for (int b = K.row_start[at]; b < K.row_start[at + 1]; ++b)
              add(1, K.row_blocks[static_cast<std::size_t>(b)], K.row_columns[static_cast<std::size_t>(b)]);
            add(0.5, K.column_start[at], i);
          }
          by_column = product;
          part += inner_products(Q.middleRows(first, count), by_column.topRows(count));
        }
        return part;
      },
      [](MatrixXd sum, const MatrixXd& part) {
        sum += part;
        return sum;
      });
  MatrixXd result(3 * c, 3 * c);
  for (int l = 0; l < 3; ++l)
    for (int k = 0; k < 3; ++k) result.block(k * c, l * c, c, c) = half.middleCols((3 * l + k) * c, c);
  return result + result.transpose();
}

/// (I₃ ⊗ Q) rotation, stacked vertex by vertex
MatrixXd turned_fields(const MatrixXd& Q, const MatrixXd& rotation) {
  const Index n = Q.rows(), c = Q.cols(), d = rotation.cols();
  MatrixXd U(3 * n, d);
  parallel_for_chunks(n, vertices_at_once, [&](Index begin, Index end) {
    MatrixXd parts[3];
    for (int l = 0; l < 3; ++l) {
      parts[l].resize(end - begin, d);
      multiply_tall(Q.middleRows(begin, end - begin), rotation.middleRows(l * c, c), parts[l]);
    }
    for (Index column = 0; column < d; ++column) {
      double* out = &U(3 * begin, column);
      const double *x = &parts[0](0, column), *y = &parts[1](0, column), *z = &parts[2](0, column);
      for (Index i = 0; i < end - begin; ++i, out += 3) out[0] = x[i], out[1] = y[i], out[2] = z[i];
    }
  });
  return U;
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
  MatrixXd rigid(d, modes.rigid.cols());  // UᵀMR, row l c + a
  for (Index r = 0; r < rigid.cols(); ++r) {
    const MatrixXd within =
        inner_products(Q, body.masses(), MatrixXd(Eigen::Map<const Points>(modes.rigid.col(r).data(), n, 3)));
    rigid.col(r) = Eigen::Map<const VectorXd>(within.data(), d);
  }
  auto K = modes.stiffness;
  if (!K) K = std::make_shared<const SymmetricBlocks>(stiffness_blocks(body, modes.positions));
  const ReducedModes reduced = reduced_modes(reduced_stiffness(*K, Q), rigid);

  return dense_basis("extended_modes", modes.positions, turned_fields(Q, reduced.rotation),
                     reduced.eigenvalues);
}

}  // namespace pliant
