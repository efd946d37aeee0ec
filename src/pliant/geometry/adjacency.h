#pragma once
// Who touches whom: vertices, edges, triangles, tets.
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

/// A list of ids for every row, stored one after the other.
struct Adjacency {
  std::vector<std::int64_t> offsets{0};  ///< rows + 1
  std::vector<std::int32_t> items;

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const std::int32_t> row(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return {items.data() + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k])};
  }
};

/// Marks in neighbour tables: nobody is there, or more than one is.
inline constexpr std::int32_t no_neighbor = -1;
inline constexpr std::int32_t many_neighbors = -2;

/// The elements at every vertex, ascending; an element that names a vertex twice is listed once.
/// All functions here throw InputError when an element names a vertex outside [0, vertex_count).
Adjacency vertex_elements(const Triangles& triangles, Index vertex_count);
Adjacency vertex_elements(const Tets& tets, Index vertex_count);

/// The vertices joined to every vertex by an edge, ascending.
Adjacency vertex_neighbors(const Triangles& triangles, Index vertex_count);
Adjacency vertex_neighbors(const Tets& tets, Index vertex_count);

/// Every edge once, lower id first, sorted.
Edges unique_edges(const Triangles& triangles, Index vertex_count);
Edges unique_edges(const Tets& tets, Index vertex_count);

/// t x 3: the triangle across the edge opposite corner i, or no_neighbor, or many_neighbors where more than
/// two triangles share that edge.
Triangles triangle_neighbors(const Triangles& triangles, Index vertex_count);

/// m x 4: the tet across the face opposite corner i, or no_neighbor, or many_neighbors.
Tets tet_neighbors(const Tets& tets, Index vertex_count);

}  // namespace pliant
