#include "pliant/geometry/line_of_sight.h"

#include <gtest/gtest.h>

#include "support/simple_meshes.h"

namespace pliant {
namespace {

// A block of 12 x 10 x 4 with a slot 3 wide from the top down to y = 4.
constexpr double slot_left = 5, slot_right = 8, slot_bottom = 4;
TetMesh slotted_block() {
  return testing_support::box_tets(12, 10, 4, 1, 0, nullptr,
                                   [](int i, int j, int) { return j < 4 || i < 5 || i >= 8; });
}

// Length of the part of segment a-b that lies in the slot made narrower by `margin` on all sides,
// or wider where it is negative.
double length_in_slot(const Vector3d& a, const Vector3d& b, double margin) {
  double begin = 0, end = 1;
  const auto clip = [&](double from,
                        double to) {  // the part where a value running from `from` to `to` is positive
    if (from <= 0 && to <= 0) end = -1;
    if (from < 0 && to > 0) begin = std::max(begin, from / (from - to));
    if (from > 0 && to < 0) end = std::min(end, from / (from - to));
  };
  clip(a.x() - slot_left - margin, b.x() - slot_left - margin);
  clip(slot_right - margin - a.x(), slot_right - margin - b.x());
  clip(a.y() - slot_bottom - margin, b.y() - slot_bottom - margin);
  return std::max(0.0, end - begin) * (b - a).norm();
}

TEST(LineOfSight, EndsWhereTheSegmentEntersTheSlot) {
  const TetMesh block = slotted_block();
  const detail::SolidSight sight{block.tets, tet_neighbors(block.tets, block.vertex_count()),
                                 vertex_elements(block.tets, block.vertex_count())};
  Rng rng(1);
  int hidden = 0, visible = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto p = static_cast<std::int32_t>(rng.integer(block.vertex_count()));
    const auto v = static_cast<std::int32_t>(rng.integer(block.vertex_count()));
    if (p == v || sight.at_vertex.row(p).empty() || sight.at_vertex.row(v).empty()) continue;
    const Vector3d a = block.vertices.row(p), b = block.vertices.row(v);
    const bool sees = sight.sees(block.vertices, p, v);
    if (length_in_slot(a, b, -0.05) == 0) {
      EXPECT_TRUE(sees) << a.transpose() << " to " << b.transpose();
      ++visible;
    } else if (length_in_slot(a, b, 0.2) > 0) {  // deeper than what counts as running along a wall
      EXPECT_FALSE(sees) << a.transpose() << " to " << b.transpose();
      ++hidden;
    }
  }
  EXPECT_GT(visible, 1000);
  EXPECT_GT(hidden, 1000);
}

TEST(LineOfSight, NotchesAreTheEdgesAtTheBottomOfTheSlot) {
  const TetMesh block = slotted_block();
  const auto found =
      detail::notches(block.vertices, block.tets, tet_neighbors(block.tets, block.vertex_count()), 0.05);
  EXPECT_EQ(found.size(), 10u);
  for (const std::int32_t v : found) {
    EXPECT_EQ(block.vertices(v, 1), slot_bottom);
    EXPECT_TRUE(block.vertices(v, 0) == slot_left || block.vertices(v, 0) == slot_right);
  }
  const TetMesh convex = testing_support::box_tets(4, 5, 6, 1);
  EXPECT_TRUE(
      detail::notches(convex.vertices, convex.tets, tet_neighbors(convex.tets, convex.vertex_count()), 0.05)
          .empty());
}

TEST(LineOfSight, StepsAreCountedAlongEdges) {
  const TriMesh plane = testing_support::grid_plane(9, 7, 1);
  const Adjacency edges = vertex_neighbors(plane.triangles, plane.vertex_count());
  const std::vector<std::uint8_t> steps = detail::steps_from(edges, {0});
  // Diagonals rise to the right: from the corner they save a step each.
  for (Index v = 0; v < plane.vertex_count(); ++v)
    EXPECT_EQ(steps[static_cast<std::size_t>(v)], plane.vertices.row(v).maxCoeff());
}

}  // namespace
}  // namespace pliant
