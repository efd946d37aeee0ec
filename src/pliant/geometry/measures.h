#pragma once
// Lengths, areas, volumes, angles and quality of meshes.
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

VectorXd tet_volumes(const TetMesh& mesh);     ///< m, signed, m^3
VectorXd triangle_areas(const TriMesh& mesh);  ///< t, m^2
VectorXd edge_lengths(const Points& vertices, const Edges& edges);

double total_volume(const TetMesh& mesh);  ///< sum of the signed volumes
double total_area(const TriMesh& mesh);
/// Volume inside a closed surface, positive when its triangles face outward (divergence theorem).
double enclosed_volume(const TriMesh& mesh);

Vector3d centroid(const TetMesh& mesh);  ///< centre of volume; of the vertices where the volume is zero
Vector3d centroid(const TriMesh& mesh);  ///< centre of area; of the vertices where the area is zero

struct BoundingBox {
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  Vector3d size() const { return high - low; }
  double diagonal() const { return size().norm(); }
};
BoundingBox bounding_box(const Points& vertices);  ///< zero for no vertices; NaN coordinates are ignored

/// m x 2: smallest and largest angle between two faces of every tet, degrees. Regular: 70.53.
Eigen::Matrix<double, Eigen::Dynamic, 2> dihedral_angles(const TetMesh& mesh);

/// m: three inradii per circumradius; 1 for the regular tet, towards 0 as it flattens, negative if inverted.
VectorXd radius_ratios(const TetMesh& mesh);
/// t: two inradii per circumradius; 1 for the equilateral triangle, 0 for a degenerate one.
VectorXd radius_ratios(const TriMesh& mesh);

/// What a table of a mesh shows about its shape. All zero for an empty mesh.
struct TetQuality {
  double min_dihedral = 0, max_dihedral = 0;           ///< degrees, over all tets
  double min_radius_ratio = 0, mean_radius_ratio = 0;  ///< see radius_ratios
  double min_volume = 0, max_volume = 0;               ///< m^3, signed
  double min_edge = 0, mean_edge = 0, max_edge = 0;    ///< m; the mean counts an edge once a tet
  Index worst_tet = -1;                                ///< lowest radius ratio; ties: lowest id
};
TetQuality tet_quality(const TetMesh& mesh);

struct TriangleQuality {
  double min_angle = 0, max_angle = 0;  ///< degrees, over all corners
  double min_radius_ratio = 0, mean_radius_ratio = 0;
  double min_area = 0, max_area = 0;                 ///< m^2
  double min_edge = 0, mean_edge = 0, max_edge = 0;  ///< m; the mean counts an edge once a triangle
  Index worst_triangle = -1;
};
TriangleQuality triangle_quality(const TriMesh& mesh);

}  // namespace pliant
