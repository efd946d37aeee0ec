#include "pliant/scene/region.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/scene/scene_schema.h"

namespace pliant {
namespace {

const TetMesh grid = structured_grid({0, 0, 0}, {4, 2, 2}, {4, 2, 2});

/// Through the table, as scenes do.
std::vector<int> selected(const std::string& region) {
  const Json scene =
      read_scene_text(R"({"bodies": [{"shape": {"name": "bar"}, "fixed": [)" + region + "]}]}");
  return select_vertices(scene["bodies"][0]["fixed"][0], grid.vertices, "fixed[0]");
}

TEST(Region, EachKindSelectsWhatItSays) {
  EXPECT_EQ(selected(R"({"all": true})").size(), 45u);
  EXPECT_EQ(selected(R"({"box": {"low": [0, 0, 0], "high": [0, 2, 2]}})").size(), 9u);
  EXPECT_EQ(selected(R"({"plane": {"point": [1, 0, 0], "normal": [1, 0, 0]}})").size(), 18u);
  EXPECT_EQ(selected(R"({"sphere": {"center": [2, 1, 1], "radius": 1}})").size(), 7u);
  EXPECT_EQ(selected(R"({"vertices": [3, 1, 3]})"), (std::vector<int>{1, 3}));
}

TEST(Region, RelativeCoordinatesAreFractionsOfTheBox) {
  EXPECT_EQ(selected(R"({"box": {"low": [0.75, 0, 0], "high": [1, 1, 1]}, "relative": true})").size(), 18u);
}

TEST(Region, OneThatSelectsNothingIsRefusedWithTheBodysBox) {
  try {
    selected(R"({"sphere": {"center": [9, 9, 9], "radius": 1}})");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "fixed[0] selects no vertex; the body's vertices lie in [0, 0, 0] to [4, 2, 2]");
  }
  EXPECT_THROW(selected(R"({"vertices": [45]})"), InputError);
  EXPECT_THROW(selected(R"({"plane": {"point": [1, 0, 0], "normal": [0, 0, 0]}})"), InputError);
}

}  // namespace
}  // namespace pliant
