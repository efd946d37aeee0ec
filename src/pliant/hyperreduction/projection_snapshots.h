#pragma once
// Constraint projections from a few samples, in a space that recorded motion spans: what [Monem et al. 2023] announce as
// future work, with the fit of [Brandt et al. 2018, section 5].
//
// V begins with what turning and moving the rest state asks of it, so that these stay exact whatever was recorded; then come
// the principal components of what is left of the recorded projections, weighed by λ.
#include <functional>

#include "pliant/hyperreduction/projection_fitting.h"
#include "pliant/subspace/snapshot_basis.h"

namespace pliant {

/// Recorded projections of all constraints of one kind, read a stretch of constraints at a time.
struct ProjectionFrames {
  ProjectiveKind kind = ProjectiveKind::tet_strain;
  Index count = 0;        ///< frames
  Index constraints = 0;  ///< as many as the body has of this kind
  /// p of `constraints` constraints from `first` on in a frame, outputs of each side by side. From several threads.
  std::function<void(Index frame, Index first, Index constraints, double* out)> read;
};

/// What the projections are at recorded positions. Keeps references.
ProjectionFrames projections_of(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                const SnapshotFrames& frames);

/// Those that were recorded: a matrix a frame, outputs x constraints. Keeps a reference. InputError, naming the frame, for
/// one of another size.
ProjectionFrames recorded_projections(ProjectiveKind kind, const std::vector<Eigen::MatrixXf>& frames);

/// Where recorded projections are evaluated.
enum class SampleChoice {
  automatic,  ///< spread where there are four samples a column of V or more, pivoted with fewer
  spread,     ///< as far from each other as can be
  pivoted,    ///< first those that tell the components apart best (DEIM by pivots), then as `spread`
};

struct ProjectionSnapshotOptions {
  int dimension = 0;  ///< columns of V; 0: as many as fit_projections takes
  int samples = 1000;
  int frames = 100;  ///< no more are looked at, evenly taken: their products are what takes long
  SampleChoice choice = SampleChoice::automatic;
  double memory_gb = 1;  ///< no more is taken for a stretch of recorded projections
  Progress progress = {};
};

/// @param solver  on the mesh of the constraints
/// InputError, naming the frame, where frames are of another body or have a number that is not finite.
ProjectionFitting fit_recorded_projections(const ProjectiveConstraints& constraints,
                                           const SkinningBasis& basis, GeodesicSolver& solver,
                                           const ProjectionFrames& frames,
                                           const ProjectionSnapshotOptions& options = {});

}  // namespace pliant
