#include "pliant/hyperreduction/training_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

constexpr Index poses_at_once = 64;

double box_diagonal(const DenseBasis& basis) {
  return (basis.origin.colwise().maxCoeff() - basis.origin.colwise().minCoeff()).norm();
}

double median(VectorXd values) {
  const Index middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  if (values.size() % 2) return values[middle];
  return (values[middle] + *std::max_element(values.begin(), values.begin() + middle)) / 2;
}

void check(const TrainingPosesOptions& o) {
  if (o.count < 1) throw InputError(fmt::format("training poses: count is {}; expected at least 1", o.count));
  if (!(o.scale > 0) || !std::isfinite(o.scale))
    throw InputError(fmt::format("training poses: scale is {}; expected a part of the box above 0", o.scale));
  if (!(o.power >= 0 && o.power <= 8))
    throw InputError(fmt::format("training poses: power is {}; expected 0 to 8", o.power));
  if (!(o.spread >= 1) || !std::isfinite(o.spread))
    throw InputError(fmt::format("training poses: spread is {}; expected a factor of at least 1", o.spread));
}

}  // namespace

VectorXd largest_displacements(const DenseBasis& basis, const MatrixXd& q) {
  VectorXd largest(q.cols());
  const Index n = basis.vertex_count();
  MatrixXd u;
  for (Index first = 0; first < q.cols(); first += poses_at_once) {
    const Index count = std::min(poses_at_once, q.cols() - first);
    u.resize(3 * n, count);
    multiply_tall(basis.U, q.middleCols(first, count), u);
    parallel_for(count, 1, [&](Index t) {
      largest[first + t] = Eigen::Map<const Points>(u.col(t).data(), n, 3).rowwise().norm().maxCoeff();
    });
  }
  return largest;
}

TrainingPoses training_poses(const DenseBasis& basis, Rng& rng, const TrainingPosesOptions& options) {
  check(options);
  const Index d = basis.dimension();
  // === Deviations. The lowest frequency is 1, so that powers do not overflow.
  double lowest = 0;
  for (Index k = 0; k < d; ++k)
    if (const double f = basis.frequencies[k]; f > 0 && (lowest == 0 || f < lowest)) lowest = f;
  if (!(lowest > 0))
    throw InputError("training poses: no coordinate of the basis has a frequency; expected one that deforms");
  VectorXd deviations(d);
  for (Index k = 0; k < d; ++k) {
    const double f = basis.frequencies[k];
    deviations[k] = f > 0 ? std::pow(lowest / f, options.power) : 0;
  }

  // === Draw, and scale so that the median pose moves as far as asked
  TrainingPoses poses;
  poses.q.resize(d, options.count);
  const double log_spread = std::log(options.spread);
  for (Index t = 0; t < options.count; ++t) {
    const double size = std::exp(log_spread * rng.uniform(-1, 1));
    for (Index k = 0; k < d; ++k) poses.q(k, t) = size * deviations[k] * rng.normal();
  }
  const double moved = median(largest_displacements(basis, poses.q)), box = box_diagonal(basis);
  if (!(moved > 0))
    throw InputError("training poses: the basis moves nothing; expected columns that are not zero");
  poses.q *= options.scale * box / moved;
  poses.scale = options.scale;
  return poses;
}

namespace {

void check_displacements(const DenseBasis& basis, const MatrixXd& displacements, Index masses) {
  const Index n = basis.vertex_count();
  if (displacements.rows() != 3 * n || masses != n)
    throw InputError(
        fmt::format("training poses: displacements have {} rows and there are {} masses for {} vertices; "
                    "expected three rows and one mass a vertex",
                    displacements.rows(), masses, n));
  if (displacements.cols() == 0)
    throw InputError("training poses: no frames of motion; expected at least one");
  if (!displacements.allFinite()) throw InputError("training poses: a displacement is not finite");
}

}  // namespace

TrainingPoses poses_of_motion(const DenseBasis& basis, const VectorXd& masses,
                              const MatrixXd& displacements) {
  check_displacements(basis, displacements, masses.size());
  VectorXd rows(displacements.rows());
  for (Index i = 0; i < rows.size(); ++i) rows[i] = masses[i / 3];
  TrainingPoses poses;
  poses.q = inner_products(basis.U, rows, displacements);
  poses.scale = median(largest_displacements(basis, poses.q)) / box_diagonal(basis);
  return poses;
}

TrainingPoses poses_of_motion(const Body& body, const DenseBasis& basis, const MatrixXd& displacements) {
  TrainingPoses poses = poses_of_motion(basis, body.masses(), displacements);
  const SymmetricBlocks K = stiffness_blocks(body, basis.origin);
  // U^T K U is diagonal: (U^T K u)_k / eigenvalue_k
  const MatrixXd along = inner_products(basis.U, multiply(K, displacements));
  for (Index k = 0; k < basis.dimension(); ++k)
    if (basis.frequencies[k] > 0) poses.q.row(k) = along.row(k) / basis.eigenvalues[k];
  poses.scale = median(largest_displacements(basis, poses.q)) / box_diagonal(basis);
  return poses;
}

}  // namespace pliant
