#pragma once
// TetGen's .node, .ele and .face: one mesh in up to three files of one name.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "pliant/io/mesh_file.h"

namespace pliant {

/// The contents of the three files, those that there are.
struct TetgenBytes {
  std::string name = "";  ///< what the files are called without their extensions, for messages
  std::string_view node = "";
  std::optional<std::string_view> ele = {}, face = {};
};

/// Numbered from 0 or from 1, as the first node says; attributes and markers are passed over.
MeshData read_tetgen(const TetgenBytes& files);

/// Given any of the three files, finds the others beside it, each gzipped or not. The .node and one of the
/// other two must be there.
MeshData read_tetgen_files(const std::filesystem::path& path);

/// Writes all three, numbered from 1, so that no file of an older mesh stays among them; gzipped if `path`
/// ends in .gz.
void write_tetgen_files(const std::filesystem::path& path, const MeshData& mesh);

}  // namespace pliant
