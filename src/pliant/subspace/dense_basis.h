#pragma once
// A dense subspace x = origin + U q, the common result of all constructions that give whole columns (modes,
// extended modes, modal derivatives, snapshots).
#include <span>
#include <string>

#include "pliant/elasticity/body.h"

namespace pliant {

/// The columns of U are the vibration modes that the body has within the subspace: UᵀMU = I and UᵀKU is
/// diagonal, for lumped masses and the stiffness at the origin. So the reduced mass is the identity, the
/// reduced stiffness is `eigenvalues`, and every coordinate has a frequency.
struct DenseBasis {
  std::string kind;      ///< "linear_modes", "extended_modes", "modal_derivatives", ...
  Points origin;         ///< n x 3, metres: positions where q = 0
  MatrixXd U;            ///< 3n x d, in kg^-1/2; zero at fixed vertices
  VectorXd frequencies;  ///< d, in Hz, ascending; exactly zero for the rigid motions
  VectorXd
      eigenvalues;  ///< d, in 1/s²: (2 pi frequency)², the reduced stiffness; below 0 where the origin is not stable

  Index vertex_count() const { return origin.rows(); }
  Index dimension() const { return U.cols(); }
};

// === From reduced coordinates to positions and back
// Points lie in memory as stacked vectors of 3n do. All have the same bits on any number of threads.

Points positions(const DenseBasis& basis, const VectorXd& q);
void positions(const DenseBasis& basis, const VectorXd& q, Points& out);
void positions_of(const DenseBasis& basis, const VectorXd& q, std::span<const int> vertices, Points& out);

/// Uᵀ f: the reduced force of forces at all vertices.
VectorXd pull_back(const DenseBasis& basis, const Points& forces);

/// Uᵀ M (x - origin): the coordinates of the nearest deformation within the subspace, in the inner product of
/// the masses.
VectorXd project(const DenseBasis& basis, const VectorXd& masses, const Points& x);

// === How such a basis is made

/// Each vertex's mass three times: one for every row of U.
VectorXd row_masses(const Body& body);

/// A d x d rotation into the modes of the reduced stiffness, ascending, those of no stiffness first.
struct ReducedModes {
  MatrixXd rotation;
  VectorXd eigenvalues;
};
/// @param stiffness  UᵀKU, symmetric, for M-orthonormal U
/// @param rigid UᵀMR, d x k: motions R within the subspace that are known to have no stiffness; k may be 0
ReducedModes reduced_modes(const MatrixXd& stiffness, const MatrixXd& rigid);

/// Turns M-orthonormal columns into the modes of the subspace that they span. `rigid` (3n x k, M-orthonormal)
/// lies in it.
DenseBasis dense_basis(std::string kind, const Body& body, const Points& origin, MatrixXd U,
                       const MatrixXd& rigid);

/// A basis from columns that are reduced modes already.
DenseBasis dense_basis(std::string kind, const Points& origin, MatrixXd U, VectorXd eigenvalues);

}  // namespace pliant
