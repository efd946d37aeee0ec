#include "pliant/geometry/geodesics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "pliant/base/error.h"
#include "pliant/geometry/geodesic_graph.h"

namespace pliant {
namespace {

using detail::GeodesicGraph;
using Way = detail::GeodesicWay;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t max_window = 64;
constexpr double tie = 1e-10;  // relative; distances closer than this count as equal

// Where a path crosses much curvature, its flat picture no longer tells the way beside it: straightening stops
// once the angles passed miss the flat ones by this much, in radians. On fine or smooth meshes it never does.
constexpr double max_curvature = 0.2;

// The end of a path, last vertex first, laid out around that vertex: in space, or in the unfolded surface.
struct Chain {
  std::size_t count = 0;
  std::array<std::int32_t, max_window> vertex;
  std::array<double, max_window> distance, x, y, z;
  std::array<std::complex<double>, max_window> turn;  // of the vertex's flat picture in this layout
  std::array<bool, max_window> mirror;
};

// A way to a vertex at `target` in the layout: straight from position `from` of the chain.
struct Candidate {
  double distance = infinity;
  double last_edge = infinity;  // the distance by way of the chain's end and one edge from there
  std::size_t from = 0;
};

Candidate shortest(const Chain& chain, std::size_t count, const Vector3d& target) {
  Candidate best;
  for (std::size_t k = 0; k < count; ++k) {
    const double dx = target.x() - chain.x[k], dy = target.y() - chain.y[k], dz = target.z() - chain.z[k];
    const double d = chain.distance[k] + std::sqrt(dx * dx + dy * dy + dz * dz);
    if (k == 0) best.last_edge = d;
    if (d < best.distance) best.distance = d, best.from = k;
  }
  return best;
}

// Something can only stand between a bent path and its chord if the path strays from the chord, and then some
// vertex of the path is as near to a notch as it strays. What a path loses that strays less than the limit
// here is below 1 % of the chord.
bool may_be_hidden(const GeodesicGraph& graph, const Chain& chain, std::size_t k, const Vector3d& target) {
  const Vector3d p(chain.x[k], chain.y[k], chain.z[k]), chord = target - p;
  const double length = chord.norm(), edges = static_cast<double>(k + 1);
  double stray = 0;
  int steps = 255;
  for (std::size_t j = 0; j <= k; ++j) {
    const Vector3d q = Vector3d(chain.x[j], chain.y[j], chain.z[j]) - p;
    stray = std::max(stray, (q * length - chord * (chord.dot(q) / std::max(length, 1e-300))).squaredNorm());
    steps = std::min<int>(steps, graph.steps_to_notch[static_cast<std::size_t>(chain.vertex[j])]);
  }
  stray = std::sqrt(stray) / std::max(length, 1e-300);
  if (stray <= length * std::min(0.05, 0.4 / edges)) return false;
  return steps <= 2 + stray * edges / std::max(length, 1e-300);
}

// How paths run through a solid: a vertex knows the vertex before it; directions are those of space.
struct SolidPaths {
  const GeodesicGraph& graph;
  bool sight;

  void unroll(std::int32_t u, std::size_t window, const std::vector<Way>& ways, Chain& chain) const {
    chain.count = 0;
    for (std::int32_t p = u; p >= 0 && chain.count < window;
         p = ways[static_cast<std::size_t>(p)].predecessor) {
      const std::size_t k = chain.count++;
      chain.vertex[k] = p;
      chain.distance[k] = ways[static_cast<std::size_t>(p)].distance;
      chain.x[k] = graph.vertices(p, 0) - graph.vertices(u, 0);
      chain.y[k] = graph.vertices(p, 1) - graph.vertices(u, 1);
      chain.z[k] = graph.vertices(p, 2) - graph.vertices(u, 2);
    }
  }

  Vector3d edge(std::int32_t u, std::int64_t slot) const {
    return graph.vertices.row(graph.edges.items[static_cast<std::size_t>(slot)]) - graph.vertices.row(u);
  }

  bool clear(const Chain& chain, std::size_t k, std::int64_t slot) const {
    return !sight || graph.solid_sight.sees(graph.vertices, chain.vertex[k],
                                            graph.edges.items[static_cast<std::size_t>(slot)]);
  }

  std::int32_t way_back(std::int32_t u, std::int64_t) const { return u; }
};

// How paths run over a surface: a vertex knows the edge slot that leads back.
struct SurfacePaths {
  const GeodesicGraph& graph;

  // Walks back along the path and lays every flat picture beside the one before, edge on edge: a direction z
  // at vertex k of the chain is turn * z in the layout, or turn * conj(z) where the picture is turned over.
  void unroll(std::int32_t u, std::size_t window, const std::vector<Way>& ways, Chain& chain) const {
    std::complex<double> place = 0, turn = 1;
    bool mirror = false;
    double curvature = 0;
    chain.count = 0;
    std::int32_t c = u;
    while (true) {
      const std::size_t k = chain.count++;
      chain.vertex[k] = c;
      chain.distance[k] = ways[static_cast<std::size_t>(c)].distance;
      chain.x[k] = place.real();
      chain.y[k] = place.imag();
      chain.z[k] = 0;
      chain.turn[k] = turn;
      chain.mirror[k] = mirror;
      curvature += graph.curvature[static_cast<std::size_t>(c)];
      const std::int32_t back = ways[static_cast<std::size_t>(c)].predecessor;
      if (back < 0 || chain.count == window || curvature > max_curvature) return;
      const auto slot = static_cast<std::size_t>(back),
                 reverse = static_cast<std::size_t>(graph.reverse[slot]);
      const std::complex<double> step =
          turn * (mirror ? std::conj(graph.direction[slot]) : graph.direction[slot]);
      place += graph.length[slot] * step;
      // The edge leaves the next picture where it came from: turn * direction[reverse] = -step.
      mirror ^= graph.mirrored[slot] != 0;
      turn = -step * (mirror ? graph.direction[reverse] : std::conj(graph.direction[reverse]));
      c = graph.edges.items[slot];
    }
  }

  Vector3d edge(std::int32_t, std::int64_t slot) const {
    const auto s = static_cast<std::size_t>(slot);
    return {graph.length[s] * graph.direction[s].real(), graph.length[s] * graph.direction[s].imag(), 0};
  }

  bool clear(const Chain& chain, std::size_t k, std::int64_t slot) const {
    const std::int32_t p = chain.vertex[k];
    if (graph.curvature[static_cast<std::size_t>(p)] == infinity) return false;
    // === The way in the flat picture of vertex p, and the wedge of its ring that it enters
    const Vector3d e = edge(chain.vertex[0], slot);
    std::complex<double> way =
        std::complex<double>(e.x() - chain.x[k], e.y() - chain.y[k]) * std::conj(chain.turn[k]);
    if (chain.mirror[k]) way = std::conj(way);
    const std::int64_t first = graph.edges.offsets[static_cast<std::size_t>(p)],
                       last = graph.edges.offsets[static_cast<std::size_t>(p) + 1] - 1;
    const auto angle_between = [](std::complex<double> a, std::complex<double> b) {
      return std::arg(b * std::conj(a));
    };
    const std::vector<std::int32_t>& triangle_after = graph.surface_sight.triangle_after;
    const bool open =
        triangle_after[static_cast<std::size_t>(last)] == triangle_after[static_cast<std::size_t>(last - 1)];
    for (std::int64_t s = first; s <= (open ? last - 1 : last); ++s) {
      const std::int64_t next = s < last ? s + 1 : first;
      const std::complex<double> side = graph.direction[static_cast<std::size_t>(s)];
      const double wedge = angle_between(side, graph.direction[static_cast<std::size_t>(next)]);
      const double angle = angle_between(side, way);
      constexpr double slack = 0.02;  // radians: ways along a border
      if (wedge <= 0 || angle < -slack || angle > wedge + slack) continue;
      return graph.surface_sight.clear(graph.vertices, triangle_after[static_cast<std::size_t>(s)], p,
                                       graph.edges.items[static_cast<std::size_t>(s)],
                                       std::clamp(angle / wedge, 0.0, 1.0), std::abs(way));
    }
    return false;
  }

  std::int32_t way_back(std::int32_t, std::int64_t slot) const {
    return graph.reverse[static_cast<std::size_t>(slot)];
  }
};

void check(const GeodesicGraph& graph, std::span<const int> sources, const GeodesicOptions& options) {
  if (options.window < 1 || options.window > static_cast<int>(max_window))
    throw InputError(fmt::format("geodesics: window is {}; expected 1 to {}", options.window, max_window));
  if (!(options.max_distance >= 0))
    throw InputError(fmt::format("geodesics: max_distance is {}; expected 0 or more", options.max_distance));
  for (const int s : sources)
    if (s < 0 || s >= graph.vertices.rows())
      throw InputError(
          fmt::format("geodesics: source {}; expected 0 to {}, a vertex", s, graph.vertices.rows() - 1));
  const std::span<const double> initial = options.initial_distances;
  if (!initial.empty() && initial.size() != sources.size())
    throw InputError(fmt::format("geodesics: {} initial distances for {} sources; expected one a source",
                                 initial.size(), sources.size()));
  for (const double d : initial)
    if (!(d >= 0))
      throw InputError(fmt::format("geodesics: an initial distance is {}; expected 0 or more", d));
}

}  // namespace

VectorXd geodesic_distance(const TriMesh& mesh, std::span<const int> sources,
                           const GeodesicOptions& options) {
  return GeodesicSolver(mesh).distance_from(sources, options).distance;
}
VectorXd geodesic_distance(const TetMesh& mesh, std::span<const int> sources,
                           const GeodesicOptions& options) {
  return GeodesicSolver(mesh).distance_from(sources, options).distance;
}

GeodesicSolver::GeodesicSolver(const TriMesh& mesh)
    : GeodesicSolver(std::make_shared<const GeodesicGraph>(detail::geodesic_graph(mesh))) {}
GeodesicSolver::GeodesicSolver(const TetMesh& mesh)
    : GeodesicSolver(std::make_shared<const GeodesicGraph>(detail::geodesic_graph(mesh))) {}
GeodesicSolver::GeodesicSolver(std::shared_ptr<const GeodesicGraph> graph) : graph_(std::move(graph)) {
  const auto n = static_cast<std::size_t>(graph_->vertices.rows());
  way_.resize(n);
  settled_.assign(n, 0);
}

Index GeodesicSolver::vertex_count() const { return graph_->vertices.rows(); }

GeodesicField GeodesicSolver::distance_from(std::span<const int> sources, const GeodesicOptions& options) {
  GeodesicField field;
  field.distance.setConstant(vertex_count(), infinity);
  field.nearest_source.setConstant(vertex_count(), -1);
  for (const GeodesicReach& r : run(sources, options, nullptr)) {
    field.distance[r.vertex] = r.distance;
    field.nearest_source[r.vertex] = r.source;
  }
  return field;
}

std::span<const GeodesicReach> GeodesicSolver::reach(std::span<const int> sources,
                                                     const GeodesicOptions& options) {
  return run(sources, options, nullptr);
}

std::span<const GeodesicReach> GeodesicSolver::add_sources(VectorXd& distance, std::span<const int> sources,
                                                           const GeodesicOptions& options) {
  if (distance.size() != vertex_count())
    throw InputError(fmt::format("geodesics: the distance field has {} values; expected {}, one a vertex",
                                 distance.size(), vertex_count()));
  const std::span<const GeodesicReach> lowered = run(sources, options, &distance);
  for (const GeodesicReach& r : lowered) distance[r.vertex] = r.distance;
  return lowered;
}

std::span<const GeodesicReach> GeodesicSolver::run(std::span<const int> sources,
                                                   const GeodesicOptions& options, const VectorXd* ceiling) {
  check(*graph_, sources, options);
  reached_.clear();

  // === Start at the sources
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double d = options.initial_distances.empty() ? 0 : options.initial_distances[i];
    lower(sources[i], {d, d, -1, static_cast<std::int32_t>(i)}, options, ceiling);
  }
  if (graph_->surface) {
    advance(SurfacePaths{*graph_}, options, ceiling);
  } else {
    advance(SolidPaths{*graph_, sight_}, options, ceiling);
  }

  // === Leave the memory as it was found, touching only what was touched
  for (const std::int32_t v : touched_) {
    const auto i = static_cast<std::size_t>(v);
    way_[i] = {};
    settled_[i] = 0;
  }
  touched_.clear();
  return reached_;
}

template <class Paths>
void GeodesicSolver::advance(const Paths& paths, const GeodesicOptions& options, const VectorXd* ceiling) {
  const GeodesicGraph& graph = *graph_;
  const bool notched = !graph.steps_to_notch.empty();
  Chain chain;
  while (!heap_.empty()) {
    // === Settle the nearest vertex, and lay out the end of its path
    const std::int32_t u = pop();
    const auto at = static_cast<std::size_t>(u);
    if (settled_[at]) continue;
    settled_[at] = 1;
    reached_.push_back({u, way_[at].source, way_[at].distance});
    paths.unroll(u, static_cast<std::size_t>(options.window), way_, chain);

    // === Its neighbours: the distance of some vertex p of the path, and straight on from there
    //     d(v) = min over p of  d(p) + |v - p|
    for (std::int64_t slot = graph.edges.offsets[at]; slot < graph.edges.offsets[at + 1]; ++slot) {
      const std::int32_t v = graph.edges.items[static_cast<std::size_t>(slot)];
      const auto to = static_cast<std::size_t>(v);
      if (settled_[to]) continue;
      const Vector3d target = paths.edge(u, slot);
      Candidate best = shortest(chain, chain.count, target);
      // Around a notch only vertices that see v count; those behind a hidden one are hidden as well.
      while (notched && best.from > 0 && improves(v, best.distance, best.last_edge) &&
             may_be_hidden(graph, chain, best.from, target) && !paths.clear(chain, best.from, slot))
        best = shortest(chain, best.from, target);
      // Never nearer than u: the front only moves forward, and can stop at any radius.
      best.distance = std::max(best.distance, way_[at].distance);
      lower(v, {best.distance, best.last_edge, paths.way_back(u, slot), way_[at].source}, options, ceiling);
    }
  }
}

// Where the surface is flat, all paths inside a window are equally long: the straightest one is taken, so that
// the window's far end lies on the line. It also decides where only rounding would.
bool GeodesicSolver::improves(std::int32_t vertex, double distance, double last_edge) const {
  const Way& best = way_[static_cast<std::size_t>(vertex)];
  return distance < best.distance * (1 - tie) ||
         (distance <= best.distance * (1 + tie) && last_edge < best.last_edge);
}

void GeodesicSolver::lower(std::int32_t vertex, const Way& way, const GeodesicOptions& options,
                           const VectorXd* ceiling) {
  Way& best = way_[static_cast<std::size_t>(vertex)];
  if (way.distance > options.max_distance || !improves(vertex, way.distance, way.last_edge)) return;
  if (ceiling && !(way.distance < (*ceiling)[vertex])) return;
  if (way.distance >= best.distance * (1 - tie)) {
    best = {best.distance, way.last_edge, way.predecessor, way.source};  // equally long, but straighter
    return;
  }
  if (best.distance == infinity) touched_.push_back(vertex);
  best = way;
  heap_.push_back({way.distance, vertex});
  std::push_heap(heap_.begin(), heap_.end(), Entry::later);
}

std::int32_t GeodesicSolver::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), Entry::later);
  const std::int32_t vertex = heap_.back().vertex;
  heap_.pop_back();
  return vertex;
}

}  // namespace pliant
