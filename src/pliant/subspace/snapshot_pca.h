#pragma once
// Principal components of recorded motion: of the whole body, or local ones, found one after the other and taken out of
// what is left [Monem et al. 2023, algorithm 1; Neumann et al. 2013].
#include <span>

#include "pliant/base/progress.h"
#include "pliant/geometry/geodesics.h"
#include "pliant/subspace/snapshot_basis.h"

namespace pliant {

struct SnapshotPcaOptions {
  int components = 200;  ///< columns, appended ones not counted
  SnapshotCoordinates coordinates = SnapshotCoordinates::shared;
  AppendedMotions appended = AppendedMotions::affine;
  /// Fewer components where these leave less of the motion, relative, root mean square over frames and vertices.
  double tolerance = 0;
  double memory_gb = 8;  ///< no more is taken for snapshots at a time
  Progress progress = {};
};

/// Components of the whole body, mass-orthonormal, strongest first. From the smaller of both Gram matrices, which
/// squares singular values: those below 3e-8 of the largest are not resolved, and there it stops. Read in stretches of
/// vertices: frames of any size need the Gram matrix (8 T² bytes for T observations) and one stretch.
/// InputError where there is no motion at all, or fewer frames than components could come from.
SnapshotBasis snapshot_pca(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                           const SnapshotPcaOptions& options = {});

/// Where a local component acts: fully up to `inner`, not at all from `outer` on.
struct SupportOptions {
  double inner = 0.05, outer = 0.25;  ///< geodesic distances, in box diagonals
  /// Instead: one number a vertex, and a component stays among vertices of the same.
  std::span<const int> regions = {};
};

/// From 1 to 0 between the radii, smoothly.
double support(double distance, double inner, double outer);

/// Components around vertices: each time the vertex that has moved most in what is left, the first principal component of
/// its motion, as far as the body around moves with it, faded by the support, and projected out. Not orthogonal.
/// @param solver  geodesics on the mesh
SnapshotBasis localized_pca(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses,
                            GeodesicSolver& solver, const SnapshotPcaOptions& options = {},
                            const SupportOptions& supports = {});

}  // namespace pliant
