#include "pliant/numerics/eigenpairs.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/numerics/lobpcg.h"
#include "pliant/numerics/sparse_cholesky.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

constexpr Index dense_below = 200;  // rows for which all eigenpairs at once cost next to nothing
constexpr Index block = 8;          // right-hand sides of a solve: eight cost about twice as much as one

class Problem {
 public:
  Problem(const SparseMatrix& K, const SparseMatrix& M, const EigenpairsOptions& options)
      : K_(K), M_(M), options_(options), known_(options.known) {
    const double trace_mass = M.diagonal().sum(), trace_stiffness = K.diagonal().sum();
    if (!(trace_mass > 0) || !std::isfinite(trace_mass) || !std::isfinite(trace_stiffness))
      throw InputError("eigenpairs: the mass or the stiffness is not finite and positive");
    largest_ = trace_stiffness > 0 ? trace_stiffness / trace_mass : 1;
    shift_ = -std::abs(options.shift) * largest_;
  }

  /// Factors K - shift M, with the shift lowered until that works. False where it does not, or where memory
  /// does not suffice.
  bool factor() {
    SparseMatrix shifted = K_ - shift_ * M_;
    cholesky_.analyze(shifted);
    // Numbers of 8 bytes, and half as much again for those that wait to be added up.
    factor_bytes_ = 12 * static_cast<double>(cholesky_.factor_nonzeros());
    if (too_large()) return false;
    for (int attempt = 0; attempt < 4; ++attempt, shift_ *= 100) {
      if (attempt > 0) shifted = K_ - shift_ * M_;
      if (cholesky_.factorize(shifted)) return true;
    }
    return false;
  }

  double factor_bytes() const { return factor_bytes_; }
  bool too_large() const { return factor_bytes_ > options_.memory_budget; }
  Index rows() const { return K_.rows(); }
  const SparseMatrix& M() const { return M_; }
  const SparseMatrix& K() const { return K_; }
  double shift() const { return shift_; }
  double largest() const { return largest_; }
  const MatrixXd& known() const { return known_; }

  /// Leaves out these vectors, beside those that the caller knew.
  void leave_out(const MatrixXd& vectors) {
    known_.resize(rows(), options_.known.cols() + vectors.cols());
    known_ << options_.known, vectors;
  }

  /// (K - shift M)^-1 M X, without what is known
  MatrixXd invert(const Eigen::Ref<const MatrixXd>& X) const {
    const MatrixXd load = M_ * X;
    MatrixXd Y(X.rows(), X.cols());
    cholesky_.solve(load, Y);
    remove(known_, Y);
    return Y;
  }

  /// Makes the columns of X M-orthogonal to those of V; returns V^T M X. Twice is enough [Giraud et al.
  /// 2005].
  MatrixXd remove(const Eigen::Ref<const MatrixXd>& V, MatrixXd& X, int passes = 2) const {
    MatrixXd sum = MatrixXd::Zero(V.cols(), X.cols()), part(X.rows(), X.cols());
    for (int pass = 0; pass < passes && V.cols() > 0; ++pass) {
      const MatrixXd inner = inner_products(V, M_ * X);
      multiply_tall(V, inner, part);
      X -= part;
      sum += inner;
    }
    return sum;
  }

 private:
  const SparseMatrix& K_;
  const SparseMatrix& M_;
  const EigenpairsOptions& options_;
  MatrixXd known_;
  mutable SparseCholesky cholesky_;  // solving keeps workspaces
  double largest_ = 1, shift_ = 0, factor_bytes_ = 0;
};

struct Found {
  VectorXd values;
  MatrixXd vectors;
  VectorXd residuals;
  bool all = false;
};

/// Block Lanczos on (K - shift M)^-1 M [Grimes et al. 1994], with every vector kept orthogonal to all others
/// and thick restarts [Wu and Simon 2000]. A block sees as many copies of a repeated eigenvalue as it has
/// columns.
class BlockLanczos {
 public:
  BlockLanczos(const Problem& problem, int count, const EigenpairsOptions& options, Rng& rng)
      : problem_(problem), count_(count), options_(options), rng_(rng), known_(problem.known().cols()) {
    const Index room = problem.rows() - known_;
    most_ = std::min<Index>(room - block, 2 * count + 10 * block);
    V_.resize(problem.rows(), known_ + most_);
    V_.leftCols(known_) = problem.known();
    T_ = MatrixXd::Zero(most_, most_);
  }

  Found run() {
    MatrixXd next = problem_.invert(random_columns(block));
    normalize(next);
    Found found;
    for (int restart = 0; restart <= options_.restarts && !found.all; ++restart) {
      while (size_ + block <= most_ && !found.all) {
        const MatrixXd coupling = extend(next);
        // For many pairs the projected problem costs as much as a few solves.
        const bool full = size_ + block > most_;
        if (full || (size_ >= count_ && (size_ / block) % std::max<Index>(1, count_ / 32) == 0))
          found.all = solve_projected(coupling);
      }
      if (!found.all && restart < options_.restarts)
        shrink(std::min<Index>(count_ + 2 * block, most_ - block));
    }
    const Index kept = std::min<Index>(count_, values_.size());
    found.values = (problem_.shift() + values_.head(kept).array().inverse()).matrix();
    found.vectors.resize(problem_.rows(), kept);
    multiply_tall(basis(), coefficients_.leftCols(kept), found.vectors);
    return found;
  }

 private:
  Eigen::Ref<MatrixXd> basis() { return V_.middleCols(known_, size_); }

  MatrixXd random_columns(Index columns) {
    MatrixXd X(problem_.rows(), columns);
    for (double& x : X.reshaped()) x = rng_.uniform(-1, 1);
    return X;
  }

  /// next becomes the next columns of the basis, and then the M-orthonormal rest of their images; returns
  /// what the latter have to be multiplied by to be that rest.
  MatrixXd extend(MatrixXd& next) {
    V_.middleCols(known_ + size_, block) = next;
    size_ += block;
    MatrixXd image = problem_.invert(next);
    const MatrixXd inner = problem_.remove(basis(), image);
    T_.block(0, size_ - block, size_, block) = inner;
    T_.block(size_ - block, 0, block, size_) = inner.transpose();
    next.swap(image);
    solves_ += 1;
    report(options_.progress, "eigenpairs", 1 - std::exp(-solves_ / (8.0 + count_ / 4.0)));
    return normalize(next);
  }

  /// X = Q R: X becomes Q, M-orthonormal and M-orthogonal to the basis. Directions that are nothing but
  /// rounding are replaced by random ones with zeros in R.
  MatrixXd normalize(MatrixXd& X) {
    MatrixXd R = MatrixXd::Identity(block, block);
    const double scale = size_ > 0 ? T_.diagonal().head(size_).maxCoeff() : 0;
    for (int pass = 0; pass < 2; ++pass) {
      const MatrixXd gram = inner_products(X, problem_.M() * X);
      const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen((gram + gram.transpose()) / 2);
      VectorXd length = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
      const double least = pass == 0 ? std::max(1e-12 * length[block - 1], 1e-14 * scale) : 0;
      multiply_tall_in_place(X, eigen.eigenvectors());
      for (Index i = 0; i < block; ++i) {
        if (length[i] > least) {
          X.col(i) /= length[i];
          continue;
        }
        length[i] = 0;
        X.col(i) = problem_.invert(random_columns(1));
        X.col(i) /= std::sqrt(X.col(i).dot(problem_.M() * X.col(i)));
      }
      R = length.asDiagonal() * eigen.eigenvectors().transpose() * R;
      if (pass == 0)
        problem_.remove(V_.leftCols(known_ + size_), X,
                        1);  // short columns have grown, and rounding with them
    }
    return R;
  }

  /// The best pairs within the basis; true if enough of them are good.
  bool solve_projected(const MatrixXd& coupling) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(T_.topLeftCorner(size_, size_));
    values_ = eigen.eigenvalues().reverse();
    coefficients_ = eigen.eigenvectors().rowwise().reverse();
    if (size_ < count_) return false;
    const MatrixXd left = coupling * coefficients_.bottomLeftCorner(block, count_);
    for (Index i = 0; i < count_; ++i)
      if (!(left.col(i).norm() <= options_.tolerance * std::abs(values_[i]))) return false;
    return true;
  }

  /// Goes on from the best `kept` vectors alone.
  void shrink(Index kept) {
    multiply_tall_in_place(basis(), coefficients_.leftCols(kept));
    T_.setZero();
    T_.diagonal().head(kept) = values_.head(kept);
    size_ = kept;
  }

  const Problem& problem_;
  Index count_;
  const EigenpairsOptions& options_;
  Rng& rng_;
  Index known_, most_ = 0, size_ = 0;
  MatrixXd V_;       // what is known, then the basis
  MatrixXd T_;       // the operator within the basis
  VectorXd values_;  // of T, descending: 1/(λ - shift)
  MatrixXd coefficients_;
  double solves_ = 0;
};

/// What rounding in K leaves of the residual at best, with room to spare.
double attainable(const Problem& problem, double value) {
  return 1e-13 * problem.largest() / (std::abs(value) - problem.shift());
}

/// The best pairs in the span of Y's columns [Rayleigh-Ritz], M-orthonormal, and their residuals.
void best_pairs(const Problem& problem, MatrixXd Y, Found& found) {
  MatrixXd load = problem.M() * Y, force = problem.K() * Y;
  const VectorXd scale = Y.cwiseProduct(load).colwise().sum().cwiseSqrt().cwiseInverse();
  const MatrixXd mass = scale.asDiagonal() * inner_products(Y, load) * scale.asDiagonal(),
                 stiffness = scale.asDiagonal() * inner_products(Y, force) * scale.asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> ritz((stiffness + stiffness.transpose()) / 2,
                                                                (mass + mass.transpose()) / 2);
  const MatrixXd turn = scale.asDiagonal() * ritz.eigenvectors();
  multiply_tall_in_place(Y, turn);
  multiply_tall_in_place(load, turn);
  multiply_tall_in_place(force, turn);
  found.values = ritz.eigenvalues();
  found.vectors = std::move(Y);
  found.residuals.resize(found.values.size());
  for (Index i = 0; i < found.values.size(); ++i)
    found.residuals[i] = (force.col(i) - found.values[i] * load.col(i)).norm() /
                         ((std::abs(found.values[i]) - problem.shift()) * load.col(i).norm());
}

/// Takes the digits that the inverse lost from K itself; where that is not enough, after another step of
/// subspace iteration on all vectors together.
void polish(const Problem& problem, double tolerance, Found& found) {
  if (found.vectors.cols() == 0) return;
  best_pairs(problem, found.vectors, found);
  for (int step = 0; step < 4; ++step) {
    bool done = true;
    for (Index i = 0; i < found.values.size(); ++i)
      done = done && found.residuals[i] <= std::max(tolerance, attainable(problem, found.values[i]));
    if (done) return;
    best_pairs(problem, problem.invert(found.vectors), found);
  }
}

/// Whether an eigenvalue fills a whole block, so that more of its copies may be hidden.
bool may_hide_copies(const VectorXd& values) {
  for (Index i = 0; i + block <= values.size(); ++i)
    if (values[i + block - 1] - values[i] <= 1e-6 * std::abs(values[i])) return true;
  return false;
}

Found dense(const Problem& problem, int count) {
  // What is known is lifted out of the way.
  MatrixXd K = problem.K();
  const MatrixXd M = problem.M(), loads = M * problem.known();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> plain(K, M, Eigen::EigenvaluesOnly);
  K += (10 * plain.eigenvalues().cwiseAbs().maxCoeff() + 1) * loads * loads.transpose();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, M);
  if (solver.info() != Eigen::Success) return {};
  Found found;
  found.all = true;
  best_pairs(problem, solver.eigenvectors().leftCols(count), found);
  return found;
}

void check_input(const SparseMatrix& K, const SparseMatrix& M, const EigenpairsOptions& options) {
  if (K.rows() != K.cols() || M.rows() != K.rows() || M.cols() != K.cols())
    throw InputError(
        fmt::format("eigenpairs: K is {} x {} and M {} x {}; expected square matrices of one size", K.rows(),
                    K.cols(), M.rows(), M.cols()));
  if (options.known.cols() > 0 && options.known.rows() != K.rows())
    throw InputError(
        fmt::format("eigenpairs: known vectors have {} rows; expected {}", options.known.rows(), K.rows()));
  const Index most = K.rows() - options.known.cols();
  if (options.count < 1 || options.count > most)
    throw InputError(fmt::format("eigenpairs: {} wanted; expected 1 to {}", options.count, most));
}

}  // namespace

Eigenpairs lowest_eigenpairs(const SparseMatrix& K, const SparseMatrix& M, const EigenpairsOptions& options) {
  check_input(K, M, options);
  report(options.progress, "eigenpairs", 0);
  Problem problem(K, M, options);
  Found found;
  if (K.rows() <= dense_below || K.rows() - options.known.cols() < 2 * options.count + 11 * block) {
    found = dense(problem, options.count);
  } else if (problem.factor()) {
    Rng rng(1);  // any start vector serves, and results must not depend on the caller's
    found = BlockLanczos(problem, options.count, options, rng).run();
    polish(problem, options.tolerance, found);
    // === Is anything below the last one missing?
    for (int round = 0; found.all && may_hide_copies(found.values); ++round) {
      problem.leave_out(found.vectors);
      const Found next = BlockLanczos(problem, block, options, rng).run();
      problem.leave_out(MatrixXd(K.rows(), 0));
      found.all = next.all && round < options.count;
      if (!next.all || !(next.values.minCoeff() < found.values[options.count - 1] * (1 - 1e-9))) break;
      MatrixXd more(K.rows(), options.count + block);
      more << found.vectors, next.vectors;
      found.vectors.swap(more);
      polish(problem, options.tolerance, found);
      found.vectors.conservativeResize(Eigen::NoChange, options.count);
      found.values.conservativeResize(options.count);
      found.residuals.conservativeResize(options.count);
    }
  }
  if (problem.too_large()) {
    LobpcgPairs pairs = lobpcg(K, M,
                               {.count = options.count,
                                .tolerance = options.iterative_tolerance,
                                .shift = problem.shift(),
                                .known = options.known,
                                .progress = options.progress});
    if (pairs.vectors.cols() > 0) best_pairs(problem, std::move(pairs.vectors), found);
    found.all = pairs.converged;
  }
  report(options.progress, "eigenpairs", 1);

  Eigenpairs result;
  result.converged = found.all;
  result.iterative = problem.too_large();
  result.factor_bytes = problem.factor_bytes();
  result.residuals = std::move(found.residuals);
  for (Index i = 0; i < found.values.size(); ++i) {
    auto u = found.vectors.col(i);
    Index largest = 0;
    u.cwiseAbs().maxCoeff(&largest);
    if (u[largest] < 0) u = -u;
    const double limit = std::max(100 * options.tolerance, attainable(problem, found.values[i]));
    if (!result.iterative && !(result.residuals[i] <= limit)) result.converged = false;
  }
  result.values = std::move(found.values);
  result.vectors = std::move(found.vectors);
  return result;
}

}  // namespace pliant
