#pragma once
// What every reduced model knows of its body beside how it moves: what is shown, and what is done to vertices.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/geometry/embedding.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/safetensors.h"

namespace pliant {

/// A surface that is carried by the tets: the mesh a user brought.
struct CarriedSurface {
  TriMesh mesh;
  Embedding embedding;
};

/// The part that models of all kinds have in common. Plain data.
struct ModelBody {
  Tets tets;                              ///< of a solid, none in a shell
  Triangles triangles;                    ///< the surface of a solid, or the shell
  std::optional<CarriedSurface> carried;  ///< what is shown in its place, if anything

  VectorXd masses;                    ///< n, kg
  VectorXd local_stiffness;           ///< n, N/m: what each vertex alone resists at rest
  std::vector<int> fixed;             ///< ascending; the subspace does not move them
  std::vector<int> contact_vertices;  ///< ascending: those that feel obstacles

  /// Errors and times measured while it was made, by name; times in seconds, errors relative.
  std::map<std::string, double> measured;

  Index vertex_count() const { return masses.size(); }
};

/// What a person sees where the vertices are at these positions: the carried surface, or else the tets or the shell.
MeshData shown(const ModelBody& body, const Points& positions);

// === Checks that models share; `who` begins the sentence

void require(bool good, std::string_view who, const std::string& what);
/// Refuses what does not fit together.
void check(const ModelBody& body, const Points& rest_positions, std::string_view who);
bool all_within(std::span<const int> ids, Index count);  ///< 0 to count - 1
template <class Matrix>
std::span<const int> ids_of(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

// === Its arrays in a file

void write_body(const ModelBody& body, const Points& rest_positions, SafetensorsWriter& writer);
/// Not checked yet.
void read_body(const SafetensorsFile& file, ModelBody& body, Points& rest_positions);
std::vector<int> read_ids(const SafetensorsFile& file, const std::string& name);

}  // namespace pliant
