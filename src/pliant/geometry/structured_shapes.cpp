#include "pliant/geometry/structured_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/function_ref.h"

namespace pliant::detail {
namespace {

constexpr double pi = std::numbers::pi;

Blocks make_blocks(GridLines lines, FunctionRef<bool(int, int, int)> filled) {
  Blocks blocks{std::move(lines), {}};
  const int nx = static_cast<int>(blocks.lines[0].size()) - 1,
            ny = static_cast<int>(blocks.lines[1].size()) - 1,
            nz = static_cast<int>(blocks.lines[2].size()) - 1;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) blocks.filled.push_back(filled(i, j, k));
  return blocks;
}

// A flat mesh of quads in the xz plane, its vertices two-coloured, to be swept along y.
struct Section {
  std::vector<Eigen::Vector2d> points;
  std::vector<std::uint8_t> odd;
  std::vector<std::array<int, 4>> quads;  // counter-clockwise in (x, -z), as seen from above
};

TetMesh extrude(const Section& section, double height, int layers) {
  const Index n = static_cast<Index>(section.points.size()), q = static_cast<Index>(section.quads.size());
  Points vertices(n * (layers + 1), 3);
  std::vector<std::uint8_t> odd(static_cast<std::size_t>(vertices.rows()));
  for (Index k = 0; k <= layers; ++k)
    for (Index i = 0; i < n; ++i) {
      const auto& p = section.points[static_cast<std::size_t>(i)];
      vertices.row(k * n + i) << p.x(), height * static_cast<double>(k) / layers, p.y();
      odd[static_cast<std::size_t>(k * n + i)] = (section.odd[static_cast<std::size_t>(i)] + k) & 1;
    }
  Hexes hexes(q * layers, 8);
  for (Index k = 0; k < layers; ++k)
    for (Index i = 0; i < q; ++i) {
      const auto& quad = section.quads[static_cast<std::size_t>(i)];
      // Corner bits: 1 along the quad's last side, 2 upwards, 4 along its first side: right-handed.
      const int corner_of_bits[4] = {quad[0], quad[3], quad[1], quad[2]};
      for (int c = 0; c < 8; ++c)
        hexes(k * q + i, c) =
            static_cast<std::int32_t>((k + (c >> 1 & 1)) * n + corner_of_bits[(c & 1) | (c >> 1 & 2)]);
    }
  return split_hexes(std::move(vertices), hexes, odd);
}

// A disc: a square of n x n quads with swollen sides, and m rings of 4 n quads around it, so that no quad
// degenerates as it would at the corners of a square pressed round.
Section disc_section(double radius, int n, int m) {
  constexpr double square = 0.58, swell = 0.55;  // chosen for the best smallest dihedral angle
  Section section;
  const auto add = [&](const Eigen::Vector2d& p, int colour) {
    section.points.push_back(radius * p);
    section.odd.push_back(static_cast<std::uint8_t>(colour & 1));
  };
  const auto inner = [&](int i, int j) {
    const Eigen::Vector2d p(2.0 * i / n - 1, 2.0 * j / n - 1);
    const double round = p.norm() > 0 ? p.cwiseAbs().maxCoeff() / p.norm() : 1;
    return Eigen::Vector2d(square * p * (1 - swell + swell * round));
  };
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) add(inner(i, j), i + j);
  const auto id = [&](int i, int j) { return j * (n + 1) + i; };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      section.quads.push_back({id(i, j), id(i, j + 1), id(i + 1, j + 1), id(i + 1, j)});

  // The square's border, step by step; each ring starts from it and ends on the circle.
  std::vector<std::array<int, 2>> border;
  for (int s = 0; s < n; ++s) border.push_back({s, 0});
  for (int s = 0; s < n; ++s) border.push_back({n, s});
  for (int s = 0; s < n; ++s) border.push_back({n - s, n});
  for (int s = 0; s < n; ++s) border.push_back({0, n - s});
  const int around = 4 * n, first = static_cast<int>(section.points.size());
  for (int ring = 1; ring <= m; ++ring)
    for (int s = 0; s < around; ++s) {
      const auto [i, j] = border[static_cast<std::size_t>(s)];
      const double angle = -0.75 * pi + 2 * pi * s / around, t = static_cast<double>(ring) / m;
      const Eigen::Vector2d rim(std::cos(angle), std::sin(angle));
      add((1 - t) * inner(i, j) + t * rim, i + j + ring);
    }
  const auto ring_id = [&](int ring, int s) {
    const auto [i, j] = border[static_cast<std::size_t>(s % around)];
    return ring == 0 ? id(i, j) : first + (ring - 1) * around + s % around;
  };
  for (int ring = 0; ring < m; ++ring)
    for (int s = 0; s < around; ++s)
      section.quads.push_back(
          {ring_id(ring, s), ring_id(ring, s + 1), ring_id(ring + 1, s + 1), ring_id(ring + 1, s)});
  return section;
}

Section annulus_section(double inner, double outer, int around, int rings) {
  Section section;
  for (int ring = 0; ring <= rings; ++ring)
    for (int s = 0; s < around; ++s) {
      const double angle = 2 * pi * s / around, r = inner + (outer - inner) * ring / rings;
      section.points.emplace_back(r * std::cos(angle), r * std::sin(angle));
      section.odd.push_back(static_cast<std::uint8_t>((ring + s) & 1));
    }
  for (int ring = 0; ring < rings; ++ring)
    for (int s = 0; s < around; ++s)
      section.quads.push_back({ring * around + s, ring * around + (s + 1) % around,
                               (ring + 1) * around + (s + 1) % around, (ring + 1) * around + s});
  return section;
}

// The even number of layers that brings `per_layer` (plus `extra` for the last) nearest to a count.
int even_layers(double count, double per_layer) {
  return 2 * std::max(1, static_cast<int>(std::lround(count / per_layer / 2)));
}

// Off by how much, and how far from cubic.
double score(double count, double target, double size, double other_size) {
  return std::abs(std::log(count / target)) + 0.1 * std::abs(std::log(size / other_size));
}

// A grid of quads halved along alternating diagonals: no direction is preferred, and an even grid is its own
// mirror image. Vertex (i, j) is j * columns + i; columns wrap around if `closed`.
Triangles alternating_triangles(int cells_i, int cells_j, bool closed) {
  const int columns = closed ? cells_i : cells_i + 1;
  Triangles triangles(2 * static_cast<Index>(cells_i) * cells_j, 3);
  Index t = 0;
  for (int j = 0; j < cells_j; ++j)
    for (int i = 0; i < cells_i; ++i) {
      const int a = j * columns + i, b = j * columns + (i + 1) % columns, c = b + columns, d = a + columns;
      if ((i + j) % 2 == 0) {
        triangles.row(t++) << a, b, c;
        triangles.row(t++) << a, c, d;
      } else {
        triangles.row(t++) << a, b, d;
        triangles.row(t++) << b, c, d;
      }
    }
  return triangles;
}

}  // namespace

Blocks bar_blocks(double thickness) {
  const double h = thickness / 2;
  return make_blocks({{{-0.5, 0.5}, {0, thickness}, {-h, h}}}, [](int, int, int) { return true; });
}

Blocks plate_blocks(double thickness) {
  return make_blocks({{{-0.5, 0.5}, {0, thickness}, {-0.5, 0.5}}}, [](int, int, int) { return true; });
}

Blocks u_beam_blocks() {
  return make_blocks({{{-0.4, -0.2, 0.2, 0.4}, {0, 0.2, 1}, {-0.1, 0.1}}},
                     [](int i, int j, int) { return j == 0 || i != 1; });
}

// A handle, a bridge, and three tines.
Blocks fork_blocks() {
  return make_blocks({{{-0.25, -0.15, -0.05, 0.05, 0.15, 0.25}, {0, 0.45, 0.6, 1}, {-0.05, 0.05}}},
                     [](int i, int j, int) { return j == 0 ? i == 2 : j == 1 || i % 2 == 0; });
}

Blocks menger_sponge_blocks(int level) {
  int side = 1;
  for (int l = 0; l < level; ++l) side *= 3;
  std::vector<double> centred, standing;
  for (int i = 0; i <= side; ++i) {
    centred.push_back(static_cast<double>(2 * i - side) / (2 * side));
    standing.push_back(static_cast<double>(i) / side);
  }
  // A block is drilled away where two of its three ternary digits, at any place, are 1.
  return make_blocks({{centred, standing, centred}}, [side](int i, int j, int k) {
    for (int place = 1; place < side; place *= 3)
      if ((i / place % 3 == 1) + (j / place % 3 == 1) + (k / place % 3 == 1) >= 2) return false;
    return true;
  });
}

TetMesh blocks_shape(const Blocks& blocks, const Target& target) {
  return block_grid(blocks, fit_cells(blocks, target.count, target.vertices));
}

TetMesh cylinder_shape(double radius, double height, const Target& target) {
  const double wanted = static_cast<double>(target.count);
  double best_score = std::numeric_limits<double>::max();
  int best_n = 2, best_m = 1, best_layers = 2;
  for (int n = 2; n <= 512; n += 2)
    for (int m = std::max(1, 3 * n / 10); m <= n / 2 + 1; ++m) {
      const double per_layer =
          target.vertices ? (n + 1.0) * (n + 1) + 4.0 * n * m : 5.0 * (n * n + 4.0 * n * m);
      const double last = target.vertices ? per_layer : 0;
      const int layers = even_layers(wanted - last, per_layer);
      const double size = std::sqrt(pi * radius * radius / (n * n + 4.0 * n * m));
      const double s = score(per_layer * layers + last, wanted, height / layers, size) +
                       0.1 * std::abs(std::log(m / (0.42 * n)));
      if (s < best_score) {
        best_score = s;
        best_n = n, best_m = m, best_layers = layers;
      }
    }
  return extrude(disc_section(radius, best_n, best_m), height, best_layers);
}

TetMesh tube_shape(double radius, double wall, double height, const Target& target) {
  const double wanted = static_cast<double>(target.count), middle = radius - wall / 2;
  double best_score = std::numeric_limits<double>::max();
  int best_around = 8, best_rings = 1, best_layers = 2;
  for (int around = 8; around <= 4096; around += 4) {  // fours: symmetric in x and in z
    const double size = 2 * pi * middle / around;
    for (int rings = std::max(1, static_cast<int>(wall / size)); rings <= static_cast<int>(wall / size) + 1;
         ++rings) {
      const double per_layer = target.vertices ? (rings + 1.0) * around : 5.0 * rings * around;
      const double last = target.vertices ? per_layer : 0;
      const int layers = even_layers(wanted - last, per_layer);
      const double s = score(per_layer * layers + last, wanted, height / layers, size) +
                       0.1 * std::abs(std::log(wall / rings / size));
      if (s < best_score) {
        best_score = s;
        best_around = around, best_rings = rings, best_layers = layers;
      }
    }
  }
  return extrude(annulus_section(radius - wall, radius, best_around, best_rings), height, best_layers);
}

TriMesh plate_shell(double width, const Target& target) {
  const double wanted = static_cast<double>(target.count);
  const int cells =
      target.vertices ? even_layers(std::sqrt(wanted) - 1, 1) : even_layers(std::sqrt(wanted / 2), 1);
  TriMesh mesh{Points((cells + 1) * static_cast<Index>(cells + 1), 3),
               alternating_triangles(cells, cells, false)};
  for (Index j = 0; j <= cells; ++j)
    for (Index i = 0; i <= cells; ++i)  // j runs towards -z, so that triangles face up
      mesh.vertices.row(j * (cells + 1) + i) << width * (static_cast<double>(i) / cells - 0.5), 0.0,
          -width * (static_cast<double>(j) / cells - 0.5);
  return mesh;
}

TriMesh cylinder_shell(double radius, double height, const Target& target) {
  const double wanted = static_cast<double>(target.count);
  double best_score = std::numeric_limits<double>::max();
  int best_around = 8, best_layers = 2;
  for (int around = 8; around <= 8192; around += 4) {
    const double per_layer = target.vertices ? around : 2.0 * around;
    const double last = target.vertices ? around : 0;
    const int layers = even_layers(wanted - last, per_layer);
    const double s = score(per_layer * layers + last, wanted, height / layers, 2 * pi * radius / around);
    if (s < best_score) {
      best_score = s;
      best_around = around, best_layers = layers;
    }
  }
  TriMesh mesh{Points(static_cast<Index>(best_around) * (best_layers + 1), 3),
               alternating_triangles(best_around, best_layers, true)};
  for (Index j = 0; j <= best_layers; ++j)
    for (Index i = 0; i < best_around; ++i) {
      const double angle = 2 * pi * static_cast<double>(i) / best_around;
      mesh.vertices.row(j * best_around + i) << radius * std::cos(angle),
          height * static_cast<double>(j) / best_layers, -radius * std::sin(angle);
    }
  return mesh;
}

}  // namespace pliant::detail
