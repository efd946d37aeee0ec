#include "pliant/geometry/geodesic_graph.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/error.h"

namespace pliant::detail {
namespace {

constexpr Index grain = 1024;
constexpr double notch_bend = 0.05;  // radians by which a border turns inward to count as a notch

void check_finite(const Points& vertices) {
  for (Index v = 0; v < vertices.rows(); ++v)
    if (!vertices.row(v).allFinite())
      throw InputError(
          fmt::format("geodesics: vertex {} is ({}, {}, {}); expected finite coordinates; repair "
                      "the mesh first",
                      v, vertices(v, 0), vertices(v, 1), vertices(v, 2)));
}

// A triangle seen from one of its corners: the ring goes from vertex `from` to vertex `to`.
struct Wedge {
  std::int32_t triangle, from, to;
  bool reversed;  // against the triangle's own orientation
};

Wedge wedge_at(const Triangles& triangles, std::int32_t t, std::int32_t v) {
  const int i = triangles(t, 0) == v ? 0 : triangles(t, 1) == v ? 1 : 2;
  return {t, triangles(t, (i + 1) % 3), triangles(t, (i + 2) % 3), false};
}
Wedge turned_over(const Wedge& w) { return {w.triangle, w.to, w.from, !w.reversed}; }

// The triangle beyond the edge that leads from the ring's centre to wedge.to, or a negative mark.
std::int32_t beyond(const Triangles& triangles, const Triangles& across, const Wedge& w) {
  for (int i = 0; i < 3; ++i)
    if (triangles(w.triangle, i) == w.from) return across(w.triangle, i);
  return many_neighbors;
}

// The triangles around a vertex in order, from border to border or once around; empty when they do not form
// one fan.
void order_ring(const Triangles& triangles, const Triangles& across, std::span<const std::int32_t> at_vertex,
                std::int32_t v, std::vector<Wedge>& ring) {
  ring.clear();
  if (at_vertex.empty()) return;
  // Start at a border if there is one, in the triangle's own direction if possible.
  Wedge start = wedge_at(triangles, at_vertex[0], v);
  bool found = false;
  for (const bool turn : {false, true}) {
    for (const std::int32_t t : at_vertex) {
      const Wedge w = turn ? turned_over(wedge_at(triangles, t, v)) : wedge_at(triangles, t, v);
      if (beyond(triangles, across, turned_over(w)) != no_neighbor) continue;
      start = w;
      found = true;
      break;
    }
    if (found) break;
  }
  Wedge w = start;
  while (ring.size() < at_vertex.size()) {
    if (w.from == w.to || w.from == v || w.to == v) break;
    ring.push_back(w);
    const std::int32_t next = beyond(triangles, across, w);
    if (next == many_neighbors) break;
    if (next == no_neighbor || next == start.triangle) {
      if (ring.size() == at_vertex.size()) return;
      break;
    }
    Wedge n = wedge_at(triangles, next, v);
    if (n.from != w.to) n = turned_over(n);
    w = n;
  }
  ring.clear();
}

double corner_angle(const Points& x, std::int32_t v, std::int32_t a, std::int32_t b) {
  const Vector3d p = x.row(a) - x.row(v), q = x.row(b) - x.row(v);
  return std::atan2(p.cross(q).norm(), p.dot(q));
}

}  // namespace

GeodesicGraph geodesic_graph(const TetMesh& mesh) {
  check_finite(mesh.vertices);
  GeodesicGraph graph;
  graph.vertices = mesh.vertices;
  graph.edges = vertex_neighbors(mesh.tets, mesh.vertex_count());

  Tets across = tet_neighbors(mesh.tets, mesh.vertex_count());
  if (const auto concave = notches(mesh.vertices, mesh.tets, across, notch_bend); !concave.empty()) {
    graph.steps_to_notch = steps_from(graph.edges, concave);
    graph.solid_sight = {mesh.tets, std::move(across), vertex_elements(mesh.tets, mesh.vertex_count())};
  }
  return graph;
}

GeodesicGraph geodesic_graph(const TriMesh& mesh) {
  check_finite(mesh.vertices);
  const Index n = mesh.vertex_count();
  GeodesicGraph graph;
  graph.surface = true;
  graph.vertices = mesh.vertices;
  graph.edges = vertex_neighbors(mesh.triangles, n);
  graph.curvature.assign(static_cast<std::size_t>(n), 0);
  const std::size_t slots = graph.edges.items.size();
  graph.reverse.assign(slots, -1);
  graph.direction.assign(slots, 1.0);
  graph.length.resize(slots);
  graph.mirrored.assign(slots, 0);
  Triangles across = triangle_neighbors(mesh.triangles, n);
  const Adjacency at_vertex = vertex_elements(mesh.triangles, n);

  // The triangle after a slot in its ring (before it at the end of an open ring), and whether the ring runs
  // against that triangle.
  std::vector<std::int32_t> triangle_after(slots, -1);
  std::vector<std::uint8_t> reversed(slots, 0), concave(static_cast<std::size_t>(n), 0);

  // === Flat pictures: edges at their angles, a closed ring stretched to 2 pi
  parallel_for_chunks(n, grain, [&](Index begin, Index end) {
    std::vector<Wedge> ring;
    for (Index v = begin; v < end; ++v) {
      const auto id = static_cast<std::int32_t>(v);
      const std::int64_t first = graph.edges.offsets[static_cast<std::size_t>(v)];
      const std::int64_t count = graph.edges.offsets[static_cast<std::size_t>(v) + 1] - first;
      order_ring(mesh.triangles, across, at_vertex.row(v), id, ring);
      const bool closed = !ring.empty() && ring.back().to == ring.front().from;
      double total = 0;
      for (const Wedge& w : ring) total += corner_angle(mesh.vertices, id, w.from, w.to);
      if (static_cast<std::int64_t>(ring.size()) + (closed ? 0 : 1) != count || total < 1e-6) {
        graph.curvature[static_cast<std::size_t>(v)] = std::numeric_limits<double>::infinity();
        concave[static_cast<std::size_t>(v)] = !at_vertex.row(v).empty();
      } else {
        concave[static_cast<std::size_t>(v)] = !closed && total > std::numbers::pi + notch_bend;
        if (closed) graph.curvature[static_cast<std::size_t>(v)] = std::abs(2 * std::numbers::pi - total);
        const double stretch = closed ? 2 * std::numbers::pi / total : 1;
        double angle = 0;
        for (std::int64_t k = 0; k < count; ++k) {
          const auto slot = static_cast<std::size_t>(first + k);
          const Wedge& w = ring[std::min(static_cast<std::size_t>(k), ring.size() - 1)];
          const bool last = static_cast<std::size_t>(k) == ring.size();
          graph.edges.items[slot] = last ? w.to : w.from;
          graph.direction[slot] = std::polar(1.0, angle * stretch);
          triangle_after[slot] = w.triangle;
          reversed[slot] = w.reversed;
          if (!last) angle += corner_angle(mesh.vertices, id, w.from, w.to);
        }
      }
      for (std::int64_t k = 0; k < count; ++k) {
        const auto slot = static_cast<std::size_t>(first + k);
        graph.length[slot] = (mesh.vertices.row(graph.edges.items[slot]) - mesh.vertices.row(v)).norm();
      }
    }
  });

  // === How the pictures at the two ends of an edge fit together
  parallel_for(n, grain, [&](Index v) {
    for (std::int64_t s = graph.edges.offsets[static_cast<std::size_t>(v)];
         s < graph.edges.offsets[static_cast<std::size_t>(v) + 1]; ++s) {
      const auto slot = static_cast<std::size_t>(s);
      const auto w = static_cast<std::size_t>(graph.edges.items[slot]);
      for (std::int64_t r = graph.edges.offsets[w]; r < graph.edges.offsets[w + 1]; ++r) {
        const auto other = static_cast<std::size_t>(r);
        if (graph.edges.items[other] == v) graph.reverse[slot] = static_cast<std::int32_t>(r);
        if (triangle_after[slot] >= 0 && triangle_after[other] == triangle_after[slot])
          graph.mirrored[slot] = reversed[other] != reversed[slot];
      }
    }
  });

  // === Where a straight way could leave the surface
  std::vector<std::int32_t> notch;
  for (std::size_t v = 0; v < concave.size(); ++v)
    if (concave[v]) notch.push_back(static_cast<std::int32_t>(v));
  if (!notch.empty()) {
    graph.steps_to_notch = steps_from(graph.edges, notch);
    graph.surface_sight = {mesh.triangles, std::move(across), std::move(triangle_after)};
  }
  return graph;
}

}  // namespace pliant::detail
