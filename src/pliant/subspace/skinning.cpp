#include "pliant/subspace/skinning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double radial(RadialFunction function, double t) {
  if (t >= 1) return 0;
  return function == RadialFunction::kinked ? 1 - t * t * (1.5 - 0.5 * t) : 1 - t * t * (3 - 2 * t);
}

/// As many parts as keep copies of a matrix small, whatever the number of threads.
Index vertices_a_part(Index vertices) { return std::max<Index>(1, (vertices + 7) / 8); }

MatrixXd sum_of_parts(MatrixXd sum, MatrixXd part) {
  if (sum.size() == 0) return part;
  sum += part;
  return sum;
}

}  // namespace

HandleWeights handle_weights(GeodesicSolver& solver, std::span<const int> handles, double support,
                             RadialFunction function) {
  // The vertex that is furthest from all handles is one such distance away: no handle would move it.
  if (!(support >= least_support && support <= most_support))
    throw InputError(fmt::format("skinning: support {}; expected {} to {} distances of handles", support,
                                 least_support, most_support));
  HandleWeights out;
  out.handles.assign(handles.begin(), handles.end());
  const Index n = solver.vertex_count(), k = out.count();
  const GeodesicField field = solver.distance_from(handles);
  double furthest = 0;
  for (Index i = 0; i < n; ++i)
    if (std::isfinite(field.distance[i])) furthest = std::max(furthest, field.distance[i]);
  // Every vertex may be a handle: then each moves alone.
  out.radius = furthest > 0 ? support * furthest : 1;
  const double reach_of_one = furthest > 0 ? out.radius : 0;

  // === Each handle asks how far it is to the vertices around it
  struct Reach {
    std::vector<int> vertices;
    std::vector<double> weights;
  };
  std::vector<Reach> reaches(at(k));
  parallel_for_chunks(k, 4, [&](Index begin, Index end) {
    GeodesicSolver own(solver);
    for (Index j = begin; j < end; ++j)
      for (const GeodesicReach& r :
           own.reach(std::span(&out.handles[at(j)], 1), {.max_distance = reach_of_one})) {
        const double weight = radial(function, r.distance / out.radius);
        if (weight <= 0) continue;
        reaches[at(j)].vertices.push_back(r.vertex);
        reaches[at(j)].weights.push_back(weight);
      }
  });

  // === From handles to vertices
  out.first.assign(at(n + 1), 0);
  for (const Reach& reach : reaches)
    for (const int v : reach.vertices) ++out.first[at(v) + 1];
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.handle.resize(at(out.first.back()));
  out.weight.resize(out.handle.size());
  std::vector<int> place(out.first.begin(), out.first.end() - 1);
  for (Index j = 0; j < k; ++j)
    for (std::size_t e = 0; e < reaches[at(j)].vertices.size(); ++e) {
      const auto to = at(place[at(reaches[at(j)].vertices[e])]++);
      out.handle[to] = static_cast<int>(j);
      out.weight[to] = reaches[at(j)].weights[e];
    }
  parallel_for(n, 4096, [&](Index i) {
    double sum = 0;
    for (int e = out.first[at(i)]; e < out.first[at(i) + 1]; ++e) sum += out.weight[at(e)];
    for (int e = out.first[at(i)]; e < out.first[at(i) + 1]; ++e) out.weight[at(e)] /= sum;
  });
  return out;
}

SkinningBasis skinning_basis(GeodesicSolver& solver, const Points& rest, const VectorXd& masses,
                             const SkinningOptions& options) {
  if (options.handles < 1 || !(options.ramp > 0))
    throw InputError(
        fmt::format("skinning: {} handles, ramp {}; expected at least one handle and a positive number",
                    options.handles, options.ramp));
  report(options.progress, "handles", 0);
  const FurthestPoints samples = furthest_point_vertices(solver, {.count = options.handles});
  if (samples.components_without > 0)
    throw InputError(fmt::format("skinning: {} handles for a body of {} pieces; expected one a piece or more",
                                 options.handles, samples.components));
  report(options.progress, "handles", 0.5);
  SkinningBasis basis;
  basis.rest = rest;
  basis.weights = handle_weights(solver, samples.ids, options.support, options.radial);
  HandleWeights& w = basis.weights;
  basis.centers.resize(w.count(), 3);
  for (Index j = 0; j < w.count(); ++j) basis.centers.row(j) = rest.row(w.handles[at(j)]);

  if (!options.fixed.empty()) {
    const double reach = options.ramp * w.radius;
    const GeodesicField field = solver.distance_from(options.fixed, {.max_distance = reach});
    for (Index i = 0; i < basis.vertex_count(); ++i) {
      const double part = std::min(1.0, field.distance[i] / reach);
      for (int e = w.first[at(i)]; e < w.first[at(i) + 1]; ++e) w.weight[at(e)] *= part;
    }
  }
  basis.dropped = dependent_columns(reduced_diagonal(basis, masses));
  report(options.progress, "handles", 1);
  return basis;
}

Eigen::Vector4d columns_of(const SkinningBasis& basis, Index vertex, Index entry) {
  if (basis.given.cols() > 0) return basis.given.col(entry);
  const HandleWeights& w = basis.weights;
  const Vector3d local = (basis.rest.row(vertex) - basis.centers.row(w.handle[at(entry)])) / w.radius;
  return w.weight[at(entry)] * Eigen::Vector4d(1, local.x(), local.y(), local.z());
}

void positions(const SkinningBasis& basis, const MatrixXd& q, Points& x) {
  const HandleWeights& w = basis.weights;
  x.resize(basis.vertex_count(), 3);
  parallel_for(basis.vertex_count(), 1024, [&](Index i) {
    Vector3d sum = basis.rest.row(i).transpose();
    for (Index e = w.first[at(i)]; e < w.first[at(i) + 1]; ++e)
      sum += q.middleRows<4>(4 * w.handle[at(e)]).transpose() * columns_of(basis, i, e);
    x.row(i) = sum.transpose();
  });
}

MatrixXd pull_back(const SkinningBasis& basis, const Points& f) {
  const HandleWeights& w = basis.weights;
  const MatrixXd sum = parallel_reduce(
      basis.vertex_count(), vertices_a_part(basis.vertex_count()), MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(basis.columns(), 3);
        for (Index i = begin; i < end; ++i)
          for (Index e = w.first[at(i)]; e < w.first[at(i) + 1]; ++e)
            part.middleRows<4>(4 * w.handle[at(e)]) += columns_of(basis, i, e) * f.row(i);
        return part;
      },
      sum_of_parts);
  return sum.size() > 0 ? sum : MatrixXd::Zero(basis.columns(), 3);
}

MatrixXd reduced_diagonal(const SkinningBasis& basis, const VectorXd& diagonal) {
  const HandleWeights& w = basis.weights;
  return parallel_reduce(
      basis.vertex_count(), vertices_a_part(basis.vertex_count()), MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(basis.columns(), basis.columns());
        std::vector<Eigen::Vector4d> columns;
        for (Index i = begin; i < end; ++i) {
          const Index first = w.first[at(i)], last = w.first[at(i) + 1];
          columns.clear();
          for (Index e = first; e < last; ++e) columns.push_back(columns_of(basis, i, e));
          for (Index a = first; a < last; ++a)
            for (Index b = first; b < last; ++b)
              part.block<4, 4>(4 * w.handle[at(b)], 4 * w.handle[at(a)]) +=
                  diagonal[i] * columns[at(b - first)] * columns[at(a - first)].transpose();
        }
        return part;
      },
      sum_of_parts);
}

MatrixXd reduced_matrix(const SkinningBasis& basis, const SparseMatrix& K) {
  const HandleWeights& w = basis.weights;
  return parallel_reduce(
      basis.vertex_count(), vertices_a_part(basis.vertex_count()), MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd part = MatrixXd::Zero(basis.columns(), basis.columns());
        // K U at one vertex: few handles of many.
        std::vector<Eigen::Vector4d> row(at(w.count()), Eigen::Vector4d::Zero());
        std::vector<char> seen(at(w.count()), 0);
        std::vector<int> around;
        for (Index i = begin; i < end; ++i) {
          for (SparseMatrix::InnerIterator it(K, i); it; ++it)
            for (Index e = w.first[at(it.row())]; e < w.first[at(it.row()) + 1]; ++e) {
              const int h = w.handle[at(e)];
              if (!seen[at(h)]) seen[at(h)] = 1, around.push_back(h);
              row[at(h)] += it.value() * columns_of(basis, it.row(), e);
            }
          for (Index e = w.first[at(i)]; e < w.first[at(i) + 1]; ++e) {
            const Eigen::Vector4d own = columns_of(basis, i, e);
            for (const int h : around)
              part.block<4, 4>(4 * h, 4 * w.handle[at(e)]) += row[at(h)] * own.transpose();
          }
          for (const int h : around) seen[at(h)] = 0, row[at(h)].setZero();
          around.clear();
        }
        return part;
      },
      sum_of_parts);
}

std::vector<char> dependent_columns(const MatrixXd& gram, double tolerance) {
  // Cholesky with pivoting of the matrix with unit diagonal: what is left on the diagonal is the squared distance of a
  // column to the span of those taken before.
  const Index n = gram.rows();
  std::vector<char> dropped(at(n), 1);
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i) scale[i] = gram(i, i) > 0 ? 1 / std::sqrt(gram(i, i)) : 0;
  VectorXd left = (scale.array() > 0).select(VectorXd::Ones(n), 0);
  MatrixXd L(n, n);
  Index taken = 0;
  for (; taken < n; ++taken) {
    Index pivot = 0;
    if (!(left.maxCoeff(&pivot) > tolerance * tolerance)) break;
    VectorXd column = scale.cwiseProduct(gram.col(pivot)) * scale[pivot];
    column.noalias() -= L.leftCols(taken) * L.row(pivot).head(taken).transpose();
    column /= std::sqrt(left[pivot]);
    L.col(taken) = column;
    left -= column.cwiseAbs2();
    left[pivot] = 0;
    dropped[at(pivot)] = 0;
    for (Index i = 0; i < n; ++i)
      if (!dropped[at(i)]) left[i] = 0;
  }
  return dropped;
}

}  // namespace pliant
