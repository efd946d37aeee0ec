#include "pliant/geometry/adjacency.h"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr Index grain = 4096;

// An element's ids are one row of a row-major array, `corners` long: one code serves triangles and tets.
struct Elements {
  const std::int32_t* ids;
  Index count;
  int corners;
  const char* name;

  std::span<const std::int32_t> operator[](Index e) const {
    return {ids + e * corners, static_cast<std::size_t>(corners)};
  }
};
Elements view(const Triangles& triangles) { return {triangles.data(), triangles.rows(), 3, "triangle"}; }
Elements view(const Tets& tets) { return {tets.data(), tets.rows(), 4, "tet"}; }

void check_ids(const Elements& elements, Index vertex_count) {
  const Index bad = parallel_reduce(
      elements.count, grain, Index{-1},
      [&](Index begin, Index end) {
        for (Index e = begin; e < end; ++e)
          for (const std::int32_t v : elements[e])
            if (v < 0 || v >= vertex_count) return e;
        return Index{-1};
      },
      [](Index a, Index b) { return a >= 0 ? a : b; });
  if (bad < 0) return;
  throw InputError(
      fmt::format("adjacency: {} {} names vertices ({}); expected 0 to {}; repair the mesh first",
                  elements.name, bad, fmt::join(elements[bad], ", "), vertex_count - 1));
}

bool named_before(std::span<const std::int32_t> element, std::size_t corner) {
  for (std::size_t k = 0; k < corner; ++k)
    if (element[k] == element[corner]) return true;
  return false;
}

// Counting sort of the elements by vertex.
Adjacency elements_at_vertices(const Elements& elements, Index vertex_count) {
  check_ids(elements, vertex_count);
  Adjacency result;
  result.offsets.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
  for (Index e = 0; e < elements.count; ++e)
    for (std::size_t k = 0; k < elements[e].size(); ++k)
      if (!named_before(elements[e], k)) ++result.offsets[static_cast<std::size_t>(elements[e][k]) + 1];
  for (std::size_t v = 0; v + 1 < result.offsets.size(); ++v) result.offsets[v + 1] += result.offsets[v];
  result.items.resize(static_cast<std::size_t>(result.offsets.back()));
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (Index e = 0; e < elements.count; ++e)
    for (std::size_t k = 0; k < elements[e].size(); ++k)
      if (!named_before(elements[e], k))
        result.items[static_cast<std::size_t>(next[static_cast<std::size_t>(elements[e][k])]++)] =
            static_cast<std::int32_t>(e);
  return result;
}

// Every vertex gathers the corners of its elements; chunks of vertices in parallel, joined in order.
Adjacency neighbors_by_edges(const Elements& elements, Index vertex_count) {
  const Adjacency at_vertex = elements_at_vertices(elements, vertex_count);
  Adjacency result;
  result.offsets.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
  std::vector<std::vector<std::int32_t>> parts(static_cast<std::size_t>((vertex_count + grain - 1) / grain));
  parallel_for_chunks(vertex_count, grain, [&](Index begin, Index end) {
    std::vector<std::int32_t>& part = parts[static_cast<std::size_t>(begin / grain)];
    std::vector<std::int32_t> ring;
    for (Index v = begin; v < end; ++v) {
      ring.clear();
      for (const std::int32_t e : at_vertex.row(v))
        for (const std::int32_t w : elements[e])
          if (w != v) ring.push_back(w);
      std::sort(ring.begin(), ring.end());
      ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
      part.insert(part.end(), ring.begin(), ring.end());
      result.offsets[static_cast<std::size_t>(v) + 1] = static_cast<std::int64_t>(ring.size());
    }
  });
  for (std::size_t v = 0; v + 1 < result.offsets.size(); ++v) result.offsets[v + 1] += result.offsets[v];
  result.items.reserve(static_cast<std::size_t>(result.offsets.back()));
  for (std::vector<std::int32_t>& part : parts) {
    result.items.insert(result.items.end(), part.begin(), part.end());
    std::vector<std::int32_t>().swap(part);
  }
  return result;
}

Edges edges_of(const Elements& elements, Index vertex_count) {
  const Adjacency neighbors = neighbors_by_edges(elements, vertex_count);
  Edges edges(static_cast<Index>(neighbors.items.size() / 2), 2);
  Index count = 0;
  for (Index v = 0; v < vertex_count; ++v)
    for (const std::int32_t w : neighbors.row(v))
      if (w > v) edges.row(count++) << static_cast<std::int32_t>(v), w;
  return edges;
}

struct Side {
  std::uint64_t key;   // the side's vertices but the lowest, ascending
  std::int64_t owner;  // corners * element + the corner opposite
};

// Sides (edges of triangles, faces of tets) are sorted into buckets by their lowest vertex, then each small
// bucket by the rest: equal sides end up beside each other.
void neighbors_across_sides(const Elements& elements, Index vertex_count, std::int32_t* across) {
  check_ids(elements, vertex_count);
  const int corners = elements.corners;
  const auto side_of = [&](Index e, int opposite, std::int32_t& lowest) {
    std::int32_t ids[3] = {0, 0, 0};
    int n = 0;
    for (int k = 0; k < corners; ++k)
      if (k != opposite) ids[n++] = elements[e][static_cast<std::size_t>(k)];
    if (ids[1] < ids[0]) std::swap(ids[0], ids[1]);
    if (n == 3 && ids[2] < ids[1]) std::swap(ids[1], ids[2]);
    if (ids[1] < ids[0]) std::swap(ids[0], ids[1]);
    lowest = ids[0];
    return Side{static_cast<std::uint64_t>(ids[1]) << 32 | static_cast<std::uint32_t>(n == 3 ? ids[2] : 0),
                e * corners + opposite};
  };

  std::vector<std::int64_t> offsets(static_cast<std::size_t>(vertex_count) + 1, 0);
  std::int32_t lowest = 0;
  for (Index e = 0; e < elements.count; ++e)
    for (int k = 0; k < corners; ++k) {
      side_of(e, k, lowest);
      ++offsets[static_cast<std::size_t>(lowest) + 1];
    }
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) offsets[v + 1] += offsets[v];
  std::vector<Side> sides(static_cast<std::size_t>(elements.count * corners));
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  for (Index e = 0; e < elements.count; ++e)
    for (int k = 0; k < corners; ++k) {
      const Side side = side_of(e, k, lowest);
      sides[static_cast<std::size_t>(next[static_cast<std::size_t>(lowest)]++)] = side;
    }

  parallel_for(vertex_count, grain, [&](Index v) {
    Side* const begin = sides.data() + offsets[static_cast<std::size_t>(v)];
    Side* const end = sides.data() + offsets[static_cast<std::size_t>(v) + 1];
    std::sort(begin, end, [](const Side& a, const Side& b) {
      return a.key != b.key ? a.key < b.key : a.owner < b.owner;
    });
    for (Side *first = begin, *last; first < end; first = last) {
      last = first + 1;
      while (last < end && last->key == first->key) ++last;
      const auto shared = last - first;
      for (Side* side = first; side < last; ++side)
        across[side->owner] = shared == 1 ? no_neighbor
                              : shared == 2
                                  ? static_cast<std::int32_t>(first[side == first ? 1 : 0].owner / corners)
                                  : many_neighbors;
    }
  });
}

}  // namespace

Adjacency vertex_elements(const Triangles& triangles, Index vertex_count) {
  return elements_at_vertices(view(triangles), vertex_count);
}
Adjacency vertex_elements(const Tets& tets, Index vertex_count) {
  return elements_at_vertices(view(tets), vertex_count);
}
Adjacency vertex_neighbors(const Triangles& triangles, Index vertex_count) {
  return neighbors_by_edges(view(triangles), vertex_count);
}
Adjacency vertex_neighbors(const Tets& tets, Index vertex_count) {
  return neighbors_by_edges(view(tets), vertex_count);
}
Edges unique_edges(const Triangles& triangles, Index vertex_count) {
  return edges_of(view(triangles), vertex_count);
}
Edges unique_edges(const Tets& tets, Index vertex_count) { return edges_of(view(tets), vertex_count); }

Triangles triangle_neighbors(const Triangles& triangles, Index vertex_count) {
  Triangles across(triangles.rows(), 3);
  neighbors_across_sides(view(triangles), vertex_count, across.data());
  return across;
}
Tets tet_neighbors(const Tets& tets, Index vertex_count) {
  Tets across(tets.rows(), 4);
  neighbors_across_sides(view(tets), vertex_count, across.data());
  return across;
}

}  // namespace pliant
