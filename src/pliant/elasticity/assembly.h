#pragma once
// From elements to vertices: sums of element forces and stiffness blocks, in parallel and in a fixed order.
//
// Elements lie in tiles of neighbours. A tile sums what its elements give into its own short lists of vertices and of
// pairs of vertices (the first stage, a tile a task); then every vertex and every block of the matrix adds up its
// entries of those lists (the second stage, a vertex a task). No two tasks write to one place and every sum has its
// order, so the bits do not depend on threads; and only a third of all element blocks passes through memory.
#include <cstdint>
#include <vector>

#include "pliant/numerics/symmetric_blocks.h"

namespace pliant {

/// Which vertices the elements connect, tile by tile.
struct Stencils {
  std::vector<int> start = {0};       ///< elements + 1, into vertices
  std::vector<int> vertices;          ///< all different within an element
  std::vector<int> tile_start = {0};  ///< tiles + 1, into the elements

  Index element_count() const { return static_cast<Index>(start.size()) - 1; }
  Index tile_count() const { return static_cast<Index>(tile_start.size()) - 1; }
  void add_element(std::span<const int> element_vertices);
  void end_tile() { tile_start.push_back(static_cast<int>(element_count())); }
};

/// Where the sums of one stage of an evaluation are kept; grows to what it is used for, once.
struct AssemblyBuffers {
  std::vector<double> energies;   ///< one a tile
  std::vector<double> gradients;  ///< 3 a tile vertex
  std::vector<double> blocks;     ///< 9 a tile block, column-major
};

class Assembly {
 public:
  Assembly(Index vertex_count, const Stencils& stencils);

  /// Zero values in the pattern of the stencils.
  const SymmetricBlocks& pattern() const { return pattern_; }
  Index tile_count() const { return static_cast<Index>(tile_vertex_.size()) - 1; }

  /// What the first stage writes to. Vertex a of element e adds its gradient to the tile vertex vertex_slot(e)[a],
  /// counted within the tile; the pair (a, b), a <= b, in the order (0,0), (0,1), ..., (1,1), ... adds its block to
  /// the tile block block_slot(e)[pair], transposed where vertex a has the lower number.
  const std::uint16_t* vertex_slot(Index element) const { return vertex_slots_.data() + start_[at(element)]; }
  const std::uint16_t* block_slot(Index element) const {
    return block_slots_.data() + pair_start_[at(element)];
  }

  void fit(AssemblyBuffers& buffers, bool blocks) const;
  double* tile_gradient(AssemblyBuffers& buffers, Index tile) const {
    return buffers.gradients.data() + 3 * static_cast<std::size_t>(tile_vertex_[at(tile)]);
  }
  double* tile_blocks(AssemblyBuffers& buffers, Index tile) const {
    return buffers.blocks.data() + 9 * static_cast<std::size_t>(tile_block_[at(tile)]);
  }
  Index tile_vertex_count(Index tile) const { return tile_vertex_[at(tile + 1)] - tile_vertex_[at(tile)]; }
  Index tile_block_count(Index tile) const { return tile_block_[at(tile + 1)] - tile_block_[at(tile)]; }

  /// The second stage. out = scale * the sum, one row a vertex.
  void gather_gradients(const AssemblyBuffers& buffers, double scale, Points& out) const;
  void gather_blocks(const AssemblyBuffers& buffers, SymmetricBlocks& out) const;
  double gather_energy(const AssemblyBuffers& buffers) const;

  std::size_t memory_bytes() const;

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  SymmetricBlocks pattern_;
  std::vector<int> start_, pair_start_;                    // elements + 1
  std::vector<std::uint16_t> vertex_slots_, block_slots_;  // within the tile
  std::vector<int> tile_vertex_, tile_block_;  // tiles + 1, into the tile vertices and tile blocks
  std::vector<int> vertex_sources_start_, vertex_sources_;  // vertex -> its tile vertices
  std::vector<int> block_sources_start_, block_sources_;    // block -> its tile blocks
};

}  // namespace pliant
