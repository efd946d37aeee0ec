#pragma once
// Constraint projections from a few samples: the second subspace of [Brandt et al. 2018, section 5 and appendix C].
//
// The projections p of all constraints of one kind are sought in a small space, p - p₀ ≈ V p̃ with p₀ those at rest; p̃ is
// the least-squares fit to what is seen at sampled constraints; and all that the global step asks is Uᵀ Sᵀ Λ V p̃, a small
// matrix times p̃. V lets affine maps act on what the projections are at rest, blended by weights around handles.
#include <span>
#include <vector>

#include "pliant/elasticity/projective_constraints.h"
#include "pliant/subspace/skinning.h"

namespace pliant {

struct ProjectionFittingOptions {
  int handles = 80;    ///< the first of those of the position subspace, if it has any; no more than there are
  int dimension = 0;   ///< of what is kept of them; 0: half
  int samples = 1000;  ///< constraints that are evaluated
  double support = 2;  ///< radius of weights, as in SkinningOptions: their own, since these handles are fewer
  RadialFunction radial = RadialFunction::smooth;
  Progress progress = {};
};

/// For one kind of constraint. The entries of p stand as in projective_tile.h, three coordinates of space after three.
/// At rest the projections of tets are all the same, the identity: weights alone span V, the same ones for each of the nine
/// entries. Others have a row of three for each row of S (two in a triangle, one else), and columns that know them apart.
struct ProjectionFitting {
  ProjectiveKind kind = ProjectiveKind::tet_strain;
  std::vector<int> samples;  ///< constraints
  Index rows = 1;            ///< fitted one by one, of each sample
  Index width = 9;           ///< numbers in each
  MatrixXd fit;              ///< d x (rows * samples), those of a sample together: p̃ from what was seen
  /// 4k x (width/3 * d): to the right-hand side, from three columns, one a coordinate; the first d rows of p̃ below are
  /// those that meet the first three entries of a row, and so on.
  MatrixXd map;

  VectorXd metric;  ///< d: what the squares of p̃ weigh in Σ λ |V p̃|², V being orthogonal for λ

  Index dimension() const { return fit.rows(); }
};

/// @param solver  on the mesh of the constraints
ProjectionFitting fit_projections(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                  const SkinningBasis& basis, GeodesicSolver& solver,
                                  const ProjectionFittingOptions& options = {});

/// Without weights or samples: every constraint of the kind is evaluated, and V is everything: what the fit is measured
/// against. Its matrices are dense: for up to 10,000 constraints.
ProjectionFitting all_projections(const ProjectiveConstraints& constraints, ProjectiveKind kind,
                                  const SkinningBasis& basis);

/// p of some constraints of a group at positions q: one column of p each, outputs x constraints.
MatrixXd projections_at(const ProjectiveGroup& group, std::span<const int> constraints, const Points& q,
                        double volume = 1);

}  // namespace pliant
