#pragma once
// Where tests find real meshes, if this machine has any: the folder in PLIANT_MESHES, or shared/meshes beside
// the clone.
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "support/source_folder.h"

namespace pliant::testing_support {

/// The folder of real meshes (tet/, surf/, shell/, ...), or nothing: what needs them is then skipped, and the
/// tests on the project's own shapes remain.
inline std::optional<std::filesystem::path> real_meshes() {
  namespace fs = std::filesystem;
  if (const char* folder = std::getenv("PLIANT_MESHES"); folder && fs::is_directory(folder))
    return fs::path(folder);
  const fs::path beside = source_folder() / ".." / "shared" / "meshes";
  if (fs::is_directory(beside)) return beside;
  return std::nullopt;
}

}  // namespace pliant::testing_support
