#pragma once
// The mesh of a body: read or made, filled with tets where it is a surface, put where the scene wants it.
#include <filesystem>
#include <string>

#include "pliant/base/progress.h"
#include "pliant/base/rng.h"
#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"

namespace pliant {

struct BodyMesh {
  TetMesh solid;  ///< one of these two
  TriMesh shell;
  MeshData shown;
  std::optional<Embedding> embedding;

  bool is_solid() const { return solid.tet_count() > 0; }
  const Points& vertices() const { return is_solid() ? solid.vertices : shell.vertices; }
};

BodyMesh body_mesh(const Json& body, const std::string& path, const std::filesystem::path& folder,
                   const Progress& progress);

/// Where the vertices are at the beginning: "rest", "flattened", "inverted" or "random".
Points posed(const Points& rest_positions, const std::string& pose, Rng& rng);

/// v + w x (x - centre of the box).
Points rigid_velocities(const Points& positions, const Vector3d& velocity, const Vector3d& angular_velocity);

}  // namespace pliant
