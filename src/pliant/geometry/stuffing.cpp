#include "pliant/geometry/stuffing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/geometry/stuffing_octree.h"
#include "pliant/geometry/stuffing_stencils.h"

namespace pliant {
namespace {

using namespace detail;

constexpr Index leaf_grain = 1024;
constexpr Index sample_grain = 512;

// The solid as the lattice sees it: the function cut at the box, over the cube of the octree's root.
class Field {
 public:
  Field(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper, double cell)
      : distance_(distance), lower_(lower), upper_(upper), half_cell_(0.5 * cell) {
    // Three cells around the box: the lattice's border is outside, and so is all that touches it.
    const double extent = (upper - lower).maxCoeff() + 6 * cell;
    depth_ = std::max(1, static_cast<int>(std::ceil(std::log2(extent / cell))));
    if (depth_ <= max_depth)
      origin_ = 0.5 * (lower + upper) - Vector3d::Constant(0.5 * cell * static_cast<double>(1 << depth_));
  }

  int depth() const { return depth_; }

  Vector3d position(const Vector3i& half_cells) const {
    return origin_ + half_cell_ * half_cells.cast<double>();
  }

  double operator()(const Vector3d& point) const {
    const Vector3d outside = (lower_ - point).cwiseMax(point - upper_);
    const double to_box = std::min(0.0, outside.maxCoeff()) + outside.cwiseMax(0.0).norm();
    const double value = std::max(distance_(point), to_box);
    if (!std::isfinite(value))
      throw InputError(
          fmt::format("stuff_isosurface: the distance at ({}, {}, {}) is {}; expected a finite "
                      "number at every point of the box",
                      point.x(), point.y(), point.z(), value));
    return value;
  }

 private:
  const DistanceFunction& distance_;
  Vector3d lower_, upper_;
  double half_cell_;
  int depth_ = 0;
  Vector3d origin_ = Vector3d::Zero();
};

// The background grid near and inside the solid: lattice points along the Z curve with their values, and the
// tets that have a point inside.
struct Background {
  std::vector<std::uint64_t> points;
  std::vector<double> values;
  std::vector<std::array<std::int32_t, 4>> tets;
  std::vector<NodeKey> coarse;  ///< a tet: BackgroundTet::coarse
};

bool inside(double value) {
  return value < 0;
}  // a zero counts as outside: its cut point is the point itself

// Samples lattice points once, over all rounds of refinement.
class Samples {
 public:
  explicit Samples(const Field& field) : field_(field) {}

  // Evaluates the points that are new.
  void add(const std::vector<std::uint64_t>& points) {
    std::vector<std::uint64_t> fresh;
    for (const std::uint64_t point : points) {
      const std::int32_t before = table_.size();
      table_.insert(point);
      if (table_.size() > before) fresh.push_back(point);
    }
    const std::size_t first = values_.size();
    values_.resize(first + fresh.size());
    parallel_for(static_cast<Index>(fresh.size()), sample_grain, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      values_[first + at] = field_(field_.position(lattice_coordinates(fresh[at])));
    });
  }

  double value(std::uint64_t point) const { return values_[static_cast<std::size_t>(table_.find(point))]; }

 private:
  const Field& field_;
  KeyTable table_;
  std::vector<double> values_;
};

// Finest cubes so near the surface that one of their points may be warped: found from the root down, passing
// over cubes that the distance at their centre proves to be farther. An edge that crosses the surface is at
// most one cell long, and a cube that touches one of its ends, or is a face neighbour of a centre there, has
// its own centre within two cells of the crossing.
std::vector<NodeKey> surface_cubes(const Field& field, double cell, double lipschitz) {
  std::vector<NodeKey> nodes{1};
  for (int depth = 0;; ++depth) {
    const int half = 1 << (field.depth() - depth);
    const double reach = lipschitz * cell * (2 + 0.5 * std::sqrt(3.0) * (half - 1));
    std::vector<std::uint8_t> near(nodes.size());
    parallel_for(static_cast<Index>(nodes.size()), sample_grain, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      const Vector3i centre = node_cell(nodes[at]) * (2 * half) + Vector3i::Constant(half);
      near[at] = std::abs(field(field.position(centre))) <= reach;
    });
    std::vector<NodeKey> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!near[i]) continue;
      if (depth == field.depth())
        next.push_back(nodes[i]);
      else
        for (NodeKey child = 0; child < 8; ++child) next.push_back(nodes[i] << 3 | child);
    }
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

Background enumerate_tets(const StuffingOctree& octree, const std::vector<NodeKey>& leaves,
                          const std::vector<std::uint64_t>& points, const Samples& samples) {
  Background grid;
  grid.points = points;
  std::sort(grid.points.begin(), grid.points.end());
  grid.values.resize(points.size());
  KeyTable ids(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ids.insert(grid.points[i]);
    grid.values[i] = samples.value(grid.points[i]);
  }

  struct Chunk {
    std::vector<std::array<std::int32_t, 4>> tets;
    std::vector<NodeKey> coarse;
  };
  const auto count = static_cast<Index>(leaves.size());
  std::vector<Chunk> chunks(static_cast<std::size_t>((count + leaf_grain - 1) / leaf_grain));
  parallel_for_chunks(count, leaf_grain, [&](Index begin, Index end) {
    Chunk& chunk = chunks[static_cast<std::size_t>(begin / leaf_grain)];
    std::vector<BackgroundTet> local;
    for (Index i = begin; i < end; ++i) {
      local.clear();
      background_tets(octree, leaves[static_cast<std::size_t>(i)], local);
      for (const BackgroundTet& tet : local) {
        std::array<std::int32_t, 4> v;
        bool any_inside = false;
        for (std::size_t k = 0; k < 4; ++k) {
          v[k] = ids.find(tet.points[k]);
          any_inside = any_inside || inside(grid.values[static_cast<std::size_t>(v[k])]);
        }
        if (!any_inside) continue;
        chunk.tets.push_back(v);
        chunk.coarse.push_back(tet.coarse);
      }
    }
  });
  std::size_t total = 0;
  for (const Chunk& chunk : chunks) total += chunk.tets.size();
  grid.tets.reserve(total);
  grid.coarse.reserve(total);
  for (Chunk& chunk : chunks) {
    grid.tets.insert(grid.tets.end(), chunk.tets.begin(), chunk.tets.end());
    grid.coarse.insert(grid.coarse.end(), chunk.coarse.begin(), chunk.coarse.end());
    chunk = {};
  }
  return grid;
}

// Ends of edges that cross the surface: only these can be warped.
std::vector<std::uint8_t> crossing_points(const Background& grid) {
  std::vector<std::uint8_t> crossing(grid.points.size(), 0);
  for (const auto& tet : grid.tets) {
    bool any_outside = false;
    for (const std::int32_t v : tet) any_outside |= !inside(grid.values[static_cast<std::size_t>(v)]);
    if (!any_outside) continue;  // every tet here has a point inside, and any two points make an edge
    for (const std::int32_t v : tet) crossing[static_cast<std::size_t>(v)] = 1;
  }
  return crossing;
}

// Refines the octree until every tet at a point that may be warped is a BCC tet of the finest size. With a
// true distance the first round is the last; the others serve functions that are steeper than promised or
// jump, as signed distances of open surfaces do.
Background build_background(const Field& field, const StuffingOptions& options) {
  StuffingOctree octree(field.depth());
  std::vector<NodeKey> to_split;
  for (const NodeKey cube : surface_cubes(field, options.cell, options.lipschitz))
    to_split.push_back(cube >> 3);
  const int coarsest = std::max(0, field.depth() - (options.graded ? std::max(0, options.max_levels) : 0));
  Samples samples(field);
  while (true) {
    octree.split(to_split);
    to_split.clear();
    const std::vector<NodeKey> leaves = octree.leaves();
    KeyTable unique;
    std::vector<std::uint64_t> points;
    for (const NodeKey leaf : leaves) {
      for (const std::uint64_t point : lattice_points(octree, leaf)) {
        const std::int32_t before = unique.size();
        unique.insert(point);
        if (unique.size() > before) points.push_back(point);
      }
    }
    samples.add(points);

    // === Cubes inside must not be larger than asked for
    for (const NodeKey leaf : leaves)
      if (node_depth(leaf) < coarsest && inside(samples.value(lattice_points(octree, leaf)[8])))
        append_subtree(leaf, coarsest - 1, to_split);
    if (!to_split.empty()) continue;

    // === Coarse tets must stay away from the surface
    Background grid = enumerate_tets(octree, leaves, points, samples);
    const std::vector<std::uint8_t> crossing = crossing_points(grid);
    for (std::size_t i = 0; i < grid.tets.size(); ++i) {
      if (grid.coarse[i] == 0) continue;
      for (const std::int32_t v : grid.tets[i])
        if (crossing[static_cast<std::size_t>(v)]) {
          to_split.push_back(grid.coarse[i]);
          break;
        }
    }
    if (to_split.empty()) return grid;
  }
}

// Where the surface crosses the edges at one lattice point.
struct Cuts {
  std::array<std::int32_t, lattice_slots> other;  ///< the point at the far end, -1 where there is no cut
  std::array<double, lattice_slots> fraction;     ///< of the edge, from this point
  Cuts() { other.fill(-1), fraction.fill(0); }
};

// The zero of the field between a (inside) and b, as a fraction: false position with the Illinois rule, which
// keeps the bracket, so that jumps are found too.
double find_cut(const Field& field, const Vector3d& a, const Vector3d& b, double value_a, double value_b,
                double tolerance) {
  double low = 0, high = 1, f_low = value_a, f_high = value_b;
  double t = f_low / (f_low - f_high);
  int last = 0;
  for (int i = 0; i < 20; ++i) {
    if (t <= low || t >= high) break;  // also for a value of exactly zero at b
    const double f = field(a + t * (b - a));
    if (std::abs(f) <= tolerance) break;
    if (f < 0) {
      low = t, f_low = f;
      if (last == -1) f_high *= 0.5;
      last = -1;
    } else {
      high = t, f_high = f;
      if (last == 1) f_low *= 0.5;
      last = 1;
    }
    t = (low * f_high - high * f_low) / (f_high - f_low);
  }
  return std::clamp(t, 0.0, 1.0);
}

struct Cutting {
  std::vector<std::int32_t> index;  ///< a lattice point: its row in cuts, or -1
  std::vector<Cuts> cuts;           ///< of the points at crossing edges, in their order
};

Cutting cut_edges(const Field& field, const Background& grid, double tolerance) {
  Cutting result;
  const std::vector<std::uint8_t> crossing = crossing_points(grid);
  result.index.assign(grid.points.size(), -1);
  std::vector<std::int32_t> rows;
  for (std::size_t v = 0; v < crossing.size(); ++v)
    if (crossing[v]) {
      result.index[v] = static_cast<std::int32_t>(rows.size());
      rows.push_back(static_cast<std::int32_t>(v));
    }
  result.cuts.resize(rows.size());

  for (const auto& tet : grid.tets) {
    for (const std::int32_t a : tet) {
      if (!inside(grid.values[static_cast<std::size_t>(a)])) continue;
      for (const std::int32_t b : tet) {
        if (inside(grid.values[static_cast<std::size_t>(b)])) continue;
        const int slot = lattice_slot(lattice_coordinates(grid.points[static_cast<std::size_t>(b)]) -
                                      lattice_coordinates(grid.points[static_cast<std::size_t>(a)]));
        const auto row = static_cast<std::size_t>(result.index[static_cast<std::size_t>(a)]);
        result.cuts[row].other[static_cast<std::size_t>(slot)] = b;
      }
    }
  }
  parallel_for(static_cast<Index>(rows.size()), sample_grain, [&](Index i) {
    const auto v = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    if (!inside(grid.values[v])) return;
    Cuts& cuts = result.cuts[static_cast<std::size_t>(i)];
    const Vector3d a = field.position(lattice_coordinates(grid.points[v]));
    for (std::size_t slot = 0; slot < lattice_slots; ++slot) {
      if (cuts.other[slot] < 0) continue;
      const auto w = static_cast<std::size_t>(cuts.other[slot]);
      cuts.fraction[slot] = find_cut(field, a, field.position(lattice_coordinates(grid.points[w])),
                                     grid.values[v], grid.values[w], tolerance);
    }
  });
  // The same cuts seen from outside.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!inside(grid.values[static_cast<std::size_t>(rows[i])])) continue;
    for (int slot = 0; slot < lattice_slots; ++slot) {
      const std::int32_t other = result.cuts[i].other[static_cast<std::size_t>(slot)];
      if (other < 0) continue;
      Cuts& far = result.cuts[static_cast<std::size_t>(result.index[static_cast<std::size_t>(other)])];
      const auto back = static_cast<std::size_t>(opposite_slot(slot));
      far.other[back] = rows[i];
      far.fraction[back] = 1 - result.cuts[i].fraction[static_cast<std::size_t>(slot)];
    }
  }
  return result;
}

// Moves a lattice point that has a cut too near to the nearest such cut; the cuts on its edges are then void.
// In the order of the points: whether a point is warped depends on those before it.
void warp(const Field& field, const Background& grid, const StuffingOptions& options, const Cutting& cutting,
          std::vector<Side>& side, std::vector<Vector3d>& positions) {
  for (std::size_t v = 0; v < side.size(); ++v) {
    if (cutting.index[v] < 0) continue;
    const Cuts& cuts = cutting.cuts[static_cast<std::size_t>(cutting.index[v])];
    int nearest = -1;
    double nearest_length = std::numeric_limits<double>::infinity();
    for (int slot = 0; slot < lattice_slots; ++slot) {
      const std::int32_t other = cuts.other[static_cast<std::size_t>(slot)];
      if (other < 0 || side[static_cast<std::size_t>(other)] == Side::surface) continue;
      const double fraction = cuts.fraction[static_cast<std::size_t>(slot)];
      if (fraction >= (is_long(slot) ? options.alpha_long : options.alpha_short)) continue;
      const double length = fraction * (is_long(slot) ? 1 : 0.5 * std::sqrt(3.0));
      if (length < nearest_length) nearest = slot, nearest_length = length;
    }
    if (nearest < 0) continue;
    const Vector3i here = lattice_coordinates(grid.points[v]);
    const Vector3d a = field.position(here), b = field.position(here + lattice_direction(nearest));
    positions[v] = a + cuts.fraction[static_cast<std::size_t>(nearest)] * (b - a);
    side[v] = Side::surface;
  }
}

// Dihedral angles over the whole mesh. At the edge between faces with normals n and m, the angle is that
// between -n and m; the cosines are compared, and turned into degrees once.
void measure_angles(StuffedMesh& result) {
  struct Range {
    double low = 1, high = -1;  // cosines
  };
  const TetMesh& mesh = result.mesh;
  const Range cosines = parallel_reduce(
      mesh.tet_count(), 8192, Range{},
      [&](Index begin, Index end) {
        Range range;
        for (Index i = begin; i < end; ++i) {
          std::array<Vector3d, 4> p, n;
          for (Index k = 0; k < 4; ++k)
            p[static_cast<std::size_t>(k)] = mesh.vertices.row(mesh.tets(i, k)).transpose();
          n[0] = (p[2] - p[1]).cross(p[3] - p[1]).normalized();
          n[1] = (p[3] - p[0]).cross(p[2] - p[0]).normalized();
          n[2] = (p[1] - p[0]).cross(p[3] - p[0]).normalized();
          n[3] = (p[2] - p[0]).cross(p[1] - p[0]).normalized();
          for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = a + 1; b < 4; ++b) {
              const double cosine = -n[a].dot(n[b]);
              range.low = std::min(range.low, cosine);
              range.high = std::max(range.high, cosine);
            }
        }
        return range;
      },
      [](Range a, const Range& b) {
        return Range{std::min(a.low, b.low), std::max(a.high, b.high)};
      });
  if (mesh.tet_count() == 0) return;
  constexpr double degrees = 57.295779513082320877;
  result.min_dihedral = degrees * std::acos(std::clamp(cosines.high, -1.0, 1.0));
  result.max_dihedral = degrees * std::acos(std::clamp(cosines.low, -1.0, 1.0));
}

}  // namespace

StuffedMesh stuff_isosurface(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
                             const StuffingOptions& options) {
  // === Check
  if (!(options.cell > 0) || !std::isfinite(options.cell))
    throw InputError(fmt::format("stuff_isosurface: cell is {}; expected metres, above 0", options.cell));
  if (!lower.allFinite() || !upper.allFinite() || !((upper - lower).minCoeff() > 0))
    throw InputError(
        fmt::format("stuff_isosurface: the box is ({}, {}, {}) to ({}, {}, {}); expected finite "
                    "corners, lower below upper on every axis",
                    lower.x(), lower.y(), lower.z(), upper.x(), upper.y(), upper.z()));
  if (!(options.alpha_long > 0 && options.alpha_long < 0.5 && options.alpha_short > 0 &&
        options.alpha_short < 0.5))
    throw InputError(
        fmt::format("stuff_isosurface: alpha_long is {} and alpha_short {}; expected both between "
                    "0 and 0.5",
                    options.alpha_long, options.alpha_short));
  const Field field(distance, lower, upper, options.cell);
  if (field.depth() > max_depth)
    throw InputError(
        fmt::format("stuff_isosurface: the box is {:.3g} cells wide; expected at most {}; use a "
                    "larger cell",
                    (upper - lower).maxCoeff() / options.cell, (1 << max_depth) - 6));

  // === Background grid, cuts, warps
  report(options.progress, "sampling the distance", 0);
  const Background grid = build_background(field, options);
  report(options.progress, "cutting the lattice", 0.6);
  const Cutting cutting = cut_edges(field, grid, options.tolerance * options.cell);
  const std::size_t count = grid.points.size();
  std::vector<Side> side(count);
  std::vector<Vector3d> positions(count);
  for (std::size_t v = 0; v < count; ++v) {
    side[v] = inside(grid.values[v]) ? Side::inside : Side::outside;
    positions[v] = field.position(lattice_coordinates(grid.points[v]));
  }
  warp(field, grid, options, cutting, side, positions);

  // === Number the vertices along the curve: lattice points, each followed by the cut points on its edges
  report(options.progress, "filling", 0.8);
  std::vector<std::uint8_t> used(count, 0);
  for (const auto& tet : grid.tets) {
    bool any_inside = false;
    for (const std::int32_t v : tet) any_inside |= side[static_cast<std::size_t>(v)] == Side::inside;
    if (!any_inside) continue;
    for (const std::int32_t v : tet) used[static_cast<std::size_t>(v)] = 1;
  }
  std::vector<std::int32_t> vertex(count, -1);
  std::vector<std::array<std::int32_t, lattice_slots>> cut_vertex(cutting.cuts.size());
  std::vector<Vector3d> vertices;
  for (std::size_t v = 0; v < count; ++v) {
    if (!used[v] || side[v] == Side::outside) continue;
    vertex[v] = static_cast<std::int32_t>(vertices.size());
    vertices.push_back(positions[v]);
    if (side[v] != Side::inside || cutting.index[v] < 0) continue;
    const auto row = static_cast<std::size_t>(cutting.index[v]);
    for (std::size_t slot = 0; slot < lattice_slots; ++slot) {
      const std::int32_t other = cutting.cuts[row].other[slot];
      if (other < 0 || side[static_cast<std::size_t>(other)] != Side::outside) continue;
      cut_vertex[row][slot] = static_cast<std::int32_t>(vertices.size());
      vertices.push_back(positions[v] + cutting.cuts[row].fraction[slot] *
                                            (positions[static_cast<std::size_t>(other)] - positions[v]));
    }
  }

  // === Fill every tet by its stencil
  const auto tet_count = static_cast<Index>(grid.tets.size());
  constexpr Index grain = 8192;
  std::vector<std::vector<std::array<std::int32_t, 4>>> chunks(
      static_cast<std::size_t>((tet_count + grain - 1) / grain));
  parallel_for_chunks(tet_count, grain, [&](Index begin, Index end) {
    auto& out = chunks[static_cast<std::size_t>(begin / grain)];
    for (Index i = begin; i < end; ++i) {
      const auto& tet = grid.tets[static_cast<std::size_t>(i)];
      CutTet cut;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto v = static_cast<std::size_t>(tet[k]);
        cut.coordinates[k] = lattice_coordinates(grid.points[v]);
        cut.side[k] = side[v];
      }
      const Stencil filled = stencil(cut);
      for (int t = 0; t < filled.count; ++t) {
        std::array<std::int32_t, 4> corners;
        for (std::size_t k = 0; k < 4; ++k) {
          const StencilVertex corner = filled.tets[static_cast<std::size_t>(t)][k];
          const auto a = static_cast<std::size_t>(corner.inside),
                     b = static_cast<std::size_t>(corner.outside);
          const auto v = static_cast<std::size_t>(tet[a]);
          if (a == b) {
            corners[k] = vertex[v];
          } else {
            const int slot = lattice_slot(cut.coordinates[b] - cut.coordinates[a]);
            corners[k] =
                cut_vertex[static_cast<std::size_t>(cutting.index[v])][static_cast<std::size_t>(slot)];
          }
        }
        out.push_back(corners);
      }
    }
  });

  StuffedMesh result;
  result.cell = options.cell;
  result.mesh.vertices.resize(static_cast<Index>(vertices.size()), 3);
  for (std::size_t v = 0; v < vertices.size(); ++v)
    result.mesh.vertices.row(static_cast<Index>(v)) = vertices[v].transpose();
  std::size_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  result.mesh.tets.resize(static_cast<Index>(total), 4);
  Index row = 0;
  for (const auto& chunk : chunks)
    for (const auto& tet : chunk) {
      for (std::size_t k = 0; k < 4; ++k) result.mesh.tets(row, static_cast<Index>(k)) = tet[k];
      ++row;
    }
  measure_angles(result);
  report(options.progress, "filling", 1);
  return result;
}

StuffedMesh stuff_to_count(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
                           Index target_tets, const StuffingOptions& options) {
  if (target_tets < 1)
    throw InputError(fmt::format("stuff_to_count: target_tets is {}; expected at least 1", target_tets));
  // Counts go as cell^-p, p between 2 (graded, all surface) and 3 (uniform). A coarse first try, then the
  // secant on log(count) over log(cell).
  StuffingOptions trial = options;
  trial.progress = {};
  const Vector3d extent = upper - lower;
  trial.cell = std::cbrt(extent.prod() * 12 / static_cast<double>(std::min<Index>(target_tets, 4000)));
  const double wanted = std::log(static_cast<double>(target_tets));
  StuffedMesh best;
  double best_error = std::numeric_limits<double>::infinity();
  double last_x = 0, last_y = 0;
  bool have_last = false;
  for (int round = 0; round < 12; ++round) {
    report(options.progress, "finding the cell size", round / 12.0);
    StuffedMesh mesh = stuff_isosurface(distance, lower, upper, trial);
    const Index tets = mesh.mesh.tet_count();
    if (tets == 0) {
      trial.cell *= 0.5;
      continue;
    }
    const double x = std::log(trial.cell), y = std::log(static_cast<double>(tets));
    const double error = std::abs(y - wanted);
    if (error < best_error) best_error = error, best = std::move(mesh);
    if (error < 0.04) break;
    double slope = options.graded ? -2.3 : -3;
    if (have_last && std::abs(x - last_x) > 1e-3) slope = std::clamp((y - last_y) / (x - last_x), -3.5, -1.5);
    last_x = x, last_y = y, have_last = true;
    // At most a factor of four finer at once: a wrong slope must not ask for a mesh far beyond the target.
    trial.cell = std::exp(x + std::clamp((wanted - y) / slope, -std::log(4.0), std::log(4.0)));
  }
  if (best.mesh.tet_count() == 0)
    throw InputError("stuff_to_count: found nothing inside the box; the distance must be negative inside");
  return best;
}

}  // namespace pliant
