#pragma once
// What is wrong with a mesh, in words, and the mesh without it.
#include <string>
#include <vector>

#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant {

/// How often something was found, and the first few ids where.
struct Finding {
  Index count = 0;
  std::vector<Index> examples;  ///< the lowest ids, at most five
};

/// Every element is counted under the first problem that it has, in this order; duplicates are counted among
/// elements without any problem but being inverted.
struct ValidationReport {
  std::string element = "tet";  ///< or "triangle"
  Index vertices = 0, elements = 0;

  // === Problems
  Finding not_finite;     ///< vertices with a NaN or infinite coordinate
  Finding unreferenced;   ///< vertices that no element uses
  Finding out_of_range;   ///< elements that name a vertex which does not exist
  Finding on_not_finite;  ///< elements at such a vertex
  Finding repeated;       ///< elements that name a vertex twice
  Finding degenerate;     ///< elements without volume or area, up to rounding
  Finding inverted;       ///< tets of negative volume
  Finding duplicate;      ///< elements with the same vertices as an earlier one

  // === For information: sound meshes have these too
  Finding coincident;            ///< vertices at the place of an earlier one
  Index boundary_sides = 0;      ///< edges of one triangle only, faces of one tet only
  Index non_manifold_sides = 0;  ///< sides of triangles at edges (of tets at faces) that more than two share
  Index turned_edges = 0;        ///< edges whose two triangles face opposite ways

  bool ok() const;  ///< no problems
};

ValidationReport validate(const TetMesh& mesh);
ValidationReport validate(const TriMesh& mesh);

/// A line a finding, with example ids; one line if all is well.
std::string to_text(const ValidationReport& report);

struct RepairOptions {
  bool merge_coincident = false;  ///< vertices at exactly the same place become one (mends cracks of a soup)
};

struct RepairLog {
  std::string element = "tet";
  Index dropped_out_of_range = 0, dropped_not_finite = 0, dropped_repeated = 0, dropped_degenerate = 0,
        dropped_duplicate = 0;  ///< elements
  Index flipped = 0;            ///< inverted tets turned round by swapping their last two vertices
  Index merged_vertices = 0;
  Index removed_vertices = 0;  ///< not finite, or used by no element that remains

  bool changed() const;
};

/// A line an action; one line if nothing had to be done.
std::string to_text(const RepairLog& log);

template <class Mesh>
struct Repaired {
  Mesh mesh;                ///< validate(mesh).ok() holds
  VectorXi vertex_map;      ///< old vertex -> new vertex, -1 if it is gone
  VectorXi element_source;  ///< new element -> old element
  RepairLog log;
};

/// Drops elements that cannot be used, turns inverted tets round, and removes vertices that nothing uses.
/// Whatever remains keeps its order. Any arrays are accepted.
Repaired<TetMesh> repair(const TetMesh& mesh, const RepairOptions& options = {});
Repaired<TriMesh> repair(const TriMesh& mesh, const RepairOptions& options = {});

}  // namespace pliant
