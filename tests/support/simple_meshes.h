#pragma once
// Meshes whose geometry is known in closed form, structured and jittered, for tests.
#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"

namespace pliant::testing_support {

/// [0, nx*h] x [0, ny*h] in the plane z = 0, every square cut along the same diagonal. With an rng: along a
/// random one, and interior vertices moved by up to `jitter` cells. `keep(i, j)` says which squares stay.
inline TriMesh grid_plane(int nx, int ny, double h, double jitter = 0, Rng* rng = nullptr,
                          const std::function<bool(int, int)>& keep = {}) {
  TriMesh mesh;
  mesh.vertices.resize((nx + 1) * (ny + 1), 3);
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      Vector3d x(i * h, j * h, 0);
      if (rng && i > 0 && j > 0 && i < nx && j < ny)
        x += h * Vector3d(rng->uniform(-jitter, jitter), rng->uniform(-jitter, jitter), 0);
      mesh.vertices.row(j * (nx + 1) + i) = x;
    }
  std::vector<Vector3i> triangles;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      if (keep && !keep(i, j)) continue;
      const int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 2, d = a + nx + 1;
      if (!rng || rng->uniform() < 0.5) {
        triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
      } else {
        triangles.insert(triangles.end(), {{a, b, d}, {b, c, d}});
      }
    }
  mesh.triangles.resize(static_cast<Index>(triangles.size()), 3);
  for (std::size_t t = 0; t < triangles.size(); ++t) mesh.triangles.row(static_cast<Index>(t)) = triangles[t];
  return keep ? compact_surface(mesh.vertices, mesh.triangles).mesh : mesh;
}

/// Unit sphere: an icosahedron whose triangles are cut in four `levels` times. 10 * 4^levels + 2 vertices.
inline TriMesh icosphere(int levels) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vector3d> x{{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                          {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  std::vector<Vector3i> t{{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                          {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                          {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middle;
    const auto mid = [&](int a, int b) {
      const auto [at, fresh] = middle.try_emplace(std::minmax(a, b), static_cast<int>(x.size()));
      if (fresh) x.push_back(x[static_cast<std::size_t>(a)] + x[static_cast<std::size_t>(b)]);
      return at->second;
    };
    for (Vector3d& v : x) v.normalize();
    std::vector<Vector3i> finer;
    for (const Vector3i& f : t) {
      const int ab = mid(f[0], f[1]), bc = mid(f[1], f[2]), ca = mid(f[2], f[0]);
      finer.insert(finer.end(), {{f[0], ab, ca}, {f[1], bc, ab}, {f[2], ca, bc}, {ab, bc, ca}});
    }
    t = std::move(finer);
  }
  TriMesh mesh;
  mesh.vertices.resize(static_cast<Index>(x.size()), 3);
  mesh.triangles.resize(static_cast<Index>(t.size()), 3);
  for (std::size_t i = 0; i < x.size(); ++i) mesh.vertices.row(static_cast<Index>(i)) = x[i].normalized();
  for (std::size_t i = 0; i < t.size(); ++i) mesh.triangles.row(static_cast<Index>(i)) = t[i];
  return mesh;
}

/// Unit sphere by latitude and longitude; vertex 0 and the last one are the poles.
inline TriMesh uv_sphere(int rings, int segments) {
  TriMesh mesh;
  const double pi = std::acos(-1.0);
  mesh.vertices.resize((rings - 1) * segments + 2, 3);
  mesh.vertices.row(0) << 0, 1, 0;
  mesh.vertices.row(mesh.vertices.rows() - 1) << 0, -1, 0;
  for (int r = 1; r < rings; ++r)
    for (int s = 0; s < segments; ++s) {
      const double p = pi * r / rings, q = 2 * pi * s / segments;
      mesh.vertices.row(1 + (r - 1) * segments + s) << std::sin(p) * std::sin(q), std::cos(p),
          std::sin(p) * std::cos(q);
    }
  const auto at = [&](int r, int s) {
    return r == 0 ? 0 : r == rings ? (rings - 1) * segments + 1 : 1 + (r - 1) * segments + s % segments;
  };
  std::vector<Vector3i> t;
  for (int r = 0; r < rings; ++r)
    for (int s = 0; s < segments; ++s) {
      if (r > 0) t.push_back({at(r, s), at(r + 1, s), at(r, s + 1)});
      if (r < rings - 1) t.push_back({at(r, s + 1), at(r + 1, s), at(r + 1, s + 1)});
    }
  mesh.triangles.resize(static_cast<Index>(t.size()), 3);
  for (std::size_t i = 0; i < t.size(); ++i) mesh.triangles.row(static_cast<Index>(i)) = t[i];
  return mesh;
}

/// A box of nx x ny x nz cubes of side h, each cut into six tets along its diagonal [Kuhn 1960]; with an rng,
/// vertices inside the box are moved by up to `jitter` cells, those on its faces within their face.
/// `keep(i, j, k)` says which cubes stay.
inline TetMesh box_tets(int nx, int ny, int nz, double h, double jitter = 0, Rng* rng = nullptr,
                        const std::function<bool(int, int, int)>& keep = {}) {
  TetMesh mesh;
  mesh.vertices.resize((nx + 1) * (ny + 1) * (nz + 1), 3);
  const auto at = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        Vector3d x(i, j, k);
        if (rng) {
          const Vector3d move(rng->uniform(-jitter, jitter), rng->uniform(-jitter, jitter),
                              rng->uniform(-jitter, jitter));
          const int end[3] = {nx, ny, nz};
          for (int c = 0; c < 3; ++c)
            if (x[c] > 0 && x[c] < end[c]) x[c] += move[c];
        }
        mesh.vertices.row(at(i, j, k)) = h * x;
      }
  constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  std::vector<Vector4i> tets;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        if (keep && !keep(i, j, k)) continue;
        for (int o = 0; o < 6; ++o) {  // walk from corner (0,0,0) to (1,1,1), one axis at a time
          std::array<int, 3> c{i, j, k};
          Vector4i tet;
          tet[0] = at(i, j, k);
          for (int s = 0; s < 3; ++s) {
            ++c[static_cast<std::size_t>(orders[o][s])];
            tet[s + 1] = at(c[0], c[1], c[2]);
          }
          if (o >= 3) std::swap(tet[1], tet[2]);  // odd permutations are mirrored
          tets.push_back(tet);
        }
      }
  mesh.tets.resize(static_cast<Index>(tets.size()), 4);
  for (std::size_t t = 0; t < tets.size(); ++t) mesh.tets.row(static_cast<Index>(t)) = tets[t];
  return mesh;
}

/// The vertex nearest a point; ties: the lowest id.
inline int vertex_at(const Points& vertices, const Vector3d& x) {
  Index nearest = 0;
  (vertices.rowwise() - x.transpose()).rowwise().squaredNorm().minCoeff(&nearest);
  return static_cast<int>(nearest);
}

}  // namespace pliant::testing_support
