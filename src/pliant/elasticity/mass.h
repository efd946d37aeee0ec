#pragma once
// The mass of tetrahedra, lumped at the vertices or consistent with their shape functions.
#include <span>

#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// Every element's mass in equal parts at its vertices: n masses, kg. `elements` is tets or triangles, mass_of(element) kg.
template <class Elements, class MassOf>
VectorXd masses_in_equal_parts(Index vertex_count, const Elements& elements, MassOf&& mass_of) {
  VectorXd masses = VectorXd::Zero(vertex_count);
  for (Index e = 0; e < elements.rows(); ++e) {
    const double part = mass_of(e) / static_cast<double>(elements.cols());
    for (Index k = 0; k < elements.cols(); ++k) masses[elements(e, k)] += part;
  }
  return masses;
}

/// A quarter of every tet's mass at each of its vertices: n masses, kg. Volumes in m³ and densities in kg/m³, one a tet.
VectorXd lumped_masses(const TetMesh& mesh, std::span<const double> volumes,
                       std::span<const double> densities);

/// ∫ ρ N_a N_b = m/20 (1 + δ_ab) for a tet of mass m: 3n x 3n, both triangles.
SparseMatrix consistent_mass(const TetMesh& mesh, std::span<const double> volumes,
                             std::span<const double> densities);

}  // namespace pliant
