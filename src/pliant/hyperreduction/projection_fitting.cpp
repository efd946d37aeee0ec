#include "pliant/hyperreduction/projection_fitting.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/elasticity/projective_forces.h"
#include "pliant/hyperreduction/constraint_samples.h"
#include "pliant/hyperreduction/sample_regions.h"
#include "pliant/numerics/aligned_vector.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Weights of the handles at constraints, and beside them what the projections are at rest.
struct ConstraintWeights {
  // Those of constraint c are entries first[c] to first[c + 1] - 1.
  std::vector<int> first = {0};
  std::vector<int> handle;
  std::vector<double> weight;
  Index handles = 0;

  /// Columns of V a handle: 1 in tets; else 1 and the three coordinates of a row of p₀, in units of their mean length.
  Index features = 1, rows = 1;
  MatrixXd feature;  ///< features x (rows * constraints)

  Index columns() const { return handles * features; }
};

ConstraintWeights constraint_weights(const ProjectiveConstraints& constraints, const ProjectiveGroup& group,
                                     const HandleWeights& at_vertices) {
  ConstraintWeights out;
  out.handles = at_vertices.count();
  std::vector<std::pair<int, double>> here;
  for (Index c = 0; c < group.size(); ++c) {
    here.clear();
    for (const int v : group.vertices_of(c))
      for (int e = at_vertices.first[at(v)]; e < at_vertices.first[at(v) + 1]; ++e)
        here.emplace_back(at_vertices.handle[at(e)], at_vertices.weight[at(e)]);
    std::sort(here.begin(), here.end());
    double sum = 0;
    for (const auto& [handle, weight] : here) sum += weight;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (i > 0 && here[i].first == here[i - 1].first) {
        out.weight.back() += here[i].second / sum;
      } else {
        out.handle.push_back(here[i].first);
        out.weight.push_back(here[i].second / sum);
      }
    }
    out.first.push_back(static_cast<int>(out.handle.size()));
  }

  out.rows = fitted_rows(group.kind);
  out.feature = rest_features(constraints, group.kind);
  out.features = out.feature.rows();
  return out;
}

/// Combinations of columns of V that are kept: first the sums over all handles, since they hold the rest state and its
/// rotations, which truncation may not touch; then what varies most of the rest. Weighed by λ.
MatrixXd kept_combinations(const ProjectiveGroup& group, const ConstraintWeights& w, Index dimension) {
  const Index n = w.columns();
  const MatrixXd gram = parallel_reduce(
      group.size(), std::max<Index>(1, (group.size() + 7) / 8), MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(n, n), S, outer(w.features, w.features);
        for (Index c = begin; c < end; ++c) {
          const double lambda = constraint_rows(group, c, S);
          const auto rows = w.feature.middleCols(w.rows * c, w.rows);
          outer.noalias() = lambda * rows * rows.transpose();
          for (int a = w.first[at(c)]; a < w.first[at(c) + 1]; ++a)
            for (int b = w.first[at(c)]; b < w.first[at(c) + 1]; ++b)
              part.block(w.features * w.handle[at(b)], w.features * w.handle[at(a)], w.features,
                         w.features) += w.weight[at(a)] * w.weight[at(b)] * outer;
        }
        return part;
      },
      [](MatrixXd sum, MatrixXd part) {
        if (sum.size() == 0) return part;
        sum += part;
        return sum;
      });
  const MatrixXd sums = MatrixXd::Identity(w.features, w.features).replicate(w.handles, 1);
  const MatrixXd whole = sums * strongest(sums.transpose() * gram * sums, w.features);
  const MatrixXd along = gram * whole;
  const MatrixXd rest =
      strongest(gram - along * along.transpose(), std::max<Index>(0, dimension - whole.cols()));
  MatrixXd out(n, whole.cols() + rest.cols());
  out << whole, rest - whole * (along.transpose() * rest);
  return out;
}

/// Uᵀ Sᵀ Λ V, before columns of V are combined: 4k x (blocks * columns), a block for each row of S in tets.
MatrixXd full_map(const ProjectiveGroup& group, const SkinningBasis& basis, const ConstraintWeights& w) {
  // === Which constraints a vertex is in
  const Index n = basis.vertex_count();
  std::vector<int> first(at(n + 1), 0);
  for (const int v : group.vertices) ++first[at(v) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::pair<int, int>> seats(group.vertices.size());  // constraint, place in it
  std::vector<int> next(first.begin(), first.end() - 1);
  for (Index c = 0; c < group.size(); ++c) {
    const auto ids = group.vertices_of(c);
    for (std::size_t k = 0; k < ids.size(); ++k)
      seats[at(next[at(ids[k])]++)] = {static_cast<int>(c), static_cast<int>(k)};
  }

  const bool tets = is_tet(group.kind);
  const Index blocks = tets ? 3 : 1, columns = w.columns(), features = w.features;
  const HandleWeights& hw = basis.weights;
  return parallel_reduce(
      n, std::max<Index>(1, (n + 7) / 8), MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(basis.columns(), blocks * columns), S;
        // Sᵀ Λ V at one vertex: few handles of many.
        MatrixXd row = MatrixXd::Zero(blocks * features, w.handles);
        std::vector<char> seen(at(w.handles), 0);
        std::vector<int> around;
        VectorXd value(blocks * features);
        for (Index i = begin; i < end; ++i) {
          if (hw.first[at(i)] == hw.first[at(i) + 1]) continue;
          for (int s = first[at(i)]; s < first[at(i) + 1]; ++s) {
            const auto [c, k] = seats[at(s)];
            const double lambda = constraint_rows(group, c, S);
            if (tets)
              value = lambda * S.col(k);
            else
              value = lambda * w.feature.middleCols(w.rows * c, w.rows) * S.col(k);
            for (int e = w.first[at(c)]; e < w.first[at(c) + 1]; ++e) {
              const int h = w.handle[at(e)];
              if (!seen[at(h)]) seen[at(h)] = 1, around.push_back(h);
              row.col(h) += w.weight[at(e)] * value;
            }
          }
          for (Index e = hw.first[at(i)]; e < hw.first[at(i) + 1]; ++e) {
            const Eigen::Vector4d own = columns_of(basis, i, e);
            for (const int h : around)
              for (Index block = 0; block < blocks; ++block)
                for (Index f = 0; f < features; ++f)
                  part.col(block * columns + features * h + f).segment<4>(4 * hw.handle[at(e)]) +=
                      row(block * features + f, h) * own;
          }
          for (const int h : around) seen[at(h)] = 0, row.col(h).setZero();
          around.clear();
        }
        return part;
      },
      [](MatrixXd sum, MatrixXd part) {
        if (sum.size() == 0) return part;
        sum += part;
        return sum;
      });
}

}  // namespace

MatrixXd projections_at(const ProjectiveGroup& group, std::span<const int> constraints, const Points& q,
                        double volume) {
  const ProjectiveShape shape = shape_of(group.kind);
  const Index count = static_cast<Index>(constraints.size());
  MatrixXd out(shape.outputs, count);
  parallel_for_chunks((count + projective_tile - 1) / projective_tile, 16, [&](Index begin, Index end) {
    AlignedVector<double> inputs(at(shape.inputs * projective_tile)),
        parameters(at(shape.parameters * projective_tile)), results(at(shape.outputs * projective_tile));
    for (Index tile = begin; tile < end; ++tile) {
      const Index first = tile * projective_tile, size = std::min(projective_tile, count - first);
      const auto part = constraints.subspan(at(first), at(size));
      pack_parameters(group, part, parameters.data());
      gather_inputs(group, part, q.data(), inputs.data());
      project_tile(
          group.kind,
          ProjectiveTile<double>{
              .inputs = inputs.data(), .parameters = parameters.data(), .projections = results.data()},
          volume);
      for (Index i = 0; i < size; ++i)
        for (int r = 0; r < shape.outputs; ++r) out(r, first + i) = results[at(r * projective_tile + i)];
    }
  });
  return out;
}

ProjectionFitting fit_projections(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                  const SkinningBasis& basis, GeodesicSolver& solver,
                                  const ProjectionFittingOptions& options) {
  const ProjectiveGroup& group = constraints.group(kind);
  if (group.size() == 0) throw InputError("projection fitting: the body has no constraint of this kind");
  if (options.handles < 1 || options.samples < 1 || options.dimension < 0)
    throw InputError(fmt::format(
        "projection fitting: {} handles, {} samples, dimension {}; expected positive numbers, or dimension 0",
        options.handles, options.samples, options.dimension));
  report(options.progress, "projections", 0);
  // Columns that are given have no handles of their own.
  std::vector<int> handles = basis.given.cols() > 0
                                 ? furthest_point_vertices(solver, {.count = options.handles}).ids
                                 : basis.weights.handles;
  handles.resize(std::min(at(options.handles), handles.size()));
  const HandleWeights at_vertices = handle_weights(solver, handles, options.support, options.radial);
  const ConstraintWeights weights = constraint_weights(constraints, group, at_vertices);
  report(options.progress, "projections", 0.2);

  ProjectionFitting out;
  out.kind = kind;
  out.rows = weights.rows;
  out.width = is_tet(kind) ? 9 : 3;
  out.samples = spread_constraints(group, constraints_at(group, handles, solver.vertex_count()), solver,
                                   options.samples);
  report(options.progress, "projections", 0.4);

  const Index seen = out.rows * static_cast<Index>(out.samples.size());
  const Index wanted = options.dimension > 0 ? options.dimension : (weights.columns() + 1) / 2;
  const MatrixXd kept = kept_combinations(group, weights, fitted_dimension(group, wanted, options.samples));
  report(options.progress, "projections", 0.6);

  // === V at the samples, and what gives p̃ from there
  MatrixXd V(seen, kept.cols());
  for (Index i = 0; i < static_cast<Index>(out.samples.size()); ++i) {
    const int c = out.samples[at(i)];
    for (Index r = 0; r < out.rows; ++r) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(kept.cols());
      for (int e = weights.first[at(c)]; e < weights.first[at(c) + 1]; ++e)
        row += weights.weight[at(e)] * weights.feature.col(out.rows * c + r).transpose() *
               kept.middleRows(weights.features * weights.handle[at(e)], weights.features);
      V.row(out.rows * i + r) = row;
    }
  }
  const std::vector<int> region = sample_regions(constraints, group, out.samples, solver);
  out.fit = fit_to_samples(V, weights_of_regions(group, region, std::ssize(out.samples)));
  out.metric.setOnes(kept.cols());

  const MatrixXd map = full_map(group, basis, weights);
  const Index blocks = out.width / 3;
  out.map.resize(basis.columns(), blocks * kept.cols());
  for (Index block = 0; block < blocks; ++block)
    out.map.middleCols(block * kept.cols(), kept.cols()).noalias() =
        map.middleCols(block * weights.columns(), weights.columns()) * kept;
  report(options.progress, "projections", 1);
  return out;
}

ProjectionFitting all_projections(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                  const SkinningBasis& basis) {
  const ProjectiveGroup& group = constraints.group(kind);
  const Index size = group.size();
  if (size < 1 || size > 10000)
    throw InputError(fmt::format("all_projections: {} constraints; expected 1 to 10000 (fit them)", size));
  ProjectionFitting out;
  out.kind = kind;
  out.samples.resize(at(size));
  std::iota(out.samples.begin(), out.samples.end(), 0);
  out.rows = fitted_rows(kind);
  out.width = is_tet(kind) ? 9 : 3;
  const Index d = out.rows * size, blocks = out.width / 3;
  out.fit = MatrixXd::Identity(d, d);
  out.metric.resize(d);
  out.map = MatrixXd::Zero(basis.columns(), blocks * d);
  MatrixXd S;
  for (Index c = 0; c < size; ++c) {
    const double lambda = constraint_rows(group, c, S);
    out.metric.segment(out.rows * c, out.rows).setConstant(lambda);
    const auto ids = group.vertices_of(c);
    for (std::size_t k = 0; k < ids.size(); ++k)
      for (Index e = basis.weights.first[at(ids[k])]; e < basis.weights.first[at(ids[k]) + 1]; ++e)
        for (Index r = 0; r < S.rows(); ++r)
          out.map.col(is_tet(kind) ? r * d + c : out.rows * c + r)
              .segment<4>(4 * basis.weights.handle[at(e)]) +=
              lambda * S(r, static_cast<Index>(k)) * columns_of(basis, ids[k], e);
  }
  return out;
}

}  // namespace pliant
