#include "pliant/geometry/stuffing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/stuffing_background.h"
#include "pliant/geometry/stuffing_stencils.h"

namespace pliant {
namespace {

using namespace detail;

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
  result.index.assign(grid.points.size(), -1);
  std::vector<std::int32_t> rows;
  for (std::size_t v = 0; v < grid.crossing.size(); ++v)
    if (grid.crossing[v]) {
      result.index[v] = static_cast<std::int32_t>(rows.size());
      rows.push_back(static_cast<std::int32_t>(v));
    }
  result.cuts.resize(rows.size());

  for (const auto& tet : grid.tets) {
    // A tet with two sides has only crossing points.
    if (!grid.crossing[static_cast<std::size_t>(tet[0])]) continue;
    for (const std::int32_t a : tet) {
      if (!is_inside(grid.values[static_cast<std::size_t>(a)])) continue;
      for (const std::int32_t b : tet) {
        if (is_inside(grid.values[static_cast<std::size_t>(b)])) continue;
        const int slot = lattice_slot(lattice_coordinates(grid.points[static_cast<std::size_t>(b)]) -
                                      lattice_coordinates(grid.points[static_cast<std::size_t>(a)]));
        const auto row = static_cast<std::size_t>(result.index[static_cast<std::size_t>(a)]);
        result.cuts[row].other[static_cast<std::size_t>(slot)] = b;
      }
    }
  }
  parallel_for(static_cast<Index>(rows.size()), 512, [&](Index i) {
    const auto v = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    if (!is_inside(grid.values[v])) return;
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
    if (!is_inside(grid.values[static_cast<std::size_t>(rows[i])])) continue;
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
  if (options.max_levels < 0 || !(options.lipschitz > 0) || !(options.tolerance >= 0) ||
      !options.offset.allFinite())
    throw InputError(
        fmt::format("stuff_isosurface: max_levels is {}, lipschitz {}, tolerance {}, offset ({}, {}, {}); "
                    "expected at least 0, above 0, at least 0, finite",
                    options.max_levels, options.lipschitz, options.tolerance, options.offset.x(),
                    options.offset.y(), options.offset.z()));
  const Field field(distance, lower, upper, options);
  if (field.depth() > max_depth)
    throw InputError(
        fmt::format("stuff_isosurface: the box is {:.3g} cells wide; expected at most {}; use a "
                    "larger cell",
                    (upper - lower).maxCoeff() / options.cell, (1 << max_depth) - 8));

  // === Background grid, cuts, warps
  report(options.progress, "sampling the distance", 0);
  const Background grid = build_background(field, options);
  report(options.progress, "cutting the lattice", 0.6);
  const Cutting cutting = cut_edges(field, grid, options.tolerance * options.cell);
  const std::size_t count = grid.points.size();
  std::vector<Side> side(count);
  std::vector<Vector3d> positions(count);
  for (std::size_t v = 0; v < count; ++v) {
    side[v] = is_inside(grid.values[v]) ? Side::inside : Side::outside;
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
      if (std::all_of(tet.begin(), tet.end(),
                      [&](std::int32_t v) { return side[static_cast<std::size_t>(v)] == Side::inside; })) {
        out.push_back({vertex[static_cast<std::size_t>(tet[0])], vertex[static_cast<std::size_t>(tet[1])],
                       vertex[static_cast<std::size_t>(tet[2])], vertex[static_cast<std::size_t>(tet[3])]});
        continue;
      }
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
  if (total > 0) {
    const auto angles = dihedral_angles(result.mesh);
    result.min_dihedral = angles.col(0).minCoeff();
    result.max_dihedral = angles.col(1).maxCoeff();
  }
  report(options.progress, "filling", 1);
  return result;
}

StuffedMesh stuff_to_count(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
                           Index target_tets, const StuffingOptions& options) {
  if (target_tets < 1)
    throw InputError(fmt::format("stuff_to_count: target_tets is {}; expected at least 1", target_tets));
  // Counts go as cell^-p, p between 2 (graded, all surface) and 3 (uniform): a coarse first try, then false
  // position on log(count) over log(cell). Where lattice and solid are symmetric to each other, the count
  // moves in large steps that may pass over the target: then go on with the lattice off the symmetry.
  StuffingOptions trial = options;
  double found = 0;  // fraction of the search that is done
  trial.progress = [&](std::string_view, double) {
    report(options.progress, "finding the cell size", found);
  };
  trial.cell =
      std::cbrt((upper - lower).prod() * 12 / static_cast<double>(std::min<Index>(target_tets, 4000)));
  const double wanted = std::log(static_cast<double>(target_tets));
  StuffedMesh best;
  double best_error = std::numeric_limits<double>::infinity();
  struct Try {
    double x = 0, y = 0;  // log(cell), log(count / target)
    bool known = false;
  };
  Try over, under, last;
  constexpr int rounds = 16, symmetric_rounds = 7;
  for (int round = 0; round < rounds; ++round) {
    found = static_cast<double>(round) / rounds;
    if (round == symmetric_rounds) {
      trial.offset += Vector3d(0.171, 0.313, 0.437);
      over = under = {};
    }
    StuffedMesh mesh = stuff_isosurface(distance, lower, upper, trial);
    const Index tets = mesh.mesh.tet_count();
    if (tets == 0) {
      trial.cell *= 0.5;
      continue;
    }
    const Try now{std::log(trial.cell), std::log(static_cast<double>(tets)) - wanted, true};
    if (std::abs(now.y) < best_error) best_error = std::abs(now.y), best = std::move(mesh);
    if (best_error < 0.04) break;
    (now.y > 0 ? over : under) = now;
    if (over.known && under.known && over.x < under.x) {
      // Between the two, and away from both, so that a step is closed in upon.
      const double t = std::clamp(over.y / (over.y - under.y), 0.1, 0.9);
      trial.cell = std::exp(over.x + t * (under.x - over.x));
    } else {
      double slope = options.graded ? -2.3 : -3;
      if (last.known && std::abs(now.x - last.x) > 1e-3)
        slope = std::clamp((now.y - last.y) / (now.x - last.x), -3.5, -1.5);
      // At most a factor of four at once: a wrong slope must not ask for a mesh far beyond the target.
      trial.cell = std::exp(now.x - std::clamp(now.y / slope, -std::log(4.0), std::log(4.0)));
    }
    last = now;
  }
  if (best.mesh.tet_count() == 0)
    throw InputError("stuff_to_count: found nothing inside the box; the distance must be negative inside");
  return best;
}

}  // namespace pliant
