#include "pliant/numerics/lobpcg.h"

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

/// A X for a symmetric A, a column a task.
MatrixXd multiply_columns(const SparseMatrix& A, const MatrixXd& X) {
  MatrixXd Y(X.rows(), X.cols());
  parallel_for(X.cols(), 1, [&](Index c) { Y.col(c).noalias() = A * X.col(c); });
  return Y;
}

MatrixXd product(const MatrixXd& A, const MatrixXd& C) {
  MatrixXd out(A.rows(), C.cols());
  multiply_tall(A, C, out);
  return out;
}

class Lobpcg {
 public:
  Lobpcg(const SparseMatrix& K, const SparseMatrix& M, const LobpcgOptions& options)
      : K_(K), M_(M), options_(options), width_(options.count + options.count / 4 + 4) {
    width_ = std::min(width_, K.rows() - options.known.cols());
    const SparseMatrix shifted = K - options.shift * M;
    preconditioner_.compute(shifted);
  }

  LobpcgPairs run() {
    LobpcgPairs result;
    if (preconditioner_.info() != Eigen::Success) return result;
    start();
    for (result.iterations = 0; result.iterations < options_.max_iterations; ++result.iterations) {
      const std::vector<Index> unfinished = residuals();
      const auto wanted =
          std::count_if(unfinished.begin(), unfinished.end(), [&](Index i) { return i < options_.count; });
      if ((result.converged = wanted == 0)) break;
      report(options_.progress, "eigenpairs",
             1 - std::exp(-static_cast<double>(result.iterations + 1) / 100));
      improve();
    }
    result.values = values_.head(options_.count);
    result.vectors = X_.leftCols(options_.count);
    return result;
  }

 private:
  /// Removes what is known and X from the columns of Z, M-orthogonally.
  void remove(MatrixXd& Z, bool from_iterates) const {
    for (int pass = 0; pass < 2; ++pass) {
      const MatrixXd load = multiply_columns(M_, Z);
      if (options_.known.cols() > 0) Z -= product(options_.known, inner_products(options_.known, load));
      if (from_iterates) Z -= product(X_, inner_products(X_, load));
    }
  }

  /// M-orthonormal columns that span the same, without directions that are nothing but rounding.
  void orthonormalize(MatrixXd& Z, bool from_iterates) const {
    for (int pass = 0; pass < 2; ++pass) {
      const MatrixXd load = multiply_columns(M_, Z);
      if (pass == 0)  // of one length: directions differ in scale by many orders
        for (Index c = 0; c < Z.cols(); ++c) {
          const double length = std::sqrt(Z.col(c).dot(load.col(c)));
          Z.col(c) *= length > 0 ? 1 / length : 0;
        }
      const MatrixXd gram = inner_products(Z, pass == 0 ? multiply_columns(M_, Z) : load);
      const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((gram + gram.transpose()) / 2);
      Index first = 0;
      while (first < Z.cols() && eigen.eigenvalues()[first] < 1e-10 * eigen.eigenvalues()[Z.cols() - 1])
        ++first;
      const Index kept = Z.cols() - first;
      Z = product(Z, eigen.eigenvectors().rightCols(kept) *
                         eigen.eigenvalues().tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
      remove(Z, from_iterates);
    }
  }

  void precondition(MatrixXd& Z) const {
    parallel_for(Z.cols(), 1, [&](Index c) { Z.col(c) = preconditioner_.solve(Z.col(c)); });
  }

  void start() {
    Rng rng(1);  // any start serves, and results must not depend on the caller's
    X_.resize(K_.rows(), width_);
    for (double& x : X_.reshaped()) x = rng.uniform(-1, 1);
    X_ = multiply_columns(M_, X_);
    precondition(X_);
    remove(X_, false);
    orthonormalize(X_, false);
    width_ = X_.cols();
    KX_ = multiply_columns(K_, X_);
    rotate(Eigen::SelfAdjointEigenSolver<MatrixXd>(inner_products(X_, KX_)).eigenvectors());
  }

  void rotate(const MatrixXd& turn) {
    X_ = product(X_, turn);
    KX_ = product(KX_, turn);
    values_ = X_.cwiseProduct(KX_).colwise().sum().transpose();
  }

  /// R = K X - M X λ, and the preconditioned ones of those columns that are not good yet into W.
  std::vector<Index> residuals() {
    const MatrixXd R = KX_ - multiply_columns(M_, X_) * values_.asDiagonal();
    W_ = R;
    precondition(W_);
    std::vector<Index> unfinished;
    for (Index i = 0; i < width_; ++i) {
      const double size = std::abs(R.col(i).dot(W_.col(i)));
      if (!(std::sqrt(size / (std::abs(values_[i]) - options_.shift)) <= options_.tolerance))
        unfinished.push_back(i);
    }
    W_ = MatrixXd(W_(Eigen::all, unfinished));
    return unfinished;
  }

  /// The best vectors in the span of X, the preconditioned residuals and the last directions.
  void improve() {
    MatrixXd Z(K_.rows(), W_.cols() + P_.cols());
    Z << W_, P_;
    remove(Z, true);
    orthonormalize(Z, true);
    const MatrixXd KZ = multiply_columns(K_, Z);
    MatrixXd inner(width_ + Z.cols(), width_ + Z.cols());
    inner.topLeftCorner(width_, width_) = inner_products(X_, KX_);
    inner.topRightCorner(width_, Z.cols()) = inner_products(X_, KZ);
    inner.bottomLeftCorner(Z.cols(), width_) = inner.topRightCorner(width_, Z.cols()).transpose();
    inner.bottomRightCorner(Z.cols(), Z.cols()) = inner_products(Z, KZ);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((inner + inner.transpose()) / 2);
    const MatrixXd from_X = eigen.eigenvectors().topLeftCorner(width_, width_),
                   from_Z = eigen.eigenvectors().bottomLeftCorner(Z.cols(), width_);
    P_ = product(Z, from_Z);
    X_ = product(X_, from_X) + P_;
    KX_ = product(KX_, from_X) + product(KZ, from_Z);
    values_ = eigen.eigenvalues().head(width_);
    if (++since_fresh_ == 20) {  // before rounding adds up
      since_fresh_ = 0;
      orthonormalize(X_, false);
      KX_ = multiply_columns(K_, X_);
      rotate(Eigen::SelfAdjointEigenSolver<MatrixXd>(inner_products(X_, KX_)).eigenvectors());
    }
  }

  const SparseMatrix& K_;
  const SparseMatrix& M_;
  const LobpcgOptions& options_;
  Index width_;
  Eigen::IncompleteCholesky<double> preconditioner_;
  MatrixXd X_, KX_, W_, P_;
  VectorXd values_;
  int since_fresh_ = 0;
};

}  // namespace

LobpcgPairs lobpcg(const SparseMatrix& K, const SparseMatrix& M, const LobpcgOptions& options) {
  return Lobpcg(K, M, options).run();
}

}  // namespace pliant
