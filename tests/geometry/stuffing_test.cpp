#include "pliant/geometry/stuffing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/surface.h"

namespace pliant {
namespace {

constexpr double degrees = 57.295779513082320877;

// === Solids

DistanceFunction sphere(const Vector3d& centre, double radius) {
  return [=](const Vector3d& p) { return (p - centre).norm() - radius; };
}

DistanceFunction torus(double large, double small) {
  return [=](const Vector3d& p) { return std::hypot(std::hypot(p.x(), p.z()) - large, p.y()) - small; };
}

DistanceFunction box(const Vector3d& half) {
  return [=](const Vector3d& p) {
    const Vector3d q = p.cwiseAbs() - half;
    return q.cwiseMax(0.0).norm() + std::min(0.0, q.maxCoeff());
  };
}

DistanceFunction gyroid(double scale) {
  return [=](const Vector3d& p) {
    const Vector3d q = p * scale;
    const double value = std::sin(q.x()) * std::cos(q.y()) + std::sin(q.y()) * std::cos(q.z()) +
                         std::sin(q.z()) * std::cos(q.x());
    return (std::abs(value) - 0.4) / (scale * 1.8);
  };
}

// Polynomial smooth minimum of spheres; Lipschitz 1.
DistanceFunction blend(Rng& rng, int count) {
  std::vector<std::pair<Vector3d, double>> balls;
  for (int i = 0; i < count; ++i)
    balls.push_back({Vector3d(rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6)),
                     rng.uniform(0.1, 0.35)});
  return [=](const Vector3d& p) {
    double result = 1e3;
    for (const auto& [centre, radius] : balls) {
      const double d = (p - centre).norm() - radius;
      const double h = std::max(0.2 - std::abs(result - d), 0.0) / 0.2;
      result = std::min(result, d) - h * h * 0.05;
    }
    return result;
  };
}

// The solid in a turned and shifted frame: another place on the lattice.
DistanceFunction moved(const DistanceFunction& f, const Matrix3d& rotation, const Vector3d& shift) {
  return [=](const Vector3d& p) { return f(rotation.transpose() * (p - shift)); };
}

Matrix3d random_rotation(Rng& rng) {
  Eigen::Quaterniond q(rng.normal(), rng.normal(), rng.normal(), rng.normal());
  return q.normalized().toRotationMatrix();
}

// A hash of the point's bits as a value in [-amplitude, amplitude): noise that has nothing to do with
// distance.
DistanceFunction noise(std::uint64_t seed, double amplitude, double inside_share) {
  return [=](const Vector3d& p) {
    const std::array<double, 3> bits{p.x(), p.y(), p.z()};
    Rng rng(hash_bytes(bits.data(), sizeof bits, seed));
    const double size = amplitude * rng.uniform();
    return rng.uniform() < inside_share ? -size : size;
  };
}

// === The slow, obvious checks

double volume(const TetMesh& mesh, Index i) {
  const Vector3d a = mesh.vertices.row(mesh.tets(i, 0)).transpose();
  Matrix3d edges;
  for (Index k = 0; k < 3; ++k) edges.col(k) = mesh.vertices.row(mesh.tets(i, k + 1)).transpose() - a;
  return edges.determinant() / 6;
}

double total_volume(const TetMesh& mesh) {
  double sum = 0;
  for (Index i = 0; i < mesh.tet_count(); ++i) sum += volume(mesh, i);
  return sum;
}

// Dihedral angles straight from the definition: at each edge, the angle between the two faces' directions
// perpendicular to it.
std::pair<double, double> dihedral_range(const TetMesh& mesh) {
  double low = 180, high = 0;
  for (Index i = 0; i < mesh.tet_count(); ++i)
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) {
        std::array<int, 2> rest{};
        int n = 0;
        for (int k = 0; k < 4; ++k)
          if (k != a && k != b) rest[static_cast<std::size_t>(n++)] = k;
        const auto at = [&](int k) -> Vector3d { return mesh.vertices.row(mesh.tets(i, k)).transpose(); };
        const Vector3d edge = (at(b) - at(a)).normalized();
        const auto side = [&](int k) -> Vector3d {
          const Vector3d d = at(k) - at(a);
          return d - d.dot(edge) * edge;
        };
        const Vector3d u = side(rest[0]), v = side(rest[1]);
        const double angle = degrees * std::atan2(u.cross(v).norm(), u.dot(v));
        low = std::min(low, angle), high = std::max(high, angle);
      }
  return {low, high};
}

struct Checked {
  Index boundary_triangles = 0;
  Index pinched_edges = 0;  ///< boundary edges with more than two triangles
  Index euler = 0;          ///< V - E + F of the boundary
};

// Volumes positive, angles in bounds, faces shared by two at most and in opposite directions, the boundary
// closed, its enclosed volume that of the tets, no vertex unused.
Checked check(const StuffedMesh& stuffed, double least = 0, double most = 180) {
  const TetMesh& mesh = stuffed.mesh;
  Checked result;
  double smallest = 1;
  for (Index i = 0; i < mesh.tet_count(); ++i) smallest = std::min(smallest, volume(mesh, i));
  EXPECT_GT(smallest, 0);
  const auto [low, high] = dihedral_range(mesh);
  if (mesh.tet_count() > 0) {
    EXPECT_NEAR(low, stuffed.min_dihedral, 1e-6);
    EXPECT_NEAR(high, stuffed.max_dihedral, 1e-6);
  }
  EXPECT_GE(low, least);
  EXPECT_LE(high, most);

  std::map<std::array<int, 3>, int> faces;  // sorted corners -> sum of orientations * 16 + count
  std::map<std::array<int, 3>, int> counts;
  std::vector<char> used(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (Index i = 0; i < mesh.tet_count(); ++i) {
    constexpr int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (const auto& face : outward) {
      std::array<int, 3> f{mesh.tets(i, face[0]), mesh.tets(i, face[1]), mesh.tets(i, face[2])};
      int sign = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t k = 0; k < 2; ++k)
          if (f[k] > f[k + 1]) std::swap(f[k], f[k + 1]), sign = -sign;
      faces[f] += sign;
      ++counts[f];
    }
    for (int k = 0; k < 4; ++k) used[static_cast<std::size_t>(mesh.tets(i, k))] = 1;
  }
  Index wrong = 0;
  for (const auto& [f, count] : counts) wrong += count > 2 || (count == 2 && faces[f] != 0);
  EXPECT_EQ(wrong, 0) << "faces with more than two tets, or two on the same side";
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0) << "vertices no tet uses";

  const Triangles boundary = boundary_triangles(mesh.tets);
  result.boundary_triangles = boundary.rows();
  std::map<std::pair<int, int>, std::pair<int, int>> edges;  // forward, backward uses
  std::set<int> boundary_vertices;
  double enclosed = 0;
  for (Index t = 0; t < boundary.rows(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = boundary(t, k), b = boundary(t, (k + 1) % 3);
      boundary_vertices.insert(a);
      auto& uses = edges[{std::min(a, b), std::max(a, b)}];
      ++(a < b ? uses.first : uses.second);
    }
    const Vector3d a = mesh.vertices.row(boundary(t, 0)).transpose(),
                   b = mesh.vertices.row(boundary(t, 1)).transpose(),
                   c = mesh.vertices.row(boundary(t, 2)).transpose();
    enclosed += a.dot(b.cross(c)) / 6;
  }
  Index open = 0;
  for (const auto& [edge, uses] : edges) {
    open += uses.first != uses.second;
    result.pinched_edges += uses.first + uses.second > 2;
  }
  EXPECT_EQ(open, 0) << "boundary edges that are not closed";
  EXPECT_NEAR(enclosed, total_volume(mesh), 1e-9 * (1 + std::abs(enclosed)));
  result.euler =
      static_cast<Index>(boundary_vertices.size()) - static_cast<Index>(edges.size()) + boundary.rows();
  return result;
}

const Vector3d unit = Vector3d::Ones();

constexpr double least_dihedral = 9.0, most_dihedral = 162.0;

TEST(Stuffing, ASphereIsASphere) {
  for (const bool graded : {false, true}) {
    const StuffedMesh ball =
        stuff_isosurface(sphere({0.01, 0.02, -0.03}, 0.7), -unit, unit, {.cell = 0.08, .graded = graded});
    const Checked checked = check(ball, least_dihedral, most_dihedral);
    EXPECT_EQ(checked.euler, 2);
    EXPECT_EQ(checked.pinched_edges, 0);
  }
}

TEST(Stuffing, BoundsHoldAnywhereOnTheLattice) {
  Rng rng(5);
  const std::vector<DistanceFunction> solids{torus(0.6, 0.2), box({0.5, 0.3, 0.2}), box({0.6, 0.6, 0.08}),
                                             gyroid(5.0),     blend(rng, 6),        blend(rng, 12)};
  for (const DistanceFunction& solid : solids)
    for (int i = 0; i < 4; ++i) {
      const Vector3d shift(rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1));
      const StuffedMesh mesh =
          stuff_isosurface(moved(solid, random_rotation(rng), shift), -1.1 * unit, 1.1 * unit, {.cell = 0.1});
      EXPECT_GT(mesh.mesh.tet_count(), 100);
      check(mesh, least_dihedral, most_dihedral);
    }
}

TEST(Stuffing, BoundsHoldForNoise) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const double share : {0.3, 0.5, 0.9}) {
      const StuffedMesh mesh = stuff_isosurface(noise(seed, 0.1, share), -unit, unit, {.cell = 0.2});
      check(mesh, least_dihedral, most_dihedral);
    }
}

TEST(Stuffing, FindsACellForACount) {
  for (const Index target : {2000, 20000}) {
    const StuffedMesh ring = stuff_to_count(torus(0.6, 0.2), -unit, unit, target);
    EXPECT_NEAR(static_cast<double>(ring.mesh.tet_count()), static_cast<double>(target),
                0.05 * static_cast<double>(target));
  }
}

}  // namespace
}  // namespace pliant
