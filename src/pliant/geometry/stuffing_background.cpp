#include "pliant/geometry/stuffing_background.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"

namespace pliant::detail {
namespace {

constexpr Index leaf_grain = 1024;
constexpr Index sample_grain = 512;

// About 400 million tets: beyond it, points could no longer be numbered in 32 bits.
constexpr std::size_t max_cubes = std::size_t{1} << 25;

void check_count(std::size_t cubes, double cell) {
  if (cubes > max_cubes)
    throw InputError(fmt::format(
        "stuff_isosurface: a cell of {} m takes more than {} cubes; use a larger one", cell, max_cubes));
}

// Lattice points and the field there, numbered in the order they come; each point is sampled once over all
// rounds of refinement. Points never go: when a cube is split, its centre becomes a corner.
struct Samples {
  KeyTable numbers;
  std::vector<std::uint64_t> points;
  std::vector<double> values;

  void add(const Field& field, const StuffingOctree& octree, const std::vector<NodeKey>& leaves) {
    const auto insert = [&](NodeKey leaf, int number) {
      const std::uint64_t point = lattice_point(octree, leaf, number);
      if (numbers.insert(point) == static_cast<std::int32_t>(points.size())) points.push_back(point);
    };
    for (const NodeKey leaf : leaves) {
      for (const int corner : leaf_corners) insert(leaf, corner);
      insert(leaf, leaf_centre);
    }
    const std::size_t first = values.size();
    values.resize(points.size());
    parallel_for(static_cast<Index>(values.size() - first), sample_grain, [&](Index i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      values[at] = field(field.position(lattice_coordinates(points[at])));
    });
  }

  double value(std::uint64_t point) const { return values[static_cast<std::size_t>(numbers.find(point))]; }
};

// Finest cubes so near the surface that one of their points may be warped: found from the root down, passing
// over cubes that the distance at their centre proves to be farther. An edge that crosses the surface is at
// most one cell long, and a cube that touches one of its ends, or is a face neighbour of a centre there, has
// its own centre within two cells of the crossing.
std::vector<NodeKey> surface_cubes(const Field& field, double cell, double lipschitz,
                                   const Progress& progress) {
  std::vector<NodeKey> nodes{1};
  for (int depth = 0;; ++depth) {
    const int half = 1 << (field.depth() - depth);
    const double reach = lipschitz * cell * (2 + 0.5 * std::sqrt(3.0) * (half - 1));
    std::vector<std::uint8_t> near(nodes.size());
    // In batches, so that a shape that needs very many cubes can still be told to stop.
    constexpr std::size_t batch = 1 << 17;
    for (std::size_t first = 0; first < nodes.size(); first += batch) {
      report(progress, "sampling the distance", 0.5 * depth / (field.depth() + 1));
      parallel_for(static_cast<Index>(std::min(batch, nodes.size() - first)), sample_grain, [&](Index i) {
        const std::size_t at = first + static_cast<std::size_t>(i);
        const Vector3i centre = node_cell(nodes[at]) * (2 * half) + Vector3i::Constant(half);
        near[at] = std::abs(field(field.position(centre))) <= reach;
      });
    }
    std::vector<NodeKey> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!near[i]) continue;
      if (depth == field.depth())
        next.push_back(nodes[i]);
      else
        for (NodeKey child = 0; child < 8; ++child) next.push_back(nodes[i] << 3 | child);
    }
    check_count(next.size(), cell);
    if (depth == field.depth()) return next;
    nodes = std::move(next);
  }
}

// All nodes of the tree under `node` down to `depth`, itself included.
void append_subtree(NodeKey node, int depth, std::vector<NodeKey>& out) {
  out.push_back(node);
  if (node_depth(node) >= depth) return;
  for (NodeKey child = 0; child < 8; ++child) append_subtree(node << 3 | child, depth, out);
}

// The tets of a round, and for each the cube to split if it is too near the surface (0: none).
struct Round {
  std::vector<std::array<std::int32_t, 4>> tets;  // points as Samples numbers them
  std::vector<NodeKey> coarse;
};

Round enumerate_tets(const StuffingOctree& octree, const std::vector<NodeKey>& leaves,
                     const Samples& samples) {
  const auto count = static_cast<Index>(leaves.size());
  std::vector<Round> chunks(static_cast<std::size_t>((count + leaf_grain - 1) / leaf_grain));
  parallel_for_chunks(count, leaf_grain, [&](Index begin, Index end) {
    Round& chunk = chunks[static_cast<std::size_t>(begin / leaf_grain)];
    std::vector<BackgroundTet> local;
    std::array<std::int32_t, leaf_points> number;
    for (Index i = begin; i < end; ++i) {
      const NodeKey leaf = leaves[static_cast<std::size_t>(i)];
      local.clear();
      background_tets(octree, leaf, local);
      number.fill(-1);
      for (const BackgroundTet& tet : local) {
        std::array<std::int32_t, 4> v;
        bool any_inside = false;
        for (std::size_t k = 0; k < 4; ++k) {
          std::int32_t& n = number[tet.points[k]];
          if (n < 0) n = samples.numbers.find(lattice_point(octree, leaf, tet.points[k]));
          v[k] = n;
          any_inside = any_inside || is_inside(samples.values[static_cast<std::size_t>(n)]);
        }
        if (!any_inside) continue;
        chunk.tets.push_back(v);
        chunk.coarse.push_back(tet.coarse);
      }
    }
  });
  Round result;
  std::size_t total = 0;
  for (const Round& chunk : chunks) total += chunk.tets.size();
  result.tets.reserve(total);
  result.coarse.reserve(total);
  for (Round& chunk : chunks) {
    result.tets.insert(result.tets.end(), chunk.tets.begin(), chunk.tets.end());
    result.coarse.insert(result.coarse.end(), chunk.coarse.begin(), chunk.coarse.end());
    chunk = {};
  }
  return result;
}

// Every tet here has a point inside, and any two of its points make an edge: with one outside, all four are
// ends of crossing edges.
std::vector<std::uint8_t> crossing_points(const Round& round, const Samples& samples) {
  std::vector<std::uint8_t> crossing(samples.points.size(), 0);
  for (const auto& tet : round.tets) {
    bool any_outside = false;
    for (const std::int32_t v : tet) any_outside |= !is_inside(samples.values[static_cast<std::size_t>(v)]);
    if (!any_outside) continue;
    for (const std::int32_t v : tet) crossing[static_cast<std::size_t>(v)] = 1;
  }
  return crossing;
}

// Numbers the points along the Z curve.
Background in_order(Samples samples, Round round, const std::vector<std::uint8_t>& crossing) {
  const std::size_t count = samples.points.size();
  std::vector<std::int32_t> order(count), rank(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return samples.points[static_cast<std::size_t>(a)] < samples.points[static_cast<std::size_t>(b)];
  });
  Background grid;
  grid.points.resize(count);
  grid.values.resize(count);
  grid.crossing.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    rank[from] = static_cast<std::int32_t>(i);
    grid.points[i] = samples.points[from];
    grid.values[i] = samples.values[from];
    grid.crossing[i] = crossing[from];
  }
  grid.tets = std::move(round.tets);
  parallel_for(static_cast<Index>(grid.tets.size()), 8192, [&](Index i) {
    for (std::int32_t& v : grid.tets[static_cast<std::size_t>(i)]) v = rank[static_cast<std::size_t>(v)];
  });
  return grid;
}

}  // namespace

Field::Field(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
             const StuffingOptions& options)
    : distance_(distance), lower_(lower), upper_(upper), half_cell_(0.5 * options.cell) {
  // Four cells around the box: whatever the offset, the lattice's border is outside, and so is all that
  // touches it.
  const double extent = (upper - lower).maxCoeff() / options.cell + 8;
  depth_ = std::max(1, static_cast<int>(std::ceil(std::min(std::log2(extent), max_depth + 1.0))));
  if (depth_ > max_depth) return;
  const Vector3d offset =
      options.offset.array() - options.offset.array().floor();  // whole cells change nothing
  origin_ = 0.5 * (lower + upper) + options.cell * (offset - Vector3d::Constant(0.5 * (1 << depth_)));
}

double Field::operator()(const Vector3d& point) const {
  const Vector3d outside = (lower_ - point).cwiseMax(point - upper_);
  const double to_box = std::min(0.0, outside.maxCoeff()) + outside.cwiseMax(0.0).norm();
  const double value = distance_(point);
  if (!std::isfinite(value))
    throw InputError(
        fmt::format("stuff_isosurface: the distance at ({}, {}, {}) is {}; expected a finite number "
                    "everywhere in and around the box",
                    point.x(), point.y(), point.z(), value));
  return std::max(value, to_box);
}

// Refines the octree until every tet at a point that may be warped is a BCC tet of the finest size. With a
// true distance the first round is the last; the others serve functions that are steeper than promised or
// jump, as signed distances of open surfaces do.
Background build_background(const Field& field, const StuffingOptions& options) {
  StuffingOctree octree(field.depth());
  std::vector<NodeKey> to_split;
  for (const NodeKey cube : surface_cubes(field, options.cell, options.lipschitz, options.progress))
    to_split.push_back(cube >> 3);
  const int coarsest = std::max(0, field.depth() - (options.graded ? options.max_levels : 0));
  Samples samples;
  while (true) {
    report(options.progress, "sampling the distance", 0.5);
    octree.split(to_split);
    to_split.clear();
    const std::vector<NodeKey> leaves = octree.leaves();
    samples.add(field, octree, leaves);

    // === Cubes inside must not be larger than asked for
    for (const NodeKey leaf : leaves) {
      const int levels = coarsest - node_depth(leaf);
      if (levels <= 0 || !is_inside(samples.value(lattice_point(octree, leaf, leaf_centre)))) continue;
      check_count(8 * to_split.size() + (std::size_t{1} << 3 * std::min(levels, 20)), options.cell);
      append_subtree(leaf, coarsest - 1, to_split);
    }
    if (!to_split.empty()) continue;

    // === Coarse tets must stay away from the surface
    Round round = enumerate_tets(octree, leaves, samples);
    const std::vector<std::uint8_t> crossing = crossing_points(round, samples);
    for (std::size_t i = 0; i < round.tets.size(); ++i) {
      if (round.coarse[i] == 0) continue;
      const auto& tet = round.tets[i];
      if (std::any_of(tet.begin(), tet.end(),
                      [&](std::int32_t v) { return crossing[static_cast<std::size_t>(v)]; }))
        to_split.push_back(round.coarse[i]);
    }
    if (to_split.empty()) return in_order(std::move(samples), std::move(round), crossing);
  }
}

}  // namespace pliant::detail
