#pragma once
// A sparse subspace for positions: affine maps at handles spread over the body, blended by weights around each of them
// [Brandt et al. 2018, section 4 and appendix B].
#include <span>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/geometry/geodesics.h"
#include "pliant/geometry/sampling.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// Weight of a handle at distance t, in radii: 1 at 0, falling to 0 at 1.
enum class RadialFunction {
  kinked,  ///< 1 - 3/2 t² + 1/2 t³, that of the paper: its slope jumps at 1
  smooth,  ///< 1 - 3 t² + 2 t³
};

constexpr double least_support = 1.05, most_support = 100;

struct SkinningOptions {
  int handles = 120;  ///< no fewer than connected components
  /// Radius, in largest distances of a vertex to its nearest handle, from least_support to most_support. The paper's is 2; with 1.5 a vertex feels half as many
  /// handles, and bodies follow the full simulation as closely.
  double support = 1.5;
  RadialFunction radial = RadialFunction::smooth;
  /// Vertices that the subspace does not move. Weights fall to zero towards them, linearly over `ramp` radii.
  std::span<const int> fixed = {};
  double ramp = 0.5;
  Progress progress = {};
};

/// Smooth weights that sum to one at every vertex.
struct HandleWeights {
  std::vector<int> handles;  ///< vertices, in the order in which they were chosen
  double radius = 0;         ///< metres
  // Those of vertex i are entries first[i] to first[i + 1] - 1, handles ascending.
  std::vector<int> first;
  std::vector<int> handle;
  std::vector<double> weight;

  Index vertex_count() const { return static_cast<Index>(first.size()) - 1; }
  Index count() const { return static_cast<Index>(handles.size()); }
};

/// Radial weights around the first `count` of these points: with a radius of their own, since fewer handles are
/// further apart. Vertices of components without a handle have none.
HandleWeights handle_weights(GeodesicSolver& solver, std::span<const int> handles, double support = 2,
                             RadialFunction radial = RadialFunction::smooth);

/// x_i = X_i + Σ_j w_ij (t_j + L_j (X_i - s_j) / r): the displacement that affine maps at the handles s_j blend to. As a
/// matrix, x = X + U q with four columns a handle, w and w (X - s) / r, and q having three: one a coordinate of space.
struct SkinningBasis {
  Points rest;            ///< X, n x 3
  HandleWeights weights;  ///< with the ramp at fixed vertices, and so perhaps not summing to one
  Points centers;         ///< s, k x 3
  /// Columns that depend on the others (of flat or thin bodies, of tiny supports): their coordinates stay zero.
  std::vector<char> dropped;  ///< 4 k
  /// Where there are any: U itself, four numbers an entry of the weights, in place of those of affine maps. So every
  /// subspace of scalar columns, taken four by four, stands here (snapshot_blocks.h).
  Eigen::Matrix<double, 4, Eigen::Dynamic> given;

  Index vertex_count() const { return rest.rows(); }
  Index columns() const { return 4 * weights.count(); }
};

/// @param masses  n, kg: in their inner product columns are compared
SkinningBasis skinning_basis(GeodesicSolver& solver, const Points& rest, const VectorXd& masses,
                             const SkinningOptions& options = {});

/// The four numbers of U at one entry of the weights: w (1, (X - s) / r), or those that are given.
Eigen::Vector4d columns_of(const SkinningBasis& basis, Index vertex, Index entry);

/// x = X + U q. q is 4k x 3.
void positions(const SkinningBasis& basis, const MatrixXd& q, Points& x);
/// Uᵀ f: 4k x 3.
MatrixXd pull_back(const SkinningBasis& basis, const Points& f);
/// Uᵀ D U, D a diagonal matrix (n): 4k x 4k. Dropped columns too.
MatrixXd reduced_diagonal(const SkinningBasis& basis, const VectorXd& diagonal);
/// Uᵀ K U, K symmetric n x n, one for all coordinates of space.
MatrixXd reduced_matrix(const SkinningBasis& basis, const SparseMatrix& K);

/// Of a matrix of products of columns: which of them are combinations of others, up to `tolerance` of their length. What is
/// left must do in single precision: of a coarse mesh with many handles columns that are nearly dependent would blow it up, and
/// they say nothing new.
std::vector<char> dependent_columns(const MatrixXd& gram, double tolerance = 3e-3);

}  // namespace pliant
