#include "pliant/geometry/thickness.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace pliant {

namespace {

Points unit_normals(const TriMesh& mesh) {
  Points normals(mesh.triangle_count(), 3);
  parallel_for(mesh.triangle_count(), 4096, [&](Index t) {
    const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                   c = mesh.vertices.row(mesh.triangles(t, 2));
    normals.row(t) = (b - a).cross(c - a).stableNormalized();
  });
  return normals;
}

}  // namespace

LocalThickness local_thickness(const TriMesh& samples, const TriMesh& mesh, const TriangleBvh& bvh) {
  const Index count = samples.triangle_count();
  const double infinity = std::numeric_limits<double>::infinity();
  LocalThickness result{VectorXd::Constant(count, infinity), VectorXd::Constant(count, infinity)};
  const double step = 1e-6 * (bvh.upper() - bvh.lower()).norm();  // past a triangle, in single precision
  const Points normals = unit_normals(mesh), directions = unit_normals(samples);
  parallel_for(count, 256, [&](Index t) {
    const Vector3d normal = directions.row(t);
    if (!(normal.squaredNorm() > 0.5)) return;  // no area, no direction
    const Vector3d middle =
        (samples.vertices.row(samples.triangles(t, 0)) + samples.vertices.row(samples.triangles(t, 1)) +
         samples.vertices.row(samples.triangles(t, 2))) /
        3;
    if (const auto hit = bvh.first_hit(middle, normal, step)) result.gap[t] = hit->distance;

    // Inside one part now; a triangle that faces the ray leads into another, one that faces away leads out.
    int parts = 1;
    double start = step;
    for (int hits = 0; hits < 32; ++hits) {
      const auto hit = bvh.first_hit(middle, -normal, start);
      if (!hit) break;
      parts += normals.row(hit->triangle).dot(normal) > 0 ? 1 : -1;
      if (parts == 0) {
        result.solid[t] = hit->distance;
        break;
      }
      start = hit->distance + step;
    }
  });
  return result;
}

TriMesh subdivided(const TriMesh& mesh, double length, Index max_triangles) {
  using Corners = std::array<Vector3d, 3>;
  const auto longest_edge = [](const Corners& x) {
    return std::max({(x[0] - x[1]).norm(), (x[1] - x[2]).norm(), (x[2] - x[0]).norm()});
  };
  std::vector<Corners> done, todo, next;
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    todo.push_back({mesh.vertices.row(mesh.triangles(t, 0)), mesh.vertices.row(mesh.triangles(t, 1)),
                    mesh.vertices.row(mesh.triangles(t, 2))});
  if (std::none_of(todo.begin(), todo.end(), [&](const Corners& x) { return longest_edge(x) > length; }))
    return mesh;
  while (!todo.empty()) {
    next.clear();
    for (const Corners& x : todo) {
      if (!(longest_edge(x) > length) ||
          static_cast<Index>(done.size() + todo.size() + next.size()) > max_triangles) {
        done.push_back(x);
        continue;
      }
      const Vector3d ab = 0.5 * (x[0] + x[1]), bc = 0.5 * (x[1] + x[2]), ca = 0.5 * (x[2] + x[0]);
      next.insert(next.end(),
                  {Corners{x[0], ab, ca}, Corners{ab, x[1], bc}, Corners{ca, bc, x[2]}, Corners{ab, bc, ca}});
    }
    std::swap(todo, next);
  }
  TriMesh result{Points(static_cast<Index>(3 * done.size()), 3),
                 Triangles(static_cast<Index>(done.size()), 3)};
  for (std::size_t t = 0; t < done.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto v = static_cast<Index>(3 * t) + k;
      result.vertices.row(v) = done[t][static_cast<std::size_t>(k)];
      result.triangles(static_cast<Index>(t), k) = static_cast<std::int32_t>(v);
    }
  return result;
}

}  // namespace pliant
