#pragma once
// A body made anew from its words: moved by another method, or by the same with other numbers.
#include <filesystem>

#include "pliant/base/progress.h"
#include "pliant/scene/scene_body.h"
#include "pliant/scene/schema.h"
#include "pliant/server/drawn_body.h"

namespace pliant::server {

/// What a viewer may choose: {"hrpd": {"parameters": [{key, label, value, ...}]}, ...}, with the values of now.
Json rebuild_methods(const Json& words);

/// The words of the same body, checked. InputError names what is not allowed.
Json rebuilt_words(const Json& words, const std::string& method, const Json& parameters);

/// Whether these words ask for a subspace of recorded motion, or for projections fitted in it.
bool asks_for_motion(const Json& words);

/// Those of the same body in full space, to compare with.
Json full_space_words(const Json& words);

struct RebuiltBody {
  SceneBody body;
  std::shared_ptr<const DrawnBody> drawn;
  Bytes data;
};
RebuiltBody rebuild(const Json& words, const std::filesystem::path& folder, const Progress& progress);

}  // namespace pliant::server
