#include "pliant/subspace/snapshot_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Columns in the order in which they are taken four by four: global ones first, then each with its nearest three.
std::vector<Index> grouped(const SnapshotBasis& basis) {
  std::vector<Index> order, left;
  for (Index k = 0; k < basis.columns(); ++k) {
    const bool local = !basis.centers.empty() && basis.centers[at(k)] >= 0;
    (local ? left : order).push_back(k);
  }
  const auto place = [&](Index k) { return basis.rest.row(basis.centers[at(k)]); };
  while (!left.empty()) {
    const Index first = left.front();
    std::stable_sort(left.begin(), left.end(), [&](Index a, Index b) {
      return (place(a) - place(first)).squaredNorm() < (place(b) - place(first)).squaredNorm();
    });
    // The first block may be completed from behind the global columns.
    const Index count =
        std::min<Index>(static_cast<Index>(left.size()), 4 - static_cast<Index>(order.size()) % 4);
    order.insert(order.end(), left.begin(), left.begin() + count);
    left.erase(left.begin(), left.begin() + count);
    std::sort(left.begin(), left.end());
  }
  return order;
}

}  // namespace

SkinningBasis snapshot_blocks(const SnapshotBasis& basis, const VectorXd& masses, GeodesicSolver& solver,
                              std::span<const int> fixed, double ramp) {
  if (basis.coordinates != SnapshotCoordinates::shared)
    throw InputError(
        fmt::format("snapshot_blocks: coordinates are {}; expected shared ones", name(basis.coordinates)));
  const Index n = basis.rest.rows();
  const MatrixXd& U = basis.U.front();
  const std::vector<Index> order = grouped(basis);
  const Index blocks = (U.cols() + 3) / 4;
  SkinningBasis out;
  out.rest = basis.rest;
  HandleWeights& w = out.weights;
  // Where projections have their handles: spread over the body, since columns may be global.
  w.handles = furthest_point_vertices(solver, {.count = static_cast<int>(std::min(blocks, n))}).ids;
  while (static_cast<Index>(w.handles.size()) < blocks) w.handles.push_back(w.handles.back());
  w.radius = 1;
  out.centers.resize(blocks, 3);
  for (Index j = 0; j < blocks; ++j) out.centers.row(j) = basis.rest.row(w.handles[at(j)]);

  VectorXd fade = VectorXd::Ones(n);
  if (!fixed.empty()) {
    const GeodesicField field = solver.distance_from(fixed, {.max_distance = std::max(ramp, 1e-300)});
    for (Index i = 0; i < n; ++i) fade[i] = ramp > 0 ? std::min(1.0, field.distance[i] / ramp) : 1;
    for (const int v : fixed) fade[v] = 0;
  }
  w.first.assign(1, 0);
  std::vector<Eigen::Vector4d> columns;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < blocks; ++j) {
      Eigen::Vector4d u = Eigen::Vector4d::Zero();
      for (Index c = 0; c < 4 && 4 * j + c < U.cols(); ++c) u[c] = fade[i] * U(i, order[at(4 * j + c)]);
      if (u.isZero(0)) continue;
      w.handle.push_back(static_cast<int>(j));
      w.weight.push_back(1);
      columns.push_back(u);
    }
    w.first.push_back(static_cast<int>(w.handle.size()));
  }
  out.given.resize(4, static_cast<Index>(columns.size()));
  for (std::size_t e = 0; e < columns.size(); ++e) out.given.col(static_cast<Index>(e)) = columns[e];
  out.dropped = dependent_columns(reduced_diagonal(out, masses));
  return out;
}

}  // namespace pliant
