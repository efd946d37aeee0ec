#include "pliant/editing/full_pose.h"

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
    pliant::report(options.progress, "full pose", static_cast<double>(step) / options.steps);
  }
  pose.positions = newton.positions();
  pose.report.elastic = newton.measure().elastic;
  for (const Spring& s : pulls)
    pose.report.springs +=
        0.5 * s.stiffness * (pose.positions.row(s.vertex).transpose() - s.target).squaredNorm();
  return pose;
}

}  // namespace pliant
