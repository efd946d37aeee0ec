#pragma once
// A few constraints that stand for all: the energy of a body as a weighted sum over some of them.
//
//     Σ λ/2 |S x - p|²  over all constraints   is nearly   Σ w λ/2 |S x - p|²  over the samples.
// Projective dynamics of the samples alone is a minimisation of its own: bodies that are only moved and turned feel nothing
// whatever the weights are, no turn raises the energy, and nothing is fitted. (The fit of [Brandt et al. 2018], in
// projection_fitting.h, keeps the whole matrix Σ λ SᵀS instead and guesses p for it from the samples.)
#include <vector>

#include "pliant/elasticity/projective_constraints.h"
#include "pliant/subspace/skinning.h"

namespace pliant {

struct WeightedSamples {
  std::vector<int> samples;  ///< constraints of the kind, ascending
  VectorXd weights;          ///< w of each
  std::vector<int>
      region;  ///< of every constraint of the kind: the sample that stands for it, by place; -1: none
};

/// Samples spread over the body, beginning next to the handles of the subspace; each stands for the constraints that are nearer
/// to it than to the others, and weighs as much as they do together. Springs weigh by the square of their length. Constraints
/// among vertices that the subspace does not move are left out: they resist nothing. On coarse meshes, of less than six
/// constraints a sample, strain differs much from one to the next, and there are three times as many samples as asked for. Nor
/// are there fewer than eight a handle, which has twelve degrees of freedom: none may be without resistance. Constraints between
/// vertices that move and others that do not are all among the samples, beyond those asked for, where they are few: on a coarse
/// mesh they hold the body, each strained in its own way.
WeightedSamples weighted_samples(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                 const SkinningBasis& basis, GeodesicSolver& solver, int count);

}  // namespace pliant
