#pragma once
// Sparse localized deformation components [Neumann et al. 2013], of mass-weighted snapshots that are not aligned [Monem
// et al. 2023]:
//     |Y - U Wᵀ|² + λ Σ_k Σ_v Λ_k(v) |U_k(v)|,   |W| <= 1
// with Y the recorded motion (rows are vertices, columns observations), and Λ_k growing from 0 to 1 away from the vertex
// where component k is strongest.
#include "pliant/subspace/snapshot_pca.h"

namespace pliant {

struct SplocsOptions {
  double sparsity = 2;       ///< λ, for motion scaled to root mean square 1
  int iterations = 20;       ///< of W and U by turns
  int admm_iterations = 10;  ///< for U in each of them
  double tolerance = 1e-5;   ///< ends where the objective falls by less, relative
  /// After each: the objective. It never rises: a turn that does not lower it is not taken.
  std::function<void(int iteration, double objective)> iteration_done = {};
};

/// Starts from localized_pca with the same options.
SnapshotBasis splocs(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                     GeodesicSolver& solver, const SnapshotPcaOptions& options = {},
                     const SupportOptions& supports = {}, const SplocsOptions& sparse = {});

}  // namespace pliant
