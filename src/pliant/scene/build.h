#pragma once
// From the checked words of a scene to bodies and obstacles.
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/base/rng.h"
#include "pliant/reduced/reduce_fem.h"
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

/// The options of a simulator of the kind "reduced_fem".
ReduceFemOptions reduce_fem_options(const Json& simulator, const Progress& progress);

/// A body and its reduced model, the surface that it carries included.
ReducedFem build_reduced_fem(const PhysicalBody& physical, const ReduceFemOptions& options);

/// `json` is a body of a validated scene, `path` its place in the document, for errors.
SceneBody build_body(const Json& json, const std::string& path, const std::filesystem::path& folder, Rng& rng,
                     const Progress& progress);

std::vector<Obstacle> build_obstacles(const Json& json, const std::filesystem::path& folder);

}  // namespace pliant
