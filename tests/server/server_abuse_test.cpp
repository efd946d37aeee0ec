// Whatever comes over the wire, the server goes on serving the others.
#include <gtest/gtest.h>

#include "pliant/base/rng.h"
#include "server/shown_scenes.h"

namespace pliant {
namespace {

using namespace testing_support;

/// It answers, and it moves.
void expect_serving(const RunningServer& server) {
  LoopbackClient client = server.join();
  ASSERT_TRUE(client.connected());
  client.wait_for("hello");
  const double time = client.wait_for_frame().time;
  client.wait_for_frame([&](const ReceivedFrame& frame) { return frame.time > time; });
}

}  // namespace

TEST(ServerThreads, MalformedMessagesCloseOnlyWhoSentThem) {
  RunningServer server(bar(small_hrpd()));
  LoopbackClient witness = server.join();
  witness.wait_for("hello");
  Rng rng(3);
  const std::vector<std::string> sound = {
      R"({"type":"pull","body":0,"point":3,"target":[1,2,3]})",
      R"({"type":"set","stiffness":2,"floor":{"on":true}})",
      R"({"type":"edit_handles","handles":[{"points":[1,2],"translation":[0,1,0]}]})",
      R"({"type":"mode","body":0,"index":1,"amplitude":0.1})"};
  for (int i = 0; i < 200; ++i) {
    LoopbackClient client = server.join();
    ASSERT_TRUE(client.connected());
    if (i % 20 == 0) {
      client.send_text(std::string(70000, 'x'));
      EXPECT_EQ(client.wait_for_close(), 1009);
      continue;
    }
    if (i % 20 == 1) {
      client.send_binary("\x01\x02\x03");
    } else if (i % 20 == 2) {
      client.send_text(std::string(60000, '{'));
    } else if (i % 20 == 3) {
      client.send_text("{\"type\": \"pull\xff\xfe\"}");  // not UTF-8
      client.wait_for_close();
      continue;
    } else {
      // A sound message with a byte changed, cut short or doubled, until it is one no more.
      std::string text = sound[static_cast<std::size_t>(i) % sound.size()];
      const auto at = static_cast<std::size_t>(rng.uniform(0, static_cast<double>(text.size())));
      if (i % 3 == 0)
        text.resize(at);
      else if (i % 3 == 1)
        text[at] = '"';
      else
        text.insert(at, "[[{");
      client.send_text(text + "!");
    }
    EXPECT_EQ(client.wait_for_close(), 1008) << i;
    EXPECT_FALSE(client.close_reason().empty());
  }
  witness.wait_for_frame();
  expect_serving(server);
}

TEST(ServerThreads, MessagesThatDoNotFitTheSceneAreAnsweredAndTheViewerStays) {
  RunningServer server(bar(small_hrpd()));
  LoopbackClient client = server.join();
  for (const Json& message :
       {Json{{"type", "pull"}, {"body", 9}, {"point", 0}, {"target", {0, 0, 0}}},
        Json{{"type", "pull"}, {"body", 0}, {"point", 1000000}, {"target", {0, 0, 0}}},
        Json{{"type", "positions"}, {"body", 0}, {"points", Json::array({1000000})}},
        Json{{"type", "mode"}, {"body", 0}, {"index", 5000}},
        Json{{"type", "edit_handles"}, {"handles", Json::array()}},
        Json{{"type", "edit_move"}, {"handle", 0}},
        Json{{"type", "rebuild"}, {"body", 0}, {"method", "magic"}},
        Json{{"type", "rebuild"}, {"body", 0}, {"method", "hrpd"}, {"parameters", {{"handles", 0}}}},
        Json{{"type", "rebuild"}, {"body", 0}, {"method", "hrpd"}, {"parameters", {{"scheme", 0}}}},
        Json{{"type", "open"}, {"shape", "../../etc/passwd"}}}) {
    client.send(message);
    EXPECT_FALSE(client.wait_for("error")["message"].get<std::string>().empty()) << message;
  }
  // Far away is brought near: nothing breaks.
  client.send(
      {{"type", "pull"}, {"body", 0}, {"point", 0}, {"target", {1e300, -1e300, 0}}, {"strength", 1e300}});
  client.send({{"type", "set"}, {"sphere", {{"on", true}, {"center", {1e300, 0, 0}}, {"radius", 1e300}}}});
  const double time = client.wait_for_frame().time;
  const ReceivedFrame later =
      client.wait_for_frame([&](const ReceivedFrame& f) { return f.time > time + 0.2; });
  for (const float q : later.numbers) ASSERT_TRUE(std::isfinite(q));
}

TEST(ServerThreads, AbruptDisconnectsLeaveItServing) {
  RunningServer server(bar(small_hrpd()));
  for (int i = 0; i < 50; ++i) {
    LoopbackClient client = server.join();
    ASSERT_TRUE(client.connected());
    if (i % 3 == 1) client.wait_for_frame();
    if (i % 3 == 2) client.send({{"type", "pull"}, {"body", 0}, {"point", 0}, {"target", {0, 1, 0}}});
  }
  expect_serving(server);
  // Those who left drive no more and pull no more.
  LoopbackClient client = server.join();
  client.wait_for("driver", [](const Json& d) { return d["driver"].get<bool>() && d["clients"] == 1; });
}

TEST(ServerThreads, TooManyMessagesOrViewersAreTurnedAway) {
  RunningServer server(bar(small_hrpd()));
  LoopbackClient client = server.join();
  client.wait_for("hello");
  for (int i = 0; i < 2000; ++i) client.send({{"type", "show"}, {"energy", false}});
  EXPECT_EQ(client.wait_for_close(), 1008);
  EXPECT_TRUE(contains(client.close_reason(), "messages a second"));

  std::vector<LoopbackClient> crowd;
  for (int i = 0; i < 70; ++i) {
    crowd.push_back(server.join());
    if (!crowd.back().connected()) break;
    crowd.back().wait_for("hello");
  }
  EXPECT_EQ(crowd.size(), 65u);
  EXPECT_EQ(crowd.back().handshake_status(), 503);
  crowd.clear();
  expect_serving(server);
}

TEST(ServerThreads, OnlyFilesOfThePageAndDataAreServed) {
  RunningServer server(bar(small_hrpd()));
  const int port = server.port();
  const HttpReply page = http(port, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.type.starts_with("text/html"));
  EXPECT_EQ(http(port, "/", {.method = "HEAD"}).status, 200);
  for (const char* path :
       {"/../../etc/passwd", "/assets/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/assets/..%2f..%2fetc%2fpasswd", "/data/1", "/data/1/1", "/data/2/0", "/data/-1/0", "/data/1/0/",
        "/data/../data/1/0", "/recording.glb", "/index.htm", "/open", "/.git/config"})
    EXPECT_EQ(http(port, path).status, 404) << path;
  EXPECT_EQ(http(port, "/data/1/0").status, 200);
  EXPECT_EQ(http(port, "/data/1/0?again").status, 200);
  for (const char* method : {"PUT", "DELETE", "POST", "OPTIONS", "PATCH"})
    EXPECT_EQ(http(port, "/", {.method = method}).status, 405);
  EXPECT_EQ(http(port, "/ws").status, 426);
  EXPECT_EQ(http(port, "/", {.body = "a body"}).status, 413);
  EXPECT_EQ(LoopbackClient(port, {.path = "/elsewhere"}).handshake_status(), 404);
}

TEST(ServerThreads, PagesOfOthersAreRefused) {
  RunningServer server(bar(small_hrpd()));
  const int port = server.port();
  const std::string ours = "http://127.0.0.1:" + std::to_string(port);
  EXPECT_EQ(http(port, "/", {.host = "evil.example"}).status, 403);
  EXPECT_EQ(http(port, "/data/1/0", {.host = ""}).status, 403);
  EXPECT_EQ(http(port, "/", {.host = "localhost"}).status, 200);
  EXPECT_EQ(http(port, "/", {.origin = ours}).status, 200);
  EXPECT_EQ(http(port, "/", {.origin = "http://evil.example"}).status, 403);
  EXPECT_EQ(
      http(port, "/open?name=a.obj", {.method = "POST", .origin = "http://evil.example", .body = "v 0 0 0"})
          .status,
      403);
  EXPECT_EQ(LoopbackClient(port, {.host = "evil.example"}).handshake_status(), 403);
  EXPECT_EQ(LoopbackClient(port, {.origin = "http://evil.example"}).handshake_status(), 403);
  EXPECT_EQ(LoopbackClient(port, {.origin = "null"}).handshake_status(), 403);
  EXPECT_TRUE(LoopbackClient(port, {.origin = ours}).connected());
}

TEST(ServerThreads, WhatIsNotHttpIsDropped) {
  RunningServer server(bar(small_hrpd()));
  Rng rng(5);
  for (int i = 0; i < 30; ++i) {
    std::string bytes;
    for (int k = 0; k < 300; ++k) bytes += static_cast<char>(rng.uniform(0, 256));
    raw(server.port(), i % 2 == 0 ? bytes : "GET / HTTP/1.1\r\n" + bytes);
  }
  raw(server.port(), "GET /" + std::string(40000, 'a') + " HTTP/1.1\r\n\r\n");
  raw(server.port(),
      "POST /open?name=a.obj HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n");
  raw(server.port(),
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  expect_serving(server);
}

}  // namespace pliant
