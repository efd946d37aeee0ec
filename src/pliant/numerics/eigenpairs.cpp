#include "pliant/numerics/eigenpairs.h"

#include <fmt/format.h>

#include <Spectra/SymGEigsShiftSolver.h>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/numerics/sparse_cholesky.h"

namespace pliant {
namespace {

constexpr Index dense_below = 200;  // rows for which all eigenpairs at once cost next to nothing

/// The problem as Lanczos sees it: masses of size 1, and 1/(λ - shift) of size 1 as well, because Spectra takes
/// numbers below 1e-16 for zero whatever the units.
class Problem {
 public:
  Problem(const SparseMatrix& K, const SparseMatrix& M, const EigenpairsOptions& options)
      : K_(K), M_(M), options_(options), known_(options.known) {
    const double trace_mass = M.diagonal().sum(), trace_stiffness = K.diagonal().sum();
    if (!(trace_mass > 0) || !std::isfinite(trace_mass) || !std::isfinite(trace_stiffness))
      throw InputError("eigenpairs: the mass or the stiffness is not finite and positive");
    mass_scale_ = static_cast<double>(K.rows()) / trace_mass;
    largest_ = trace_stiffness > 0 ? trace_stiffness / trace_mass : 1;
    shift_ = -std::abs(options.shift) * largest_;
  }

  /// Factors K - shift M, with the shift lowered until that works.
  bool factor() {
    SparseMatrix shifted = K_ - shift_ * M_;
    cholesky_.analyze(shifted);
    for (int attempt = 0; attempt < 4; ++attempt, shift_ *= 100) {
      if (attempt > 0) shifted = K_ - shift_ * M_;
      if (cholesky_.factorize(shifted)) return true;
    }
    return false;
  }

  Index rows() const { return K_.rows(); }
  const SparseMatrix& M() const { return M_; }
  const SparseMatrix& K() const { return K_; }
  double shift() const { return shift_; }
  double largest() const { return largest_; }
  double mass_scale() const { return mass_scale_; }
  double scale() const { return scale_; }
  const MatrixXd& known() const { return known_; }

  /// Leaves out these vectors, beside those that the caller knew.
  void leave_out(const MatrixXd& vectors) {
    known_.resize(rows(), options_.known.cols() + vectors.cols());
    known_ << options_.known, vectors;
  }

  /// Removes what is known, in the inner product of M; twice is enough [Giraud et al. 2005].
  void deflate(Eigen::Ref<MatrixXd> X) const {
    if (known_.cols() == 0) return;
    for (int pass = 0; pass < 2; ++pass) X -= known_ * (known_.transpose() * (M_ * X));
  }

  /// X = P (K - shift M)^-1 B
  void solve(const Eigen::Ref<const MatrixXd>& B, Eigen::Ref<MatrixXd> X) const {
    cholesky_.solve(B, X);
    deflate(X);
  }

  /// Makes the largest 1/(λ - shift) about 1, by a few steps of the power method.
  VectorXd start_and_scale(Rng& rng) {
    VectorXd x(rows());
    for (Index i = 0; i < rows(); ++i) x[i] = rng.uniform(-1, 1);
    deflate(x);
    double growth = 0;
    for (int step = 0; step < 4; ++step) {
      x /= std::sqrt(x.dot(M_ * x));
      const VectorXd load = M_ * x;
      solve(load, x);
      growth = std::sqrt(x.dot(M_ * x));
    }
    scale_ = mass_scale_ / growth;  // of solve(), whose right-hand side Spectra multiplies by the scaled mass
    return x / growth;
  }

 private:
  const SparseMatrix& K_;
  const SparseMatrix& M_;
  const EigenpairsOptions& options_;
  MatrixXd known_;
  mutable SparseCholesky cholesky_;  // solving keeps workspaces
  double mass_scale_ = 1, largest_ = 1, shift_ = 0, scale_ = 1;
};

// What Spectra asks of an operator.
struct InverseOperator {
  using Scalar = double;
  const Problem* problem;
  const Progress* progress;
  double expected;  // solves
  mutable double done = 0;

  Index rows() const { return problem->rows(); }
  Index cols() const { return problem->rows(); }
  void set_shift(double) {}
  void perform_op(const double* in, double* out) const {
    const Eigen::Map<const MatrixXd> b(in, rows(), 1);
    Eigen::Map<MatrixXd> x(out, rows(), 1);
    problem->solve(b, x);
    x *= problem->scale() / problem->mass_scale();
    done += 1;
    report(*progress, "eigenpairs", 1 - std::exp(-done / expected));  // nobody knows how many there will be
  }
};

struct MassOperator {
  using Scalar = double;
  const Problem* problem;
  Index rows() const { return problem->rows(); }
  Index cols() const { return problem->rows(); }
  void perform_op(const double* in, double* out) const {
    Eigen::Map<VectorXd>(out, rows()).noalias() =
        problem->mass_scale() * (problem->M() * Eigen::Map<const VectorXd>(in, rows()));
  }
};

struct Found {
  VectorXd values;
  MatrixXd vectors;
  bool all = false;
};

Found lanczos(Problem& problem, int count, double tolerance, int restarts, const Progress& progress,
              Rng& rng) {
  const VectorXd start = problem.start_and_scale(rng);
  const Index room = problem.rows() - problem.known().cols();
  const Index basis = std::min<Index>(room, 2 * count + 20);
  InverseOperator inverse{&problem, &progress, 2.0 * static_cast<double>(basis)};
  MassOperator mass{&problem};
  Spectra::SymGEigsShiftSolver<InverseOperator, MassOperator, Spectra::GEigsMode::ShiftInvert> solver(
      inverse, mass, count, basis, 0.0);
  solver.init(start.data());
  solver.compute(Spectra::SortRule::LargestMagn, restarts, tolerance, Spectra::SortRule::SmallestAlge);
  Found found;
  found.all = solver.info() == Spectra::CompInfo::Successful;
  found.vectors = solver.eigenvectors();
  return found;
}

VectorXd residuals(const Problem& problem, const Found& found) {
  const MatrixXd load = problem.M() * found.vectors;
  const MatrixXd difference = problem.K() * found.vectors - load * found.values.asDiagonal();
  VectorXd result(found.values.size());
  for (Index i = 0; i < result.size(); ++i)
    result[i] =
        difference.col(i).norm() / ((std::abs(found.values[i]) - problem.shift()) * load.col(i).norm());
  return result;
}

/// What rounding in K leaves of the residual at best, with room to spare.
double attainable(const Problem& problem, double value) {
  return 1e-13 * problem.largest() / (std::abs(value) - problem.shift());
}

/// Subspace iteration on all vectors together, with the best pairs of their span [Rayleigh-Ritz]. Implicit restarts
/// cost the lowest pairs some digits; one or two steps bring them back, and make the vectors M-orthonormal.
void polish(const Problem& problem, double tolerance, Found& found) {
  MatrixXd Y(problem.rows(), found.vectors.cols());
  for (int step = 0; step < 4 && found.vectors.cols() > 0; ++step) {
    const MatrixXd load = problem.M() * found.vectors;
    problem.solve(load, Y);
    for (Index i = 0; i < Y.cols(); ++i) Y.col(i) /= std::sqrt(Y.col(i).dot(problem.M() * Y.col(i)));
    const MatrixXd mass = Y.transpose() * (problem.M() * Y), stiffness = Y.transpose() * (problem.K() * Y);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> ritz((stiffness + stiffness.transpose()) / 2,
                                                                  (mass + mass.transpose()) / 2);
    found.values = ritz.eigenvalues();
    found.vectors = Y * ritz.eigenvectors();
    const VectorXd left = residuals(problem, found);
    bool done = true;
    for (Index i = 0; i < left.size(); ++i)
      done = done && left[i] <= std::max(tolerance, attainable(problem, found.values[i]));
    if (done) return;
  }
}

Found dense(const Problem& problem, int count) {
  // What is known is lifted out of the way.
  MatrixXd K = problem.K();
  const MatrixXd M = problem.M(), loads = M * problem.known();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> plain(K, M, Eigen::EigenvaluesOnly);
  K += (10 * plain.eigenvalues().cwiseAbs().maxCoeff() + 1) * loads * loads.transpose();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, M);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues().head(count), solver.eigenvectors().leftCols(count), true};
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
  if (K.rows() <= dense_below || K.rows() - options.known.cols() < 2 * options.count + 20) {
    found = dense(problem, options.count);
  } else if (problem.factor()) {
    Rng rng(1);  // any start vector serves, and results must not depend on the caller's
    found = lanczos(problem, options.count, options.tolerance, options.restarts, options.progress, rng);
    polish(problem, options.tolerance, found);
    // === Is anything below the last one missing?
    for (int round = 0; found.all; ++round) {
      problem.leave_out(found.vectors);
      Found next = lanczos(problem, 1, options.tolerance, options.restarts, options.progress, rng);
      polish(problem, options.tolerance, next);
      problem.leave_out(MatrixXd(K.rows(), 0));
      found.all = next.all && round < options.count;
      if (!next.all || !(next.values[0] < found.values[options.count - 1] * (1 - 1e-9))) break;
      MatrixXd more(K.rows(), options.count + 1);
      more << found.vectors, next.vectors;
      found.vectors.swap(more);
      polish(problem, options.tolerance, found);
      found.vectors.conservativeResize(Eigen::NoChange, options.count);
      found.values.conservativeResize(options.count);
    }
  }
  report(options.progress, "eigenpairs", 1);

  Eigenpairs result;
  result.converged = found.all;
  result.residuals = residuals(problem, found);
  for (Index i = 0; i < found.values.size(); ++i) {
    auto u = found.vectors.col(i);
    Index largest = 0;
    u.cwiseAbs().maxCoeff(&largest);
    if (u[largest] < 0) u = -u;
    const double limit = std::max(100 * options.tolerance, attainable(problem, found.values[i]));
    if (!(result.residuals[i] <= limit)) result.converged = false;
  }
  result.values = std::move(found.values);
  result.vectors = std::move(found.vectors);
  return result;
}

}  // namespace pliant
