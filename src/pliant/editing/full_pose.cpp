#include "pliant/editing/full_pose.h"

#include <cmath>

#include "pliant/fullspace/newton.h"

namespace pliant {

FullPose solve_full_pose(const Body& body, const std::vector<Handle>& handles, const HandleSprings& springs,
                         const FullPoseOptions& options) {
  NewtonSimulator newton(body, {.scheme = TimeScheme::quasi_static,
                                .max_iterations = options.max_iterations,
                                .tolerance = options.tolerance});
  newton.set_gravity(Vector3d::Zero());
  FullPose pose;
  std::vector<Spring> pulls(springs.vertices.size());
  for (int step = 1; step <= options.steps; ++step) {
    const Points targets = handle_targets(springs, handles, static_cast<double>(step) / options.steps);
    for (std::size_t i = 0; i < pulls.size(); ++i)
      pulls[i] = {.vertex = springs.vertices[i],
                  .target = targets.row(static_cast<Index>(i)),
                  .stiffness = springs.stiffness[static_cast<Index>(i)]};
    newton.set_springs(pulls);
    const StepReport report = newton.step();
    pose.report.converged = report.converged;
    pose.report.iterations += report.iterations;
    if (options.step_done) options.step_done(step, newton.positions());
    pliant::report(options.progress, "full pose", static_cast<double>(step) / options.steps);
  }
  pose.positions = newton.positions();
  pose.report.elastic = newton.measure().elastic;

  // === What is left
  Points gradient, pull = Points::Zero(body.vertex_count(), 3);
  body.forces(pose.positions, gradient);
  double squares = 0;
  for (const Spring& s : pulls) {
    const Vector3d missing = s.target - pose.positions.row(s.vertex).transpose();
    pose.report.springs += 0.5 * s.stiffness * missing.squaredNorm();
    squares += missing.squaredNorm();
    gradient.row(s.vertex) += s.stiffness * missing.transpose();
    pull.row(s.vertex) += s.stiffness * (s.target.transpose() - body.rest_positions().row(s.vertex));
  }
  for (int v : body.fixed()) gradient.row(v).setZero(), pull.row(v).setZero();
  if (pull.norm() > 0) pose.report.residual = gradient.norm() / pull.norm();
  if (!pulls.empty()) pose.report.handle_error = std::sqrt(squares / static_cast<double>(pulls.size()));
  return pose;
}

}  // namespace pliant
