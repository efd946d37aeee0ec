#pragma once
// Optimized cubature as An et al. [2008] find it: one element after the other, each the one of a few random candidates that
// points most along what is still missing, and all weights fitted anew.
#include "pliant/hyperreduction/cubature.h"

namespace pliant {

struct CubatureGreedyOptions {
  int samples = 150;
  int candidates = 100;  ///< |C|, drawn anew for every element
  int subset = 10;  ///< T_s: poses, drawn anew for every element, by which candidates are compared; 0: all
  double tolerance = 0;  ///< of the relative error: ends below it
  Progress progress = {};
};

Cubature cubature_greedy(const CubatureProblem& problem, Rng& rng, const CubatureGreedyOptions& options = {});

}  // namespace pliant
