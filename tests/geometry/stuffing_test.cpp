#include "pliant/geometry/stuffing.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/measures.h"
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

// A hash of the point's bits as a value of size least to most: noise that has nothing to do with distance.
DistanceFunction noise(std::uint64_t seed, double least, double most, double inside_share) {
  return [=](const Vector3d& p) {
    const std::array<double, 3> bits{p.x(), p.y(), p.z()};
    Rng rng(hash_bytes(bits.data(), sizeof bits, seed));
    const double size = rng.uniform(least, most);
    return rng.uniform() < inside_share ? -size : size;
  };
}

// === The slow, obvious checks

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
  if (mesh.tet_count() == 0) return result;
  EXPECT_GT(tet_volumes(mesh).minCoeff(), 0);
  const auto [low, high] = dihedral_range(mesh);
  EXPECT_NEAR(low, stuffed.min_dihedral, 1e-6);
  EXPECT_NEAR(high, stuffed.max_dihedral, 1e-6);
  EXPECT_GE(low, least);
  EXPECT_LE(high, most);

  std::vector<std::pair<std::array<int, 3>, int>> faces;  // sorted corners, orientation
  std::vector<char> used(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (Index i = 0; i < mesh.tet_count(); ++i) {
    constexpr int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (const auto& face : outward) {
      std::array<int, 3> f{mesh.tets(i, face[0]), mesh.tets(i, face[1]), mesh.tets(i, face[2])};
      int sign = 1;
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t k = 0; k < 2; ++k)
          if (f[k] > f[k + 1]) std::swap(f[k], f[k + 1]), sign = -sign;
      faces.push_back({f, sign});
    }
    for (int k = 0; k < 4; ++k) used[static_cast<std::size_t>(mesh.tets(i, k))] = 1;
  }
  std::sort(faces.begin(), faces.end());
  Index wrong = 0;
  for (std::size_t i = 1; i < faces.size(); ++i) {
    wrong += faces[i] == faces[i - 1];  // two on the same side
    wrong += i > 1 && faces[i].first == faces[i - 2].first;
  }
  EXPECT_EQ(wrong, 0) << "faces with more than two tets, or two on the same side";
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0) << "vertices no tet uses";

  const Triangles boundary = boundary_triangles(mesh.tets);
  result.boundary_triangles = boundary.rows();
  std::vector<std::array<int, 3>> edges;  // lower end, upper end, direction
  std::set<int> boundary_vertices;
  double enclosed = 0;
  for (Index t = 0; t < boundary.rows(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = boundary(t, k), b = boundary(t, (k + 1) % 3);
      boundary_vertices.insert(a);
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
    const Vector3d a = mesh.vertices.row(boundary(t, 0)).transpose(),
                   b = mesh.vertices.row(boundary(t, 1)).transpose(),
                   c = mesh.vertices.row(boundary(t, 2)).transpose();
    enclosed += a.dot(b.cross(c)) / 6;
  }
  std::sort(edges.begin(), edges.end());
  Index open = 0, edge_count = 0;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i;
    int sum = 0;
    for (; end < edges.size() && edges[end][0] == edges[i][0] && edges[end][1] == edges[i][1]; ++end)
      sum += edges[end][2];
    open += sum != 0;
    result.pinched_edges += end - i > 2;
    ++edge_count;
    i = end;
  }
  EXPECT_EQ(open, 0) << "boundary edges that are not closed";
  EXPECT_NEAR(enclosed, total_volume(mesh), 1e-9 * (1 + std::abs(enclosed)));
  result.euler = static_cast<Index>(boundary_vertices.size()) - edge_count + boundary.rows();
  return result;
}

// Boundary vertices whose triangles, joined where they share an edge at the vertex, do not make one fan.
Index pinched_vertices(const TetMesh& mesh) {
  const Triangles boundary = boundary_triangles(mesh.tets);
  Index result = 0;
  std::map<int, std::vector<Index>> around;
  for (Index t = 0; t < boundary.rows(); ++t)
    for (int k = 0; k < 3; ++k) around[boundary(t, k)].push_back(t);
  for (const auto& [v, fan] : around) {
    std::set<int> reached{boundary(fan[0], 0) == v ? boundary(fan[0], 1) : boundary(fan[0], 0)};
    std::vector<char> done(fan.size(), 0);
    for (bool grew = true; grew;) {
      grew = false;
      for (std::size_t i = 0; i < fan.size(); ++i) {
        if (done[i]) continue;
        for (int k = 0; k < 3; ++k)
          if (reached.count(boundary(fan[i], k))) done[i] = 1;
        if (!done[i]) continue;
        for (int k = 0; k < 3; ++k)
          if (boundary(fan[i], k) != v) reached.insert(boundary(fan[i], k));
        grew = true;
      }
    }
    result += std::count(done.begin(), done.end(), 0) > 0;
  }
  return result;
}

// Neighbours that cut a shared quadrilateral along different diagonals leave a flat pocket, whose faces all close: only
// the corners of its faces that are inside give it away. A lattice point that was not moved is inside, when no value
// is exactly zero.
void expect_no_lattice_points_on_boundary(const TetMesh& mesh, double cell) {
  const Surface surface = extract_surface(mesh);
  const Eigen::ArrayXXd half_cells = surface.mesh.vertices.array() / (0.5 * cell);
  Index on_lattice = 0;
  for (Index v = 0; v < half_cells.rows(); ++v)
    on_lattice += ((half_cells.row(v) - half_cells.row(v).round()).abs() < 1e-9).all();
  EXPECT_EQ(on_lattice, 0);
}

// The same for functions that know where their surface is.
void expect_boundary_on_surface(const TetMesh& mesh, const DistanceFunction& distance, double tolerance) {
  const Surface surface = extract_surface(mesh);
  double farthest = 0;
  for (Index v = 0; v < surface.mesh.vertex_count(); ++v)
    farthest = std::max(farthest, std::abs(distance(surface.mesh.vertices.row(v).transpose())));
  EXPECT_LE(farthest, tolerance);
}

const Vector3d unit = Vector3d::Ones();

// Labelle and Shewchuk's bounds for a uniform lattice at the surface.
constexpr double least_dihedral = 10.78, most_dihedral = 164.74;

// === Angles and conformity

TEST(Stuffing, BoundsHoldAnywhereOnTheLattice) {
  Rng rng(5);
  const std::vector<DistanceFunction> solids{torus(0.6, 0.2), box({0.5, 0.3, 0.2}), box({0.6, 0.6, 0.08}),
                                             gyroid(5.0),     blend(rng, 6),        blend(rng, 12)};
  for (const DistanceFunction& solid : solids)
    for (int i = 0; i < 5; ++i) {
      const Vector3d shift(rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1));
      const DistanceFunction turned = moved(solid, random_rotation(rng), shift);
      const StuffedMesh mesh =
          stuff_isosurface(turned, -1.1 * unit, 1.1 * unit, {.cell = 0.1, .graded = i > 0});
      EXPECT_GT(mesh.mesh.tet_count(), 100);
      check(mesh, least_dihedral, most_dihedral);
      const auto in_box = [&](const Vector3d& p) { return std::max(turned(p), box(1.1 * unit)(p)); };
      expect_boundary_on_surface(mesh.mesh, in_box, 1e-7);
    }
}

// From sizes of 0 on, nearly every point is warped; above 0.08 of 0.1, cuts are too near the middle of their edges to
// warp any, and all stencils appear. With an infinite tolerance, cuts are where a linear function would have them.
TEST(Stuffing, BoundsHoldForNoise) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const double share : {0.2, 0.5, 0.8}) {
      for (const double least : {0.0, 0.04, 0.08}) {
        const StuffedMesh mesh = stuff_isosurface(noise(seed, least, 0.1, share), -0.97 * unit, 0.97 * unit,
                                                  {.cell = 0.2, .tolerance = least == 0 ? 1e-6 : infinite});
        check(mesh, least_dihedral, most_dihedral);
        if (least > 0)
          expect_no_lattice_points_on_boundary(mesh.mesh, 0.2);  // else some move next to nothing
        if (least == 0.08) {
          EXPECT_GT(mesh.mesh.tet_count(), 1000);
        }
      }
    }
}

// Noise whose cuts lie just inside and outside of where they would warp a point, which is where the worst
// angles are.
TEST(Stuffing, BoundsHoldForCutsAtTheirLimits) {
  const StuffingOptions defaults;
  const double r = defaults.alpha_long / (1 - defaults.alpha_long);
  const double q = defaults.alpha_short / (1 - defaults.alpha_short);
  const std::array<double, 6> sizes{1, r, q, r * q, q * q, r * r};
  double least = 180, most = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const double share : {0.4, 0.6, 0.8}) {
      const DistanceFunction f = [&](const Vector3d& p) {
        const std::array<double, 3> bits{p.x(), p.y(), p.z()};
        Rng rng(hash_bytes(bits.data(), sizeof bits, seed));
        const double size = 0.1 * sizes[static_cast<std::size_t>(rng.integer(6))] * rng.uniform(0.999, 1.001);
        return rng.uniform() < share ? -size : size;
      };
      const StuffedMesh mesh = stuff_isosurface(
          f, -unit, unit, {.cell = 0.2, .tolerance = std::numeric_limits<double>::infinity()});
      check(mesh, least_dihedral, most_dihedral);
      if (mesh.mesh.tet_count() == 0) continue;
      least = std::min(least, mesh.min_dihedral);
      most = std::max(most, mesh.max_dihedral);
    }
  // This is a hard test only if it comes near the bounds.
  EXPECT_LT(least, 12.5);
  EXPECT_GT(most, 150);
}

// Steeper than the Lipschitz option says, or with jumps far from where the function is small: cubes are
// passed over that hold surface, and must be found again.
TEST(Stuffing, FunctionsThatAreNoDistancesStillMakeGoodMeshes) {
  const StuffingOptions options{.cell = 0.06};
  const StuffedMesh steep =
      stuff_isosurface([](const Vector3d& p) { return 20 * (p.norm() - 0.7); }, -unit, unit, options);
  EXPECT_EQ(check(steep, least_dihedral, most_dihedral).euler, 2);
  const StuffedMesh exact = stuff_isosurface(sphere(Vector3d::Zero(), 0.7), -unit, unit, options);
  EXPECT_NEAR(total_volume(steep.mesh), total_volume(exact.mesh), 1e-6);

  const StuffedMesh jump =
      stuff_isosurface([](const Vector3d& p) { return p.norm() < 0.7 ? -1.0 : 1.0; }, -unit, unit, options);
  EXPECT_EQ(check(jump, least_dihedral, most_dihedral).euler, 2);
  EXPECT_NEAR(total_volume(jump.mesh), total_volume(exact.mesh), 1e-4);
}

TEST(Stuffing, SmoothSolidsHaveManifoldBoundaries) {
  Rng rng(8);
  for (int i = 0; i < 6; ++i) {
    const Matrix3d rotation = random_rotation(rng);
    const Vector3d shift(rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1));
    const StuffedMesh ball =
        stuff_isosurface(sphere(shift, 0.7), -unit, unit, {.cell = rng.uniform(0.06, 0.2)});
    const Checked round = check(ball);
    EXPECT_EQ(round.euler, 2);
    EXPECT_EQ(round.pinched_edges + pinched_vertices(ball.mesh), 0);
    const StuffedMesh ring = stuff_isosurface(moved(torus(0.65, 0.25), rotation, shift), -1.1 * unit,
                                              1.1 * unit, {.cell = rng.uniform(0.06, 0.12)});
    const Checked holed = check(ring);
    EXPECT_EQ(holed.euler, 0);
    EXPECT_EQ(holed.pinched_edges + pinched_vertices(ring.mesh), 0);
  }
}

// === The surface

TEST(Stuffing, TheSphereIsMetAndItsVolumeConverges) {
  const double radius = 0.7;
  const Vector3d centre(0.013, 0.021, -0.037);
  double last_error = 0;
  for (const double cell : {0.16, 0.08, 0.04}) {
    const StuffedMesh ball = stuff_isosurface(sphere(centre, radius), -unit, unit, {.cell = cell});
    const Surface surface = extract_surface(ball.mesh);
    double farthest = 0;
    for (Index i = 0; i < surface.mesh.vertex_count(); ++i)
      farthest =
          std::max(farthest, std::abs((surface.mesh.vertices.row(i).transpose() - centre).norm() - radius));
    EXPECT_LT(farthest, 1e-6 * cell);
    // Between the vertices the sphere bulges: h^2 / 8r for an edge of length h, h up to about 1.5 cells.
    double sagging = 0;
    for (Index t = 0; t < surface.mesh.triangle_count(); ++t) {
      Vector3d middle = Vector3d::Zero();
      for (int k = 0; k < 3; ++k)
        middle += surface.mesh.vertices.row(surface.mesh.triangles(t, k)).transpose() / 3;
      sagging = std::max(sagging, std::abs((middle - centre).norm() - radius));
    }
    EXPECT_LT(sagging, 0.3 * cell * cell / radius);
    EXPECT_LT(sagging, 0.5 * cell);
    const double error = 4.0 / 3 * 3.14159265358979324 * std::pow(radius, 3) - total_volume(ball.mesh);
    EXPECT_GT(error, 0);
    if (last_error > 0) {
      EXPECT_NEAR(std::log2(last_error / error), 2, 0.3) << "the error falls as cell^2";
    }
    last_error = error;
  }
}

// The lattice does not know sharp edges: it cuts across them. Boundary vertices are still on the surface, the
// triangles between them within half a cell of it, and a corner loses not much more than one cell.
TEST(Stuffing, ABoxIsMetAndItsCornersAreBlunted) {
  Rng rng(21);
  const Vector3d half(0.5, 0.3, 0.25);
  for (int i = 0; i < 4; ++i) {
    const Matrix3d rotation = random_rotation(rng);
    const double cell = 0.08;
    const DistanceFunction solid = moved(box(half), rotation, Vector3d::Zero());
    const StuffedMesh block = stuff_isosurface(solid, -unit, unit, {.cell = cell});
    const Surface surface = extract_surface(block.mesh);
    for (Index v = 0; v < surface.mesh.vertex_count(); ++v)
      EXPECT_NEAR(solid(surface.mesh.vertices.row(v).transpose()), 0, 1e-6 * cell);
    double farthest = 0;
    for (Index t = 0; t < surface.mesh.triangle_count(); ++t)
      for (int sample = 0; sample < 20; ++sample) {
        const double u = std::sqrt(rng.uniform()), v = rng.uniform();
        const Vector3d weights(1 - u, u * (1 - v), u * v);
        Vector3d point = Vector3d::Zero();
        for (int k = 0; k < 3; ++k)
          point += weights[k] * surface.mesh.vertices.row(surface.mesh.triangles(t, k)).transpose();
        farthest = std::max(farthest, std::abs(solid(point)));
      }
    EXPECT_LT(farthest, 0.5 * cell);
    EXPECT_GT(farthest, 0.05 * cell);
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3d sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      const Vector3d point = rotation * sign.cwiseProduct(half);
      EXPECT_LT((surface.mesh.vertices.rowwise() - point.transpose()).rowwise().norm().minCoeff(),
                1.25 * cell);
    }
  }
}

// Lattice points exactly on the surface: the mesh is then exact.
TEST(Stuffing, ABoxOnTheLatticeIsExact) {
  const Vector3d half(0.5, 0.25, 0.375);
  const StuffedMesh block = stuff_isosurface(box(half), -unit, unit, {.cell = 0.125});
  EXPECT_EQ(check(block, least_dihedral, most_dihedral).euler, 2);
  EXPECT_NEAR(total_volume(block.mesh), 8 * half.prod(), 1e-12);
}

TEST(Stuffing, TheBoxCutsTheSolid) {
  const StuffedMesh block = stuff_isosurface([](const Vector3d&) { return -5.0; }, Vector3d(-1, -0.5, -0.5),
                                             Vector3d(1, 0.5, 0.5), {.cell = 0.125});
  EXPECT_EQ(check(block, least_dihedral, most_dihedral).euler, 2);
  EXPECT_NEAR(total_volume(block.mesh), 2, 1e-12);
}

TEST(Stuffing, NothingInsideIsAnEmptyMesh) {
  const StuffedMesh none = stuff_isosurface(sphere({0, 0, 0}, -0.1), -unit, unit, {.cell = 0.1});
  EXPECT_EQ(none.mesh.tet_count(), 0);
  EXPECT_EQ(none.mesh.vertex_count(), 0);
}

// === Grading

TEST(Stuffing, GradingChangesTheInsideOnly) {
  const DistanceFunction ball = sphere({0.01, 0.02, 0.03}, 0.85);
  const double cell = 0.06;
  const StuffedMesh uniform = stuff_isosurface(ball, -unit, unit, {.cell = cell, .graded = false});
  const StuffedMesh same = stuff_isosurface(ball, -unit, unit, {.cell = cell, .max_levels = 0});
  EXPECT_EQ(uniform.mesh.tets, same.mesh.tets);
  const auto surface_points = [](const StuffedMesh& mesh) {
    std::set<std::array<double, 3>> points;
    const Surface surface = extract_surface(mesh.mesh);
    for (Index v = 0; v < surface.mesh.vertex_count(); ++v)
      points.insert({surface.mesh.vertices(v, 0), surface.mesh.vertices(v, 1), surface.mesh.vertices(v, 2)});
    return points;
  };
  Index last = uniform.mesh.tet_count();
  for (const int levels : {1, 2}) {
    const StuffedMesh graded = stuff_isosurface(ball, -unit, unit, {.cell = cell, .max_levels = levels});
    check(graded, least_dihedral, most_dihedral);
    EXPECT_LT(graded.mesh.tet_count(), last);
    last = graded.mesh.tet_count();
    EXPECT_EQ(surface_points(graded), surface_points(uniform));
    EXPECT_NEAR(total_volume(graded.mesh), total_volume(uniform.mesh), 1e-12);
    EXPECT_NEAR(tet_quality(graded.mesh).max_edge, cell * std::pow(2, levels), 1e-12);
  }
  EXPECT_LT(3 * last, 2 * uniform.mesh.tet_count());
}

// A ring of hair in a large box: the work follows the surface, not the box.
TEST(Stuffing, WorkFollowsTheSurfaceNotTheBox) {
  std::atomic<long> calls = 0;
  const DistanceFunction hair = [&](const Vector3d& p) {
    ++calls;
    return std::hypot(std::hypot(p.x(), p.z()) - 0.9, p.y()) - 0.009;
  };
  const StuffedMesh ring = stuff_isosurface(hair, -unit, unit, {.cell = 0.006});
  EXPECT_EQ(check(ring, least_dihedral, most_dihedral).euler, 0);
  EXPECT_LT(calls, 20 * ring.mesh.vertex_count());  // the box has 70 million lattice points
}

// === Counts, threads, errors

TEST(Stuffing, FindsACellForACount) {
  for (const Index target : {1000, 8000})
    for (const bool graded : {false, true})
      for (const DistanceFunction& solid : {torus(0.6, 0.2), box({0.8, 0.4, 0.4})}) {
        const StuffedMesh mesh = stuff_to_count(solid, -unit, unit, target, {.graded = graded});
        EXPECT_NEAR(static_cast<double>(mesh.mesh.tet_count()), static_cast<double>(target),
                    0.05 * static_cast<double>(target));
      }
}

TEST(Stuffing, SameBitsOnAnyNumberOfThreads) {
  const auto fingerprint = [](int threads) {
    const ScopedThreadCount scope(threads);
    const StuffedMesh mesh = stuff_isosurface(torus(0.6, 0.2), -unit, unit, {.cell = 0.04});
    const std::uint64_t points = hash_bytes(
        mesh.mesh.vertices.data(), sizeof(double) * static_cast<std::size_t>(mesh.mesh.vertices.size()));
    return hash_bytes(mesh.mesh.tets.data(),
                      sizeof(std::int32_t) * static_cast<std::size_t>(mesh.mesh.tets.size()), points);
  };
  const std::uint64_t one = fingerprint(1);
  EXPECT_EQ(fingerprint(2), one);
  EXPECT_EQ(fingerprint(8), one);
}

TEST(Stuffing, NeighboursInSpaceAreNeighboursInMemory) {
  const StuffedMesh mesh = stuff_isosurface(torus(0.6, 0.2), -unit, unit, {.cell = 0.045});
  double far = 0;
  for (Index i = 0; i < mesh.mesh.tet_count(); ++i)
    far += mesh.mesh.tets.row(i).maxCoeff() - mesh.mesh.tets.row(i).minCoeff();
  // A random order would give 3/5 of all vertices on average.
  EXPECT_LT(far / static_cast<double>(mesh.mesh.tet_count()),
            0.05 * static_cast<double>(mesh.mesh.vertex_count()));
}

TEST(Stuffing, SaysWhatIsWrong) {
  const DistanceFunction ball = sphere({0, 0, 0}, 0.5);
  const auto message = [&](const DistanceFunction& f, const Vector3d& upper, const StuffingOptions& options) {
    try {
      stuff_isosurface(f, -unit, upper, options);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message(ball, unit, {}).find("cell is 0"), std::string::npos);
  EXPECT_NE(message(ball, -unit, {.cell = 0.1}).find("the box is"), std::string::npos);
  EXPECT_NE(message(ball, unit, {.cell = 1e-7}).find("larger cell"), std::string::npos);
  EXPECT_NE(message(ball, unit, {.cell = 1e-320}).find("larger cell"), std::string::npos);
  EXPECT_NE(message(ball, unit, {.cell = 0.1, .alpha_long = 0.7}).find("alpha_long is 0.7"),
            std::string::npos);
  EXPECT_NE(message(ball, unit, {.cell = 0.1, .max_levels = -1}).find("max_levels is -1"), std::string::npos);
  EXPECT_NE(message([](const Vector3d&) { return std::nan(""); }, unit, {.cell = 0.1}).find("finite"),
            std::string::npos);
  EXPECT_THROW(stuff_to_count(ball, -unit, unit, 0), InputError);
  EXPECT_THROW(stuff_to_count(sphere({0, 0, 0}, -1), -unit, unit, 1000), InputError);
}

TEST(Stuffing, CanBeInterrupted) {
  const Progress stop = [](std::string_view, double) { throw Interrupted(); };
  EXPECT_THROW(stuff_isosurface(sphere({0, 0, 0}, 0.5), -unit, unit, {.cell = 0.1, .progress = stop}),
               Interrupted);
  EXPECT_THROW(stuff_to_count(sphere({0, 0, 0}, 0.5), -unit, unit, 1000, {.progress = stop}), Interrupted);
}

}  // namespace
}  // namespace pliant
