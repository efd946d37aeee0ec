#include "pliant/subspace/orthonormalize.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {

OrthonormalColumns orthonormalize(MatrixXd A, const VectorXd& masses, const OrthonormalizeOptions& options) {
  if (A.rows() != masses.size())
    throw InputError(
        fmt::format("orthonormalize: {} masses for {} rows; expected one a row", masses.size(), A.rows()));
  if (!(options.tolerance >= 1e-7 && options.tolerance < 1))
    throw InputError(fmt::format("orthonormalize: tolerance is {}; expected 1e-7 to 1", options.tolerance));
  OrthonormalColumns result;
  if (A.cols() == 0) {
    result.Q = std::move(A);
    return result;
  }

  // === The principal directions, from A's Gram matrix
  MatrixXd gram = inner_products(A, masses, A);
  if (!gram.allFinite()) throw InputError("orthonormalize: the columns are not finite");
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((gram + gram.transpose()) / 2);
  const Index columns = A.cols();
  result.singular_values = eigen.eigenvalues().reverse().cwiseMax(0.0).cwiseSqrt();
  const double least = options.tolerance * result.singular_values[0];
  Index rank = 0;
  while (rank < columns && result.singular_values[rank] > least) ++rank;
  if (options.max_count >= 0) rank = std::min(rank, options.max_count);
  const MatrixXd strongest = eigen.eigenvectors().rightCols(rank).rowwise().reverse();
  multiply_tall_in_place(A, strongest * result.singular_values.head(rank).cwiseInverse().asDiagonal());
  A.conservativeResize(Eigen::NoChange, rank);

  // === They are orthonormal up to rounding over the least singular value, squared. Turn them as little as
  // possible until
  //     they are so up to rounding.
  for (int pass = 0; pass < 4 && rank > 0; ++pass) {
    gram = inner_products(A, masses, A);
    eigen.compute((gram + gram.transpose()) / 2);
    const double error = (eigen.eigenvalues().array() - 1).abs().maxCoeff();
    if (error < 1e-14 * static_cast<double>(rank)) break;
    multiply_tall_in_place(A, eigen.operatorInverseSqrt());
    if (error < 1e-9) break;  // the next one is about its square
  }
  result.Q = std::move(A);
  return result;
}

}  // namespace pliant
