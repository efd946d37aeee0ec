#include "pliant/elasticity/assembly.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace pliant {
namespace {

constexpr Index grain = 256;  // vertices a task of the second stage

/// Lists of entries by target: source k belongs to target[k].
void group(Index targets, const std::vector<int>& target, std::vector<int>& start,
           std::vector<int>& sources) {
  start.assign(static_cast<std::size_t>(targets + 1), 0);
  for (int t : target) ++start[static_cast<std::size_t>(t + 1)];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> next(start.begin(), start.end() - 1);
  sources.resize(target.size());
  for (std::size_t k = 0; k < target.size(); ++k)
    sources[static_cast<std::size_t>(next[static_cast<std::size_t>(target[k])]++)] = static_cast<int>(k);
}

/// Sorted, each once.
template <class T>
void make_set(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

template <class T>
std::uint16_t place_in(const std::vector<T>& sorted, const T& value) {
  return static_cast<std::uint16_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

}  // namespace

void Stencils::add_element(std::span<const int> element_vertices) {
  vertices.insert(vertices.end(), element_vertices.begin(), element_vertices.end());
  start.push_back(static_cast<int>(vertices.size()));
}

Assembly::Assembly(Index vertex_count, const Stencils& stencils) : start_(stencils.start) {
  const auto lower = [](int a, int b) { return std::pair(std::max(a, b), std::min(a, b)); };
  const auto pairs_of = [&](Index e, auto&& visit) {
    for (int i = start_[at(e)]; i < start_[at(e + 1)]; ++i)
      for (int j = i; j < start_[at(e + 1)]; ++j)
        visit(lower(stencils.vertices[at(i)], stencils.vertices[at(j)]));
  };

  // === Tile by tile: its vertices and pairs, and where each element finds them
  std::vector<int> tile_vertices, vertices;  // of all tiles; of one
  std::vector<std::pair<int, int>> tile_pairs, pairs;
  tile_vertex_ = {0}, tile_block_ = {0}, pair_start_ = {0};
  vertex_slots_.reserve(stencils.vertices.size());
  for (Index tile = 0; tile < stencils.tile_count(); ++tile) {
    const Index begin = stencils.tile_start[at(tile)], end = stencils.tile_start[at(tile + 1)];
    vertices.assign(stencils.vertices.begin() + start_[at(begin)],
                    stencils.vertices.begin() + start_[at(end)]);
    pairs.clear();
    for (Index e = begin; e < end; ++e) pairs_of(e, [&](const auto& pair) { pairs.push_back(pair); });
    make_set(vertices);
    make_set(pairs);
    assert(pairs.size() <= 65536);
    for (int k = start_[at(begin)]; k < start_[at(end)]; ++k)
      vertex_slots_.push_back(place_in(vertices, stencils.vertices[at(k)]));
    for (Index e = begin; e < end; ++e) {
      pairs_of(e, [&](const auto& pair) { block_slots_.push_back(place_in(pairs, pair)); });
      pair_start_.push_back(static_cast<int>(block_slots_.size()));
    }
    tile_vertices.insert(tile_vertices.end(), vertices.begin(), vertices.end());
    tile_pairs.insert(tile_pairs.end(), pairs.begin(), pairs.end());
    tile_vertex_.push_back(static_cast<int>(tile_vertices.size()));
    tile_block_.push_back(static_cast<int>(tile_pairs.size()));
  }

  // === Vertex by vertex and block by block: which entries of the tiles to add
  pattern_ = symmetric_blocks(vertex_count, tile_pairs);
  group(vertex_count, tile_vertices, vertex_sources_start_, vertex_sources_);
  std::vector<int> block_of(tile_pairs.size());
  for (std::size_t k = 0; k < tile_pairs.size(); ++k) {
    const auto [row, column] = tile_pairs[k];
    const auto first = pattern_.rows.begin() + pattern_.column_start[at(column)];
    const auto last = pattern_.rows.begin() + pattern_.column_start[at(column + 1)];
    block_of[k] = static_cast<int>(std::lower_bound(first, last, row) - pattern_.rows.begin());
  }
  group(pattern_.block_count(), block_of, block_sources_start_, block_sources_);
}

void Assembly::fit(AssemblyBuffers& buffers, bool blocks) const {
  const auto grow = [](std::vector<double>& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  };
  grow(buffers.energies, at(tile_count()));
  grow(buffers.gradients, 3 * at(tile_vertex_.back()));
  if (blocks) grow(buffers.blocks, 9 * at(tile_block_.back()));
}

void Assembly::gather_gradients(const AssemblyBuffers& buffers, double scale, Points& out) const {
  parallel_for(out.rows(), grain, [&](Index v) {
    double x = 0, y = 0, z = 0;
    for (int k = vertex_sources_start_[at(v)]; k < vertex_sources_start_[at(v + 1)]; ++k) {
      const double* source = buffers.gradients.data() + 3 * at(vertex_sources_[at(k)]);
      x += source[0], y += source[1], z += source[2];
    }
    out(v, 0) = scale * x, out(v, 1) = scale * y, out(v, 2) = scale * z;
  });
}

void Assembly::gather_blocks(const AssemblyBuffers& buffers, SymmetricBlocks& out) const {
  parallel_for(pattern_.block_count(), 4 * grain, [&](Index b) {
    double sum[9] = {};
    for (int k = block_sources_start_[at(b)]; k < block_sources_start_[at(b + 1)]; ++k) {
      const double* source = buffers.blocks.data() + 9 * at(block_sources_[at(k)]);
      for (int i = 0; i < 9; ++i) sum[i] += source[i];
    }
    std::copy(sum, sum + 9, out.values.data() + 9 * b);
  });
}

double Assembly::gather_energy(const AssemblyBuffers& buffers) const {
  return std::accumulate(buffers.energies.begin(), buffers.energies.begin() + tile_count(), 0.0);
}

std::size_t Assembly::memory_bytes() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return bytes(start_) + bytes(pair_start_) + bytes(vertex_slots_) + bytes(block_slots_) +
         bytes(vertex_sources_) + bytes(vertex_sources_start_) + bytes(block_sources_) +
         bytes(block_sources_start_) + bytes(pattern_.rows) + bytes(pattern_.values) +
         bytes(pattern_.row_blocks) + bytes(pattern_.row_columns);
}

}  // namespace pliant
