#pragma once
// Subspaces that recorded motion spans.
#include <functional>
#include <string>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

/// Recorded positions of n vertices, read a stretch of vertices at a time, so that a file of any size may stand behind it.
struct SnapshotFrames {
  Index count = 0;     ///< frames
  Index vertices = 0;  ///< n
  /// Positions of `vertices` vertices from `first` on in a frame, three numbers each, metres. From several threads.
  std::function<void(Index frame, Index first, Index vertices, double* out)> read;
};

/// Keeps a reference. Refuses, naming the frame, one of another size than the first, and numbers that are not finite.
SnapshotFrames frames_of(const std::vector<Points>& frames);
/// Looks through all of it for numbers that are not finite, and names the frame.
void check_finite(const SnapshotFrames& frames);

/// Every frame turned and moved as a whole to where it is closest to the rest shape, weighed by masses: what is left is
/// deformation. Not done unless asked for, since a subspace without turning must be told of it (AppendedMotions). Keeps
/// what `frames` keeps.
SnapshotFrames aligned_frames(const SnapshotFrames& frames, const Points& rest, const VectorXd& masses);

/// What the columns of a basis are.
enum class SnapshotCoordinates {
  shared,    ///< scalars, the same for x, y and z: turns with the body; three coordinates a column
  separate,  ///< scalars, others for x, y and z
  joint,     ///< vectors: one coordinate a column
};
SnapshotCoordinates snapshot_coordinates(std::string_view name);  ///< "shared", ...; InputError for another
std::string_view name(SnapshotCoordinates coordinates);

/// Motions that are in the span whatever was recorded.
enum class AppendedMotions {
  none,
  translations,  ///< so that gravity is in the span
  affine,        ///< so that turning is, too
};
AppendedMotions appended_motions(std::string_view name);  ///< "none", "translations", "affine"

/// x = rest + U q. Scalar columns: U is n x k and q k x 3; for `separate` there are three of them, one a coordinate of
/// space. Joint columns: U is 3n x k, vertex by vertex, and q k x 1.
struct SnapshotBasis {
  SnapshotCoordinates coordinates = SnapshotCoordinates::shared;
  Points rest;               ///< n x 3, metres
  std::vector<MatrixXd> U;   ///< one, or three of the same size
  Index appended = 0;        ///< columns that came before those of snapshots
  VectorXd singular_values;  ///< of global components, descending, sqrt(kg) m; `separate`: x, then y, then z
  std::vector<int> centers;  ///< of local components: a vertex each, -1 for appended ones

  Index columns() const { return U.front().cols(); }
  Index degrees_of_freedom() const {
    return coordinates == SnapshotCoordinates::joint ? columns() : 3 * columns();
  }
};

/// What comes before any snapshot: mass-orthonormal columns of the appended motions.
SnapshotBasis appended_basis(const Points& rest, const VectorXd& masses, SnapshotCoordinates coordinates,
                             AppendedMotions motions);

/// The coordinates nearest to given positions in the inner product of the masses. Columns need not be orthonormal.
class SnapshotProjector {
 public:
  SnapshotProjector(const SnapshotBasis& basis, const VectorXd& masses);  ///< keeps a reference to the basis
  MatrixXd operator()(const Points& positions) const;

 private:
  const SnapshotBasis& basis_;
  VectorXd masses_;
  std::vector<MatrixXd> inverse_;  // of Uᵀ M U
};

Points positions(const SnapshotBasis& basis, const MatrixXd& q);

/// sqrt(Σ m |x - x'|² / Σ m |x - rest|²) over frames and vertices: what the basis cannot say of what was recorded.
double projection_error(const SnapshotBasis& basis, const VectorXd& masses, const SnapshotFrames& frames);

}  // namespace pliant
