#include "pliant/scene/filmstrip.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/surface.h"

namespace pliant {
namespace {

/// A surface of revolution about y through points (radius, height) from bottom to top.
TriMesh revolve(const std::vector<Eigen::Vector2d>& outline) {
  constexpr int around = 64;
  const auto rings = static_cast<int>(outline.size());
  TriMesh mesh{Points(rings * around, 3), Triangles(2 * (rings - 1) * around, 3)};
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double angle = 2 * M_PI * j / around;
      const double radius = outline[static_cast<std::size_t>(i)].x();
      const double height = outline[static_cast<std::size_t>(i)].y();
      mesh.vertices.row(i * around + j) << radius * std::sin(angle), height, radius * std::cos(angle);
      if (i + 1 == rings) continue;
      const int a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
      mesh.triangles.row(2 * a) << a, b, d;
      mesh.triangles.row(2 * a + 1) << a, d, c;
    }
  return mesh;
}

TriMesh capsule(double radius, double half_length) {
  std::vector<Eigen::Vector2d> outline;
  constexpr int steps = 24;
  for (const double side : {-1.0, 1.0})
    for (int i = 0; i <= steps; ++i) {
      const double angle = M_PI / 2 * (side < 0 ? i - steps : i) / steps;
      outline.emplace_back(radius * std::cos(angle), side * half_length + radius * std::sin(angle));
    }
  return revolve(outline);
}

TriMesh box(const Vector3d& half) {
  TriMesh mesh{Points(8, 3), Triangles(12, 3)};
  for (int c = 0; c < 8; ++c)
    mesh.vertices.row(c) << (c & 1 ? 1 : -1) * half.x(), (c & 2 ? 1 : -1) * half.y(),
        (c & 4 ? 1 : -1) * half.z();
  mesh.triangles << 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6,
      1, 3, 5, 3, 7, 5;
  return mesh;
}

struct Surfaces {
  TriMesh operator()(const PlaneShape&) const { return {}; }  // the floor of the picture stands for it
  TriMesh operator()(const SphereShape& s) const { return capsule(s.radius, 0); }
  TriMesh operator()(const CapsuleShape& c) const { return capsule(c.radius, c.half_length); }
  TriMesh operator()(const BoxShape& b) const { return box(b.half_size); }
  TriMesh operator()(const MeshShape& m) const { return m.distance->soup().mesh; }
};

}  // namespace

Image filmstrip(const MeshData& mesh, const std::vector<Moment>& moments,
                const std::vector<Obstacle>& obstacles, RenderOptions options) {
  if (moments.empty()) throw InputError("filmstrip: no moment given; expected at least one");
  Triangles triangles = mesh.triangles;
  if (mesh.has_tets()) triangles = boundary_triangles(mesh.tets);

  // === Everything there is at each moment
  std::vector<std::vector<RenderObject>> frames;
  Vector3d low = Vector3d::Constant(1e300), high = -low;
  for (const Moment& moment : moments) {
    std::vector<RenderObject> objects(1);
    objects[0].mesh = compact_surface(moment.positions, triangles).mesh;
    for (const Obstacle& obstacle : obstacles) {
      RenderObject object;
      object.mesh = std::visit(Surfaces{}, obstacle.shape);
      if (object.mesh.triangle_count() == 0) continue;
      const PlacedObstacle placed = place(obstacle, moment.time);
      object.mesh.vertices =
          (object.mesh.vertices * placed.rotation.transpose()).rowwise() + placed.position.transpose();
      object.color = {0.62, 0.66, 0.70};
      objects.push_back(std::move(object));
    }
    for (const RenderObject& object : objects) {
      const BoundingBox bounds = bounding_box(object.mesh.vertices);
      low = low.cwiseMin(bounds.low), high = high.cwiseMax(bounds.high);
    }
    frames.push_back(std::move(objects));
  }

  // === Side by side
  const double spacing = 1.12 * std::max(high.x() - low.x(), 0.3 * (high.y() - low.y()));
  std::vector<RenderObject> all;
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (RenderObject& object : frames[i]) {
      object.mesh.vertices.col(0).array() += spacing * static_cast<double>(i);
      all.push_back(std::move(object));
    }
  options.azimuth = 0;
  if (options.height == 0) {
    const double width = spacing * static_cast<double>(frames.size());
    options.height = std::clamp(static_cast<int>(options.width * 1.35 * (high.y() - low.y()) / width),
                                options.width / 6, options.width);
  }
  // A wide picture through a wide lens would stretch what stands at its sides.
  options.field_of_view = std::min(options.field_of_view, 20.0 * options.height / options.width);
  return render(all, options);
}

}  // namespace pliant
