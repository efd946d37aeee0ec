#pragma once
// What a scene file may say.
#include "pliant/scene/schema.h"

namespace pliant {

/// The one table of a scene's keys.
const ObjectType& scene_type();

/// Parses and checks a scene; every missing key is filled in.
Json read_scene_text(std::string_view text);

/// The published schema of scene files, for editors that complete and check as one types.
Json scene_schema();

}  // namespace pliant
