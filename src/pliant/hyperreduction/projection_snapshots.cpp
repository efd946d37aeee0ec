#include "pliant/hyperreduction/projection_snapshots.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/hyperreduction/constraint_samples.h"
#include "pliant/hyperreduction/sample_regions.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

constexpr double resolved =
    3e-8;  // of the largest singular value: those of Gram matrices are known no better
constexpr double gigabyte = 1 << 30;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The recorded projections as a matrix: a row a row that is fitted, minus what it is at rest, times the root of λ; a column
/// an entry of it in a frame.
class ProjectionRows {
 public:
  ProjectionRows(const ProjectiveConstraints& constraints, const ProjectionFrames& frames,
                 const ProjectionSnapshotOptions& options)
      : frames_(frames), rows_(fitted_rows(frames.kind)), width_(is_tet(frames.kind) ? 9 : 3) {
    const ProjectiveGroup& group = constraints.group(frames.kind);
    const Index taken = std::min<Index>(frames.count, options.frames);
    for (Index i = 0; i < taken; ++i) taken_.push_back(i * frames.count / taken);
    std::vector<int> all(at(group.size()));
    std::iota(all.begin(), all.end(), 0);
    rest_ = projections_at(group, all, constraints.rest);
    roots_.resize(group.size());
    MatrixXd S;
    for (Index c = 0; c < group.size(); ++c)
      roots_[c] = std::sqrt(std::max(constraint_rows(group, c, S), 0.0));
    const double bytes = 8.0 * static_cast<double>(rows_ * observations());
    step_ = std::clamp<Index>(static_cast<Index>(options.memory_gb * gigabyte / bytes), 1, 8192);
  }

  Index constraints() const { return roots_.size(); }
  Index per_constraint() const { return rows_; }
  Index observations() const { return width_ * static_cast<Index>(taken_.size()); }
  Index step() const { return step_; }  ///< constraints that are read at a time
  double root(Index row) const { return roots_[row / rows_]; }

  void read(Index first, Index count, RowMatrixXd& out) const {
    out.resize(count * rows_, observations());
    const Index outputs = rest_.rows();
    parallel_for(static_cast<Index>(taken_.size()), 4, [&](Index i) {
      MatrixXd p(outputs, count);
      frames_.read(taken_[at(i)], first, count, p.data());
      if (!p.allFinite())
        throw InputError(fmt::format("projections: frame {} has a number that is not finite", taken_[at(i)]));
      p -= rest_.middleCols(first, count);
      for (Index c = 0; c < count; ++c)
        for (Index r = 0; r < rows_; ++r)
          for (Index k = 0; k < width_; ++k)
            out(c * rows_ + r, i * width_ + k) = roots_[first + c] * p(r * width_ + k, c);
    });
  }

 private:
  const ProjectionFrames& frames_;
  std::vector<Index> taken_;
  Index rows_, width_, step_ = 1;
  MatrixXd rest_;
  VectorXd roots_;
};

/// Columns that hold the rest state and its rotations, orthonormal once rows are times the root of λ.
MatrixXd whole_motions(const ProjectiveConstraints& constraints, const ProjectionRows& rows,
                       ProjectiveKind kind) {
  MatrixXd V = rest_features(constraints, kind).transpose();
  for (Index r = 0; r < V.rows(); ++r) V.row(r) *= rows.root(r);
  return V * strongest(inner_products(V, V), V.cols());
}

/// V times the root of λ: orthonormal columns, `dimension` at most.
MatrixXd components(const ProjectiveConstraints& constraints, const ProjectionRows& rows, ProjectiveKind kind,
                    Index dimension, const Progress& progress) {
  const Index N = rows.constraints() * rows.per_constraint(), T = rows.observations(), step = rows.step();
  const MatrixXd whole = whole_motions(constraints, rows, kind);
  MatrixXd gram = MatrixXd::Zero(T, T), along = MatrixXd::Zero(whole.cols(), T);
  RowMatrixXd some;
  const auto each = [&](const char* name, auto&& act) {
    for (Index first = 0; first < rows.constraints(); first += step) {
      report(progress, name, static_cast<double>(first) / static_cast<double>(rows.constraints()));
      rows.read(first, std::min(step, rows.constraints() - first), some);
      act(first * rows.per_constraint());
    }
  };
  each("correlations", [&](Index row) {
    add_gram_of_rows(some, gram);
    along += inner_products_of_rows(some, whole.middleRows(row, some.rows())).transpose();
  });
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  const double largest = gram.trace();
  gram -= along.transpose() * along;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  Index kept = 0;
  const Index wanted = std::clamp<Index>(dimension - whole.cols(), 0, T);
  while (kept < wanted && eigen.eigenvalues()[T - 1 - kept] > resolved * resolved * largest) ++kept;
  MatrixXd turned(T, kept);
  for (Index k = 0; k < kept; ++k)
    turned.col(k) = eigen.eigenvectors().col(T - 1 - k) / std::sqrt(eigen.eigenvalues()[T - 1 - k]);
  MatrixXd V(N, whole.cols() + kept);
  V.leftCols(whole.cols()) = whole;
  if (kept == 0) return V;
  const MatrixXd back = along * turned;
  each("components", [&](Index row) {
    parallel_for_chunks(some.rows(), 256, [&](Index begin, Index end) {
      auto out = V.block(row + begin, whole.cols(), end - begin, kept);
      multiply_rows(some, begin, turned, out);
      out -= whole.middleRows(row + begin, end - begin) * back;
    });
  });
  // Small singular values lose orthogonality in the division: once more, in the order of the columns.
  const Eigen::LLT<MatrixXd> factor(inner_products(V, V));
  if (factor.info() == Eigen::Success)
    multiply_tall_in_place(V, factor.matrixU().solve(MatrixXd::Identity(V.cols(), V.cols())));
  return V;
}

/// Pivots of an LU-like elimination over constraints [Drmač and Gugercin 2016]: each time the constraint whose rows of V
/// have most left once those chosen before are taken out; until as many are chosen as tell all columns apart.
std::vector<int> pivots(MatrixXd V, Index per_constraint) {
  const Index count = V.rows() / per_constraint;
  std::vector<int> out;
  Index rank = 0;
  const double least = 1e-20 * V.squaredNorm();
  while (rank < V.cols() && static_cast<Index>(out.size()) < count) {
    Index best = 0;
    double most = -1;
    for (Index c = 0; c < count; ++c)
      if (const double left = V.middleRows(c * per_constraint, per_constraint).squaredNorm(); left > most)
        most = left, best = c;
    if (!(most > least)) break;
    out.push_back(static_cast<int>(best));
    for (Index r = 0; r < per_constraint; ++r) {
      const VectorXd row = V.row(best * per_constraint + r);
      const double length = row.squaredNorm();
      if (!(length > least)) continue;
      ++rank;
      const VectorXd along = V * row / length;
      parallel_for(V.cols(), 4, [&](Index k) { V.col(k) -= row[k] * along; });
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Uᵀ Sᵀ Λ V: 4k x (blocks * d), a block for each row of S in tets.
MatrixXd full_map(const ProjectiveGroup& group, const SkinningBasis& basis, const MatrixXd& V) {
  const Index n = basis.vertex_count(), d = V.cols();
  const bool tets = is_tet(group.kind);
  const Index blocks = tets ? 3 : 1, rows = fitted_rows(group.kind);
  // === Sᵀ Λ V at all vertices, then Uᵀ: a stretch of columns at a time, which bounds the memory
  constexpr Index width = 16;
  MatrixXd out = MatrixXd::Zero(basis.columns(), blocks * d);
  const HandleWeights& w = basis.weights;
  parallel_for((d + width - 1) / width, 1, [&](Index stretch) {
    const Index first = stretch * width, count = std::min(width, d - first);
    RowMatrixXd at_vertices = RowMatrixXd::Zero(n, blocks * count);
    MatrixXd S;
    for (Index c = 0; c < group.size(); ++c) {
      const double lambda = constraint_rows(group, c, S);
      const auto ids = group.vertices_of(c);
      for (std::size_t k = 0; k < ids.size(); ++k)
        for (Index r = 0; r < S.rows(); ++r)
          at_vertices.row(ids[k]).segment(tets ? r * count : 0, count) +=
              lambda * S(r, static_cast<Index>(k)) * V.row(tets ? c : rows * c + r).segment(first, count);
    }
    MatrixXd part = MatrixXd::Zero(basis.columns(), blocks * count);
    for (Index i = 0; i < n; ++i)
      for (Index e = w.first[at(i)]; e < w.first[at(i) + 1]; ++e)
        part.middleRows<4>(4 * Index{w.handle[at(e)]}) += columns_of(basis, i, e) * at_vertices.row(i);
    for (Index block = 0; block < blocks; ++block)
      out.middleCols(block * d + first, count) = part.middleCols(block * count, count);
  });
  return out;
}

}  // namespace

ProjectionFrames projections_of(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                const SnapshotFrames& frames) {
  const ProjectiveGroup& group = constraints.group(kind);
  if (frames.count > 0 && frames.vertices != constraints.rest.rows())
    throw InputError(
        fmt::format("projections: frames have {} vertices and the body {}; expected the same mesh",
                    frames.vertices, constraints.rest.rows()));
  return {kind, frames.count, group.size(),
          [&group, &frames](Index frame, Index first, Index count, double* out) {
            std::vector<int> ids(at(count));
            std::iota(ids.begin(), ids.end(), static_cast<int>(first));
            // Only the stretch of vertices that these constraints know.
            int low = static_cast<int>(frames.vertices), high = -1;
            const auto see = [&](int v) { low = std::min(low, v), high = std::max(high, v); };
            for (const int c : ids) {
              for (const int v : group.vertices_of(c)) see(v);
              if (group.kind == ProjectiveKind::bending)
                for (const int v : group.sides[at(c)]) see(v);
            }
            Points x(frames.vertices, 3);
            frames.read(frame, low, high - low + 1, x.data() + 3 * Index{low});
            const MatrixXd p = projections_at(group, ids, x);
            std::copy_n(p.data(), p.size(), out);
          }};
}

ProjectionFrames recorded_projections(ProjectiveKind kind, const std::vector<Eigen::MatrixXf>& frames) {
  const Index outputs = shape_of(kind).outputs, count = frames.empty() ? 0 : frames.front().cols();
  for (std::size_t f = 0; f < frames.size(); ++f)
    if (frames[f].rows() != outputs || frames[f].cols() != count)
      throw InputError(
          fmt::format("projections: frame {} has {} numbers of {} constraints of {}; expected {} of {}", f,
                      frames[f].rows(), frames[f].cols(), name(kind), outputs, count));
  return {kind, static_cast<Index>(frames.size()), count,
          [&frames](Index frame, Index first, Index constraints, double* out) {
            const Eigen::MatrixXf& p = frames[at(frame)];
            Eigen::Map<MatrixXd>(out, p.rows(), constraints) =
                p.middleCols(first, constraints).cast<double>();
          }};
}

ProjectionFitting fit_recorded_projections(const ProjectiveConstraints& constraints,
                                           const SkinningBasis& basis, GeodesicSolver& solver,
                                           const ProjectionFrames& frames,
                                           const ProjectionSnapshotOptions& options) {
  const ProjectiveGroup& group = constraints.group(frames.kind);
  if (group.size() == 0) throw InputError("projections: the body has no constraint of this kind");
  if (frames.constraints != group.size())
    throw InputError(
        fmt::format("projections: {} constraints of {} in the frames and {} in the body; expected the "
                    "same mesh and materials",
                    frames.constraints, name(frames.kind), group.size()));
  if (frames.count == 0) throw InputError("projections: no frame; expected one or more");
  if (options.dimension < 0 || options.samples < 1 || options.frames < 1)
    throw InputError(
        fmt::format("projections: dimension {}, {} samples, {} frames; expected positive numbers, or "
                    "dimension 0",
                    options.dimension, options.samples, options.frames));
  ProjectionFitting out;
  out.kind = frames.kind;
  out.rows = fitted_rows(out.kind);
  out.width = is_tet(out.kind) ? 9 : 3;
  const Index features = is_tet(out.kind) ? 1 : 4;
  const Index dimension =
      options.dimension > 0 ? options.dimension : (ProjectionFittingOptions().handles * features + 1) / 2;
  const Index seen = out.rows * std::min<Index>(options.samples, group.size());
  const ProjectionRows rows(constraints, frames, options);
  MatrixXd V = components(constraints, rows, frames.kind, fitted_dimension(group, dimension, options.samples),
                          options.progress);
  for (Index r = 0; r < V.rows(); ++r) {
    if (rows.root(r) > 0)
      V.row(r) /= rows.root(r);
    else
      V.row(r).setZero();  // weighs nothing, whatever it is
  }
  out.metric.setOnes(V.cols());

  std::vector<int> start;
  const bool few = seen < 4 * V.cols();
  if (options.choice == SampleChoice::pivoted || (options.choice == SampleChoice::automatic && few)) {
    // In the inner product in which columns are orthonormal: small elements would come first otherwise.
    MatrixXd weighted = V;
    for (Index r = 0; r < V.rows(); ++r) weighted.row(r) *= rows.root(r);
    start = pivots(std::move(weighted), out.rows);
  }
  out.samples = spread_constraints(group, std::move(start), solver, options.samples);
  MatrixXd at_samples(out.rows * static_cast<Index>(out.samples.size()), V.cols());
  for (std::size_t i = 0; i < out.samples.size(); ++i)
    at_samples.middleRows(out.rows * static_cast<Index>(i), out.rows) =
        V.middleRows(out.rows * out.samples[i], out.rows);
  const std::vector<int> region = sample_regions(constraints, group, out.samples, solver);
  out.fit = fit_to_samples(at_samples, weights_of_regions(group, region, std::ssize(out.samples)));
  out.map = full_map(group, basis, V);
  report(options.progress, "projections", 1);
  return out;
}

}  // namespace pliant
