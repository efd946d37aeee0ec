#pragma once
// Linear modes: the lowest vibrations of a body about an equilibrium, K u = λ M u [Pentland and Williams
// 1989].
#include <memory>
#include <span>

#include "pliant/base/progress.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

enum class MassKind { lumped, consistent };

struct LinearModesOptions {
  int count = 20;                    ///< elastic modes; rigid motions are not counted
  MassKind mass = MassKind::lumped;  ///< frequencies converge from below (lumped) or from above (consistent)
  double tolerance = 1e-10;          ///< relative, of the eigenvalues' inverses
  /// Bytes that the factorisation of K may take; above, the modes are found without one, slower (see
  /// eigenpairs.h).
  double memory_budget = 8e9;
  /// n x 3, metres: an equilibrium under a constant load, whose stiffness tension raises and pressure lowers.
  /// Empty: at rest.
  Points positions = {};
  Progress progress = {};
};

struct LinearModes {
  Points positions;  ///< n x 3, metres: the shape about which the body vibrates
  MatrixXd U;        ///< 3n x r, M-orthonormal (so in kg^-1/2); zero at fixed vertices; ascending frequency
  VectorXd frequencies;    ///< r, in Hz
  VectorXd eigenvalues;    ///< r, (2 pi frequency)^2, in 1/s^2
  MatrixXd rigid;          ///< 3n x k, M-orthonormal, k = 6 for a free body, 0 for one held at three vertices
  VectorXd residuals;      ///< r, |K u - λ M u| / (λ |M u|)
  bool iterative = false;  ///< found without a factorisation
  bool converged = false;  ///< all were found, and none between them is missing
  /// K at `positions`, of modes of a body: what is built on them need not assemble it again.
  std::shared_ptr<const SymmetricBlocks> stiffness = {};
};

/// Rigid motions that the fixed vertices leave to each connected part, small rotations as they begin, are set
/// aside exactly, so that elastic modes are searched beside them; but not those that a load resists (it does
/// not turn with the body). The largest entry of each mode is positive; the same bits on any number of
/// threads.
LinearModes linear_modes(const Body& body, const LinearModesOptions& options = {});

/// The same from matrices: K and M 3n x 3n, positions n x 3 (those of the options are not read), fixed
/// vertices ascending.
LinearModes linear_modes(const SparseMatrix& K, const SparseMatrix& M, const Points& positions,
                         std::span<const int> fixed, const LinearModesOptions& options = {});

/// The subspace of the modes and of the rigid motions before them. Modes of a consistent mass are made
/// orthonormal anew.
DenseBasis modal_basis(const Body& body, const LinearModes& modes);

}  // namespace pliant
