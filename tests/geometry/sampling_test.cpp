#include "pliant/geometry/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::box_tets;
using testing_support::grid_plane;
using testing_support::icosphere;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Sampling, TheRadiusNeverGrowsAndIsThatOfTheField) {
  Rng rng(1);
  const TetMesh box = box_tets(10, 14, 8, 1, 0.2, &rng);
  const FurthestPoints points = furthest_point_vertices(box, {.count = 60});
  ASSERT_EQ(points.ids.size(), 60u);
  EXPECT_EQ(std::set<int>(points.ids.begin(), points.ids.end()).size(), 60u);
  EXPECT_TRUE(points.distance.allFinite());
  for (std::size_t i = 0; i + 1 < 60; ++i) EXPECT_GE(points.radius[i], points.radius[i + 1]);
  EXPECT_EQ(points.radius.back(), points.distance.maxCoeff());
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(points.distance[points.ids[i]], 0);
    EXPECT_EQ(points.nearest[points.ids[i]], static_cast<int>(i));
  }
}

TEST(Sampling, CoversWithAtMostTwiceTheBestRadius) {
  // k + 1 samples that are r apart cannot be covered by k balls of radius below r / 2: the samples themselves
  // prove the bound. Distances here are those of the plane; the field may differ from them by 2 %.
  Rng rng(2);
  const TriMesh plane = grid_plane(40, 40, 1, 0.2, &rng);
  const FurthestPoints points = furthest_point_vertices(plane, {.count = 50});
  for (std::size_t k = 1; k < points.ids.size(); ++k)
    for (std::size_t i = 0; i < k; ++i) {
      const double apart = (plane.vertices.row(points.ids[k]) - plane.vertices.row(points.ids[i])).norm();
      EXPECT_GE(apart, 0.98 * points.radius[k - 1]);
    }
  // The field against all vertices, all samples: the slow way.
  for (Index v = 0; v < plane.vertex_count(); ++v) {
    double nearest = infinity;
    for (const int s : points.ids)
      nearest = std::min(nearest, (plane.vertices.row(v) - plane.vertices.row(s)).norm());
    EXPECT_NEAR(points.distance[v], nearest, 0.02 * points.radius.back());
  }
}

TEST(Sampling, EveryNewSampleIsTheFurthestVertex) {
  const TriMesh sphere = icosphere(3);
  GeodesicSolver solver(sphere);
  const FurthestPoints points = furthest_point_vertices(solver, {.count = 20});
  VectorXd distance = VectorXd::Constant(sphere.vertex_count(), infinity);
  for (std::size_t i = 0; i < points.ids.size(); ++i) {
    EXPECT_TRUE(i == 0 || distance[points.ids[i]] == distance.maxCoeff());
    solver.add_sources(distance, {&points.ids[i], 1});
    EXPECT_EQ(points.radius[i], distance.maxCoeff());
  }
  EXPECT_EQ(distance, points.distance);
}

// Boxes of 1, 3 and 2 cubes, one beside the other.
TetMesh three_boxes() {
  return box_tets(8, 1, 1, 1, 0, nullptr, [](int i, int, int) { return i != 1 && i != 5; });
}

TEST(Sampling, EveryComponentGetsOneTheLargestFirst) {
  const TetMesh boxes = three_boxes();
  const FurthestPoints points = furthest_point_vertices(boxes, {.count = 4});
  EXPECT_EQ(points.components, 3);
  EXPECT_EQ(points.components_without, 0);
  const auto x = [&](std::size_t i) { return boxes.vertices(points.ids[i], 0); };
  EXPECT_TRUE(x(0) >= 2 && x(0) <= 5);
  EXPECT_TRUE(x(1) >= 6);
  EXPECT_TRUE(x(2) <= 1);
  EXPECT_EQ(points.radius[0], infinity);
  EXPECT_EQ(points.radius[1], infinity);
  EXPECT_TRUE(std::isfinite(points.radius[2]));

  const FurthestPoints few = furthest_point_elements(boxes, {.count = 2});
  EXPECT_EQ(few.components_without, 1);
  EXPECT_EQ(few.radius.back(), infinity);
  EXPECT_TRUE(few.distance.array().isNaN().count() == 0);
}

TEST(Sampling, KeepsTheGivenOnesFirst) {
  const TetMesh boxes = three_boxes();
  const std::vector<int> start{30, 7, 30, 3};  // one of them twice
  const FurthestPoints points = furthest_point_elements(boxes, {.count = 8, .start = start});
  ASSERT_EQ(points.ids.size(), 8u);
  EXPECT_EQ(points.ids[0], 30);
  EXPECT_EQ(points.ids[1], 7);
  EXPECT_EQ(points.ids[2], 3);
  EXPECT_EQ(std::set<int>(points.ids.begin(), points.ids.end()).size(), 8u);
  for (std::size_t i = 0; i + 1 < points.radius.size(); ++i)
    EXPECT_GE(points.radius[i], points.radius[i + 1]);
  for (const int e : points.ids)
    for (int k = 0; k < 4; ++k) EXPECT_EQ(points.distance[boxes.tets(e, k)], 0);
}

TEST(Sampling, AskedForMoreThanThereAreGivesAll) {
  const TetMesh boxes = three_boxes();
  const FurthestPoints vertices = furthest_point_vertices(boxes, {.count = 1000});
  EXPECT_EQ(std::set<int>(vertices.ids.begin(), vertices.ids.end()).size(), vertices.ids.size());
  EXPECT_EQ(vertices.radius.back(), 0);
  for (const int v : vertices.ids) EXPECT_EQ(vertices.distance[v], 0);
  std::set<int> used(boxes.tets.data(), boxes.tets.data() + boxes.tets.size());
  EXPECT_EQ(vertices.ids.size(), used.size());
  EXPECT_EQ(furthest_point_elements(boxes, {.count = 1000}).ids.size(),
            static_cast<std::size_t>(boxes.tet_count()));
  EXPECT_TRUE(furthest_point_vertices(boxes, {.count = 0}).ids.empty());
}

TEST(Sampling, LeavesOutVerticesOfNoElementAndSurvivesCoincidentOnes) {
  TriMesh plane = grid_plane(4, 4, 1);
  plane.vertices.conservativeResize(27, 3);
  plane.vertices.bottomRows(2) << 9, 9, 9, 8, 8, 8;
  plane.vertices.row(7) = plane.vertices.row(8);
  const FurthestPoints points = furthest_point_vertices(plane, {.count = 100});
  EXPECT_EQ(points.ids.size(), 25u);
  EXPECT_EQ(points.distance[25], infinity);
  EXPECT_EQ(points.nearest[26], -1);
  EXPECT_TRUE(furthest_point_vertices(TriMesh{Points(0, 3), Triangles(0, 3)}).ids.empty());
}

TEST(Sampling, RefusesBadInput) {
  const TriMesh plane = grid_plane(4, 4, 1);
  const std::vector<int> outside{25};
  EXPECT_THROW(furthest_point_vertices(plane, {.count = -1}), InputError);
  EXPECT_THROW(furthest_point_vertices(plane, {.start = outside}), InputError);
  const std::vector<int> three{3, 1, 2}, twice{3, 1, 3};
  EXPECT_THROW(furthest_point_vertices(plane, {.count = 2, .start = three}), InputError);
  EXPECT_EQ(furthest_point_vertices(plane, {.count = 3, .start = three}).ids, three);
  EXPECT_EQ(furthest_point_vertices(plane, {.count = 2, .start = twice}).ids, (std::vector{3, 1}));
  const auto stop = [](std::string_view, double) { throw Interrupted(); };
  EXPECT_THROW(furthest_point_vertices(plane, {.progress = stop}), Interrupted);
}

}  // namespace
TEST(Sampling, SpreadsOverTheSurfaceOfASolid) {
  const TetMesh mesh = make_shape("bear", {.tets = 3000});
  const Triangles surface = boundary_triangles(mesh.tets);
  const std::vector<int> chosen = spread_over_surface(mesh.vertices, surface, 50);
  EXPECT_EQ(chosen.size(), 50u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  const std::set<int> outside(surface.data(), surface.data() + surface.size());
  for (const int v : chosen) EXPECT_EQ(outside.count(v), 1u);
  EXPECT_EQ(spread_over_surface(mesh.vertices, surface, 1000000).size(), outside.size());
  EXPECT_TRUE(spread_over_surface(mesh.vertices, surface, 0).empty());
}

}  // namespace pliant
