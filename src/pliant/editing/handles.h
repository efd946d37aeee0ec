#pragma once
// Handles: regions of a body that are moved and turned as a whole, pulled there by springs at some of their
// vertices.
//     E(x) = Σ_j w_j Σ_i |x_i - x'_i|²        [von Tycowicz et al. 2013, section 6]
#include <optional>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct Handle {
  std::vector<int> vertices;                ///< the region; any order
  Vector3d translation = Vector3d::Zero();  ///< metres
  Vector3d rotation = Vector3d::Zero();     ///< axis times angle in radians
  std::optional<Vector3d> centre = {};      ///< of the rotation, metres; none: the middle of the region
  double stiffness = 0;                     ///< N/m, of all its springs together; 0: what the options say
};

struct HandleOptions {
  int samples =
      150;  ///< vertices of a region that get a spring, at most; about as many as the cubature has elements
  double stiffness = 1;  ///< N/m, of all springs of a handle together
};

/// The springs of all handles.
struct HandleSprings {
  std::vector<int> vertices;
  std::vector<int> handle;  ///< of each
  VectorXd stiffness;       ///< N/m of each: 2 w
  Points rest;              ///< k x 3, metres

  Index count() const { return static_cast<Index>(vertices.size()); }
};

/// Samples are spread over a region, each as far from the others as can be. Throws InputError where a handle
/// selects nothing or a vertex that is not there.
HandleSprings sample_handles(const Points& rest, const std::vector<Handle>& handles,
                             const HandleOptions& options);

/// Where the springs pull: k x 3. With `part` below 1 handles are that far on their way, turned and moved
/// evenly.
Points handle_targets(const HandleSprings& springs, const std::vector<Handle>& handles, double part = 1);

}  // namespace pliant
