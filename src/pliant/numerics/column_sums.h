#pragma once
// Weighted sums of some columns of a matrix, three at a time: x, y and z.
#include <span>

#include "pliant/base/team.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// out (rows x 3) = Σ over i of A.col(columns[i]) times row i of `weights` (n x 3, at least as many rows as columns), in the
/// precision of A. Allocates nothing if `out` has its size.
void sum_columns(Team& team, const Eigen::MatrixXf& A, std::span<const Index> columns,
                 const MatrixXd& weights, MatrixXd& out);
void sum_columns(Team& team, const MatrixXd& A, std::span<const Index> columns, const MatrixXd& weights,
                 MatrixXd& out);

}  // namespace pliant
