#pragma once
// The few displacement fields that reproduce a recorded motion best, as morph targets.
#include <vector>

#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// Unit normals at the vertices, triangles weighted by area. A vertex without area gets +y.
Points smooth_normals(const Points& vertices, const Triangles& triangles);

struct MorphFitOptions {
  int targets = 64;              ///< at most
  int fitted_frames = 600;       ///< frames the targets come from, evenly spaced
  VectorXd vertex_weights = {};  ///< n, what an error at each vertex costs; empty: equal
};

struct MorphFit {
  std::vector<Points> targets;  ///< k fields, n x 3, scaled so that no weight exceeds 1 in size
  MatrixXd weights;             ///< frames x k
  double largest_error =
      0;                 ///< of rest + sum_i weights(f, i) targets[i] in floats, per diagonal of rest's box
  double rms_error = 0;  ///< likewise
};

/// Principal components of the displacements from `rest` (not from their mean: a viewer that does not play
/// the motion shows the rest). Components below 1e-6 of the largest singular value are left out, so that
/// motion of low rank gets few targets; there is always at least one target.
MorphFit fit_morph_targets(const Points& rest, const std::vector<Points>& frames,
                           const MorphFitOptions& options = {});

/// What the normals of a moving surface do, as far as morph targets can say it: displacement fields of the
/// normals, to be used with the given weights, closest to the true normals of all frames in the
/// least-squares sense.
std::vector<Points> fit_normal_targets(const TriMesh& surface, const std::vector<Points>& targets,
                                       const MatrixXd& weights);

}  // namespace pliant
