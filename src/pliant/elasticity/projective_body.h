#pragma once
// A body as constraints of projective dynamics.
#include "pliant/elasticity/body.h"
#include "pliant/elasticity/projective_constraints.h"

namespace pliant {

struct ProjectiveBodyOptions {
  bool volume = true;      ///< tets resist changes of volume, and their target volume can be changed
  double min_stretch = 1;  ///< stretches between these cost nothing
  double max_stretch = 1;
};

/// Tets get strain and volume constraints of the weights that match their materials at small strain.
/// (A negative lambda, of auxetic materials, has no such weight and counts as zero.) Triangles of a shell get strain
/// and bending constraints, with the Young's modulus of its membrane and its flexural rigidity.
ProjectiveConstraints projective_constraints(const Body& body, const ProjectiveBodyOptions& options = {});

}  // namespace pliant
