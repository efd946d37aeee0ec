#pragma once
// Motions that no training knows, the same for every simulator of a body: by them a reduced one is measured.
#include <string>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/simulation/simulator.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

/// How a body is set in motion from rest.
struct TrialMotion {
  std::string name;
  Vector3d gravity = Vector3d::Zero();   ///< m/s^2, all the time
  Points velocities = {};                ///< n x 3 at the start, m/s
  std::vector<Obstacle> obstacles = {};  ///< it flies into
};

struct TrialMotionsOptions {
  double reach = 0.2;  ///< how far it would bend, were it linear, in box diagonals
};

/// Bending, twisting and a drop. A body that is held is bent by a constant sideways acceleration, twisted by its start, and
/// squeezed as if it fell with what holds it and that stopped. A free one starts in its slowest vibration, or twisted, or flies
/// into a floor. Every start has the energy that the slowest vibration has when it reaches so far, if the body were linear.
/// @param basis  of the body: tells how far a linear body would go
std::vector<TrialMotion> trial_motions(const Body& body, const DenseBasis& basis,
                                       const TrialMotionsOptions& options = {});

/// Starts a simulator, which is at rest, on a motion; displacements from rest after each of `steps` steps, 3n x steps.
MatrixXd run_trial(Simulator& simulator, const Points& rest_positions, const TrialMotion& motion, int steps,
                   const Progress& progress = {});

/// How far two runs are apart: root mean square over the masses, mean over the steps, metres.
double mean_distance(const MatrixXd& a, const MatrixXd& b, const VectorXd& masses);

}  // namespace pliant
