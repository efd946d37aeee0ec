#include "pliant/editing/handles.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

std::vector<int> all_of(const Points& x) {
  std::vector<int> ids(static_cast<std::size_t>(x.rows()));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

TEST(Handles, SamplesAreSpreadOverTheRegion) {
  const TriMesh plane = grid_plane(20, 20, 0.05);
  const HandleSprings springs =
      sample_handles(plane.vertices, {{.vertices = all_of(plane.vertices)}}, {.samples = 16, .stiffness = 8});
  ASSERT_EQ(springs.count(), 16);
  EXPECT_DOUBLE_EQ(springs.stiffness.sum(), 8);
  double nearest = 1, furthest = 0;  // of samples from each other; of vertices from samples
  for (Index i = 0; i < 16; ++i)
    for (Index j = 0; j < i; ++j)
      nearest = std::min(nearest, (springs.rest.row(i) - springs.rest.row(j)).norm());
  for (Index v = 0; v < plane.vertices.rows(); ++v)
    furthest =
        std::max(furthest, (springs.rest.rowwise() - plane.vertices.row(v)).rowwise().norm().minCoeff());
  EXPECT_GE(nearest, furthest);  // what furthest-point sampling guarantees
  EXPECT_LT(furthest, 0.3);
}

TEST(Handles, SmallRegionsAreTakenWholeAndOnce) {
  const TriMesh plane = grid_plane(4, 4, 0.25);
  const HandleSprings springs = sample_handles(
      plane.vertices, {{.vertices = {7, 3, 3}}, {.vertices = {0}, .stiffness = 5}}, {.stiffness = 2});
  EXPECT_EQ(springs.vertices, (std::vector<int>{3, 7, 0}));
  EXPECT_EQ(springs.handle, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(springs.stiffness, Vector3d(1, 1, 5));
}

TEST(Handles, TargetsAreTurnedAboutTheMiddleAndMoved) {
  Points x(4, 3);
  x << 1, 0, 0, -1, 0, 0, 0, 2, 0, 0, -2, 0;
  const std::vector<Handle> handles{
      {.vertices = {0, 1, 2, 3}, .translation = {0, 0, 3}, .rotation = {0, 0, M_PI / 2}}};
  const HandleSprings springs = sample_handles(x, handles, {});
  Points expected(4, 3);
  expected << 0, 1, 3, 0, -1, 3, -2, 0, 3, 2, 0, 3;
  EXPECT_LT((handle_targets(springs, handles) - expected).norm(), 1e-14);
  EXPECT_LT((handle_targets(springs, handles, 0) - springs.rest).norm(), 1e-15);
  // Half the way is half the turn, not half the chord.
  const Points half = handle_targets(springs, handles, 0.5);
  EXPECT_NEAR((half.row(0) - Eigen::RowVector3d(0, 0, 1.5)).norm(), 1, 1e-14);

  const std::vector<Handle> about{
      {.vertices = {0, 1, 2, 3}, .rotation = {0, 0, M_PI}, .centre = Vector3d(1, 0, 0)}};
  EXPECT_LT((handle_targets(springs, about).row(1) - Eigen::RowVector3d(3, 0, 0)).norm(), 1e-14);
}

TEST(Handles, BadInputGetsASentence) {
  const Points x = Points::Random(5, 3);
  const auto message = [&](const Handle& handle, const HandleOptions& options) {
    return message_of([&] { sample_handles(x, {handle}, options); });
  };
  EXPECT_TRUE(contains(message({}, {}), "handle 0 selects no vertex"));
  EXPECT_TRUE(contains(message({.vertices = {5}}, {}), "vertex 5; expected 0 to 4"));
  EXPECT_TRUE(contains(message({.vertices = {-1}}, {}), "vertex -1"));
  EXPECT_TRUE(contains(message({.vertices = {1}}, {.samples = 0}), "samples is 0"));
  EXPECT_TRUE(contains(message({.vertices = {1}}, {.stiffness = 0}), "expected above 0"));
}

}  // namespace
}  // namespace pliant
