#include "pliant/geometry/stuffed_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/components.h"
#include "pliant/geometry/sdf.h"
#include "pliant/geometry/split_pinches.h"
#include "pliant/geometry/stuffing.h"
#include "pliant/geometry/surface.h"

namespace pliant::detail {
namespace {

struct Trial {
  TetMesh mesh;
  Implicit solid;
  double cell;
};

// `shift`: how many cells the lattice is moved.
Trial stuff(ImplicitFamily family, double cell, const Vector3d& shift, bool graded) {
  // Limbs of this radius, in cells, hold neighbouring lattice points wherever they lie, so that they stay in one
  // piece. (A ball of 0.56 cells holds one.)
  constexpr double thinnest = 0.9;
  Implicit solid = family(thinnest * cell);
  const Vector3d margin = Vector3d::Constant(2 * cell);
  TetMesh mesh = stuff_isosurface(solid.distance, solid.lower - margin, solid.upper + margin,
                                  {.cell = cell, .graded = graded, .offset = shift})
                     .mesh;
  return {std::move(mesh), std::move(solid), cell};
}

// One piece, every edge between two triangles (one on a border, which only open surfaces have), and a single
// fan of triangles at every vertex. Where two surfaces come within a cell of each other, stuffing may let them
// touch at an edge.
bool is_sound(const Triangles& triangles, Index vertex_count, bool open) {
  const Triangles across = triangle_neighbors(triangles, vertex_count);
  if ((across.array() == many_neighbors).any()) return false;
  if ((across.array() == no_neighbor).any() != open) return false;
  const Adjacency at_vertex = vertex_elements(triangles, vertex_count);
  std::vector<std::int32_t> fan;
  for (Index v = 0; v < vertex_count; ++v) {
    const auto all = at_vertex.row(v);
    if (all.empty()) continue;
    fan.assign(1, all[0]);
    for (std::size_t i = 0; i < fan.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const std::int32_t next = across(fan[i], k);
        if (triangles(fan[i], k) != v && next >= 0 && std::find(fan.begin(), fan.end(), next) == fan.end())
          fan.push_back(next);
      }
    if (fan.size() != all.size()) return false;
  }
  return connected_components(triangles, vertex_count).count == 1;
}

// What is asked of a mesh.
struct Wish {
  double target;
  const char* counted;  // tets, vertices, triangles
  double power;         // the count is expected to grow as cell^-power
  FunctionRef<double(const Trial&)> count;
  FunctionRef<Triangles(const Trial&)> surface;
  bool open;  // the surface has a border
};

// The sound mesh whose count comes within 4 % of the target, by the secant on log(count) over log(cell). A mesh
// far too coarse costs little, so the search starts there. Where the count jumps with the cell size, as it does
// for small symmetric meshes, and where the mesh is not sound, the lattice is shifted too. Throws where no round
// succeeds: a few dozen tets cannot hold every shape, or there is no mesh with just that many.
Trial stuff_to(ImplicitFamily family, bool graded, Wish wish, const Progress& progress) {
  constexpr int rounds = 32, unshifted_rounds = 5;
  constexpr double tolerance = 0.04;
  double cell = 0.06;
  int shifts = 0;
  double nearest = 0, nearest_error = std::numeric_limits<double>::max(), last_x = 0, last_y = 0;
  for (int round = 0; round < rounds; ++round) {
    report(progress, "stuffing", 1 - std::exp(-0.4 * round));
    // Not along x: what is symmetric about x = 0 keeps a symmetric lattice. [Roberts 2018: evenly spread in 2D]
    const Vector3d shift(0, std::fmod(0.7548776662 * shifts, 1.0), std::fmod(0.5698402910 * shifts, 1.0));
    Trial trial = stuff(family, cell, shift, graded);
    const double count = wish.count(trial), x = std::log(cell), y = std::log(std::max(count, 1.0));
    const double error = y - std::log(wish.target);
    const bool near = std::abs(error) < tolerance;
    const auto sound = [&] { return is_sound(wish.surface(trial), trial.mesh.vertex_count(), wish.open); };
    if (near && (sound() || (split_pinches(trial.mesh) > 0 && sound()))) {
      report(progress, "stuffing", 1);
      return trial;
    }
    if (std::abs(error) < nearest_error) nearest_error = std::abs(error), nearest = count;
    if (round > 0 && std::abs(x - last_x) > 0.02)
      wish.power = std::clamp((last_y - y) / (x - last_x), 1.5, 3.5);
    last_x = x;
    last_y = y;
    if (near || round >= unshifted_rounds) ++shifts;
    // At most a factor of four at once: a wrong power must not ask for a mesh far beyond the target.
    cell = std::exp(x + std::clamp(error / wish.power, -std::log(4.0), std::log(4.0)));
  }
  throw InputError(fmt::format(
      "make_shape: no mesh of about {0} {1} holds this shape in one piece (the nearest of {2} tried "
      "has {3}); ask for another number of {1}, a thousand or more",
      wish.target, wish.counted, rounds, nearest));
}

Vector3d gradient(const Implicit& solid, const Vector3d& p, double step) {
  Vector3d g;
  for (int a = 0; a < 3; ++a) {
    const Vector3d offset = step * Vector3d::Unit(a);
    g[a] = (solid.distance(p + offset) - solid.distance(p - offset)) / (2 * step);
  }
  return g;
}

// What a surface vertex near the cut becomes.
bool below_cut(const Trial& trial, Index vertex) { return trial.mesh.vertices(vertex, 1) < 0.3 * trial.cell; }

// The triangles that reach above the cut.
Triangles triangles_above_cut(const Trial& trial) {
  const Triangles all = boundary_triangles(trial.mesh.tets);
  std::vector<Index> kept;
  for (Index t = 0; t < all.rows(); ++t)
    if (!below_cut(trial, all(t, 0)) || !below_cut(trial, all(t, 1)) || !below_cut(trial, all(t, 2)))
      kept.push_back(t);
  Triangles triangles(static_cast<Index>(kept.size()), 3);
  for (std::size_t i = 0; i < kept.size(); ++i) triangles.row(static_cast<Index>(i)) = all.row(kept[i]);
  return triangles;
}

// Moves vertices along the surface towards the middle of their neighbours; those on the border only along it.
void spread_vertices(TriMesh& mesh, const std::vector<bool>& border, const Implicit& solid, double cell,
                     int rounds) {
  const Index n = mesh.vertex_count();
  std::vector<std::vector<std::int32_t>> neighbours(static_cast<std::size_t>(n));
  for (Index t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3),
                         c = mesh.triangles(t, (k + 2) % 3);
      for (const std::int32_t other : {b, c})
        if (!border[static_cast<std::size_t>(a)] || border[static_cast<std::size_t>(other)])
          neighbours[static_cast<std::size_t>(a)].push_back(other);
    }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  for (int round = 0; round < rounds; ++round) {
    const Points before = mesh.vertices;
    parallel_for(n, 256, [&](Index v) {
      Vector3d p = before.row(v), middle = Vector3d::Zero();
      const auto& list = neighbours[static_cast<std::size_t>(v)];
      if (list.empty()) return;
      for (const std::int32_t other : list) middle += before.row(other).transpose();
      p += 0.5 * (middle / static_cast<double>(list.size()) - p);
      const bool on_border = border[static_cast<std::size_t>(v)];
      for (int step = 0; step < 3; ++step) {  // back onto the surface, within the cut on the border
        Vector3d g = gradient(solid, p, 1e-3 * cell);
        if (on_border) g.y() = 0;
        p -= solid.distance(p) * g / std::max(g.squaredNorm(), 0.25);
      }
      mesh.vertices.row(v) = p;
    });
  }
}

}  // namespace

Implicit sphere() {
  return {[](const Vector3d& p) {
            return sdf::sphere(p, {0, 0.5, 0}, 0.5);
          },
          {-0.55, -0.05, -0.55},
          {0.55, 1.05, 0.55}};
}

Implicit capsule() {
  return {[](const Vector3d& p) {
            return sdf::capsule(p, {-0.35, 0.15, 0}, {0.35, 0.15, 0}, 0.15);
          },
          {-0.55, -0.05, -0.2},
          {0.55, 0.35, 0.2}};
}

Implicit torus() {
  return {[](const Vector3d& p) { return sdf::torus(p - Vector3d(0, 0.14, 0), 0.36, 0.14); },
          {-0.55, -0.05, -0.55},
          {0.55, 0.33, 0.55}};
}

TetMesh stuffed_shape(ImplicitFamily family, const Target& target, bool graded, const Progress& progress) {
  const auto count = [&](const Trial& trial) {
    return static_cast<double>(target.vertices ? trial.mesh.vertex_count() : trial.mesh.tet_count());
  };
  const auto surface = [](const Trial& trial) { return boundary_triangles(trial.mesh.tets); };
  const Wish wish{static_cast<double>(target.count),
                  target.vertices ? "vertices" : "tets",
                  graded ? 2.3 : 3,
                  count,
                  surface,
                  false};
  return stuff_to(family, graded, wish, progress).mesh;
}

TriMesh cut_shell(ImplicitFamily family, const Target& target, const Progress& progress) {
  const auto count = [&](const Trial& trial) {
    const Triangles triangles = triangles_above_cut(trial);
    return static_cast<double>(target.vertices
                                   ? compact_surface(trial.mesh.vertices, triangles).mesh.vertex_count()
                                   : triangles.rows());
  };
  const auto open_surface = [](const Trial& trial) { return triangles_above_cut(trial); };
  const Wish wish{static_cast<double>(target.count),
                  target.vertices ? "vertices" : "triangles",
                  2,
                  count,
                  open_surface,
                  true};
  const Trial trial = stuff_to(family, true, wish, progress);

  // === What hangs over the cut is drawn up to it: that ring is the border
  Surface surface = compact_surface(trial.mesh.vertices, triangles_above_cut(trial));
  std::vector<bool> border(static_cast<std::size_t>(surface.mesh.vertex_count()));
  for (Index v = 0; v < surface.mesh.vertex_count(); ++v)
    if (below_cut(trial, surface.source[v])) {
      border[static_cast<std::size_t>(v)] = true;
      surface.mesh.vertices(v, 1) = 0;
    }
  spread_vertices(surface.mesh, border, trial.solid, trial.cell, 10);
  return surface.mesh;
}

}  // namespace pliant::detail
