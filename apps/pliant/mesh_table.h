#pragma once
// A mesh at first sight, as a table or as JSON.
#include <string>

#include "command.h"
#include "pliant/geometry/summary.h"
#include "pliant/io/mesh_file.h"

namespace pliant::app {

MeshSummary summarize(const MeshData& mesh);  ///< of its tets where it has any, otherwise of its triangles
std::string to_table(const std::string& title, const MeshSummary& summary);
Json to_json(const MeshSummary& summary);

MeshData to_mesh_data(TetMesh mesh);
MeshData to_mesh_data(TriMesh mesh);

/// "12,345"
std::string with_commas(Index number);

}  // namespace pliant::app
