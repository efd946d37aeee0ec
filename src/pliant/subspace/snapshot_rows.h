#pragma once
// Snapshots as matrices: a row a coordinate of the basis' columns, times the square root of its mass, a column an
// observation. What global, local and sparse components are all made of.
#include "pliant/numerics/tall_products.h"
#include "pliant/subspace/snapshot_basis.h"

namespace pliant {

using SnapshotMatrix = RowMatrixXd;

/// One of the matrices of a set of snapshots: there are three for separate coordinates of space, and one otherwise.
class SnapshotRows {
 public:
  /// Keeps references. `basis` has the appended columns, whose motions are taken out of the rows.
  SnapshotRows(const SnapshotFrames& frames, const SnapshotBasis& basis, const VectorXd& masses, int part);

  Index vertices() const { return frames_.vertices; }
  Index per_vertex() const { return per_vertex_; }  ///< rows of a vertex
  Index rows() const { return frames_.vertices * per_vertex_; }
  Index observations() const { return observations_; }
  double root_mass(Index row) const { return root_masses_[row / per_vertex_]; }

  /// Rows of `vertices` vertices from `first` on.
  void read(Index first, Index vertices, SnapshotMatrix& out) const;
  SnapshotMatrix all() const;

 private:
  void read_raw(Index first, Index vertices, SnapshotMatrix& out) const;

  const SnapshotFrames& frames_;
  const SnapshotBasis& basis_;
  int part_ = 0;
  Index per_vertex_ = 1, observations_ = 0;
  VectorXd root_masses_;
  MatrixXd appended_;      // columns times the root of the mass: orthonormal
  MatrixXd coefficients_;  // what they have of each observation
};

}  // namespace pliant
