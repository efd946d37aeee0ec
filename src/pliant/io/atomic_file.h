#pragma once
// Files that appear whole or not at all.
#include <filesystem>
#include <functional>
#include <ostream>

namespace pliant {

/// Writes to a temporary file beside `path`, flushes it to disk and renames it over `path`. If `write`
/// throws, or the disk is full, `path` is as it was before and no temporary file remains. A path that ends in
/// .gz is compressed.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

}  // namespace pliant
