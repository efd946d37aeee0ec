#pragma once
// One obstacle of every kind, placed askew, and points around them.
#include <memory>
#include <string>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/contact/obstacle.h"
#include "support/simple_meshes.h"

namespace pliant::testing_support {

inline Vector3d random_vector(Rng& rng, double size = 1) {
  return Vector3d(rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size));
}

inline Eigen::Quaterniond random_rotation(Rng& rng) {
  return Eigen::Quaterniond(rng.normal(), rng.normal(), rng.normal(), rng.normal()).normalized();
}

inline std::shared_ptr<const SignedDistance> surface_of(const TriMesh& mesh) {
  return std::make_shared<const SignedDistance>(mesh);
}

/// The surface of a box as twelve triangles.
inline TriMesh box_surface(const Vector3d& half_size) {
  TriMesh mesh = extract_surface(box_tets(1, 1, 1, 1.0)).mesh;
  mesh.vertices = ((mesh.vertices.array() - 0.5) * 2).matrix() * half_size.asDiagonal();
  return mesh;
}

struct NamedObstacle {
  std::string name;
  Obstacle obstacle;
};

inline std::vector<NamedObstacle> one_of_each(double thickness = 0) {
  std::vector<NamedObstacle> all = {
      {"plane", {.shape = PlaneShape{}}},
      {"sphere", {.shape = SphereShape{.radius = 0.7}}},
      {"capsule", {.shape = CapsuleShape{.radius = 0.4, .half_length = 0.5}}},
      {"box", {.shape = BoxShape{.half_size = {0.5, 0.3, 0.8}}}},
      {"mesh", {.shape = MeshShape{surface_of(box_surface({0.5, 0.3, 0.8}))}}},
  };
  Rng rng(5);
  for (NamedObstacle& named : all) {
    named.obstacle.thickness = thickness;
    named.obstacle.path.keyframes = {{.position = random_vector(rng, 0.2), .rotation = random_rotation(rng)}};
  }
  return all;
}

}  // namespace pliant::testing_support
