#pragma once
// What a body resists in projective dynamics, as data: constraints λ/2 |S q - p|² of any mix of kinds on one mesh
// [Bouaziz et al. 2014]. Their sets Ω stand in projective_tile.h.
#include <array>
#include <span>
#include <vector>

#include "pliant/elasticity/projective_tile.h"

namespace pliant {

/// All constraints of one kind.
struct ProjectiveGroup {
  ProjectiveKind kind = ProjectiveKind::tet_strain;
  MatrixXd
      parameters;  ///< parameter rows x constraints, as projective_tile.h lists them; λ with the rest volume in it
  std::vector<int> vertices;  ///< those of constraint c are vertices[first[c]] to vertices[first[c + 1] - 1]
  std::vector<int> first = {0};
  // Only bending: the curvature vector is Σ weights[j] (q[vertices[first]] - q[vertices[j]]), over all but the first.
  std::vector<double> weights;            ///< beside `vertices`
  std::vector<std::array<int, 3>> sides;  ///< the triangle whose normal tells the side

  Index size() const { return static_cast<Index>(first.size()) - 1; }
  std::span<const int> vertices_of(Index c) const {
    const auto begin = static_cast<std::size_t>(first[static_cast<std::size_t>(c)]);
    return std::span(vertices).subspan(
        begin, static_cast<std::size_t>(first[static_cast<std::size_t>(c) + 1]) - begin);
  }
};

struct ProjectiveConstraints {
  Points rest;  ///< n x 3
  std::array<ProjectiveGroup, projective_kinds> groups;

  explicit ProjectiveConstraints(Points rest_positions);
  ProjectiveGroup& group(ProjectiveKind kind) { return groups[static_cast<std::size_t>(kind)]; }
  const ProjectiveGroup& group(ProjectiveKind kind) const { return groups[static_cast<std::size_t>(kind)]; }
  Index size() const;              ///< constraints of all kinds
  bool can_change_volume() const;  ///< some constraint has a target volume
};

/// Stretches of a tet between limits. With both 1 the energy density is stiffness/2 |F - R|², as-rigid-as-possible
/// elasticity: young = stiffness at poisson = 0.
struct TetStrain {
  double stiffness = 1e5;  ///< Pa
  double min_stretch = 1;  ///< singular values of F are free between these
  double max_stretch = 1;
};
void add_tet_strain(ProjectiveConstraints& constraints, const Tets& tets, const TetStrain& options = {});

/// Corotated-like: strain, and a target volume that a simulator may change while running. For small strain this is
/// the linear material of the same young and poisson: its energy density mu e:e + lambda/2 tr(e)² needs the strain
/// weight 2 mu, and the volume weight 3 lambda, since the nearest matrix of determinant 1 is tr(e)/sqrt(3) away.
struct TetVolume {
  double strain = 1e5;     ///< Pa, weight of the strain part; may be 0
  double volume = 1e5;     ///< Pa, weight of the volume part
  double min_stretch = 1;  ///< singular values of F are free between these, but for the volume
  double max_stretch = 1;
  double target = 1;  ///< volume wanted, in rest volumes

  static TetVolume from_young(double young, double poisson);  ///< Pa; poisson 0 to below 0.5
};
void add_tet_volume(ProjectiveConstraints& constraints, const Tets& tets, const TetVolume& options = {});

/// Tets that like to look as in one of some poses, or in between [Martin et al. 2011]: Ω is R (w₀ I + w₁ S₁ + ...) with
/// a rotation R, the stretches S of the poses and weights w >= 0 that sum to one, found for every tet in every local
/// step. The rest shape is always among them.
struct TetExamples {
  double stiffness = 1e5;  ///< Pa
};
/// @param poses  one to three sets of positions, n x 3 each, in which no tet is flat or inverted
void add_tet_examples(ProjectiveConstraints& constraints, const Tets& tets, std::span<const Points> poses,
                      const TetExamples& options = {});

/// Stretches of a membrane between limits.
struct TriangleStrain {
  double stiffness = 1e3;  ///< N/m: young times thickness
  double min_stretch = 1;
  double max_stretch = 1;
};
void add_triangle_strain(ProjectiveConstraints& constraints, const Triangles& triangles,
                         const TriangleStrain& options = {});

/// The mean curvature vector (2 H n, from the cotangents of the rest shape) keeps its length at vertices inside the
/// surface. Energy per area stiffness/2 |2 H n - p|².
struct Bending {
  double stiffness = 1e-3;  ///< flexural rigidity, N m
  /// The vector also keeps its side of the surface, so that creases do not stay inverted [Brandt et al. 2018, appendix
  /// A]. The set depends on q then, and a step's objective may rise.
  bool keep_side = true;

  static double rigidity(double young, double poisson, double thickness);  ///< young t³ / (12 (1 - poisson²))
};
void add_bending(ProjectiveConstraints& constraints, const Triangles& triangles, const Bending& options = {});

/// Edges whose lengths stay between limits.
struct Springs {
  double stiffness = 1e3;  ///< N/m
  double min_stretch = 1;  ///< in rest lengths; 0 to max_stretch = 1 makes a rope
  double max_stretch = 1;
};
void add_springs(ProjectiveConstraints& constraints, const Edges& edges, const Springs& options = {});

/// S of constraint c of a group into `S`, its rows by the constraint's vertices; returns λ.
double constraint_rows(const ProjectiveGroup& group, Index c, MatrixXd& S);

/// Σ λ SᵀS, n x n, symmetric, both triangles and every diagonal entry stored; of all constraints, or of one kind.
SparseMatrix projective_matrix(const ProjectiveConstraints& constraints);
SparseMatrix projective_matrix(const ProjectiveGroup& group, Index vertices);

/// Mass of each vertex: that of its tets and triangles in equal parts.
VectorXd vertex_masses(const Points& rest, const Tets& tets, double density);            ///< kg/m³
VectorXd vertex_masses(const Points& rest, const Triangles& triangles, double density);  ///< kg/m²

}  // namespace pliant
