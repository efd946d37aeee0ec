#pragma once
// The same edit on all vertices, by Newton: the truth that subspaces are measured against.
#include "pliant/base/progress.h"
#include "pliant/editing/handles.h"
#include "pliant/editing/pose_editing.h"
#include "pliant/elasticity/body.h"

namespace pliant {

struct FullPoseOptions {
  int max_iterations = 200;  ///< of Newton a step
  double tolerance = 1e-7;   ///< no vertex moves further in an iteration, in box diagonals
  int steps = 10;            ///< in which handles go from rest to where they are
  /// After each of them, with positions of all vertices.
  std::function<void(int step, const Points& positions)> step_done = {};
  Progress progress = {};
};

struct FullPose {
  Points positions;  ///< n x 3, metres
  PoseReport report;
};

/// Equilibrium of the body with these springs, without gravity. Fixed vertices stay.
FullPose solve_full_pose(const Body& body, const std::vector<Handle>& handles, const HandleSprings& springs,
                         const FullPoseOptions& options = {});

}  // namespace pliant
