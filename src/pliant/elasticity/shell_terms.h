#pragma once
// The three energies of Discrete Shells [Grinspun et al. 2003], one element at a time: an edge that keeps its length,
// a triangle that keeps its area, a hinge that keeps its angle. Each a spring on one scalar,
//     W = stiffness / 2 (value - rest)^2,   dW = stiffness (value - rest) d value,
//     d2W = stiffness (d value d value^T + (value - rest) d2 value),
// with exact derivatives. Positions are columns, derivatives in the order x0 y0 z0 x1 ...
//
// Degenerate elements give finite numbers: where an edge or a triangle shrinks below a small part of its size at rest,
// what divides by it stops growing.
#include "pliant/numerics/types.h"

namespace pliant {

struct EdgeTerm {
  double rest = 1;       ///< length, metres
  double stiffness = 1;  ///< N/m
};
struct AreaTerm {
  double rest = 1;       ///< area, square metres
  double stiffness = 1;  ///< N/m^3
};
/// Edge x0 x1 between the triangles (x0, x1, x2) and (x1, x0, x3). The angle is that between their normals: 0 where
/// flat, positive where the second normal is turned from the first about the edge's direction. Differences of angles
/// are taken the shorter way round.
struct HingeTerm {
  double rest = 0;       ///< angle, -pi to pi
  double stiffness = 1;  ///< N m
  double length = 1;     ///< of the edge at rest, metres: the scale below which an edge counts as degenerate
  double area = 1;       ///< of the smaller triangle at rest, square metres: the same for triangles
};

using EdgePositions = Eigen::Matrix<double, 3, 2>;
using TrianglePositions = Eigen::Matrix<double, 3, 3>;
using HingePositions = Eigen::Matrix<double, 3, 4>;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector12d = Eigen::Matrix<double, 12, 1>;
using Matrix12d = Eigen::Matrix<double, 12, 12>;

double energy(const EdgeTerm& term, const EdgePositions& x);
Vector6d gradient(const EdgeTerm& term, const EdgePositions& x);
Matrix6d hessian(const EdgeTerm& term, const EdgePositions& x);
Matrix6d projected_hessian(const EdgeTerm& term,
                           const EdgePositions& x);  ///< positive semi-definite, closed form

double energy(const AreaTerm& term, const TrianglePositions& x);
Eigen::Matrix<double, 9, 1> gradient(const AreaTerm& term, const TrianglePositions& x);
Eigen::Matrix<double, 9, 9> hessian(const AreaTerm& term, const TrianglePositions& x);
Eigen::Matrix<double, 9, 9> projected_hessian(const AreaTerm& term,
                                              const TrianglePositions& x);  ///< closed form

double hinge_angle(const HingePositions& x);
double energy(const HingeTerm& term, const HingePositions& x);
Vector12d gradient(const HingeTerm& term, const HingePositions& x);
Matrix12d hessian(const HingeTerm& term, const HingePositions& x);
Matrix12d projected_hessian(const HingeTerm& term, const HingePositions& x);  ///< eigenvalues by iteration

}  // namespace pliant
