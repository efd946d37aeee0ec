#include "pliant/subspace/splocs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/measures.h"
#include "pliant/subspace/snapshot_rows.h"

namespace pliant {
namespace {

constexpr Index chunk = 256;  // vertices

class Sparsifier {
 public:
  /// @param U  where to start, in mass-weighted rows
  Sparsifier(const SnapshotRows& rows, const Points& rest, GeodesicSolver& solver,
             const SupportOptions& supports, const SplocsOptions& options, MatrixXd U)
      : rows_(rows),
        solver_(solver),
        supports_(supports),
        options_(options),
        Y_(rows.all()),
        U_(std::move(U)) {
    const double box = bounding_box(rest).diagonal();
    inner_ = supports.inner * box, outer_ = supports.outer * box;
    scale_ = std::sqrt(Y_.squaredNorm() / static_cast<double>(Y_.size()));
    Y_ /= scale_;
    whole_ = Y_.squaredNorm();
    // Weights for these columns, then both scaled to |W| <= 1.
    const MatrixXd gram = U_.transpose() * U_;
    W_ = gram.ldlt().solve(strengths().transpose()).transpose();
    for (Index k = 0; k < U_.cols(); ++k) {
      const double most = W_.col(k).cwiseAbs().maxCoeff();
      if (!(most > 0) || !std::isfinite(most)) {
        W_.col(k).setZero();
        continue;
      }
      W_.col(k) /= most;
      U_.col(k) *= most;
    }
    centers_.assign(static_cast<std::size_t>(U_.cols()), -1);
    penalty_ = MatrixXd::Ones(rows.vertices(), U_.cols());
    move_supports();
    dual_ = MatrixXd::Zero(U_.rows(), U_.cols());
  }

  void run(const Progress& progress) {
    double before = objective();
    for (int i = 0; i < options_.iterations; ++i) {
      report(progress, "sparsifying", static_cast<double>(i) / options_.iterations);
      update_weights();
      move_supports();
      update_components(objective());
      const double now = objective();
      if (options_.iteration_done) options_.iteration_done(i, now);
      if (before - now < options_.tolerance * before) break;
      before = now;
    }
  }

  MatrixXd columns() const { return U_; }  ///< mass-weighted; their length does not matter
  const std::vector<int>& centers() const { return centers_; }

 private:
  Index per() const { return rows_.per_vertex(); }

  /// Yᵀ U
  MatrixXd strengths() const {
    const Index n = rows_.vertices(), chunks = (n + 16 * chunk - 1) / (16 * chunk);
    std::vector<MatrixXd> parts(static_cast<std::size_t>(chunks));
    parallel_for(chunks, 1, [&](Index j) {
      const Index first = j * 16 * chunk * per(), count = std::min(Y_.rows() - first, 16 * chunk * per());
      parts[static_cast<std::size_t>(j)].noalias() =
          Y_.middleRows(first, count).transpose() * U_.middleRows(first, count);
    });
    MatrixXd sum = parts.front();
    for (std::size_t j = 1; j < parts.size(); ++j) sum += parts[j];
    return sum;
  }

  double length(Index vertex, Index k, const MatrixXd& U) const {
    return U.col(k).segment(vertex * per(), per()).norm();
  }

  double penalty_of(const MatrixXd& U) const {
    VectorXd sums(U.cols());
    parallel_for(U.cols(), 1, [&](Index k) {
      double sum = 0;
      for (Index v = 0; v < rows_.vertices(); ++v) sum += penalty_(v, k) * length(v, k, U);
      sums[k] = sum;
    });
    return options_.sparsity * sums.sum();
  }

  double objective() const {
    const MatrixXd B = strengths(), gram = U_.transpose() * U_;
    return whole_ - 2 * B.cwiseProduct(W_).sum() + (W_.transpose() * W_).cwiseProduct(gram).sum() +
           penalty_of(U_);
  }

  /// Column after column the best within |W| <= 1: the quadratic is the same in all observations, so clipping is exact.
  void update_weights() {
    const MatrixXd B = strengths(), gram = U_.transpose() * U_;
    const double least = 1e-14 * std::max(gram.diagonal().maxCoeff(), 1e-300);
    for (Index k = 0; k < U_.cols(); ++k) {
      if (gram(k, k) <= least) continue;  // nothing moves there
      W_.col(k) += (B.col(k) - W_ * gram.col(k)) / gram(k, k);
      W_.col(k) = W_.col(k).cwiseMax(-1).cwiseMin(1);
    }
  }

  /// Penalties around the vertex where a component is strongest; taken where they are no larger than those there are.
  void move_supports() {
    VectorXd fresh(rows_.vertices());
    for (Index k = 0; k < U_.cols(); ++k) {
      Index strongest = 0;
      double most = -1;
      for (Index v = 0; v < rows_.vertices(); ++v)
        if (const double here = length(v, k, U_); here > most) most = here, strongest = v;
      int& center = centers_[static_cast<std::size_t>(k)];
      if (strongest == center) continue;
      fresh.setOnes();
      if (!supports_.regions.empty()) {
        for (Index v = 0; v < rows_.vertices(); ++v)
          fresh[v] = supports_.regions[static_cast<std::size_t>(v)] ==
                             supports_.regions[static_cast<std::size_t>(strongest)]
                         ? 0
                         : 1;
      } else {
        const int source = static_cast<int>(strongest);
        for (const GeodesicReach& r : solver_.reach(std::span(&source, 1), {.max_distance = outer_}))
          fresh[r.vertex] = 1 - support(r.distance, inner_, outer_);
      }
      double now = 0, then = 0;
      for (Index v = 0; v < rows_.vertices(); ++v) {
        now += penalty_(v, k) * length(v, k, U_);
        then += fresh[v] * length(v, k, U_);
      }
      if (center >= 0 && then > now) continue;
      center = static_cast<int>(strongest);
      penalty_.col(k) = fresh;
    }
  }

  /// ADMM: a quadratic for U, a threshold for its copy Z, and what they differ by (the dual) added up. Vertices do not
  /// know each other, so each stretch of them runs by itself.
  void update_components(double before) {
    const MatrixXd gram = 2 * W_.transpose() * W_;
    const double rho = std::max(gram.trace() / static_cast<double>(gram.cols()) / 10, 1e-12);
    MatrixXd inverse = gram;
    inverse.diagonal().array() += rho;
    inverse = inverse.llt().solve(MatrixXd::Identity(gram.rows(), gram.cols())).eval();
    MatrixXd Z(U_.rows(), U_.cols());
    MatrixXd dual = dual_;
    const Index n = rows_.vertices(), g = per();
    parallel_for_chunks(n, chunk, [&](Index begin, Index end) {
      const Index first = begin * g, count = (end - begin) * g;
      const MatrixXd pulled = 2 * (Y_.middleRows(first, count) * W_);
      MatrixXd z = U_.middleRows(first, count), d = dual.middleRows(first, count), u;
      for (int i = 0; i < options_.admm_iterations; ++i) {
        u.noalias() = (pulled + rho * (z - d)) * inverse;
        d += u;
        for (Index k = 0; k < z.cols(); ++k)
          for (Index v = begin; v < end; ++v) {
            const auto wanted = d.col(k).segment((v - begin) * g, g);
            const double size = wanted.norm(), limit = options_.sparsity * penalty_(v, k) / rho;
            z.col(k).segment((v - begin) * g, g) =
                size > limit ? VectorXd(wanted * (1 - limit / size)) : VectorXd(VectorXd::Zero(g));
          }
        d -= z;
      }
      Z.middleRows(first, count) = z;
      dual.middleRows(first, count) = d;
    });
    Z.swap(U_);
    dual_.swap(dual);
    // Not yet converged, the copy may be worse than what was there: then the dual alone goes on.
    if (!(objective() <= before)) Z.swap(U_);
  }

  const SnapshotRows& rows_;
  GeodesicSolver& solver_;
  const SupportOptions& supports_;
  const SplocsOptions& options_;
  double inner_ = 0, outer_ = 0, scale_ = 1, whole_ = 0;
  SnapshotMatrix Y_;
  MatrixXd U_, W_, dual_;
  MatrixXd penalty_;  // Λ, vertices x components
  std::vector<int> centers_;
};

}  // namespace

SnapshotBasis splocs(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                     GeodesicSolver& solver, const SnapshotPcaOptions& options,
                     const SupportOptions& supports, const SplocsOptions& sparse) {
  if (!(sparse.sparsity >= 0) || sparse.iterations < 1 || sparse.admm_iterations < 1)
    throw InputError(fmt::format(
        "splocs: sparsity {}, {} iterations of {}; expected 0 or more, and at least one iteration each",
        sparse.sparsity, sparse.iterations, sparse.admm_iterations));
  SnapshotBasis basis = localized_pca(frames, rest, masses, solver, options, supports);
  const Index found = basis.columns() - basis.appended;
  const SnapshotBasis appended = appended_basis(rest, masses, options.coordinates, options.appended);
  for (int part = 0; part < static_cast<int>(basis.U.size()); ++part) {
    MatrixXd& U = basis.U[static_cast<std::size_t>(part)];
    const SnapshotRows rows(frames, appended, masses, part);
    MatrixXd start = U.rightCols(found);
    for (Index r = 0; r < start.rows(); ++r) start.row(r) *= rows.root_mass(r);
    Sparsifier sparsifier(rows, rest, solver, supports, sparse, std::move(start));
    sparsifier.run(options.progress);
    MatrixXd columns = sparsifier.columns();
    for (Index k = 0; k < found; ++k) {
      const double length = columns.col(k).norm();
      if (length > 0) columns.col(k) /= length;
    }
    for (Index r = 0; r < columns.rows(); ++r) columns.row(r) /= rows.root_mass(r);
    U.rightCols(found) = columns;
    if (part == 0)
      std::copy(sparsifier.centers().begin(), sparsifier.centers().end(),
                basis.centers.begin() + basis.appended);
  }
  return basis;
}

}  // namespace pliant
