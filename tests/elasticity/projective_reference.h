#pragma once
// Projections the slow, obvious way: one constraint at a time, with Eigen, in double.
#include "pliant/base/rng.h"
#include "pliant/elasticity/projective_forces.h"

namespace pliant::testing_support {

Matrix3d random_matrix(Rng& rng);

Matrix3d random_rotation(Rng& rng);

/// F = U diag(s) Vᵀ with proper rotations; the last singular value may be negative.
struct SignedSvd {
  Matrix3d U, V;
  Vector3d s;
  explicit SignedSvd(const Matrix3d& F);
  Matrix3d with(const Vector3d& x) const;
};

Matrix3d nearest_rotation(const Matrix3d& F);

/// x1 x2 x3 = c, x > 0, nearest to s: a search over a fine grid of (log x1, log x2), made finer around the best.
Vector3d nearest_volume_search(const Vector3d& s, double c);

/// The projection of tile inputs of any kind but volume and examples, from their parameters.
VectorXd slow_projection(ProjectiveKind kind, const VectorXd& inputs, const VectorXd& p);

/// One constraint through the tile kernel.
template <class T>
struct TileResult {
  Eigen::Matrix<T, Eigen::Dynamic, 1> forces, projection;
  T energy;
};

template <class T>
TileResult<T> run_tile(ProjectiveKind kind, const VectorXd& inputs, const VectorXd& parameters,
                       double volume = 1, Index place = 5) {
  const ProjectiveShape shape = shape_of(kind);
  alignas(64) T in[9 * projective_tile] = {}, p[34 * projective_tile] = {}, forces[9 * projective_tile],
                       projections[9 * projective_tile], energies[projective_tile];
  for (int r = 0; r < shape.inputs; ++r) in[r * projective_tile + place] = static_cast<T>(inputs[r]);
  for (int r = 0; r < shape.parameters; ++r) p[r * projective_tile + place] = static_cast<T>(parameters[r]);
  project_tile(kind, ProjectiveTile<T>{in, p, forces, projections, energies}, volume);
  TileResult<T> result;
  result.forces.resize(shape.outputs), result.projection.resize(shape.outputs);
  for (int r = 0; r < shape.outputs; ++r) {
    result.forces[r] = forces[r * projective_tile + place];
    result.projection[r] = projections[r * projective_tile + place];
  }
  result.energy = energies[place];
  return result;
}

}  // namespace pliant::testing_support
