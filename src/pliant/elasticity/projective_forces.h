#pragma once
// The local step for a whole body: all projections, and the forces λ Sᵀ (p - S q) summed at the vertices.
#include <memory>
#include <span>

#include "pliant/elasticity/projective_constraints.h"

namespace pliant {

// === For those who choose constraints themselves, as hyper-reduced simulators do: tiles from any subset of a group

/// Rows of parameters for up to 64 constraints of a group; the rest of the tile is zero.
/// @param parameters  shape_of(kind).parameters rows of `projective_tile`
template <class T>
void pack_parameters(const ProjectiveGroup& group, std::span<const int> constraints, T* parameters);

/// Rows of edges (bending: curvature vectors and normals) at positions q.
/// @param q       row-major, 3 a vertex
/// @param inputs  shape_of(kind).inputs rows of `projective_tile`; unused places become zero
template <class T>
void gather_inputs(const ProjectiveGroup& group, std::span<const int> constraints, const double* q,
                   T* inputs);

/// All constraints of a body, compiled for speed: sorted along a space-filling curve and cut into chunks. A chunk
/// sums forces in a small array of its own vertices, and a vertex adds up the few chunks it is in: no conflicts, and
/// the same additions in the same order on any number of threads. T is the precision of projections; edges are
/// taken and forces are added in double all the same.
template <class T>
class ProjectiveForces {
 public:
  explicit ProjectiveForces(const ProjectiveConstraints& constraints);
  ~ProjectiveForces();
  ProjectiveForces(ProjectiveForces&&) noexcept;
  ProjectiveForces& operator=(ProjectiveForces&&) noexcept;

  /// The local step at positions q. In parallel; allocates nothing.
  /// @param volume         factor on target volumes
  /// @param with_energies  also the energy
  void project(const Points& q, double volume, bool with_energies = false);

  /// Of the last local step: the force at a vertex, newtons. Threads may ask at once.
  Vector3d force(Index vertex) const;
  /// Of the last local step with energies: Σ λ/2 |S q - p|², joules.
  double energy() const;

  std::size_t memory_bytes() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pliant
