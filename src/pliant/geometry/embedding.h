#pragma once
// Carries any points with a tet mesh: the mesh a user brought moves with the tets around it.
#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// Each point as a weighted sum of the four vertices of one tet. Weights sum to 1. Points inside the mesh
/// have no negative weight; a point outside keeps its place in the coordinates of the nearest tet, so that
/// every affine motion of the tets carries every point exactly. A tet without volume holds no point; one next
/// to it outside is carried by the closest point of the tet's face.
struct Embedding {
  using Weights = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;

  VectorXi tets;           ///< p: the tet that carries each point; the lowest index where several could
  Tets vertices;           ///< p x 4: that tet's vertices
  Weights weights;         ///< p x 4
  VectorXd distance;       ///< p: how far outside the mesh the point lies, 0 inside
  Index vertex_count = 0;  ///< of the tet mesh

  Index point_count() const { return tets.size(); }
  SparseRows matrix() const;                           ///< p x n, with points = matrix * vertices
  Points positions(const Points& tet_vertices) const;  ///< matrix() * tet_vertices, in parallel
};

Embedding embed(const TetMesh& mesh, const Points& points);

}  // namespace pliant
