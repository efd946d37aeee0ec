#pragma once
// What the ways to fit projections from samples share: the rows that are fitted, what turning the rest state asks of them,
// samples spread over the body, and the fit itself.
#include <span>
#include <vector>

#include "pliant/elasticity/projective_constraints.h"
#include "pliant/geometry/geodesics.h"

namespace pliant {

inline bool is_tet(ProjectiveKind kind) { return shape_of(kind).vertices == 4; }

/// Rows of a constraint that are fitted one by one: all nine entries of a tet by the same fit, else three by three.
inline Index fitted_rows(ProjectiveKind kind) { return is_tet(kind) ? 1 : shape_of(kind).outputs / 3; }

/// What affine maps of the rest projections are made of: 1 in tets, whose rest projections are identities; else 1 and the
/// three coordinates of a row, in units of their mean length. features x (rows * constraints)
MatrixXd rest_features(const ProjectiveConstraints& constraints, ProjectiveKind kind);

/// Of a symmetric matrix: eigenvectors of its largest eigenvalues, divided by their roots; as many as asked, but none of
/// nearly zero.
MatrixXd strongest(const MatrixXd& gram, Index count);

/// A constraint next to each of these vertices, where there is any; ascending, each once.
std::vector<int> constraints_at(const ProjectiveGroup& group, std::span<const int> vertices, Index count);

/// Constraints spread over the body, beginning with those of `start`; ascending.
std::vector<int> spread_constraints(const ProjectiveGroup& group, std::vector<int> start,
                                    GeodesicSolver& solver, int count);

/// No more columns than half of what is seen, unless all is: a fit to barely enough samples is not stable in time.
Index fitted_dimension(const ProjectiveGroup& group, Index wanted, int samples);

/// From what is seen at samples to the coordinates of least squares. V is (rows * samples) x d.
///
/// A sample counts for as much as it stands for: products of columns at the samples are then nearly those over the whole body, in which
/// columns of V are orthonormal, the fit is nearly an orthogonal projection, and forces that follow from it nearly have a potential. Where
/// all samples count the same, bodies can turn faster and faster by themselves.
/// @param weights  of samples, positive
MatrixXd fit_to_samples(const MatrixXd& V, const VectorXd& weights);

}  // namespace pliant
