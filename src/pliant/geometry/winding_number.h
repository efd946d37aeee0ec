#pragma once
// How often a surface winds around a point: 1 inside, 0 outside, and in between where the surface has holes.
#include <vector>

#include "pliant/geometry/tri_mesh.h"

namespace pliant {

struct WindingNumberOptions {
  /// A cluster of triangles is summarised from `accuracy` times its radius on; 2 keeps the error
  /// below 1e-2 a layer of surface, and it falls with the fourth power; infinity sums every triangle.
  double accuracy = 2;
};

/// The generalized winding number of any triangle soup [Jacobson et al. 2013], evaluated on a tree of
/// clusters [Barill et al. 2018]: far clusters through the first three terms of their expansion, near ones
/// triangle by triangle. Built once; queries are const and may run on many threads.
class WindingNumber {
 public:
  explicit WindingNumber(const TriMesh& mesh, const WindingNumberOptions& options = {});

  double operator()(const Vector3d& p) const;

  /// Row i answers points.row(i); in parallel.
  VectorXd evaluate(const Points& points) const;

 private:
  // The field of a far cluster around its centre c, with r = c - p and R = |r|:
  //     4 pi w = dipole . r / R^3  -  3 quadrupole(r, r) / R^5  +  15/2 octupole(r, r, r) / R^7
  // Quadrupole and octupole are the symmetric, trace-free parts of the area's first and second moments.
  struct Cluster {
    Vector3d centre;
    double far2;  // squared distance beyond which the expansion is used
    Vector3d dipole;
    double quadrupole[6];  // xx yy zz xy xz yz
    double octupole[10];   // xxx yyy zzz xxy xxz xyy yyz xzz yzz xyz
  };
  struct Corners {
    Vector3d a, b, c;
  };

  int levels_ = 0;                  // the tree is complete: node i has the children 2i + 1 and 2i + 2
  std::vector<Cluster> clusters_;   // 2^levels_ - 1
  std::vector<Corners> triangles_;  // ordered so that a node's triangles lie together
  std::vector<int> leaf_begin_;     // 2^(levels_ - 1) + 1 offsets into triangles_
};

/// The winding number of one triangle: its solid angle seen from p over 4 pi [van Oosterom and Strackee
/// 1983]. 0 for a point in its plane, and for a triangle without area.
double triangle_winding(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c);

}  // namespace pliant
