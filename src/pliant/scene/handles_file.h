#pragma once
// Handles as a file names them: which parts of a body are moved and turned, and how firmly.
#include <filesystem>
#include <string_view>
#include <vector>

#include "pliant/editing/handles.h"
#include "pliant/scene/schema.h"

namespace pliant {

/// The one table of the file's keys.
const ObjectType& handles_type();

/// The published schema of such files.
Json handles_schema();

struct HandlesFile {
  std::vector<Handle> handles;
  int samples = 150;  ///< springs of a handle, at most
};

/// What a body is to handles.
struct HandleBody {
  const Points& rest_positions;
  const std::vector<int>& fixed;  ///< ascending
  double stiffness = 1;           ///< N/m of a handle whose factor is 1: see handle_stiffness
};

/// Checked in all that a body can tell: an InputError names the place in the document, what was found and what was
/// expected; also for a handle that selects nothing, or that would move what is fixed.
HandlesFile read_handles_text(std::string_view text, const HandleBody& body);
HandlesFile read_handles(const std::filesystem::path& file, const HandleBody& body);

}  // namespace pliant
