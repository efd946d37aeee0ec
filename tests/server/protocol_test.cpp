#include "pliant/server/protocol.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pliant/base/error.h"
#include "pliant/server/url.h"
#include "support/temporary_folder.h"

namespace pliant::server {
namespace {

using testing_support::contains;
using testing_support::message_of;

template <class T>
T read_as(const std::string& text) {
  return std::get<T>(read_request(text));
}

}  // namespace

TEST(Protocol, EveryRequestIsReadAsItIsWritten) {
  EXPECT_NO_THROW(read_as<Wheel>(R"({"type": "wheel"})"));
  EXPECT_TRUE(read_as<Pause>(R"({"type": "pause", "on": true})").on);
  EXPECT_NO_THROW(read_as<StepOnce>(R"({"type": "step"})"));
  EXPECT_NO_THROW(read_as<Reset>(R"({"type": "reset"})"));
  const auto pull = read_as<Pull>(
      R"({"type": "pull", "body": 1, "point": 7, "target": [1, 2.5, -3], "strength": 2, "id": 4})");
  EXPECT_EQ(pull.body, 1);
  EXPECT_EQ(pull.point, 7);
  EXPECT_EQ(pull.target, Vector3d(1, 2.5, -3));
  EXPECT_EQ(pull.strength, 2);
  EXPECT_EQ(pull.id, 4);
  EXPECT_EQ(read_as<Release>(R"({"type": "release"})").id, 0);
  const auto set = read_as<Set>(
      R"({"type": "set", "stiffness": 2, "gravity": [0, 1, 0], "floor": {"on": true, "height": -1}, "sphere": {"on": false}})");
  EXPECT_EQ(*set.stiffness, 2);
  EXPECT_FALSE(set.volume);
  EXPECT_EQ(*set.gravity, Vector3d(0, 1, 0));
  EXPECT_EQ(*set.floor->height, -1);
  EXPECT_FALSE(set.sphere->on);
  const auto rebuild =
      read_as<Rebuild>(R"({"type": "rebuild", "body": 0, "method": "hrpd", "parameters": {"handles": 5}})");
  EXPECT_EQ(rebuild.method, "hrpd");
  EXPECT_EQ(rebuild.parameters["handles"], 5);
  EXPECT_TRUE(read_as<GhostSwitch>(R"({"type": "ghost", "on": true})").on);
  EXPECT_TRUE(read_as<Show>(R"({"type": "show", "energy": true})").energy);
  EXPECT_FALSE(read_as<ModeChoice>(R"({"type": "mode"})").index);
  EXPECT_EQ(*read_as<ModeChoice>(R"({"type": "mode", "body": 0, "index": 3, "amplitude": 0.2})").index, 3);
  EXPECT_FALSE(read_as<Record>(R"({"type": "record", "on": false})").on);
  EXPECT_EQ(read_as<Edit>(R"({"type": "edit", "on": true, "body": 2})").body, 2);
  const auto handles = read_as<EditHandles>(
      R"({"type": "edit_handles", "handles": [{"points": [1, 2], "translation": [0, 1, 0], "rotation": [0, 0, 1]}]})");
  EXPECT_EQ(handles.handles.at(0).points, std::vector({1, 2}));
  EXPECT_EQ(read_as<EditMove>(R"({"type": "edit_move", "handle": 1, "translation": [0, 1, 0]})").translation,
            Vector3d(0, 1, 0));
  EXPECT_EQ(read_as<AskPositions>(R"({"type": "positions", "body": 0, "points": [3]})").points,
            std::vector({3}));
  EXPECT_EQ(read_as<OpenShape>(R"({"type": "open", "shape": "bear"})").shape, "bear");
}

TEST(Protocol, WhatItDoesNotHaveIsRefused) {
  for (const char* text : {"",
                           "nonsense",
                           "[]",
                           "null",
                           "1",
                           "{}",
                           R"({"type": 1})",
                           R"({"type": "fly"})",
                           R"({"type": "pause"})",
                           R"({"type": "pause", "on": 1})",
                           R"({"type": "pause", "on": true, "more": 1})",
                           R"({"type": "pull", "body": 0, "point": 1})",
                           R"({"type": "pull", "body": -1, "point": 1, "target": [0, 0, 0]})",
                           R"({"type": "pull", "body": 0.5, "point": 1, "target": [0, 0, 0]})",
                           R"({"type": "pull", "body": 0, "point": 1e30, "target": [0, 0, 0]})",
                           R"({"type": "pull", "body": 0, "point": 1, "target": [0, 0]})",
                           R"({"type": "pull", "body": 0, "point": 1, "target": [0, 0, "0"]})",
                           R"({"type": "pull", "body": 0, "point": 1, "target": [0, 0, 1e999]})",
                           R"({"type": "set", "stiffness": null})",
                           R"({"type": "set", "floor": true})",
                           R"({"type": "set", "floor": {"height": 1}})",
                           R"({"type": "set", "speed": 1})",
                           R"({"type": "edit_handles", "handles": [1]})",
                           R"({"type": "edit_handles", "handles": [{"points": 1}]})",
                           R"({"type": "positions", "body": 0, "points": [1.5]})",
                           R"({"type": "open", "shape": ["bear"]})",
                           "{\"type\": \"wh\xff\"}"})
    EXPECT_FALSE(message_of([&] { read_request(text); }).empty()) << text;
  EXPECT_TRUE(contains(message_of([] { read_request(R"({"type": "pause"})"); }), "on is missing"));
  // Nested as deep as a message can be.
  EXPECT_FALSE(message_of([] { read_request(std::string(60000, '[')); }).empty());
  EXPECT_FALSE(message_of([] { read_request(std::string(30000, '[') + std::string(30000, ']')); }).empty());
}

TEST(Protocol, PositionsInSixteenBitsAreWithinHalfAStep) {
  const Points x = (Points(4, 3) << 0, 0, 5, 1, -2, 5, 0.3, 7, 5, 0.123, 3.21, 5).finished();
  const Bytes bytes = positions_frame(
      {.kind = FrameKind::positions, .version = 3, .body = 1, .paused = true, .time = 0.5}, x);
  ASSERT_EQ(bytes->size(), 24u + 24 + 2 * 12);
  float box[6];
  std::memcpy(box, bytes->data() + 24, sizeof box);
  for (Index i = 0; i < 4; ++i)
    for (Index c = 0; c < 3; ++c) {
      std::uint16_t u = 0;
      std::memcpy(&u, bytes->data() + 48 + 2 * (3 * i + c), 2);
      EXPECT_NEAR(static_cast<double>(box[c]) + static_cast<double>(box[3 + c]) * u, x(i, c),
                  9.0 / 65535 / 2 + 1e-6);
    }
}

TEST(Protocol, OnlyOurOwnNamesAndPagesAreAnswered) {
  const NetworkOptions options{.address = "192.168.1.5", .allowed_hosts = {"workstation"}};
  for (const char* host :
       {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]:80", "192.168.1.5:80", "workstation:8080"})
    EXPECT_TRUE(host_is_ours(host, options)) << host;
  for (const char* host :
       {"", "evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", ":80", "192.168.1.55"})
    EXPECT_FALSE(host_is_ours(host, options)) << host;
  EXPECT_TRUE(origin_is_ours("", "localhost:8080"));
  EXPECT_TRUE(origin_is_ours("http://localhost:8080", "localhost:8080"));
  for (const char* origin :
       {"http://localhost:8081", "http://localhost", "https://localhost:8080", "null", "http://evil.example"})
    EXPECT_FALSE(origin_is_ours(origin, "localhost:8080")) << origin;
  EXPECT_EQ(query_value("a=1&name=my%20bunny.obj&b", "name"), "my bunny.obj");
  EXPECT_EQ(query_value("a=1", "name"), "");
  EXPECT_EQ(query_value("name=%zz%4", "name"), "%zz%4");
}

}  // namespace pliant::server
