#pragma once
// From the checked words of a scene to bodies and obstacles.
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/base/rng.h"
#include "pliant/elasticity/projective_constraints.h"
#include "pliant/reduced/model_file.h"
#include "pliant/scene/body_mesh.h"
#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"

namespace pliant {

/// What the words of a body make, before anything moves it.
struct PhysicalBody {
  Body body;
  BodyMesh mesh;
};
PhysicalBody build_physical_body(const Json& json, const std::string& path,
                                 const std::filesystem::path& folder, const Progress& progress);

/// What a body resists in projective dynamics, as the words of its simulator, "projective_dynamics" or "hrpd", say.
ProjectiveConstraints build_constraints(const Json& simulator, const Body& body);

/// Reduces a body as the words of its simulator, of the kind "hrpd" or "reduced_fem", say; the surface that the body
/// carries included. Files that it names are looked for in `folder`.
ReducedModel build_model(const PhysicalBody& physical, const Json& simulator,
                         const std::filesystem::path& folder, const Progress& progress);

/// `json` is a body of a validated scene, `path` its place in the document, for errors.
SceneBody build_body(const Json& json, const std::string& path, const std::filesystem::path& folder, Rng& rng,
                     const Progress& progress);

std::vector<Obstacle> build_obstacles(const Json& json, const std::filesystem::path& folder);

}  // namespace pliant
