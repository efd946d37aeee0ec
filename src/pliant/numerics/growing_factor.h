#pragma once
// The Cholesky factor of a part of a matrix, while rows and columns come and go.
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

/// L Lᵀ of the rows and columns `members` of a symmetric matrix, in the order in which they came. A change costs the square of their
/// number.
class GrowingFactor {
 public:
  /// @param matrix     positive semi-definite; must stay where it is
  /// @param dependent  a column depends on others where less than this of its square is left beside them
  GrowingFactor(const MatrixXd& matrix, double dependent);

  Index size() const { return static_cast<Index>(members_.size()); }
  const std::vector<Index>& members() const { return members_; }

  /// False, and nothing changes, where the new column depends on the others.
  bool add(Index i);
  /// The member at this place.
  void remove(Index place);
  /// Of the members' part of a system.
  /// @param right  as long as the matrix; what belongs to members is read
  VectorXd solve(const Eigen::Ref<const VectorXd>& right) const;

 private:
  const MatrixXd& matrix_;
  double dependent_;
  MatrixXd L_;
  std::vector<Index> members_;
};

}  // namespace pliant
