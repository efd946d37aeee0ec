#include "pliant/hyperreduction/constraint_samples.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/geometry/sampling.h"
#include "pliant/hyperreduction/projection_fitting.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

MatrixXd rest_features(const ProjectiveConstraints& constraints, ProjectiveKind kind) {
  const ProjectiveGroup& group = constraints.group(kind);
  if (is_tet(kind)) return MatrixXd::Ones(1, group.size());
  std::vector<int> all(at(group.size()));
  std::iota(all.begin(), all.end(), 0);
  const MatrixXd rest = projections_at(group, all, constraints.rest);
  const Index rows = fitted_rows(kind) * group.size();
  const double length = std::sqrt(rest.squaredNorm() / static_cast<double>(rows));
  MatrixXd out(4, rows);
  out.row(0).setOnes();
  out.bottomRows(3) = rest.reshaped(3, rows) / (length > 0 ? length : 1);
  return out;
}

MatrixXd strongest(const MatrixXd& gram, Index count) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  const Index n = gram.rows();
  const double least = 1e-10 * std::max(eigen.eigenvalues()[n - 1], 1e-300);
  MatrixXd out(n, 0);
  for (Index k = 0; k < std::min(count, n); ++k) {
    const double value = eigen.eigenvalues()[n - 1 - k];
    if (!(value > least)) break;
    out.conservativeResize(n, k + 1);
    out.col(k) = eigen.eigenvectors().col(n - 1 - k) / std::sqrt(value);
  }
  return out;
}

std::vector<int> constraints_at(const ProjectiveGroup& group, std::span<const int> vertices, Index count) {
  std::vector<int> at_vertex(at(count), -1);
  for (Index c = group.size(); c-- > 0;)
    for (const int v : group.vertices_of(c)) at_vertex[at(v)] = static_cast<int>(c);
  std::vector<int> out;
  for (const int v : vertices)
    if (at_vertex[at(v)] >= 0) out.push_back(at_vertex[at(v)]);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<int> spread_constraints(const ProjectiveGroup& group, std::vector<int> start,
                                    GeodesicSolver& solver, int count) {
  const Index size = group.size();
  std::vector<int> out(at(size));
  std::iota(out.begin(), out.end(), 0);
  if (count >= size) return out;
  if (static_cast<int>(start.size()) > count) start.resize(at(count));
  const FurthestPointOptions options{.count = count, .start = start};
  if (is_tet(group.kind)) {
    Tets tets(size, 4);
    for (Index c = 0; c < size; ++c)
      for (int k = 0; k < 4; ++k) tets(c, k) = group.vertices_of(c)[at(k)];
    out = furthest_point_elements(solver, tets, options).ids;
  } else {
    // Edges and rings of vertices stand as triangles that fall together.
    Triangles triangles(size, 3);
    for (Index c = 0; c < size; ++c) {
      const auto v = group.vertices_of(c);
      const bool ring = group.kind == ProjectiveKind::bending;
      for (int k = 0; k < 3; ++k)
        triangles(c, k) = ring ? v[0] : v[std::min<std::size_t>(at(k), v.size() - 1)];
    }
    out = furthest_point_elements(solver, triangles, options).ids;
  }
  std::sort(out.begin(), out.end());
  return out;
}

Index fitted_dimension(const ProjectiveGroup& group, Index wanted, int samples) {
  const Index rows = fitted_rows(group.kind);
  if (samples >= group.size()) return std::min(wanted, rows * group.size());
  return std::min<Index>(wanted, std::max<Index>(1, rows * samples / 2));
}

MatrixXd fit_to_samples(const MatrixXd& V, const VectorXd& weights) {
  MatrixXd weighted = V;
  const Index rows = V.rows() / weights.size();
  for (Index i = 0; i < weights.size(); ++i) weighted.middleRows(rows * i, rows) *= weights[i];
  // Samples may leave a direction nearly undetermined: a little is added so that it stays small.
  MatrixXd normal = V.transpose() * weighted;
  normal.diagonal().array() += 1e-13 * normal.trace() / static_cast<double>(normal.rows());
  return normal.llt().solve(weighted.transpose());
}

}  // namespace pliant
