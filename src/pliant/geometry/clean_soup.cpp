#include "pliant/geometry/clean_soup.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "pliant/geometry/coincident_points.h"
#include "pliant/geometry/disjoint_sets.h"
#include "pliant/geometry/triangle_bvh.h"

namespace pliant {
namespace {

using Triple = std::array<std::int32_t, 3>;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Merges vertices of equal coordinates; each group keeps the lowest index as its place in the new order.
std::vector<std::int32_t> merged_vertices(const Points& vertices, Points& kept) {
  const std::vector<std::int32_t> first = first_at_same_place(vertices);
  std::vector<std::int32_t> id(first.size());
  Index count = 0;
  for (std::size_t v = 0; v < id.size(); ++v)
    id[v] = first[v] == static_cast<std::int32_t>(v) ? static_cast<std::int32_t>(count++) : id[at(first[v])];
  kept.resize(count, 3);
  for (std::size_t v = 0; v < id.size(); ++v) kept.row(id[v]) = vertices.row(static_cast<Index>(v));
  return id;
}

// Whether `t` is an even permutation of its sorted corners.
bool is_even(const Triple& t) { return (t[0] < t[1]) + (t[1] < t[2]) + (t[2] < t[0]) == 2; }

Triple sorted(Triple t) {
  std::sort(t.begin(), t.end());
  return t;
}

struct HalfEdge {
  std::int32_t low, high;  // vertices
  std::int32_t triangle;
  bool forward;  // runs from low to high

  bool same_edge(const HalfEdge& other) const { return low == other.low && high == other.high; }
};

std::vector<HalfEdge> sorted_half_edges(const std::vector<Triple>& triangles) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = triangles[t][at(k)], to = triangles[t][at((k + 1) % 3)];
      edges.push_back({std::min(from, to), std::max(from, to), static_cast<std::int32_t>(t), from < to});
    }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return edges;
}

/// Calls visit(first, last) for every group of half-edges on one edge.
template <class Visit>
void for_each_edge(const std::vector<HalfEdge>& edges, Visit&& visit) {
  for (std::size_t begin = 0, end; begin < edges.size(); begin = end) {
    end = begin + 1;
    while (end < edges.size() && edges[end].same_edge(edges[begin])) ++end;
    visit(&edges[begin], &edges[begin] + (end - begin));
  }
}

// === One triangle for each set of corners
std::vector<Triple> without_duplicates(const std::vector<Triple>& triangles) {
  std::vector<std::int32_t> order(triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Triple> keys(triangles.size());
  for (std::size_t t = 0; t < keys.size(); ++t) keys[t] = sorted(triangles[t]);
  std::sort(order.begin(), order.end(), [&](std::int32_t s, std::int32_t t) {
    return std::tie(keys[at(s)], s) < std::tie(keys[at(t)], t);
  });

  std::vector<char> keep(triangles.size(), 0), two_sided(triangles.size(), 0);
  bool any_two_sided = false;
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    int net = 0;
    for (end = begin; end < order.size() && keys[at(order[end])] == keys[at(order[begin])]; ++end)
      net += is_even(triangles[at(order[end])]) ? 1 : -1;
    // The first of those that face the way most do.
    std::size_t chosen = begin;
    while (net != 0 && is_even(triangles[at(order[chosen])]) != (net > 0)) ++chosen;
    keep[at(order[chosen])] = 1;
    two_sided[at(order[chosen])] = net == 0;
    any_two_sided |= net == 0;
  }

  std::vector<Triple> kept;
  std::vector<char> pairs;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (keep[t]) kept.push_back(triangles[t]), pairs.push_back(two_sided[t]);
  if (!any_two_sided) return kept;

  // Two-sided faces in connected groups: a group around which the other faces close up without it is the wall
  // where two solids touch, and goes.
  std::vector<std::int32_t> parent(kept.size());
  std::iota(parent.begin(), parent.end(), 0);
  const std::vector<HalfEdge> edges = sorted_half_edges(kept);
  for_each_edge(edges, [&](const HalfEdge* first, const HalfEdge* last) {
    std::int32_t joined = -1;
    for (const HalfEdge* e = first; e != last; ++e)
      if (pairs[at(e->triangle)]) {
        if (joined >= 0) parent[at(detail::root_of(parent, e->triangle))] = detail::root_of(parent, joined);
        joined = e->triangle;
      }
  });
  std::vector<int> closed_without(kept.size(),
                                  0);  // border edges that are closed without the group, less others
  for_each_edge(edges, [&](const HalfEdge* first, const HalfEdge* last) {
    Index single = 0;
    std::int32_t group = -1;
    for (const HalfEdge* e = first; e != last; ++e)
      if (pairs[at(e->triangle)])
        group = detail::root_of(parent, e->triangle);
      else
        ++single;
    if (group >= 0 && single > 0) closed_without[at(group)] += single % 2 == 0 ? 1 : -1;
  });
  std::vector<Triple> result;
  for (std::size_t t = 0; t < kept.size(); ++t)
    if (!pairs[t] || closed_without[at(detail::root_of(parent, static_cast<std::int32_t>(t)))] <= 0)
      result.push_back(kept[t]);
  return result;
}

struct Patches {
  std::vector<std::int32_t> of;  // triangle -> patch
  std::vector<char> flip;        // triangle -> turned, for its patch to agree
  Index count = 0;
};

// === Agreement within a patch: across an edge of two triangles, one runs forward and the other back
Patches consistent_patches(const std::vector<Triple>& triangles, const std::vector<double>& areas,
                           CleanSoup& report) {
  struct Link {
    std::int32_t to = -1;
    bool agree = true;
  };
  std::vector<std::array<Link, 3>> links(triangles.size());
  std::vector<int> used(triangles.size(), 0);
  for_each_edge(sorted_half_edges(triangles), [&](const HalfEdge* first, const HalfEdge* last) {
    if (last - first == 1) ++report.open_edges;
    if (last - first > 2) ++report.non_manifold_edges;
    if (last - first != 2) return;
    const bool agree = first[0].forward != first[1].forward;
    links[at(first[0].triangle)][at(used[at(first[0].triangle)]++)] = {first[1].triangle, agree};
    links[at(first[1].triangle)][at(used[at(first[1].triangle)]++)] = {first[0].triangle, agree};
  });

  Patches patches{std::vector<std::int32_t>(triangles.size(), -1), std::vector<char>(triangles.size(), 0), 0};
  std::vector<std::int32_t> stack, members;
  for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
    if (patches.of[seed] >= 0) continue;
    const auto patch = static_cast<std::int32_t>(patches.count++);
    double turned_area = 0, area = 0;
    members.clear();
    stack.assign(1, static_cast<std::int32_t>(seed));
    patches.of[seed] = patch;
    while (!stack.empty()) {
      const std::int32_t t = stack.back();
      stack.pop_back();
      members.push_back(t);
      area += areas[at(t)];
      if (patches.flip[at(t)]) turned_area += areas[at(t)];
      for (int k = 0; k < used[at(t)]; ++k) {
        const Link& link = links[at(t)][at(k)];
        if (patches.of[at(link.to)] >= 0) continue;
        patches.of[at(link.to)] = patch;
        patches.flip[at(link.to)] = patches.flip[at(t)] != static_cast<char>(!link.agree);
        stack.push_back(link.to);
      }
    }
    if (turned_area > 0.5 * area)
      for (const std::int32_t t : members) patches.flip[at(t)] = !patches.flip[at(t)];
  }
  return patches;
}

// === Which patches face inward: rays to the sky from both sides
std::vector<char> inward_patches(const TriMesh& mesh, const std::vector<double>& areas,
                                 const Patches& patches) {
  const auto count = at(patches.count);
  std::vector<std::vector<std::int32_t>> members(count);
  for (std::size_t t = 0; t < patches.of.size(); ++t)
    members[at(patches.of[t])].push_back(static_cast<std::int32_t>(t));

  const TriangleBvh bvh(mesh);
  const double size = (bvh.upper() - bvh.lower()).norm();
  std::vector<double> sees_front(count, 0), sees_back(count, 0), patch_area(count, 0);
  constexpr int samples = 96;
  parallel_for(patches.count, 1, [&](Index p) {
    const std::vector<std::int32_t>& group = members[at(p)];
    std::vector<double> cumulative(group.size());
    double area = 0;
    for (std::size_t i = 0; i < group.size(); ++i) cumulative[i] = area += areas[at(group[i])];
    patch_area[at(p)] = area;
    if (!(area > 0)) return;
    for (int s = 0; s < samples; ++s) {
      // An additive lattice in five dimensions [after Roberts 2018]: even over area, triangle and hemisphere.
      // The generator solves g^6 = g + 1.
      constexpr double g = 1.1347241384015194;
      double u[5];
      double step = 1;
      for (double& x : u) x = std::fmod(0.5 + (s + 1) * (step /= g), 1.0);
      const auto place = std::lower_bound(cumulative.begin(), cumulative.end(), u[0] * area);
      const std::int32_t t = group[std::min(group.size() - 1, at(place - cumulative.begin()))];
      const Vector3d a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
                     c = mesh.vertices.row(mesh.triangles(t, 2));
      const double root_u = std::sqrt(u[1]);
      const Vector3d origin = (1 - root_u) * a + root_u * (1 - u[2]) * b + root_u * u[2] * c;
      Vector3d normal = (b - a).cross(c - a);
      if (!(normal.norm() > 0)) continue;
      normal.normalize();
      const Vector3d tangent = normal.unitOrthogonal(), other = normal.cross(tangent);
      const double angle = 2 * std::numbers::pi * u[3], sine = std::sqrt(u[4]);  // cosine-weighted
      const Vector3d lateral = sine * (std::cos(angle) * tangent + std::sin(angle) * other);
      const double height = std::sqrt(1 - u[4]) + 0.05;
      // Both rays leave the same spot sideways alike, so that a flat sheet sees as much on either side.
      if (!bvh.first_hit(origin, lateral + height * normal, 1e-5 * size)) sees_front[at(p)] += 1.0 / samples;
      if (!bvh.first_hit(origin, lateral - height * normal, 1e-5 * size)) sees_back[at(p)] += 1.0 / samples;
    }
  });

  // A flat or wavy sheet sees the sky on both sides alike; only a clear majority turns a patch.
  std::vector<char> inward(count, 0);
  double area_right = 0, area_wrong = 0;
  for (std::size_t p = 0; p < count; ++p) {
    inward[p] = sees_back[p] > sees_front[p] + 0.1;
    (inward[p] ? area_wrong : area_right) += patch_area[p] * std::abs(sees_front[p] - sees_back[p]);
  }
  if (area_wrong > area_right)
    for (std::size_t p = 0; p < count; ++p)
      if (sees_front[p] == 0 && sees_back[p] == 0) inward[p] = 1;
  return inward;
}

}  // namespace

CleanSoup clean_soup(const TriMesh& soup) {
  require_triangles("clean_soup", soup);
  CleanSoup result;
  const std::vector<std::int32_t> id = merged_vertices(soup.vertices, result.mesh.vertices);
  std::vector<Triple> triangles;
  triangles.reserve(at(soup.triangle_count()));
  for (Index t = 0; t < soup.triangle_count(); ++t) {
    const Triple ids{id[at(soup.triangles(t, 0))], id[at(soup.triangles(t, 1))],
                     id[at(soup.triangles(t, 2))]};
    if (ids[0] == ids[1] || ids[1] == ids[2] || ids[2] == ids[0])
      ++result.degenerate;
    else
      triangles.push_back(ids);
  }
  const std::size_t before = triangles.size();
  triangles = without_duplicates(triangles);
  result.duplicates = static_cast<Index>(before - triangles.size());

  std::vector<double> areas(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Points& v = result.mesh.vertices;
    const Vector3d a = v.row(triangles[t][0]), b = v.row(triangles[t][1]), c = v.row(triangles[t][2]);
    areas[t] = 0.5 * (b - a).cross(c - a).norm();
  }
  const Patches patches = consistent_patches(triangles, areas, result);
  result.patches = patches.count;
  result.mesh.triangles.resize(static_cast<Index>(triangles.size()), 3);
  const auto write = [&](std::size_t t, bool flip) {
    const Triple& x = triangles[t];
    result.mesh.triangles.row(static_cast<Index>(t)) << x[0], x[flip ? 2 : 1], x[flip ? 1 : 2];
  };
  for (std::size_t t = 0; t < triangles.size(); ++t) write(t, patches.flip[t]);
  if (triangles.empty()) return result;

  const std::vector<char> inward = inward_patches(result.mesh, areas, patches);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const bool flip = patches.flip[t] != inward[at(patches.of[t])];
    write(t, flip);
    result.flipped += flip;
  }
  return result;
}

}  // namespace pliant
