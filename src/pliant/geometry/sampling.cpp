#include "pliant/geometry/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/geometry/geodesic_graph.h"

namespace pliant {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What is sampled: vertices (one corner each) or elements.
struct Items {
  const std::int32_t* ids;
  Index count;
  int corners;
  const char* name;

  std::span<const int> operator[](Index i) const {
    return {ids + i * corners, static_cast<std::size_t>(corners)};
  }
};

struct Component {
  Index size = 0;    // items
  Index lowest = 0;  // item
  Index middle = 0;  // the item nearest to the mean of all
};

// Components of the edge graph, -1 for a vertex without edges; in the order of their lowest vertex.
std::vector<int> components_of_vertices(const detail::GeodesicGraph& graph, int& count) {
  std::vector<int> component(static_cast<std::size_t>(graph.vertices.rows()), -1);
  std::vector<std::int32_t> stack;
  count = 0;
  for (Index v = 0; v < graph.vertices.rows(); ++v) {
    if (component[static_cast<std::size_t>(v)] >= 0 || graph.edges.row(v).empty()) continue;
    component[static_cast<std::size_t>(v)] = count;
    stack.push_back(static_cast<std::int32_t>(v));
    while (!stack.empty()) {
      const std::int32_t u = stack.back();
      stack.pop_back();
      for (const std::int32_t w : graph.edges.row(u))
        if (component[static_cast<std::size_t>(w)] < 0) {
          component[static_cast<std::size_t>(w)] = count;
          stack.push_back(w);
        }
    }
    ++count;
  }
  return component;
}

// Keeps the furthest item on top. Distances only fall, so an entry may be too high but never too low: one
// that has fallen is put back lower when it comes up.
class FurthestFirst {
 public:
  void add(double distance, std::int32_t item) { heap_.push_back({distance, item}); }
  void build() { std::make_heap(heap_.begin(), heap_.end(), nearer); }
  bool empty() const { return heap_.empty(); }

  template <class DistanceOf>
  std::int32_t top(const DistanceOf& distance_of) {
    while (true) {
      const double now = distance_of(heap_.front().item);
      if (now == heap_.front().distance) return heap_.front().item;
      const std::int32_t item = heap_.front().item;
      pop();
      heap_.push_back({now, item});
      std::push_heap(heap_.begin(), heap_.end(), nearer);
    }
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), nearer);
    heap_.pop_back();
  }

 private:
  struct Entry {
    double distance;
    std::int32_t item;
  };
  static bool nearer(const Entry& a, const Entry& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.item > b.item;
  }
  std::vector<Entry> heap_;
};

FurthestPoints sample(GeodesicSolver& solver, const Items& items, const FurthestPointOptions& options) {
  if (options.count < 0)
    throw InputError(fmt::format("furthest_points: count is {}; expected 0 or more", options.count));
  for (const int s : options.start)
    if (s < 0 || s >= items.count)
      throw InputError(fmt::format("furthest_points: start names {} {}; expected 0 to {}", items.name, s,
                                   items.count - 1));
  std::vector<int> given(options.start.begin(), options.start.end());
  std::sort(given.begin(), given.end());
  const auto distinct = std::unique(given.begin(), given.end()) - given.begin();
  if (distinct > options.count)
    throw InputError(fmt::format(
        "furthest_points: start gives {} samples and count is {}; expected a count that includes them",
        distinct, options.count));
  const Points& x = solver.graph().vertices;
  for (Index i = 0; i < items.count * items.corners; ++i)
    if (items.ids[i] < 0 || items.ids[i] >= x.rows())
      throw InputError(fmt::format("furthest_points: {} {} names vertex {}; expected 0 to {}", items.name,
                                   i / items.corners, items.ids[i], x.rows() - 1));

  FurthestPoints result;
  result.distance.setConstant(x.rows(), infinity);
  result.nearest.setConstant(x.rows(), -1);

  // === Components, and the item in the middle of each
  const std::vector<int> component_of_vertex = components_of_vertices(solver.graph(), result.components);
  const auto component_of = [&](Index item) {
    return component_of_vertex[static_cast<std::size_t>(items[item][0])];
  };
  const auto center_of = [&](Index item) {
    Vector3d sum = Vector3d::Zero();
    for (const int v : items[item]) sum += x.row(v).transpose();
    return Vector3d(sum / items.corners);
  };
  std::vector<Component> components(static_cast<std::size_t>(result.components));
  std::vector<Vector3d> mean(components.size(), Vector3d::Zero());
  for (Index i = 0; i < items.count; ++i) {
    if (component_of(i) < 0) continue;
    const auto c = static_cast<std::size_t>(component_of(i));
    if (components[c].size++ == 0) components[c].lowest = i;
    mean[c] += center_of(i);
  }
  for (std::size_t c = 0; c < mean.size(); ++c)
    mean[c] /= std::max<double>(1, static_cast<double>(components[c].size));
  std::vector<double> off_center(components.size(), infinity);
  for (Index i = 0; i < items.count; ++i) {
    if (component_of(i) < 0) continue;
    const auto c = static_cast<std::size_t>(component_of(i));
    const double d = (center_of(i) - mean[c]).squaredNorm();
    if (d < off_center[c]) off_center[c] = d, components[c].middle = i;
  }

  // === Choosing: the distance field is lowered around the new sample, and the furthest item found again
  const auto distance_of = [&](Index item) {
    double sum = 0;
    for (const int v : items[item]) sum += result.distance[v];
    return sum / items.corners;
  };
  FurthestFirst furthest;
  for (Index i = 0; i < items.count; ++i)
    if (component_of(i) >= 0) furthest.add(infinity, static_cast<std::int32_t>(i));
  furthest.build();
  std::vector<bool> served(components.size(), false), chosen(static_cast<std::size_t>(items.count), false);
  const auto choose = [&](Index item) {
    const int index = static_cast<int>(result.ids.size());
    chosen[static_cast<std::size_t>(item)] = true;
    if (component_of(item) >= 0) served[static_cast<std::size_t>(component_of(item))] = true;
    for (const GeodesicReach& r :
         solver.add_sources(result.distance, items[item], {.window = options.window}))
      result.nearest[r.vertex] = index;
    result.ids.push_back(static_cast<int>(item));
    result.radius.push_back(furthest.empty() ? 0 : distance_of(furthest.top(distance_of)));
    report(options.progress, "furthest points",
           static_cast<double>(result.ids.size()) / std::max(options.count, 1));
  };

  const auto full = [&] { return static_cast<int>(result.ids.size()) >= options.count; };
  for (const int s : options.start)
    if (!chosen[static_cast<std::size_t>(s)]) choose(s);

  // === One for every component without, the largest first
  std::vector<std::size_t> order(components.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return components[a].size != components[b].size ? components[a].size > components[b].size
                                                    : components[a].lowest < components[b].lowest;
  });
  for (const std::size_t c : order)
    if (!served[c] && !full()) choose(components[c].middle);

  // === Then always the furthest; at distance zero (vertices in the same place) those not chosen yet
  while (!full() && !furthest.empty()) {
    const std::int32_t item = furthest.top(distance_of);
    if (distance_of(item) > 0 || !chosen[static_cast<std::size_t>(item)]) choose(item);
    if (distance_of(item) == 0 && furthest.top(distance_of) == item) furthest.pop();
  }
  result.components_without = static_cast<int>(std::count(served.begin(), served.end(), false));
  return result;
}

}  // namespace

FurthestPoints furthest_point_vertices(GeodesicSolver& solver, const FurthestPointOptions& options) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(solver.vertex_count()));
  std::iota(ids.begin(), ids.end(), 0);
  return sample(solver, {ids.data(), solver.vertex_count(), 1, "vertex"}, options);
}
FurthestPoints furthest_point_vertices(const TriMesh& mesh, const FurthestPointOptions& options) {
  GeodesicSolver solver(mesh);
  return furthest_point_vertices(solver, options);
}
FurthestPoints furthest_point_vertices(const TetMesh& mesh, const FurthestPointOptions& options) {
  GeodesicSolver solver(mesh);
  return furthest_point_vertices(solver, options);
}

FurthestPoints furthest_point_elements(GeodesicSolver& solver, const Triangles& triangles,
                                       const FurthestPointOptions& options) {
  return sample(solver, {triangles.data(), triangles.rows(), 3, "triangle"}, options);
}
FurthestPoints furthest_point_elements(GeodesicSolver& solver, const Tets& tets,
                                       const FurthestPointOptions& options) {
  return sample(solver, {tets.data(), tets.rows(), 4, "tet"}, options);
}
FurthestPoints furthest_point_elements(const TriMesh& mesh, const FurthestPointOptions& options) {
  GeodesicSolver solver(mesh);
  return furthest_point_elements(solver, mesh.triangles, options);
}
FurthestPoints furthest_point_elements(const TetMesh& mesh, const FurthestPointOptions& options) {
  GeodesicSolver solver(mesh);
  return furthest_point_elements(solver, mesh.tets, options);
}

std::vector<int> spread_over_surface(const Points& vertices, const Triangles& surface, int count) {
  if (count <= 0) return {};
  std::vector<int> outside(surface.data(), surface.data() + surface.size());
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  if (static_cast<int>(outside.size()) <= count) return outside;
  // A mesh of its own, in which every vertex is on the outside.
  TriMesh mesh{Points(static_cast<Index>(outside.size()), 3), surface};
  std::vector<int> place(static_cast<std::size_t>(vertices.rows()), -1);
  for (std::size_t i = 0; i < outside.size(); ++i) {
    place[static_cast<std::size_t>(outside[i])] = static_cast<int>(i);
    mesh.vertices.row(static_cast<Index>(i)) = vertices.row(outside[i]);
  }
  for (int* id = mesh.triangles.data(); id != mesh.triangles.data() + mesh.triangles.size(); ++id)
    *id = place[static_cast<std::size_t>(*id)];
  std::vector<int> out;
  for (const int id : furthest_point_vertices(mesh, {.count = count}).ids)
    out.push_back(outside[static_cast<std::size_t>(id)]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace pliant
