#pragma once
// Where a mesh goes: a mesh file, or a picture of it.
#include <string>

#include "command.h"
#include "pliant/geometry/render.h"
#include "pliant/io/mesh_file.h"

namespace pliant::app {

struct OutputOptions {
  bool ascii = false;     ///< text instead of binary, where a format has both
  int msh_version = 41;   ///< Gmsh 22 or 41
  RenderOptions picture;  ///< of a .png
  bool edges = false;     ///< draw the edges of the mesh into the picture
  std::string cut;        ///< axis across which a solid is cut open in the picture: x, y or z
};

/// Adds the options that belong to writing, `-o` aside.
void add_output_options(CLI::App& command, OutputOptions& options);

/// Throws UsageError before any work is done if nothing can write that extension.
void check_output(const std::string& path);

/// A .png becomes a picture, anything else a mesh file.
void write_output(const std::string& path, const MeshData& mesh, const OutputOptions& options);

}  // namespace pliant::app
