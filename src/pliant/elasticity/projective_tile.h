#pragma once
// The local step of projective dynamics [Bouaziz et al. 2014] for a tile of constraints: 64 of one kind, one a SIMD
// lane, from what was gathered at their vertices to projections, forces and energies.
//
// A constraint is W = λ/2 |S q - p|², p the point nearest to S q in a set Ω [Brandt et al. 2018, eq. 4 and 5]. Since p
// is nearest, its own derivative drops out of that of W: the force is exactly λ Sᵀ (p - S q).
#include <string_view>

#include "pliant/numerics/types.h"

namespace pliant {

/// B is the inverse of the matrix of rest edges, so that F = [edges] B; its entry (row, column) is parameter
/// row + rows * column. Edges and forces are those of the vertices after the first; the first gets minus the sum of
/// the forces.
///
///   kind             S q             Ω                                          parameters
///   tet_strain       F, 3 x 3        U diag(x) Vᵀ, min <= x <= max, proper      B (9), λ, min, max
///   tet_volume       F, 3 x 3        the same, and det = target with weight λv  B (9), λ, min, max, λv, target^(1/3)
///   tet_example      F, 3 x 3        R Σ wᵢ Sᵢ, R a rotation, w >= 0, Σ w = 1   B (9), λ, four S: xx yy zz yz zx xy
///   triangle_strain  F, 3 x 2        U diag(x) Vᵀ, min <= x <= max              B (4), λ, min, max
///   bending          curvature, 3    |p| = rest norm                            λ, rest norm, side (+1, -1; 0: free)
///   spring           edge, 3         min <= |p| <= max                          λ, min, max
enum class ProjectiveKind { tet_strain, tet_volume, tet_example, triangle_strain, bending, spring };
inline constexpr int projective_kinds = 6;
constexpr std::string_view name(ProjectiveKind kind) {
  constexpr std::string_view names[projective_kinds] = {"tet_strain",      "tet_volume", "tet_example",
                                                        "triangle_strain", "bending",    "spring"};
  return names[static_cast<int>(kind)];
}

struct ProjectiveShape {
  int vertices;  ///< of one constraint; 0: varies
  int inputs;  ///< rows gathered: the edges; for bending the curvature vector and the normal of a triangle there
  int parameters;  ///< rows
  int outputs;     ///< rows of forces, and of projections: the entries of p, column by column
};
constexpr ProjectiveShape shape_of(ProjectiveKind kind) {
  constexpr ProjectiveShape shapes[projective_kinds] = {{4, 9, 12, 9}, {4, 9, 14, 9}, {4, 9, 34, 9},
                                                        {3, 6, 7, 6},  {0, 6, 3, 3},  {2, 3, 3, 3}};
  return shapes[static_cast<int>(kind)];
}

inline constexpr Index projective_tile = 64;  ///< constraints in a tile
inline constexpr int projective_poses = 4;    ///< example poses of a tet, the rest shape among them

/// Rows of `projective_tile` numbers each. Unused places of the last tile: all parameters zero. Aligned to 64 bytes.
template <class T>
struct ProjectiveTile {
  const T* inputs;
  const T* parameters;
  T* forces = nullptr;  ///< λ Sᵀ (p - S q), or null
  T* projections =
      nullptr;  ///< p, or null; for tet_volume the mean of both sets' points, weighted by λ and λv
  T* energies = nullptr;  ///< one row, λ/2 |S q - p|², or null
};

/// `volume` is a factor on every target volume. Any finite input gives finite output (in float: edges up to 1e12 of
/// their rest length), flat and inverted elements included. A constraint gets the same bits wherever it stands.
void project_tile(ProjectiveKind kind, const ProjectiveTile<float>& tile, double volume);
void project_tile(ProjectiveKind kind, const ProjectiveTile<double>& tile, double volume);

}  // namespace pliant
