#include "pliant/reduced/trial_motions.h"

#include <fmt/format.h>

#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"

namespace pliant {
namespace {

double largest_movement(const DenseBasis& basis, const VectorXd& q) {
  return (positions(basis, q) - basis.origin).rowwise().norm().maxCoeff();
}

/// Velocities without what moves and turns the body as a whole.
Points without_rigid(const DenseBasis& basis, const VectorXd& masses, const Points& velocities) {
  VectorXd q = pull_back(basis, masses.asDiagonal() * velocities);
  for (Index i = 0; i < q.size(); ++i)
    if (basis.eigenvalues[i] > 0) q[i] = 0;
  return velocities - (positions(basis, q) - basis.origin);
}

Points held(const Body& body, Points velocities) {
  for (int v : body.fixed()) velocities.row(v).setZero();
  return velocities;
}

/// Which way a body stands: from where it is held, or along its longest side.
struct Stance {
  int along = 1, across = 0;
  double up = 1;  // the free end is at the high (1) or the low (-1) end of the side
  BoundingBox box;

  /// 0 at the foot, 1 at the free end
  double height(const Points& X, Index i) const {
    const double part = (X(i, along) - box.low[along]) / box.size()[along];
    return up > 0 ? part : 1 - part;
  }
};

Stance stance_of(const Body& body) {
  Stance s;
  const Points& X = body.rest_positions();
  s.box = bounding_box(X);
  s.box.size().maxCoeff(&s.along);
  if (!body.fixed().empty()) {
    Vector3d foot = Vector3d::Zero();
    for (int v : body.fixed()) foot += X.row(v).transpose() / static_cast<double>(body.fixed().size());
    const Vector3d away = X.colwise().mean().transpose() - foot;
    away.cwiseAbs().maxCoeff(&s.along);
    s.up = away[s.along] < 0 ? -1 : 1;
  }
  // What is flat bends out of its plane.
  int thin = 0;
  const double thickness = s.box.size().minCoeff(&thin);
  s.across = thickness < 0.01 * s.box.diagonal() && thin != s.along ? thin : (s.along + 2) % 3;
  return s;
}

/// About the middle of the body's height, more the higher up.
Points twist(const Points& X, const Stance& s) {
  const Vector3d middle = (s.box.low + s.box.high) / 2, axis = s.up * Vector3d::Unit(s.along);
  Points v(X.rows(), 3);
  for (Index i = 0; i < X.rows(); ++i)
    v.row(i) = s.height(X, i) * axis.cross(X.row(i).transpose() - middle).transpose();
  return v;
}

}  // namespace

std::vector<TrialMotion> trial_motions(const Body& body, const DenseBasis& basis,
                                       const TrialMotionsOptions& options) {
  if (basis.vertex_count() != body.vertex_count())
    throw InputError(fmt::format("trial_motions: a basis of {} vertices for a body of {}",
                                 basis.vertex_count(), body.vertex_count()));
  const Points& X = body.rest_positions();
  const VectorXd& masses = body.masses();
  const Stance stance = stance_of(body);
  const double box = stance.box.diagonal();
  const Points at_rest = Points::Zero(X.rows(), 3);
  TrialMotion bend{.name = "bend", .velocities = at_rest}, twisting{.name = "twist"}, drop{.name = "drop"};

  // === The energy of the slowest vibration, going so far, is what every start has
  Index slowest = 0;
  while (slowest < basis.dimension() && !(basis.eigenvalues[slowest] > 0)) ++slowest;
  if (slowest == basis.dimension())
    throw InputError("trial_motions: the subspace has rigid motions only; expected modes");
  const double reach =
      options.reach * box / largest_movement(basis, VectorXd::Unit(basis.dimension(), slowest));
  const double twice_energy = basis.eigenvalues[slowest] * reach * reach;
  const auto scaled = [&](const Points& v) -> Points {
    return std::sqrt(twice_energy / masses.dot(v.rowwise().squaredNorm())) * v;
  };
  Points down = at_rest;
  down.col(stance.along).setConstant(-stance.up);

  if (!body.fixed().empty()) {
    Points sideways = at_rest;
    sideways.col(stance.across) = masses;
    const VectorXd q = pull_back(basis, sideways).cwiseQuotient(basis.eigenvalues.cwiseMax(1e-300));
    bend.gravity = options.reach * box / largest_movement(basis, q) * Vector3d::Unit(stance.across);
    twisting.velocities = scaled(held(body, twist(X, stance)));
    drop.velocities = scaled(held(body, down));
    return {bend, twisting, drop};
  }
  bend.velocities = scaled(positions(basis, VectorXd::Unit(basis.dimension(), slowest)) - basis.origin);
  twisting.velocities = scaled(without_rigid(basis, masses, twist(X, stance)));
  drop.velocities = scaled(down);
  Obstacle floor;
  floor.path.keyframes[0].position =
      (stance.box.low[stance.along] - 0.01 * box) * Vector3d::Unit(stance.along);
  floor.path.keyframes[0].rotation =
      Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitY(), Vector3d::Unit(stance.along));
  drop.obstacles = {floor};
  return {bend, twisting, drop};
}

MatrixXd run_trial(Simulator& simulator, const Points& rest_positions, const TrialMotion& motion, int steps,
                   const Progress& progress) {
  simulator.set_gravity(motion.gravity);
  simulator.set_obstacles(motion.obstacles);
  simulator.set_motion(rest_positions, motion.velocities);
  MatrixXd displacements(rest_positions.size(), steps);
  for (int i = 0; i < steps; ++i) {
    simulator.step();
    const Points u = simulator.positions() - rest_positions;
    displacements.col(i) = Eigen::Map<const VectorXd>(u.data(), u.size());
    report(progress, motion.name, (i + 1.0) / steps);
  }
  return displacements;
}

double mean_distance(const MatrixXd& a, const MatrixXd& b, const VectorXd& masses) {
  if (a.rows() != b.rows() || a.cols() != b.cols() || a.rows() != 3 * masses.size())
    throw InputError(
        fmt::format("mean_distance: runs of {} x {} and {} x {} numbers for {} vertices; expected the same",
                    a.rows(), a.cols(), b.rows(), b.cols(), masses.size()));
  double sum = 0;
  for (Index i = 0; i < a.cols(); ++i) {
    const VectorXd difference = a.col(i) - b.col(i);
    const Eigen::Map<const Points> d(difference.data(), masses.size(), 3);
    sum += std::sqrt(d.rowwise().squaredNorm().dot(masses) / masses.sum());
  }
  return sum / static_cast<double>(std::max<Index>(1, a.cols()));
}

}  // namespace pliant
