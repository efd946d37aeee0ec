#include "pliant/geometry/corner_normals.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/geometry/adjacency.h"

namespace pliant {
namespace {

Vector3d face_normal(const TriMesh& mesh, Index t) {
  const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                 c = mesh.vertices.row(mesh.triangles(t, 2));
  return (b - a).cross(c - a).stableNormalized();  // zero stays zero
}

double corner_angle(const TriMesh& mesh, Index t, int corner) {
  const Vector3d a = mesh.vertices.row(mesh.triangles(t, corner));
  const Vector3d u = mesh.vertices.row(mesh.triangles(t, (corner + 1) % 3)).transpose() - a;
  const Vector3d v = mesh.vertices.row(mesh.triangles(t, (corner + 2) % 3)).transpose() - a;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

}  // namespace

Points corner_normals(const TriMesh& mesh, double crease_degrees) {
  const Adjacency around = vertex_elements(mesh.triangles, mesh.vertex_count());
  Points faces(mesh.triangle_count(), 3);
  parallel_for(mesh.triangle_count(), 4096, [&](Index t) { faces.row(t) = face_normal(mesh, t); });

  const double least_cosine = std::cos(crease_degrees * std::numbers::pi / 180) - 1e-12;
  Points normals(3 * mesh.triangle_count(), 3);
  parallel_for(mesh.triangle_count(), 1024, [&](Index t) {
    const Vector3d own = faces.row(t);
    for (int corner = 0; corner < 3; ++corner) {
      const std::int32_t vertex = mesh.triangles(t, corner);
      Vector3d sum = Vector3d::Zero();
      for (std::int32_t other : around.row(vertex)) {
        const bool smooth = own.isZero() || faces.row(other).dot(own) >= least_cosine;
        if (!smooth) continue;
        for (int k = 0; k < 3; ++k)
          if (mesh.triangles(other, k) == vertex)
            sum += corner_angle(mesh, other, k) * faces.row(other).transpose();
      }
      if (!(sum.squaredNorm() > 1e-24)) sum = own.isZero() ? Vector3d::UnitY() : own;
      normals.row(3 * t + corner) = sum.normalized();
    }
  });
  return normals;
}

}  // namespace pliant
