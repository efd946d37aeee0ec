#pragma once
// From the checked words of a scene to bodies and obstacles.
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/base/rng.h"
#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"

namespace pliant {

/// `json` is a body of a validated scene, `path` its place in the document, for errors.
SceneBody build_body(const Json& json, const std::string& path, const std::filesystem::path& folder, Rng& rng,
                     const Progress& progress);

std::vector<Obstacle> build_obstacles(const Json& json, const std::filesystem::path& folder);

}  // namespace pliant
