#pragma once
// What the name of a file says about its content, in letters of either case.
#include <filesystem>
#include <string>

#include "pliant/io/letter_case.h"

namespace pliant {

/// "bunny.mesh.gz": what is written there is compressed.
inline bool is_gzip_name(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".gz";
}

/// "bunny.mesh.gz" -> "bunny.mesh"; other names stay as they are.
inline std::filesystem::path without_gz(std::filesystem::path path) {
  return is_gzip_name(path) ? path.replace_extension() : path;
}

/// "Bunny.MESH.gz" -> ".mesh"
inline std::string format_extension(const std::filesystem::path& path) {
  return lower_case(without_gz(path).extension().string());
}

}  // namespace pliant
