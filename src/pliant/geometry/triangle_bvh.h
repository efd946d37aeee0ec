#pragma once
// Which triangle is closest to a point, and which a ray meets first.
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// Throws InputError unless the mesh has triangles, their vertices exist and every vertex is finite. `who`
/// opens the message.
void require_triangles(std::string_view who, const TriMesh& mesh);

struct ClosestPoint {
  Vector3d point = Vector3d::Zero();
  double distance = std::numeric_limits<double>::infinity();
  int triangle = -1;  ///< the lowest index among triangles equally close
};

/// The point of triangle (a, b, c) closest to p. Triangles of no area are segments or points.
Vector3d closest_point_on_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                                   const Vector3d& c);

struct RayHit {
  double distance;  ///< along the ray, in lengths of its direction
  int triangle;
};

/// Closest points and rays on a triangle soup. Built once; queries are const and may run on many threads.
///
/// Closest points are exact: the tree of boxes (Embree) is in single precision, so it is searched in a unit
/// box with a radius widened by its rounding, and every triangle it offers is measured in double precision on
/// the mesh's own coordinates.
class TriangleBvh {
 public:
  explicit TriangleBvh(const TriMesh& mesh);
  ~TriangleBvh();
  TriangleBvh(TriangleBvh&&) noexcept;
  TriangleBvh& operator=(TriangleBvh&&) noexcept;

  /// The closest point, or `triangle == -1` when nothing lies within `radius`.
  ClosestPoint closest(const Vector3d& p, double radius = std::numeric_limits<double>::infinity()) const;

  /// Row i answers points.row(i); in parallel.
  std::vector<ClosestPoint> closest_points(const Points& points) const;

  /// The first triangle met beyond `start` (in lengths of `direction`), from either side; to single
  /// precision.
  std::optional<RayHit> first_hit(const Vector3d& origin, const Vector3d& direction, double start = 0) const;

  Vector3d corner(Index triangle, int k) const;  ///< k: 0, 1 or 2
  const Vector3d& lower() const;                 ///< the box around the triangles
  const Vector3d& upper() const;

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace pliant
