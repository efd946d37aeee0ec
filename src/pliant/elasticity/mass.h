#pragma once
// The mass of tetrahedra, lumped at the vertices or consistent with their shape functions.
#include <span>

#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// A quarter of every tet's mass at each of its vertices: n masses, kg. Volumes in m³ and densities in kg/m³, one a tet.
VectorXd lumped_masses(const TetMesh& mesh, std::span<const double> volumes,
                       std::span<const double> densities);

/// ∫ ρ N_a N_b = m/20 (1 + δ_ab) for a tet of mass m: 3n x 3n, both triangles.
SparseMatrix consistent_mass(const TetMesh& mesh, std::span<const double> volumes,
                             std::span<const double> densities);

}  // namespace pliant
