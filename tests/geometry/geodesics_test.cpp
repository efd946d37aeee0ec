#include "pliant/geometry/geodesics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <limits>
#include <map>

#include "pliant/base/error.h"
#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/measures.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::box_tets;
using testing_support::grid_plane;
using testing_support::icosphere;
using testing_support::uv_sphere;
using testing_support::vertex_at;
using Distance = std::function<double(int from, Index to)>;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Mesh>
Distance straight_line(const Mesh& mesh) {
  return [&mesh](int from, Index to) { return (mesh.vertices.row(to) - mesh.vertices.row(from)).norm(); };
}
Distance great_circle(const TriMesh& mesh) {
  return [&mesh](int from, Index to) {
    const Vector3d a = mesh.vertices.row(from), b = mesh.vertices.row(to);
    return std::atan2(a.cross(b).norm(), a.dot(b));
  };
}

// Shortest way over the surface of the box [0, size]: unfold every sequence of different faces into the
// plane, and take the shortest straight line.
class BoxSurface {
 public:
  explicit BoxSurface(const Vector3d& size) {
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        std::array<Vector3d, 4> face;
        for (std::size_t k = 0; k < 4; ++k) {
          face[k][axis] = side * size[axis];
          face[k][(axis + 1) % 3] = (k == 1 || k == 2) * size[(axis + 1) % 3];
          face[k][(axis + 2) % 3] = (k >= 2) * size[(axis + 2) % 3];
        }
        faces_.push_back(face);
      }
  }

  double distance(const Vector3d& from, const Vector3d& to) const {
    for (std::size_t f = 0; f < faces_.size(); ++f)
      if (lies_on(f, from)) {
        const Vector3d u = (faces_[f][1] - faces_[f][0]).normalized(),
                       v = (faces_[f][3] - faces_[f][0]).normalized();
        const auto flat = [&](const Vector3d& x) { return Plane(u.dot(x), v.dot(x)); };
        std::array<Plane, 4> image;
        for (std::size_t k = 0; k < 4; ++k) image[k] = flat(faces_[f][k]);
        const double here = lies_on(f, to) ? (to - from).norm() : infinity;
        return std::min(here, unfold(f, image, 1u << f, flat(from), to));
      }
    return infinity;
  }

 private:
  using Plane = Eigen::Vector2d;
  bool lies_on(std::size_t f, const Vector3d& x) const {
    const Vector3d normal = (faces_[f][1] - faces_[f][0]).cross(faces_[f][3] - faces_[f][0]).normalized();
    return std::abs(normal.dot(x - faces_[f][0])) < 1e-9;
  }
  double unfold(std::size_t f, const std::array<Plane, 4>& image, unsigned used, const Plane& from,
                const Vector3d& to) const {
    double best = infinity;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t j = (i + 1) % 4;
      const Vector3d a = faces_[f][i], b = faces_[f][j], e = (b - a).normalized();
      const Plane along = (image[j] - image[i]).normalized();
      Plane outward(along.y(), -along.x());
      if (outward.dot((image[0] + image[2]) / 2 - image[i]) > 0) outward = -outward;
      for (std::size_t g = 0; g < faces_.size(); ++g) {
        if ((used >> g & 1u) || !lies_on(g, a) || !lies_on(g, b)) continue;
        const auto flat = [&](const Vector3d& x) {
          const double s = e.dot(x - a);
          return Plane(image[i] + s * along + (x - a - s * e).norm() * outward);
        };
        if (lies_on(g, to)) best = std::min(best, (flat(to) - from).norm());
        std::array<Plane, 4> next;
        for (std::size_t k = 0; k < 4; ++k) next[k] = flat(faces_[g][k]);
        best = std::min(best, unfold(g, next, used | 1u << g, from, to));
      }
    }
    return best;
  }
  std::vector<std::array<Vector3d, 4>> faces_;
};

// Mean relative error over all vertices farther from the source than five mean edges.
template <class Mesh>
double mean_error(const Mesh& mesh, std::initializer_list<int> sources, const Distance& exact, int window) {
  double edge = 0, sum = 0;
  if constexpr (std::is_same_v<Mesh, TriMesh>) {
    edge = edge_lengths(mesh.vertices, unique_edges(mesh.triangles, mesh.vertex_count())).mean();
  } else {
    edge = edge_lengths(mesh.vertices, unique_edges(mesh.tets, mesh.vertex_count())).mean();
  }
  Index count = 0;
  GeodesicSolver solver(mesh);
  for (const int s : sources) {
    const VectorXd distance = solver.distance_from({{s}}, {.window = window}).distance;
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
      const double d = exact(s, v);
      if (d < 5 * edge) continue;
      sum += std::abs(distance[v] - d) / d;
      ++count;
    }
  }
  return sum / static_cast<double>(count);
}

template <class Mesh>
void expect_accurate(const char* name, const Mesh& mesh, std::initializer_list<int> sources,
                     const Distance& exact, double below, double dijkstra_above) {
  const double error = mean_error(mesh, sources, exact, GeodesicOptions{}.window);
  const double dijkstra = mean_error(mesh, sources, exact, 1);
  std::cout << fmt::format("{:>28}: {:.3f} % (plain Dijkstra {:.2f} %)\n", name, 100 * error, 100 * dijkstra);
  EXPECT_LT(error, below) << name;
  EXPECT_GT(dijkstra, dijkstra_above) << name;
}

TEST(Geodesics, OnThePlaneAreStraightLines) {
  const TriMesh structured = grid_plane(80, 80, 0.01);
  expect_accurate("plane, structured", structured, {0, 3240, 30, 80}, straight_line(structured), 0.002, 0.05);
  Rng rng(1);
  const TriMesh irregular = grid_plane(80, 80, 0.01, 0.24, &rng);
  expect_accurate("plane, irregular", irregular, {0, 3240, 30, 80}, straight_line(irregular), 0.002, 0.05);
}

TEST(Geodesics, OnTheSphereAreGreatCircles) {
  for (const int level : {3, 4, 5}) {
    const TriMesh sphere = icosphere(level);
    const int middle = static_cast<int>(sphere.vertex_count() / 2);
    expect_accurate("icosphere", sphere, {0, middle, middle + 77}, great_circle(sphere), 0.003, 0.05);
  }
  const TriMesh rings = uv_sphere(48, 96);
  expect_accurate("sphere of rings", rings, {0, 1000, 2200}, great_circle(rings), 0.003, 0.03);
}

TEST(Geodesics, OnABoxsSurfaceAreStraightInItsUnfoldings) {
  const Vector3d size(1.2, 0.8, 1.0);
  const BoxSurface exact(size);
  // The spider and the fly [Dudeney 1903]: a room of 30 x 12 x 12, the short way goes over five walls.
  EXPECT_NEAR(BoxSurface({30, 12, 12}).distance({0, 6, 1}, {30, 6, 11}), 40, 1e-12);
  for (const double jitter : {0.0, 0.2}) {
    Rng rng(2);
    const TriMesh box =
        extract_surface(box_tets(24, 16, 20, 1.0 / 20, jitter, jitter > 0 ? &rng : nullptr)).mesh;
    const Distance way = [&](int from, Index to) {
      return exact.distance(box.vertices.row(from), box.vertices.row(to));
    };
    expect_accurate("box surface", box,
                    {0, vertex_at(box.vertices, {0.6, 0.8, 0.5}), vertex_at(box.vertices, {1.2, 0.3, 0.2})},
                    way, 0.005, 0.05);
  }
}

TEST(Geodesics, InsideABoxAreStraightLines) {
  for (const double jitter : {0.0, 0.2}) {
    Rng rng(3);
    const TetMesh box = box_tets(14, 16, 15, 1.0 / 14, jitter, jitter > 0 ? &rng : nullptr);
    expect_accurate(
        "box solid", box,
        {0, vertex_at(box.vertices, {0.5, 4 / 7.0, 0.5}), vertex_at(box.vertices, {1, 2 / 7.0, 0})},
        straight_line(box), 0.005, 0.05);
  }
}

// Every triangle cut in four flat ones: the same surface, the first vertices the same.
TriMesh subdivided(const TriMesh& mesh) {
  std::map<std::pair<int, int>, int> middle;
  const Edges edges = unique_edges(mesh.triangles, mesh.vertex_count());
  TriMesh fine{Points(mesh.vertex_count() + edges.rows(), 3), Triangles(4 * mesh.triangle_count(), 3)};
  fine.vertices.topRows(mesh.vertex_count()) = mesh.vertices;
  for (Index e = 0; e < edges.rows(); ++e) {
    const Index v = mesh.vertex_count() + e;
    middle[{edges(e, 0), edges(e, 1)}] = static_cast<int>(v);
    fine.vertices.row(v) = (mesh.vertices.row(edges(e, 0)) + mesh.vertices.row(edges(e, 1))) / 2;
  }
  for (Index t = 0; t < mesh.triangle_count(); ++t) {
    const int a = mesh.triangles(t, 0), b = mesh.triangles(t, 1), c = mesh.triangles(t, 2);
    const int ab = middle[std::minmax(a, b)], bc = middle[std::minmax(b, c)], ca = middle[std::minmax(c, a)];
    fine.triangles.middleRows(4 * t, 4) << a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca;
  }
  return fine;
}

TEST(Geodesics, OnARoughSurfaceAgreeWithThoseOfItsSubdivision) {
  // A sphere with all its vertices moved in or out: cones and saddles everywhere, which the window must not
  // flatten. On the subdivided surface they lie far apart, and distances converge.
  Rng rng(9);
  TriMesh rough = icosphere(4);
  for (Index v = 0; v < rough.vertex_count(); ++v) rough.vertices.row(v) *= 1 + 0.015 * rng.normal();
  const TriMesh fine = subdivided(subdivided(rough));
  GeodesicSolver solver(fine);
  int last = -1;
  VectorXd distance;
  const Distance way = [&](int from, Index to) {
    if (from != last) distance = solver.distance_from({{from}}).distance;
    last = from;
    return distance[to];
  };
  expect_accurate("rough sphere", rough, {0, 1300, 2400}, way, 0.015, 0.05);
}

// Two prongs 8 wide and 40 long on a base 8 high, `gap` apart.
std::function<bool(int, int)> u_shape(int gap) {
  return [gap](int i, int j) { return j < 8 || i < 8 || i >= 8 + gap; };
}

TEST(Geodesics, AroundANotchDoNotCutThroughTheAir) {
  for (const int gap : {1, 2, 5})
    for (const int window : {4, 8, 24}) {
      const TriMesh plate = grid_plane(16 + gap, 40, 1, 0, nullptr, u_shape(gap));
      const TetMesh beam =
          box_tets(16 + gap, 40, 4, 1, 0, nullptr, [&](int i, int j, int) { return u_shape(gap)(i, j); });
      const double inner = 32 + gap + 32, outer = gap + 2 * std::hypot(4, 32);
      const auto check = [&](const auto& mesh, double z) {
        GeodesicSolver solver(mesh);
        const auto way = [&](double left, double right) {
          const int from = vertex_at(mesh.vertices, {left, 40, z}),
                    to = vertex_at(mesh.vertices, {right, 40, z});
          return solver.distance_from({{from}}, {.window = window}).distance[to];
        };
        EXPECT_NEAR(way(8, 8 + gap) / inner, 1, 1e-9) << gap << " " << window;
        EXPECT_NEAR(way(4, 12 + gap) / outer, 1, 0.02) << gap << " " << window;
      };
      check(plate, 0);
      check(beam, 2);
    }
}

TEST(Geodesics, AroundARoundHoleFollowItsRim) {
  // Points on opposite sides of a hole of radius r in a plate, at distance D from its centre: two tangents
  // and an arc between them.
  Rng rng(4);
  const double r = 12, D = 28;
  const TriMesh plate = grid_plane(60, 60, 1, 0.2, &rng,
                                   [&](int i, int j) { return std::hypot(i + 0.5 - 30, j + 0.5 - 30) > r; });
  const int from = vertex_at(plate.vertices, {30 - D, 30, 0}),
            to = vertex_at(plate.vertices, {30 + D, 30, 0});
  const double exact = 2 * std::sqrt(D * D - r * r) + r * (std::acos(-1.0) - 2 * std::acos(r / D));
  EXPECT_NEAR(geodesic_distance(plate, {{from}})[to] / exact, 1,
              0.02);  // the hole's rim has steps of one edge
}

TEST(Geodesics, WithWindowOneIsTheShortestPathAlongEdges) {
  Rng rng(5);
  const TetMesh box = box_tets(4, 5, 3, 1, 0.2, &rng);
  const Edges edges = unique_edges(box.tets, box.vertex_count());
  const VectorXd length = edge_lengths(box.vertices, edges);
  VectorXd slow = VectorXd::Constant(box.vertex_count(), infinity);
  slow[7] = 0;
  for (Index round = 0; round < box.vertex_count(); ++round)
    for (Index e = 0; e < edges.rows(); ++e)
      for (int k = 0; k < 2; ++k)
        slow[edges(e, k)] = std::min(slow[edges(e, k)], slow[edges(e, 1 - k)] + length[e]);
  EXPECT_LT((geodesic_distance(box, {{7}}, {.window = 1}) - slow).cwiseAbs().maxCoeff(), 1e-12);
  // Straightening only ever shortens.
  EXPECT_LE((geodesic_distance(box, {{7}}) - slow).maxCoeff(), 1e-12);
}

TEST(Geodesics, FromManySourcesIsTheNearestOfThem) {
  const TriMesh sphere = icosphere(4);
  const std::vector<int> sources{3, 500, 1234, 2000};
  GeodesicSolver solver(sphere);
  const GeodesicField field = solver.distance_from(sources);
  for (Index v = 0; v < sphere.vertex_count(); ++v) {
    double nearest = infinity;
    for (const int s : sources) nearest = std::min(nearest, great_circle(sphere)(s, v));
    EXPECT_NEAR(field.distance[v], nearest, 0.01 * nearest + 1e-12);
    EXPECT_NEAR(great_circle(sphere)(sources[static_cast<std::size_t>(field.nearest_source[v])], v), nearest,
                0.02);
  }
  // A head start moves the border: one source 0.2 late.
  const std::vector<double> late{0.2, 0, 0, 0};
  const VectorXd delayed = solver.distance_from(sources, {.initial_distances = late}).distance;
  EXPECT_DOUBLE_EQ(delayed[3], 0.2);
  EXPECT_GE((delayed - field.distance).minCoeff(), -1e-3);
}

TEST(Geodesics, StopAtTheRadius) {
  Rng rng(6);
  const TetMesh box = box_tets(12, 12, 12, 1, 0.2, &rng);
  GeodesicSolver solver(box);
  const int center = vertex_at(box.vertices, {6, 6, 6});
  const VectorXd all = solver.distance_from({{center}}).distance;
  for (const double radius : {0.0, 2.5, 5.0, 100.0}) {
    const VectorXd near = solver.distance_from({{center}}, {.max_distance = radius}).distance;
    for (Index v = 0; v < all.size(); ++v) EXPECT_EQ(near[v], all[v] <= radius ? all[v] : infinity);
    const auto ball = solver.reach({{center}}, {.max_distance = radius});
    EXPECT_EQ(static_cast<Index>(ball.size()), (all.array() <= radius).count());
    for (std::size_t i = 0; i + 1 < ball.size(); ++i) EXPECT_LE(ball[i].distance, ball[i + 1].distance);
  }
}

TEST(Geodesics, AddingASourceLowersTheFieldToThatOfBoth) {
  Rng rng(7);
  const TriMesh plane = grid_plane(40, 40, 1, 0.2, &rng);
  GeodesicSolver solver(plane);
  for (const int window : {1, 8}) {
    const VectorXd before = solver.distance_from({{0}}, {.window = window}).distance;
    VectorXd after = before;
    std::size_t changed = 0;
    for (const GeodesicReach& r : solver.add_sources(after, {{1200}}, {.window = window})) {
      EXPECT_LT(after[r.vertex], before[r.vertex]);
      ++changed;
    }
    EXPECT_EQ(static_cast<Index>(changed), (after.array() != before.array()).count());
    EXPECT_EQ(after[1200], 0);
    const VectorXd both = solver.distance_from({{0, 1200}}, {.window = window}).distance;
    EXPECT_LT((after - both).cwiseAbs().maxCoeff(), window == 1 ? 1e-12 : 0.05);
  }
}

TEST(Geodesics, DoNotDependOnHowTrianglesAreOriented) {
  Rng rng(8);
  const TriMesh plane = grid_plane(30, 30, 1, 0.2, &rng);
  TriMesh mixed = plane;
  for (Index t = 0; t < mixed.triangle_count(); ++t)
    if (rng.uniform() < 0.5) std::swap(mixed.triangles(t, 0), mixed.triangles(t, 1));
  EXPECT_LT((geodesic_distance(plane, {{17}}) - geodesic_distance(mixed, {{17}})).cwiseAbs().maxCoeff(),
            1e-9);
}

TEST(Geodesics, GoAroundAMoebiusStrip) {
  // A strip 300 long and 4 wide, bent around and twisted by half a turn. Between points of the midline the
  // way is at most as long as the midline, and inside the bend shorter by at most half the width per radius.
  const int n = 300, m = 4;
  const double radius = n / (2 * std::acos(-1.0));
  TriMesh strip{Points(n * (m + 1), 3), Triangles(2 * n * m, 3)};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= m; ++j) {
      const double a = 2 * std::acos(-1.0) * i / n, w = j - m / 2.0;
      const double out = radius + w * std::cos(a / 2);
      strip.vertices.row(i * (m + 1) + j) << out * std::cos(a), w * std::sin(a / 2), out * std::sin(a);
    }
  Index t = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const auto at = [&](int p, int q) { return p < n ? p * (m + 1) + q : m - q; };
      strip.triangles.row(t++) << at(i, j), at(i + 1, j), at(i + 1, j + 1);
      strip.triangles.row(t++) << at(i, j), at(i + 1, j + 1), at(i, j + 1);
    }
  const VectorXd distance = geodesic_distance(strip, {{2}});
  for (int i = 1; i < n; ++i) {
    const double midline = std::min(i, n - i);
    EXPECT_LT(distance[i * (m + 1) + 2], midline * 1.001);
    EXPECT_GT(distance[i * (m + 1) + 2], midline * (1 - m / 2.0 / radius));
  }
  // Where the orientation jumps is a matter of writing, and changes nothing.
  TriMesh elsewhere = strip;
  for (Index k = t / 3; k < t; ++k) std::swap(elsewhere.triangles(k, 0), elsewhere.triangles(k, 1));
  EXPECT_LT((geodesic_distance(elsewhere, {{2}}) - distance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Geodesics, CrossNonManifoldEdgesAndFinsWithoutHarm) {
  // A third sheet stands on the middle line of a plane.
  TriMesh plane = grid_plane(20, 20, 1), fin = plane;
  const Index n = plane.vertex_count();
  TriMesh both{Points(2 * n, 3), Triangles(2 * plane.triangle_count(), 3)};
  both.vertices << plane.vertices, fin.vertices;
  for (Index v = 0; v < n; ++v) both.vertices.row(n + v) << 10, fin.vertices(v, 1), fin.vertices(v, 0);
  Triangles up = fin.triangles;
  for (Index i = 0; i < up.size(); ++i) {
    const std::int32_t v = up.data()[i];
    up.data()[i] = fin.vertices(v, 0) == 0 ? v + 10 : v + static_cast<std::int32_t>(n);  // foot on the plane
  }
  both.triangles << plane.triangles, up;
  const VectorXd distance = geodesic_distance(both, {{0}});
  for (Index v = 0; v < 2 * n; ++v) {
    if (v >= n && fin.vertices(v - n, 0) == 0) continue;  // unused twins of the foot
    const Vector3d x = both.vertices.row(v);
    const double exact = std::hypot(x.x() + x.z(), x.y());
    EXPECT_GE(distance[v], exact * (1 - 1e-9));
    EXPECT_LE(distance[v], exact * 1.42);
  }
}

TEST(Geodesics, DoNotReachOtherComponents) {
  const TetMesh two = box_tets(5, 2, 2, 1, 0, nullptr, [](int i, int, int) { return i != 2; });
  const VectorXd distance = geodesic_distance(two, {{0}});
  for (Index v = 0; v < two.vertex_count(); ++v)
    EXPECT_EQ(std::isfinite(distance[v]), two.vertices(v, 0) <= 2);
  EXPECT_TRUE((geodesic_distance(two, {}).array() == infinity).all());
  EXPECT_EQ(geodesic_distance(TriMesh{Points(0, 3), Triangles(0, 3)}, {}).size(), 0);
}

TEST(Geodesics, SurviveDegenerateTriangles) {
  TriMesh plane = grid_plane(10, 10, 1);
  plane.vertices.row(60) = plane.vertices.row(61);  // edges of length zero, triangles without area
  plane.triangles.conservativeResize(plane.triangle_count() + 2, 3);
  plane.triangles.bottomRows(2) << 5, 5, 6, 7, 7, 7;
  EXPECT_TRUE(geodesic_distance(plane, {{0}}).allFinite());
}

TEST(Geodesics, ParallelCopiesOfASolverGiveTheSameBits) {
  const TriMesh sphere = icosphere(4);
  GeodesicSolver solver(sphere);
  const int count = 8;
  std::vector<VectorXd> alone, together(count);
  for (int i = 0; i < count; ++i) alone.push_back(solver.distance_from({{100 * i}}).distance);
  const ScopedThreadCount threads(4);
  parallel_for(count, 1, [&](Index i) {
    GeodesicSolver copy(solver);
    together[static_cast<std::size_t>(i)] = copy.distance_from({{100 * static_cast<int>(i)}}).distance;
  });
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(alone[i], together[i]);
}

TEST(Geodesics, RefuseBadInput) {
  TriMesh plane = grid_plane(3, 3, 1);
  GeodesicSolver solver(plane);
  EXPECT_THROW(solver.distance_from({{-1}}), InputError);
  EXPECT_THROW(solver.distance_from({{16}}), InputError);
  EXPECT_THROW(solver.distance_from({{0}}, {.window = 0}), InputError);
  EXPECT_THROW(solver.distance_from({{0}}, {.window = 65}), InputError);
  EXPECT_THROW(solver.distance_from({{0}}, {.max_distance = std::nan("")}), InputError);
  const std::vector<double> wrong{1, 2};
  EXPECT_THROW(solver.distance_from({{0}}, {.initial_distances = wrong}), InputError);
  VectorXd small(3);
  EXPECT_THROW(solver.add_sources(small, {{0}}), InputError);
  plane.vertices(4, 1) = std::nan("");
  EXPECT_THROW(GeodesicSolver{plane}, InputError);
  plane = grid_plane(3, 3, 1);
  plane.triangles(2, 2) = 99;
  EXPECT_THROW(GeodesicSolver{plane}, InputError);
}

}  // namespace
}  // namespace pliant
