#pragma once
// Disjoint sets in one array [Tarjan 1975].
#include <cstdint>
#include <vector>

namespace pliant::detail {

/// The root of v's set: parent[v] = v at roots. Paths are halved on the way up.
inline std::int32_t root_of(std::vector<std::int32_t>& parent, std::int32_t v) {
  while (parent[static_cast<std::size_t>(v)] != v) {
    std::int32_t& up = parent[static_cast<std::size_t>(v)];
    up = parent[static_cast<std::size_t>(up)];
    v = up;
  }
  return v;
}

}  // namespace pliant::detail
