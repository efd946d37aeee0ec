#pragma once
// Columns of snapshots in the form that hyper-reduced projective dynamics runs in.
#include "pliant/subspace/skinning.h"
#include "pliant/subspace/snapshot_basis.h"

namespace pliant {

/// Shared scalar columns four by four, those together whose centres are near each other, so that local components stay
/// sparse: a vertex knows only the blocks that have a column there. Fixed vertices do not move: columns are faded towards
/// them over `ramp` metres.
/// @param masses  n, kg: in their inner product columns are compared, and dependent ones dropped
/// InputError for coordinates that are not shared.
SkinningBasis snapshot_blocks(const SnapshotBasis& basis, const VectorXd& masses, GeodesicSolver& solver,
                              std::span<const int> fixed = {}, double ramp = 0);

}  // namespace pliant
