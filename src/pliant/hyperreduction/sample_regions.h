#pragma once
// What a sampled constraint stands for: those that are nearer to it than to any other sample.
#include <span>
#include <vector>

#include "pliant/elasticity/projective_constraints.h"
#include "pliant/geometry/geodesics.h"

namespace pliant {

/// Of every constraint, the place of its sample among `samples`; -1 in pieces of the body without one, and where it is left out.
/// @param left_out  of every constraint, or empty: those that stand for nothing
std::vector<int> sample_regions(const ProjectiveConstraints& constraints, const ProjectiveGroup& group,
                                std::span<const int> samples, GeodesicSolver& solver,
                                std::span<const char> left_out = {});

/// The weight λ of all that each sample stands for, itself among them.
VectorXd weights_of_regions(const ProjectiveGroup& group, std::span<const int> region, Index samples);

}  // namespace pliant
