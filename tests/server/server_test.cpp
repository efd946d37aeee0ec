// What a viewer sees and does. All of it runs on several threads.
#include "pliant/server/server.h"

#include <gtest/gtest.h>

#include <thread>

#include "pliant/base/error.h"
#include "server/shown_scenes.h"

namespace pliant {
namespace {

using namespace testing_support;

bool is_paused(const Json& state) { return state["paused"].get<bool>(); }

}  // namespace

TEST(ServerThreads, AViewerIsGreetedWithTheSceneItsStateAndAFrame) {
  RunningServer server(bar(small_hrpd()));
  Looking viewer(server.port());
  const Json state = viewer.client.wait_for("state");
  EXPECT_EQ(viewer.hello["protocol"], 1);
  EXPECT_GT(viewer.hello["shapes"].size(), 5u);
  EXPECT_FALSE(is_paused(state));
  EXPECT_EQ(state["stiffness"], 1);
  EXPECT_FALSE(state["floor"]["on"].get<bool>());
  EXPECT_TRUE(viewer.client.wait_for("driver")["driver"].get<bool>());
  const Json& body = viewer.scene["bodies"][0];
  EXPECT_EQ(body["name"], "bar");
  EXPECT_EQ(body["method"], "hrpd");
  EXPECT_EQ(body["decode"], "skinning");
  EXPECT_EQ(body["handles"], 10);
  EXPECT_EQ(body["points"],
            body["surface"].get<int>() + body["samples"].get<int>() + body["handles"].get<int>());
  EXPECT_GT(body["fixed"], 0);
  EXPECT_TRUE(body["can_rebuild"].get<bool>());
  EXPECT_EQ(body["methods"]["hrpd"]["parameters"][0]["value"], 10);
  const ReceivedFrame first = viewer.client.wait_for_frame();
  EXPECT_EQ(first.kind, 1u);
  EXPECT_EQ(first.version, viewer.scene["version"]);
  EXPECT_EQ(first.count, 12u * 10);
  // It moves by itself.
  viewer.client.wait_for_frame([&](const ReceivedFrame& frame) { return frame.time > first.time; });
  const Json stats =
      viewer.client.wait_for("stats", [](const Json& s) { return s["steps_per_s"].get<double>() > 0; });
  EXPECT_GT(stats["step_us"].get<double>(), 0);
  EXPECT_TRUE(stats["phases"].contains("local"));
  EXPECT_TRUE(stats["energy"].is_null());
}

TEST(ServerThreads, FramesTellWhereThePointsAre) {
  const TemporaryFolder folder;
  write_ball(folder / "ball.obj");
  const Json carried = {{"mesh", "ball.obj"}, {"tets", 300}, {"simulator", small_hrpd()}};
  for (const auto& scene :
       {make_scene(bar(small_hrpd())), make_scene(carried, folder.path()), make_scene(bar(small_fem())),
        make_scene(bar({{"kind", "projective_dynamics"}, {"iterations", 2}}, 200))}) {
    RunningServer server(scene);
    Looking viewer(server.port());
    viewer.client.wait_for_frame([](const ReceivedFrame& frame) { return frame.time > 0.1; });
    viewer.expect_frames_tell_positions();
  }
}

TEST(ServerThreads, APulledPointComesTowardsTheCursor) {
  RunningServer server(bar(small_hrpd()));
  Looking viewer(server.port());
  const Points rest = decode(viewer.data, [] {
    ReceivedFrame still;
    still.kind = 1;
    still.numbers.assign(120, 0);
    return still;
  }());
  Index point = 0;
  rest.topRows(viewer.scene["bodies"][0]["surface"].get<int>()).col(0).maxCoeff(&point);
  const Vector3d target = rest.row(point).transpose() + Vector3d(0, 0.4, 0);
  viewer.client.send({{"type", "set"}, {"gravity", {0, 0, 0}}});
  viewer.client.send(
      {{"type", "pull"}, {"body", 0}, {"point", point}, {"target", {target.x(), target.y(), target.z()}}});
  viewer.client.wait_for_frame([&](const ReceivedFrame& frame) {
    return decode(viewer.data, frame)(point, 1) > rest(point, 1) + 0.1;
  });
  // Moved, the pull follows; released, the bar swings back.
  viewer.client.send({{"type", "pull"},
                      {"body", 0},
                      {"point", point},
                      {"target", {target.x(), target.y() - 0.8, target.z()}}});
  viewer.client.wait_for_frame([&](const ReceivedFrame& frame) {
    return decode(viewer.data, frame)(point, 1) < rest(point, 1) - 0.05;
  });
  viewer.client.send({{"type", "release"}});
  viewer.client.send({{"type", "set"}, {"damping", 5}});
  viewer.client.wait_for_frame([&](const ReceivedFrame& frame) {
    return std::abs(decode(viewer.data, frame)(point, 1) - rest(point, 1)) < 0.02;
  });
}

TEST(ServerThreads, TimeStandsStepsAndBeginsAgain) {
  RunningServer server(bar(small_hrpd()), {.port = 0, .paused = true});
  Looking viewer(server.port());
  EXPECT_TRUE(is_paused(viewer.client.wait_for("state")));
  const ReceivedFrame first = viewer.client.wait_for_frame();
  EXPECT_EQ(first.time, 0);
  EXPECT_EQ(first.flags & 1, 1);
  viewer.client.send({{"type", "step"}});
  viewer.client.send({{"type", "step"}});
  viewer.client.wait_for_frame([](const ReceivedFrame& f) { return std::abs(f.time - 2.0 / 60) < 1e-9; });
  viewer.client.send({{"type", "pause"}, {"on", false}});
  viewer.client.wait_for("state", [](const Json& state) { return !is_paused(state); });
  viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time > 0.2 && (f.flags & 1) == 0; });
  viewer.client.send({{"type", "pause"}, {"on", true}});
  viewer.client.wait_for("state", is_paused);
  viewer.client.send({{"type", "reset"}});
  const ReceivedFrame again =
      viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time == 0; });
  EXPECT_EQ(again.numbers, first.numbers);
  // Whoever comes while time stands sees it too.
  LoopbackClient late = server.join();
  EXPECT_EQ(late.wait_for_frame().time, 0);
}

TEST(ServerThreads, SettingsAreLimitedAndToldToAll) {
  RunningServer server(bar(small_hrpd()), {.port = 0, .paused = true});
  Looking driver(server.port());
  LoopbackClient other = server.join();
  driver.client.send({{"type", "set"},
                      {"stiffness", 1e9},
                      {"volume", 1.5},
                      {"gravity", {0, -1e9, 3}},
                      {"damping", -4},
                      {"time_step", 0.01},
                      {"iterations", 7},
                      {"real_time", false},
                      {"floor", {{"on", true}, {"height", -0.5}}},
                      {"sphere", {{"on", true}, {"center", {0.5, 1, 0}}, {"radius", 0.2}}}});
  const Json state = other.wait_for("state", [](const Json& s) { return s["iterations"] == 7; });
  EXPECT_EQ(state["stiffness"], 1e3);
  EXPECT_EQ(state["volume"], 1.5);
  EXPECT_EQ(state["gravity"], Json({0, -1000, 3}));
  EXPECT_EQ(state["damping"], 0);
  EXPECT_EQ(state["time_step"], 0.01);
  EXPECT_FALSE(state["real_time"].get<bool>());
  EXPECT_EQ(state["floor"]["height"], -0.5);
  EXPECT_EQ(state["sphere"]["radius"], 0.2);
  driver.client.send({{"type", "step"}});
  driver.client.wait_for_frame([](const ReceivedFrame& f) { return std::abs(f.time - 0.01) < 1e-9; });
}

TEST(ServerThreads, ABodyFallsOnAFloorThatIsSwitchedOn) {
  RunningServer server(free_bar(small_hrpd()));
  Looking viewer(server.port());
  viewer.client.send({{"type", "set"}, {"floor", {{"on", true}, {"height", -0.3}}}, {"damping", 1}});
  viewer.client.wait_for("state", [](const Json& s) { return s["floor"]["on"].get<bool>(); });
  const ReceivedFrame late =
      viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time > 1.5; });
  const Points x = decode(viewer.data, late);
  EXPECT_GT(x.col(1).minCoeff(), -0.36);
  EXPECT_LT(x.col(1).minCoeff(), -0.2);
}

TEST(ServerThreads, OneViewerDrivesUntilAnotherTakesTheWheelOrItLeaves) {
  RunningServer server(bar(small_hrpd()), {.port = 0, .paused = true});
  auto first = std::make_unique<LoopbackClient>(server.port());
  EXPECT_TRUE(first->wait_for("hello")["driver"].get<bool>());
  LoopbackClient second = server.join();
  EXPECT_FALSE(second.wait_for("hello")["driver"].get<bool>());
  second.send({{"type", "reset"}});
  EXPECT_TRUE(contains(second.wait_for("error")["message"].get<std::string>(), "wheel"));
  second.send({{"type", "wheel"}});
  second.wait_for("driver", [](const Json& d) { return d["driver"].get<bool>() && d["clients"] == 2; });
  first->wait_for("driver", [](const Json& d) { return !d["driver"].get<bool>() && d["clients"] == 2; });
  second.send({{"type", "pause"}, {"on", false}});
  first->wait_for("state", [](const Json& s) { return !is_paused(s); });
  LoopbackClient third = server.join();
  third.wait_for("hello");
  second.close();
  first->wait_for("driver", [](const Json& d) { return d["driver"].get<bool>() && d["clients"] == 2; });
  first.reset();
  third.wait_for("driver", [](const Json& d) { return d["driver"].get<bool>() && d["clients"] == 1; });
}

TEST(ServerThreads, EnergiesComeOnlyToThoseWhoAsk) {
  RunningServer server(bar(small_hrpd()));
  LoopbackClient client = server.join();
  client.send({{"type", "show"}, {"energy", true}});
  const Json stats = client.wait_for("stats", [](const Json& s) { return !s["energy"].is_null(); });
  EXPECT_TRUE(stats["energy"].contains("elastic"));
  client.send({{"type", "show"}, {"energy", false}});
  client.wait_for("stats", [](const Json& s) { return s["energy"].is_null(); });
}

TEST(ServerThreads, AsFastAsItGoesIsFasterThanRealTime) {
  RunningServer server(bar(small_hrpd()));
  LoopbackClient client = server.join();
  client.wait_for_frame();
  client.send({{"type", "set"}, {"real_time", false}, {"time_step", 0.001}});
  client.wait_for("stats", [](const Json& s) { return s["steps_per_s"].get<double>() > 100; });
}

TEST(ServerThreads, ASlowViewerMissesFramesAndHoldsNobodyUp) {
  RunningServer server(bar({{"kind", "projective_dynamics"}, {"iterations", 1}}, 6000),
                       {.port = 0, .real_time = false});
  LoopbackClient quick = server.join();
  LoopbackClient slow(server.port(), {.slow = true});
  ASSERT_TRUE(slow.connected());
  const auto start = std::chrono::steady_clock::now();
  while (server->statistics().frames_missed < 5) {
    quick.read_for(0.1);
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
  // The others go on meanwhile.
  const std::int64_t steps = server->statistics().steps;
  const std::size_t frames = quick.frames_received();
  quick.read_for(1);
  EXPECT_GT(server->statistics().steps, steps);
  EXPECT_GT(quick.frames_received(), frames);
  // Time stands: the slow one, once it reads, sees the last of all.
  quick.send({{"type", "pause"}, {"on", true}});
  quick.wait_for("state", is_paused);
  quick.send({{"type", "positions"}, {"body", 0}, {"points", Json::array({0})}});
  const double time = quick.wait_for("positions")["time"].get<double>();
  slow.wait_for_frame([&](const ReceivedFrame& f) { return f.time == time; });
}

TEST(ServerThreads, ItEndsWhileViewersLookAndAPortIsFreeAgain) {
  auto scene = make_scene(bar(small_hrpd()));
  int port = 0;
  {
    RunningServer server(scene);
    port = server.port();
    LoopbackClient client = server.join();
    client.wait_for_frame();
    server->stop();
    server->stop();
    EXPECT_EQ(client.wait_for_close(), 1001);
  }
  Server again(scene, {.port = port, .next_free_port = false});
  EXPECT_EQ(again.port(), port);
  again.start();
  // A second server takes the next port, or says why it cannot.
  Server beside(make_scene(bar(small_hrpd())), {.port = port});
  EXPECT_GT(beside.port(), port);
  EXPECT_TRUE(contains(
      message_of([&] { Server(make_scene(bar(small_hrpd())), {.port = port, .next_free_port = false}); }),
      "cannot listen"));
  EXPECT_TRUE(
      contains(message_of([&] { Server(make_scene(bar(small_hrpd())), {.address = "nowhere", .port = 0}); }),
               "not an address"));
}

TEST(ServerThreads, ASimulatorByItselfIsShownAndLeftWhereItIs) {
  const auto scene = make_scene(bar(small_hrpd()));
  const std::shared_ptr<Simulator> simulator(scene, scene->bodies()[0].simulator.get());
  double time = 0;
  {
    RunningServer server(server::lone_simulator(simulator));
    Looking viewer(server.port());
    EXPECT_FALSE(viewer.scene["bodies"][0]["can_rebuild"].get<bool>());
    viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time > 0.05; });
    viewer.expect_frames_tell_positions();
    viewer.client.send(
        {{"type", "rebuild"}, {"body", 0}, {"method", "hrpd"}, {"parameters", Json::object()}});
    EXPECT_TRUE(contains(viewer.client.wait_for("error")["message"].get<std::string>(), "made of"));
    server->stop();
    time = simulator->time();
  }
  EXPECT_GT(time, 0.05);
  simulator->step();
  EXPECT_GT(simulator->time(), time);
}

}  // namespace pliant
