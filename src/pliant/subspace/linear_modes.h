#pragma once
// Linear modes: the lowest vibrations of a body about its shape at rest, K u = λ M u [Pentland and Williams 1989].
#include <span>

#include "pliant/base/progress.h"
#include "pliant/elasticity/body.h"

namespace pliant {

enum class MassKind { lumped, consistent };

struct LinearModesOptions {
  int count = 20;                    ///< elastic modes; rigid motions are not counted
  MassKind mass = MassKind::lumped;  ///< frequencies converge from below (lumped) or from above (consistent)
  double tolerance = 1e-10;          ///< relative, of the eigenvalues' inverses
  Progress progress = {};
};

struct LinearModes {
  MatrixXd U;  ///< 3n x r, M-orthonormal (so in kg^-1/2); zero at fixed vertices; ascending frequency
  VectorXd frequencies;    ///< r, in Hz
  VectorXd eigenvalues;    ///< r, (2 pi frequency)^2, in 1/s^2
  MatrixXd rigid;          ///< 3n x k, M-orthonormal, k = 6 for a free body, 0 for one held at three vertices
  VectorXd residuals;      ///< r, |K u - λ M u| / (λ |M u|)
  bool converged = false;  ///< all were found, and none between them is missing
};

/// Rigid motions that the fixed vertices leave to each connected part, small rotations as they begin, are set aside
/// exactly, so that elastic modes are searched beside them. The largest entry of each mode is positive; the same bits
/// on any number of threads.
LinearModes linear_modes(const Body& body, const LinearModesOptions& options = {});

/// The same from matrices: K and M 3n x 3n, rest positions n x 3, fixed vertices ascending.
LinearModes linear_modes(const SparseMatrix& K, const SparseMatrix& M, const Points& rest_positions,
                         std::span<const int> fixed, const LinearModesOptions& options = {});

}  // namespace pliant
