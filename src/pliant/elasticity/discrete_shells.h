#pragma once
// Thin shells and cloth on triangles: Discrete Shells [Grinspun et al. 2003].
//     W = stretch sum_edges A_e (1 - l/L)^2  +  area sum_triangles A (1 - a/A)^2
//       + bending sum_hinges 3 L^2 / (A_1 + A_2) (angle - rest)^2
// with lengths L and areas A at rest, A_e a third of the triangles at an edge. (The paper weights the first sum by L
// instead, which stiffens as the mesh is refined; by area the sum has a limit.)
#include <vector>

#include "pliant/elasticity/shell_terms.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

struct ShellMaterial {
  double stretch = 0;  ///< N/m
  double area = 0;     ///< N/m
  double bending = 0;  ///< N m
  double density = 0;  ///< kg/m^2

  /// A plate of a homogeneous material. On a mesh of equilateral triangles the sums above tend to
  ///     membrane  (stretch + 4 area) m^2 + stretch/2 r^2,    bending  bending (4 M^2 + 8 R^2),
  /// m, M the mean and r, R half the difference of the principal strains and curvatures. So
  ///     stretch = 2 young t / (1 + poisson),  area = young t (3 poisson - 1) / (4 (1 - poisson^2)),
  /// are those of plane stress, where poisson is at least 1/3. Below that the area term would be negative and large
  /// stretches unstable: young is kept, and the membrane's own ratio is 1/3. And
  ///     bending = D / 6,  D = young t^3 / (12 (1 - poisson^2)),
  /// bends to a cylinder as the plate does. (As a plate the hinges have the ratio -1/3 [Seung and Nelson 1988].)
  /// @param young      Pa
  /// @param poisson    -1 to 0.5, both excluded
  /// @param thickness  metres
  /// @param density    kg/m^3
  static ShellMaterial from_young(double young, double poisson, double thickness, double density);
};

/// Throws InputError where a number is negative or not finite, or nothing resists stretching.
void check(const ShellMaterial& material);

/// The elements of a shell. Edges and hinges are sorted by their vertices; an edge of more than two triangles has a
/// hinge between its first triangle and each other.
struct DiscreteShell {
  Edges edges;  ///< e x 2, as the terms below have them
  std::vector<EdgeTerm> edge_terms;
  Triangles triangles;  ///< t x 3
  std::vector<AreaTerm> area_terms;
  Tets hinges;  ///< h x 4: both ends of the edge, then the apex of either side
  std::vector<HingeTerm> hinge_terms;
};

/// Throws InputError where a triangle has no area or names a vertex that is not there.
DiscreteShell make_discrete_shell(const TriMesh& rest, const ShellMaterial& material);

/// One element after the other: the slow way.
double energy(const DiscreteShell& shell, const Points& x);
Points gradient(const DiscreteShell& shell, const Points& x);

}  // namespace pliant
