#include "pliant/numerics/dense_cholesky.h"

#include <algorithm>

#include "pliant/numerics/dense_front.h"

namespace pliant {

void DenseCholesky::reserve(Index size) {
  L_.reserve(static_cast<std::size_t>(size * size));
  strips_.reserve(front_workspace(static_cast<int>(size), static_cast<int>(size)));
}

bool DenseCholesky::factorize(const Eigen::Ref<const MatrixXd>& A) {
  size_ = A.rows();
  const int n = static_cast<int>(size_);
  L_.resize(static_cast<std::size_t>(A.size()));
  strips_.resize(front_workspace(n, n));
  for (Index j = 0; j < size_; ++j) std::copy_n(A.col(j).data(), size_, L_.data() + j * size_);
  return factor_front(
      {.rows = n, .columns = n, .panel = L_.data(), .rest = nullptr, .strips = strips_.data()}, false);
}

void DenseCholesky::solve(double* x, int count, Index stride) const {
  const int n = static_cast<int>(size_);
  if (stride == 0) stride = size_;
  solve_front_down(L_.data(), n, n, x, stride, count);
  solve_front_up(L_.data(), n, n, x, stride, count);
}

}  // namespace pliant
