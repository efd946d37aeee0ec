#include "pliant/subspace/splocs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/measures.h"
#include "pliant/numerics/tall_products.h"
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
    look_at_components();
    W_ = gram_.ldlt().solve(strengths_.transpose()).transpose();
    for (Index k = 0; k < U_.cols(); ++k) {
      const double most = W_.col(k).cwiseAbs().maxCoeff();
      if (!(most > 0) || !std::isfinite(most)) {
        W_.col(k).setZero();
        continue;
      }
      W_.col(k) /= most;
      U_.col(k) *= most;
    }
    look_at_components();
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
      const double now = update_components(objective());
      if (options_.iteration_done) options_.iteration_done(i, now);
      if (before - now < options_.tolerance * before) break;
      before = now;
    }
  }

  MatrixXd columns() const { return U_; }  ///< mass-weighted; their length does not matter
  const std::vector<int>& centers() const { return centers_; }

 private:
  Index per() const { return rows_.per_vertex(); }

  /// What the objective and the weights ask of U, made once for every U: products with the recorded motion are most of
  /// the work.
  void look_at_components() {
    strengths_ = inner_products_of_rows(Y_, U_);
    gram_ = inner_products(U_, U_);
  }

  double length(Index vertex, Index k, const MatrixXd& U) const {
    return per() == 1 ? std::abs(U(vertex, k)) : U.col(k).segment(vertex * per(), per()).norm();
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
    return whole_ - 2 * strengths_.cwiseProduct(W_).sum() + inner_products(W_, W_).cwiseProduct(gram_).sum() +
           penalty_of(U_);
  }

  /// Column after column the best within |W| <= 1: the quadratic is the same in all observations, so clipping is exact.
  void update_weights() {
    const double least = 1e-14 * std::max(gram_.diagonal().maxCoeff(), 1e-300);
    // A change of one column changes what the later ones see: W is small, so this is not where time goes.
    for (Index k = 0; k < U_.cols(); ++k) {
      if (gram_(k, k) <= least) continue;  // nothing moves there
      W_.col(k) += (strengths_.col(k) - W_ * gram_.col(k)) / gram_(k, k);
      W_.col(k) = W_.col(k).cwiseMax(-1).cwiseMin(1);
    }
  }

  /// Penalties around the vertex where a component is strongest; taken where they are no larger than those there are.
  void move_supports() {
    const Index n = rows_.vertices();
    parallel_for_chunks(U_.cols(), 16, [&](Index begin, Index end) {
      GeodesicSolver solver = solver_;  // one serves one thread
      VectorXd fresh(n);
      for (Index k = begin; k < end; ++k) {
        Index strongest = 0;
        double most = -1;
        for (Index v = 0; v < n; ++v)
          if (const double here = length(v, k, U_); here > most) most = here, strongest = v;
        int& center = centers_[static_cast<std::size_t>(k)];
        if (strongest == center) continue;
        fresh.setOnes();
        if (!supports_.regions.empty()) {
          const int region = supports_.regions[static_cast<std::size_t>(strongest)];
          for (Index v = 0; v < n; ++v)
            if (supports_.regions[static_cast<std::size_t>(v)] == region) fresh[v] = 0;
        } else {
          const int source = static_cast<int>(strongest);
          for (const GeodesicReach& r : solver.reach(std::span(&source, 1), {.max_distance = outer_}))
            fresh[r.vertex] = 1 - support(r.distance, inner_, outer_);
        }
        double now = 0, then = 0;
        for (Index v = 0; v < n; ++v) {
          now += penalty_(v, k) * length(v, k, U_);
          then += fresh[v] * length(v, k, U_);
        }
        if (center >= 0 && then > now) continue;
        center = static_cast<int>(strongest);
        penalty_.col(k) = fresh;
      }
    });
  }

  /// z = what is left of d once lengths of a vertex' entries are shortened by their limits. Columns are those of a
  /// component, `limits` a vertex each.
  void shorten(const double* d, const VectorXd& limits, double* z) const {
    const Index count = limits.size();
    if (per() == 1) {
      const Eigen::Map<const Eigen::ArrayXd> wanted(d, count);
      Eigen::Map<Eigen::ArrayXd>(z, count) =
          wanted.max(-limits.array()).min(limits.array());  // what is taken away
      Eigen::Map<Eigen::ArrayXd>(z, count) = wanted - Eigen::Map<Eigen::ArrayXd>(z, count);
      return;
    }
    for (Index v = 0; v < count; ++v) {
      const double x = d[3 * v], y = d[3 * v + 1], w = d[3 * v + 2];
      const double size = std::sqrt(x * x + y * y + w * w);
      const double part = size > limits[v] ? 1 - limits[v] / size : 0;
      z[3 * v] = part * x, z[3 * v + 1] = part * y, z[3 * v + 2] = part * w;
    }
  }

  /// What a pass over all vertices found: components, and their objective.
  struct Found {
    MatrixXd U;
    double objective = 0;
  };

  /// Calls update(stretch, Y W there, components there) for each stretch of vertices, which do not know each other.
  Found pass(const MatrixXd& products,
             const std::function<void(Index, Index, const MatrixXd&, MatrixXd&)>& update) const {
    const Index n = rows_.vertices(), K = U_.cols(), g = per();
    Found out{MatrixXd(U_.rows(), K), 0};
    VectorXd pulls((n + chunk - 1) / chunk);
    parallel_for_chunks(n, chunk, [&](Index begin, Index end) {
      const Index first = begin * g, count = (end - begin) * g;
      MatrixXd pulled(count, K);
      multiply_rows(Y_, first, W_, pulled);
      MatrixXd u = U_.middleRows(first, count);
      update(begin, end, pulled, u);
      pulls[begin / chunk] = pulled.cwiseProduct(u).sum();
      out.U.middleRows(first, count) = u;
    });
    out.objective = whole_ - 2 * pulls.sum() + products.cwiseProduct(inner_products(out.U, out.U)).sum() +
                    penalty_of(out.U);
    return out;
  }

  /// Component after component the best that it can be while the others stay: never raises the objective.
  void sweep(Index begin, Index end, const MatrixXd& pulled, const MatrixXd& products, MatrixXd& u) const {
    MatrixXd left(u.rows(), u.cols());
    multiply_here(u, products, left);
    left = pulled - left;
    VectorXd next(u.rows()), wanted(u.rows()), limit(end - begin);
    const double least = 1e-14 * std::max(products.diagonal().maxCoeff(), 1e-300);
    for (Index k = 0; k < u.cols(); ++k) {
      const double own = products(k, k);
      if (own <= least) continue;
      wanted = left.col(k) / own + u.col(k);
      limit = options_.sparsity / (2 * own) * penalty_.col(k).segment(begin, end - begin);
      shorten(wanted.data(), limit, next.data());
      next -= u.col(k);
      if (next.isZero(0)) continue;  // most components are far away
      u.col(k) += next;
      left.noalias() -= next * products.row(k);
    }
  }

  /// ADMM: a quadratic for U, a threshold for its copy Z, and what they differ by (the dual) added up; then a sweep, since
  /// a few turns of ADMM leave the copy close to what is best but not below what was there. Each stretch of vertices runs
  /// by itself, in the cache. Returns the objective afterwards.
  double update_components(double before) {
    const MatrixXd products = inner_products(W_, W_);
    const Index K = U_.cols(), g = per();
    const double rho = std::max(2 * products.trace() / static_cast<double>(K) / 10, 1e-12);
    MatrixXd inverse = 2 * products;
    inverse.diagonal().array() += rho;
    inverse = inverse.llt().solve(MatrixXd::Identity(K, K)).eval();
    Found found = pass(products, [&](Index begin, Index end, const MatrixXd& pulled, MatrixXd& z) {
      MatrixXd sum(z.rows(), K), u(z.rows(), K), d = dual_.middleRows(begin * g, z.rows());
      VectorXd limit(end - begin);
      for (int i = 0; i < options_.admm_iterations; ++i) {
        sum = 2 * pulled + rho * (z - d);
        multiply_here(sum, inverse, u);
        d += u;
        for (Index k = 0; k < K; ++k) {
          limit = options_.sparsity / rho * penalty_.col(k).segment(begin, end - begin);
          shorten(d.col(k).data(), limit, z.col(k).data());
        }
        d -= z;
      }
      dual_.middleRows(begin * g, z.rows()) = d;
      sweep(begin, end, pulled, products, z);
    });
    // Still worse than what was there, and that may be while the dual is young: a sweep from there is not.
    if (!(found.objective <= before))
      found = pass(products, [&](Index begin, Index end, const MatrixXd& pulled, MatrixXd& u) {
        sweep(begin, end, pulled, products, u);
      });
    if (!(found.objective <= before)) return before;
    found.U.swap(U_);
    look_at_components();
    return found.objective;
  }

  const SnapshotRows& rows_;
  GeodesicSolver& solver_;
  const SupportOptions& supports_;
  const SplocsOptions& options_;
  double inner_ = 0, outer_ = 0, scale_ = 1, whole_ = 0;
  SnapshotMatrix Y_;
  MatrixXd U_, W_, dual_;
  MatrixXd strengths_, gram_;  // Yᵀ U, Uᵀ U
  MatrixXd penalty_;           // Λ, vertices x components
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
