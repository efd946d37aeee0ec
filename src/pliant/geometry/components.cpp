#include "pliant/geometry/components.h"

#include <fmt/format.h>

#include <vector>

#include "pliant/base/error.h"
#include "pliant/geometry/disjoint_sets.h"

namespace pliant {
namespace {

using detail::root_of;

Components components_of(const std::int32_t* ids, Index elements, int corners, Index vertex_count) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(vertex_count), -1);
  for (Index i = 0; i < elements * corners; ++i) {
    if (ids[i] < 0 || ids[i] >= vertex_count)
      throw InputError(fmt::format(
          "connected_components: element {} names vertex {}; expected 0 to {}; repair the mesh first",
          i / corners, ids[i], vertex_count - 1));
    parent[static_cast<std::size_t>(ids[i])] = ids[i];
  }
  for (Index e = 0; e < elements; ++e) {  // the lower id is always the root
    std::int32_t root = root_of(parent, ids[e * corners]);
    for (int k = 1; k < corners; ++k) {
      const std::int32_t other = root_of(parent, ids[e * corners + k]);
      parent[static_cast<std::size_t>(std::max(root, other))] = std::min(root, other);
      root = std::min(root, other);
    }
  }

  Components result;
  result.of_vertex.setConstant(vertex_count, -1);
  for (Index v = 0; v < vertex_count; ++v) {
    if (parent[static_cast<std::size_t>(v)] < 0) continue;
    const std::int32_t root = root_of(parent, static_cast<std::int32_t>(v));
    result.of_vertex[v] = root == v ? result.count++ : result.of_vertex[root];  // a root comes first
  }
  result.vertex_count.setZero(result.count);
  for (Index v = 0; v < vertex_count; ++v)
    if (result.of_vertex[v] >= 0) ++result.vertex_count[result.of_vertex[v]];
  result.element_count.setZero(result.count);
  result.of_element.resize(elements);
  for (Index e = 0; e < elements; ++e) {
    result.of_element[e] = result.of_vertex[ids[e * corners]];
    ++result.element_count[result.of_element[e]];
  }
  return result;
}

}  // namespace

Components connected_components(const Triangles& triangles, Index vertex_count) {
  return components_of(triangles.data(), triangles.rows(), 3, vertex_count);
}
Components connected_components(const Tets& tets, Index vertex_count) {
  return components_of(tets.data(), tets.rows(), 4, vertex_count);
}

}  // namespace pliant
