#pragma once
// Small triangle soups with known insides, and ways to damage them.
#include <numbers>

#include "pliant/base/rng.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant::testing_support {

/// A closed sphere of latitude and longitude, outward; `bumps` makes it lumpy.
inline TriMesh sphere(int rings, double radius = 1, const Vector3d& centre = Vector3d::Zero(),
                      double bumps = 0) {
  const int around = 2 * rings;
  TriMesh mesh;
  mesh.vertices.resize((rings - 1) * around + 2, 3);
  const auto place = [&](double polar, double turn) -> Vector3d {
    const Vector3d n(std::sin(polar) * std::cos(turn), std::cos(polar), -std::sin(polar) * std::sin(turn));
    const double lump = std::sin(5 * n.x()) * std::sin(4 * n.y() + 1) * std::cos(3 * n.z());
    return centre + radius * (1 + bumps * lump) * n;
  };
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j)
      mesh.vertices.row((i - 1) * around + j) =
          place(std::numbers::pi * i / rings, 2 * std::numbers::pi * j / around);
  const int top = (rings - 1) * around, bottom = top + 1;
  mesh.vertices.row(top) = place(0, 0);
  mesh.vertices.row(bottom) = place(std::numbers::pi, 0);
  mesh.triangles.resize(2 * around * (rings - 1), 3);
  Index t = 0;
  for (int j = 0; j < around; ++j) {
    const int next = (j + 1) % around;
    mesh.triangles.row(t++) << top, j, next;
    mesh.triangles.row(t++) << bottom, (rings - 2) * around + next, (rings - 2) * around + j;
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = i * around + j, b = i * around + next, c = a + around, d = b + around;
      mesh.triangles.row(t++) << a, c, d;
      mesh.triangles.row(t++) << a, d, b;
    }
  }
  return mesh;
}

/// A closed surface of 4 rings (rings - 1) triangles, as bumpy as a scan; 133 rings: 70,224.
inline TriMesh lumpy_sphere(int rings) { return sphere(rings, 1, Vector3d::Zero(), 0.3); }

/// The box [lower, upper] as 12 outward triangles.
inline TriMesh box(const Vector3d& lower, const Vector3d& upper) {
  TriMesh mesh;
  mesh.vertices.resize(8, 3);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) mesh.vertices(i, k) = (i >> k & 1) ? upper[k] : lower[k];
  mesh.triangles.resize(12, 3);
  mesh.triangles << 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2,
      1, 3, 7, 1, 7, 5;
  return mesh;
}

inline TriMesh joined(const TriMesh& a, const TriMesh& b) {
  TriMesh mesh{Points(a.vertex_count() + b.vertex_count(), 3),
               Triangles(a.triangle_count() + b.triangle_count(), 3)};
  mesh.vertices << a.vertices, b.vertices;
  mesh.triangles << a.triangles, (b.triangles.array() + static_cast<int>(a.vertex_count())).matrix();
  return mesh;
}

/// Turns triangles [first, last) round.
inline TriMesh flipped(TriMesh mesh, Index first, Index last) {
  for (Index t = first; t < last; ++t) std::swap(mesh.triangles(t, 1), mesh.triangles(t, 2));
  return mesh;
}
inline TriMesh flipped(const TriMesh& mesh) { return flipped(mesh, 0, mesh.triangle_count()); }

/// Every triangle with vertices of its own, as in an STL file.
inline TriMesh unshared(const TriMesh& mesh) {
  TriMesh result{Points(3 * mesh.triangle_count(), 3), Triangles(mesh.triangle_count(), 3)};
  for (Index i = 0; i < mesh.triangles.size(); ++i) {
    result.vertices.row(i) = mesh.vertices.row(mesh.triangles.data()[i]);
    result.triangles.data()[i] = static_cast<int>(i);
  }
  return result;
}

/// Without `count` triangles from `first` on.
inline TriMesh with_hole(const TriMesh& mesh, Index first, Index count) {
  TriMesh result{mesh.vertices, Triangles(mesh.triangle_count() - count, 3)};
  result.triangles << mesh.triangles.topRows(first),
      mesh.triangles.bottomRows(mesh.triangle_count() - first - count);
  return result;
}

inline Points random_points(Index count, double half_width, std::uint64_t seed) {
  Rng rng(seed);
  Points points(count, 3);
  for (Index i = 0; i < points.size(); ++i) points.data()[i] = rng.uniform(-half_width, half_width);
  return points;
}

/// A grid of cubes in [0, cells] cut into six tets each, with its vertices shaken by `noise`.
inline TetMesh shaken_grid(int cells, double noise, std::uint64_t seed) {
  Rng rng(seed);
  TetMesh mesh;
  const int n = cells + 1;
  const auto id = [&](int x, int y, int z) { return (z * n + y) * n + x; };
  mesh.vertices.resize(n * n * n, 3);
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        mesh.vertices.row(id(x, y, z)) << x + rng.uniform(-noise, noise), y + rng.uniform(-noise, noise),
            z + rng.uniform(-noise, noise);
  mesh.tets.resize(6 * cells * cells * cells, 4);
  const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  Index t = 0;
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x)
        for (int p = 0; p < 6; ++p) {
          // Along the cube's diagonal, one axis after the other; odd permutations are turned.
          Vector3i at(x, y, z);
          int corner[4];
          for (int k = 0; k < 4; ++k) {
            corner[k] = id(at.x(), at.y(), at.z());
            if (k < 3) ++at[axes[p][k]];
          }
          if (p >= 3) std::swap(corner[2], corner[3]);
          mesh.tets.row(t++) << corner[0], corner[1], corner[2], corner[3];
        }
  return mesh;
}

}  // namespace pliant::testing_support
