#include "pliant/scene/handles_file.h"

#include <gtest/gtest.h>

#include "pliant/geometry/structured_grid.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const TetMesh grid = structured_grid({0, 0, 0}, {4, 2, 2}, {4, 2, 2});
const std::vector<int> fixed = {0, 1, 2};

HandlesFile read(const std::string& text) { return read_handles_text(text, {grid.vertices, fixed, 50}); }

TEST(HandlesFile, SaysWhichPartGoesWhere) {
  const HandlesFile file = read(R"({"samples": 7, "handles": [
      {"where": {"box": {"low": [0, 0, 0], "high": [0, 2, 2]}}},  // held
      {"where": {"sphere": {"center": [4, 1, 1], "radius": 1}}, "translation": [1, 2, 3],
       "rotation_axis": [0, 0, -2], "rotation_degrees": 90, "center": [4, 0, 1], "stiffness": 0.5},
      {"where": {"vertices": [7, 3]}}]})");
  ASSERT_EQ(file.handles.size(), 3u);
  EXPECT_EQ(file.samples, 7);
  EXPECT_EQ(file.handles[0].vertices.size(), 9u);
  EXPECT_TRUE(file.handles[0].translation.isZero(0) && file.handles[0].rotation.isZero(0));
  EXPECT_FALSE(file.handles[0].centre.has_value());
  EXPECT_EQ(file.handles[0].stiffness, 50);
  EXPECT_EQ(file.handles[1].vertices.size(), 6u);  // the middle, its four neighbours on the end, one inside
  EXPECT_EQ(file.handles[1].translation, Vector3d(1, 2, 3));
  EXPECT_LT((file.handles[1].rotation - Vector3d(0, 0, -M_PI / 2)).norm(), 1e-15);
  EXPECT_EQ(file.handles[1].centre, Vector3d(4, 0, 1));
  EXPECT_EQ(file.handles[1].stiffness, 25);
  EXPECT_EQ(file.handles[2].vertices, (std::vector<int>{3, 7}));
  EXPECT_EQ(read(R"({"handles": [{"where": {"all": true}}]})").samples, HandleOptions{}.samples);
}

TEST(HandlesFile, WhatCannotBeGetsASentence) {
  const auto refused = [](const std::string& handle) {
    return message_of([&] { read(R"({"handles": [)" + handle + "]}"); });
  };
  EXPECT_EQ(refused(R"({"where": {"sphere": {"center": [9, 9, 9], "radius": 1}}})"),
            "handles[0].where selects no vertex; the body's vertices lie in [0, 0, 0] to [4, 2, 2]");
  EXPECT_EQ(refused(R"({"where": {"vertices": [45]}})"),
            "handles[0].where.vertices[0] is 45; expected 0 to 44, as the mesh has");
  EXPECT_EQ(refused(R"({"where": {"all": true}, "translate": [0, 0, 1]})"),
            "handles[0].translate is not a key of handle; did you mean translation?");
  EXPECT_EQ(refused(R"({"where": {"all": true}, "translation": 3})"),
            "handles[0].translation is 3; expected three numbers [x, y, z]");
  EXPECT_EQ(refused(R"({"where": {"all": true}, "stiffness": 0})"),
            "handles[0].stiffness is 0; expected a number from 1e-06 to 1e+06");
  EXPECT_EQ(refused(R"({"where": {"all": true}, "rotation_axis": [0, 0, 0]})"),
            "handles[0].rotation_axis is zero; expected a direction");
  EXPECT_EQ(
      refused(R"({"where": {"vertices": [0, 2]}, "translation": [0, 0, 1]})"),
      "handles[0].where selects 2 vertices that are all fixed in the body; expected some that can move");
  EXPECT_EQ(refused(""), "handles has 0 entries; expected at least 1");
  EXPECT_EQ(message_of([] { read("{}"); }),
            "handles is missing; expected a list of an object {...}: which parts go where");
  // What is fixed may be held.
  EXPECT_EQ(read(R"({"handles": [{"where": {"vertices": [0, 2]}}]})").handles.size(), 1u);
}

TEST(HandlesFile, ErrorsCarryTheNameOfTheFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "handles.json", "{\"handles\": 3}");
  const std::string message = message_of([&] {
    read_handles(folder / "handles.json", {grid.vertices, fixed, 50});
  });
  EXPECT_TRUE(contains(message, "handles.json: handles is 3; expected a list")) << message;
}

TEST(HandlesFile, ItsSchemaNamesEveryKey) {
  const Json schema = handles_schema();
  EXPECT_EQ(schema["title"], "Pliant handles");
  EXPECT_TRUE(schema["properties"]["handles"]["items"]["properties"].contains("rotation_degrees"));
}

}  // namespace
}  // namespace pliant
