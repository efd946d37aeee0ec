#pragma once
// Optimized cubature by non-negativity-constrained hard thresholding pursuit [von Tycowicz et al. 2013, Algorithm 1]: a
// whole set of elements from the first iteration on, exchanged in the next ones.
#include "pliant/hyperreduction/cubature.h"

namespace pliant {

enum class CubatureExchange {
  /// Least squares on the old elements and the best new ones together [Needell and Tropp 2009], then those leave without
  /// which the error rises least [Hassibi and Stork 1993]: which element can be spared shows once all have their weights.
  pursuit,
  /// One gradient step of exact length, then the largest weights stay: Algorithm 1 as it stands in the paper, but for its
  /// eq. 9. With f = |A w - b|^2 the gradient is 2 A^T (A w - b), and f falls most for a step of half of
  /// |gradient|^2 / |A gradient|^2, along which f is no smaller than at the start.
  gradient_step,
};

struct CubatureNnHtpOptions {
  int samples = 150;  ///< s: elements at most
  double candidates =
      5;  ///< new elements looked at in an iteration, as a multiple of s; drawn anew each time
  int max_iterations = 60;
  double tolerance = 0;  ///< of the relative error: ends below it
  int patience = 4;      ///< ends after so many iterations in a row without a gain of 1 % over the best
  CubatureExchange exchange = CubatureExchange::pursuit;
  /// After these iterations, of `pursuit`: rounds in which single elements are exchanged with so many drawn ones as long as
  /// that gains. Among many there is a better one for most places, which few at a time do not show.
  int wide_candidates = 4000;  ///< fewer where the memory of the problem does not suffice
  int wide_rounds = 4;    ///< at most, and three times the patience; 0: none; more find better ones still
  int wide_poses = 256;   ///< by which these are compared, drawn anew each round; all poses say what is kept
  bool normalize = true;  ///< compare elements by w_e |a_e| instead of w_e: small elements have large weights
  Progress progress = {};
};

/// The best of all iterations. Candidates are drawn from `rng`; an unchanged set only says that this draw had none better.
Cubature cubature_nn_htp(const CubatureProblem& problem, Rng& rng, const CubatureNnHtpOptions& options = {});

}  // namespace pliant
