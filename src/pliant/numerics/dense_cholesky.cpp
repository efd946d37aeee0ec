#include "pliant/numerics/dense_cholesky.h"

#include <algorithm>

#include "pliant/numerics/dense_front.h"

namespace pliant {

bool DenseCholesky::factorize(const MatrixXd& A) {
  size_ = A.rows();
  const int n = static_cast<int>(size_);
  L_.resize(static_cast<std::size_t>(A.size()));
  strips_.resize(front_workspace(n, n));
  std::copy_n(A.data(), A.size(), L_.data());
  return factor_front(
      {.rows = n, .columns = n, .panel = L_.data(), .rest = nullptr, .strips = strips_.data()}, false);
}

void DenseCholesky::solve(VectorXd& x) const {
  const int n = static_cast<int>(size_);
  solve_front_down(L_.data(), n, n, x.data(), size_, 1);
  solve_front_up(L_.data(), n, n, x.data(), size_, 1);
}

}  // namespace pliant
