// What takes a while: other models, the full simulation beside, modes, poses, recordings, other meshes.
#include <gtest/gtest.h>

#include "pliant/io/asset_file.h"
#include "pliant/io/point_cache.h"
#include "server/shown_scenes.h"

namespace pliant {
namespace {

using namespace testing_support;

void expect_prepared(LoopbackClient& client, const std::string& what) {
  client.wait_for("progress", [&](const Json& p) { return p["done"].get<bool>() && p["what"] == what; });
}

/// Of a mesh as a file.
std::string ball_bytes(const TemporaryFolder& folder) {
  write_ball(folder / "ball.obj");
  return file_bytes(folder / "ball.obj");
}

}  // namespace

TEST(ServerThreads, ABodyIsRebuiltWhileItRunsAndGoesOnFromWhereItIs) {
  RunningServer server(bar(small_hrpd()));
  Looking viewer(server.port());
  viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time > 0.3; });
  const Json old = viewer.scene;
  Points before;
  for (const auto& [method, parameters] : std::vector<std::pair<std::string, Json>>{
           {"hrpd", {{"handles", 16}, {"iterations", 3}}},
           {"reduced_fem", {{"modes", 4}, {"poses", 40}, {"samples", 30}}},
           {"projective_dynamics", {{"iterations", 3}}},
           {"newton", Json::object()}}) {
    viewer.client.send({{"type", "rebuild"}, {"body", 0}, {"method", method}, {"parameters", parameters}});
    viewer.scene = viewer.client.wait_for("scene");
    viewer.fetch(server.port());
    EXPECT_EQ(viewer.scene["bodies"][0]["method"], method);
    EXPECT_EQ(viewer.scene["bodies"][0]["vertices"], old["bodies"][0]["vertices"]);
    const auto version = viewer.scene["version"].get<std::uint32_t>();
    const ReceivedFrame frame =
        viewer.client.wait_for_frame([&](const ReceivedFrame& f) { return f.version == version; });
    EXPECT_GT(frame.time, 0.3);
    // It hangs as it hung, not at rest.
    const Points x = decode(viewer.data, frame);
    const Points rest = SafetensorsFile(viewer.data, "data").matrix<float>("rest", 3).cast<double>();
    EXPECT_GT((x - rest).rowwise().norm().maxCoeff(), 0.01) << method;
    viewer.client.wait_for_frame(
        [&](const ReceivedFrame& f) { return f.version == version && f.time > frame.time; });
  }
  EXPECT_EQ(http(server.port(), old["bodies"][0]["data"].get<std::string>()).status, 404);
  viewer.expect_frames_tell_positions();
}

TEST(ServerThreads, AGhostInFullSpaceRunsBesideTheReducedBody) {
  RunningServer server(bar(small_hrpd(), 200));
  Looking viewer(server.port());
  viewer.client.send({{"type", "ghost"}, {"on", true}});
  viewer.client.wait_for("state", [](const Json& s) { return s["ghost"].get<bool>(); });
  const ReceivedFrame first =
      viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.kind == 3; });
  EXPECT_EQ(first.count, 3 * viewer.scene["bodies"][0]["surface"].get<std::uint32_t>());
  viewer.client.wait_for_frame(
      [&](const ReceivedFrame& f) { return f.kind == 3 && f.time > first.time + 0.3; });
  const Json stats = viewer.client.wait_for(
      "stats", [](const Json& s) { return !s["ghost_error"].is_null() && s["ghost_error"]["mean"] > 0; });
  EXPECT_LT(stats["ghost_error"]["mean"], 0.2);
  EXPECT_LE(stats["ghost_error"]["mean"], stats["ghost_error"]["largest"]);
  viewer.client.send({{"type", "reset"}});
  viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.kind == 3 && f.time < 0.2; });
  viewer.client.send({{"type", "ghost"}, {"on", false}});
  viewer.client.wait_for("state", [](const Json& s) { return !s["ghost"].get<bool>(); });
  viewer.client.wait_for("stats", [](const Json& s) { return s["ghost_error"].is_null(); });
}

TEST(ServerThreads, ModesSwingInBothKindsOfSubspace) {
  for (const Json& simulator : {small_hrpd(), small_fem()}) {
    RunningServer server(bar(simulator));
    Looking viewer(server.port());
    const Json& body = viewer.scene["bodies"][0];
    EXPECT_GT(body["modes"], 3);
    viewer.client.send({{"type", "mode"}, {"body", 0}, {"index", 1}, {"amplitude", 0.2}});
    const Json frequencies = viewer.client.wait_for("modes")["frequencies"];
    ASSERT_GT(frequencies.size(), 3u);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      EXPECT_GT(frequencies[i], 0);
      if (i > 0) {
        EXPECT_GE(frequencies[i].get<double>(), 0.999 * frequencies[i - 1].get<double>());
      }
    }
    viewer.client.wait_for("state",
                           [](const Json& s) { return !s["mode"].is_null() && s["mode"]["index"] == 1; });
    const Points rest = SafetensorsFile(viewer.data, "data").matrix<float>("rest", 3).cast<double>();
    const int surface = body["surface"].get<int>();
    double largest = 0;
    viewer.client.wait_for_frame([&](const ReceivedFrame& f) {
      largest =
          std::max(largest, (decode(viewer.data, f) - rest).topRows(surface).rowwise().norm().maxCoeff());
      return largest > 0.15 * viewer.diagonal();
    });
    EXPECT_LT(largest, 0.21 * viewer.diagonal());
    viewer.client.send({{"type", "mode"}});
    viewer.client.wait_for("state", [](const Json& s) { return s["mode"].is_null(); });
    const double time = viewer.client.wait_for_frame().time;
    viewer.client.wait_for_frame([&](const ReceivedFrame& f) { return f.time > time; });
  }
}

TEST(ServerThreads, APoseIsEditedByHandles) {
  for (const Json& simulator :
       {small_fem(), small_hrpd(), Json{{"kind", "projective_dynamics"}, {"iterations", 5}}}) {
    RunningServer server(bar(simulator, 200), {.port = 0, .paused = true});
    Looking viewer(server.port());
    const Points rest = SafetensorsFile(viewer.data, "data").matrix<float>("rest", 3).cast<double>();
    const int surface = viewer.scene["bodies"][0]["surface"].get<int>();
    std::vector<int> end;
    const double far = rest.topRows(surface).col(0).maxCoeff();
    for (int p = 0; p < surface; ++p)
      if (rest(p, 0) > far - 0.05) end.push_back(p);
    viewer.client.send({{"type", "edit"}, {"on", true}, {"body", 0}});
    viewer.client.wait_for("state", [](const Json& s) { return !s["edit"].is_null(); });
    const Json handle = {{"points", end}, {"translation", {0, 0, 0}}, {"rotation", {0, 0, 0}}};
    viewer.client.send({{"type", "edit_handles"}, {"handles", Json::array({handle})}});
    viewer.client.wait_for("pose");
    viewer.client.send(
        {{"type", "edit_move"}, {"handle", 0}, {"translation", {0, 0.2, 0}}, {"rotation", {0, 0, 0}}});
    const Json pose = viewer.client.wait_for("pose");
    EXPECT_LT(pose["handle_error"], 0.08) << simulator["kind"] << pose;
    viewer.client.send({{"type", "positions"}, {"body", 0}, {"points", end}});
    const Json exact = viewer.client.wait_for("positions");
    double lifted = 0;
    for (std::size_t i = 0; i < end.size(); ++i)
      lifted +=
          (exact["values"][3 * i + 1].get<double>() - rest(end[i], 1)) / static_cast<double>(end.size());
    EXPECT_NEAR(lifted, 0.2, 0.06) << simulator["kind"];
    viewer.client.send({{"type", "edit"}, {"on", false}, {"body", 0}});
    viewer.client.wait_for("state", [](const Json& s) { return s["edit"].is_null(); });
    // It is back where it was, and time goes on.
    viewer.client.send({{"type", "positions"}, {"body", 0}, {"points", end}});
    const Json after = viewer.client.wait_for("positions");
    EXPECT_EQ(after["time"], 0);
    EXPECT_NEAR(after["values"][1].get<double>(), rest(end[0], 1), 1e-6);
    viewer.client.send({{"type", "pause"}, {"on", false}});
    viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.time > 0.1; });
  }
}

TEST(ServerThreads, PullsAndEditsDoNotGetInEachOthersWay) {
  RunningServer server(bar(small_hrpd(), 200));
  Looking viewer(server.port());
  LoopbackClient& client = viewer.client;
  const Json pull = {{"type", "pull"}, {"body", 0}, {"point", 5}, {"target", {0, 2, 0}}, {"id", 1234567}};
  client.send(pull);
  client.send({{"type", "edit"}, {"on", true}, {"body", 0}});
  client.wait_for("state", [](const Json& s) { return !s["edit"].is_null(); });
  client.send(pull);
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(), "a pose is being edited"));
  client.send({{"type", "edit"}, {"on", false}, {"body", 0}});
  client.wait_for("state", [](const Json& s) { return s["edit"].is_null(); });
  client.send({{"type", "release"}, {"id", 1234567}});
  client.send(pull);
  client.send(
      {{"type", "rebuild"}, {"body", 0}, {"method", "hrpd"}, {"parameters", {{"iterations", 10000}}}});
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(),
                       "iterations is 10000; expected 1 to 200"));
  // Another drives, and the first one leaves: no pull of its stays behind.
  LoopbackClient other = server.join();
  other.send({{"type", "wheel"}});
  other.wait_for("driver", [](const Json& d) { return d["driver"].get<bool>(); });
  other.send({{"type", "pause"}, {"on", true}});
  other.wait_for("state", [](const Json& s) { return s["paused"].get<bool>(); });
}

TEST(ServerThreads, FilesThatNameOthersAreNotOpened) {
  RunningServer server(bar(small_hrpd(), 200));
  LoopbackClient client = server.join();
  http(
      server.port(), "/open?name=x.gltf",
      {.method = "POST", .body = R"({"asset": {}, "buffers": [{"uri": "../secret.bin", "byteLength": 4}]})"});
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(), "may name others"));
}

TEST(ServerThreads, ARecordingCanBeFetchedAndRead) {
  RunningServer server(bar(small_hrpd()));
  Looking viewer(server.port());
  viewer.client.send({{"type", "record"}, {"on", true}});
  viewer.client.wait_for("state", [](const Json& s) { return s["recording"].get<bool>(); });
  const double start = viewer.client.wait_for_frame().time;
  viewer.client.wait_for_frame([&](const ReceivedFrame& f) { return f.time > start + 0.6; });
  viewer.client.send({{"type", "record"}, {"on", false}});
  const Json recorded = viewer.client.wait_for("recorded");
  EXPECT_GT(recorded["frames"], 10);
  EXPECT_GT(recorded["seconds"], 0.4);
  const TemporaryFolder folder;
  for (const Json& file : recorded["files"]) {
    const HttpReply reply = http(server.port(), file.get<std::string>());
    ASSERT_EQ(reply.status, 200) << file;
    write_bytes(folder / file.get<std::string>().substr(1), reply.body);
  }
  const int surface = viewer.scene["bodies"][0]["surface"].get<int>();
  const PointCache cache = read_pc2_file(folder / "recording.pc2");
  EXPECT_EQ(static_cast<int>(cache.frames.size()), recorded["frames"]);
  EXPECT_EQ(cache.frames[0].rows(), surface);
  EXPECT_EQ(read_mesh(folder / "recording.obj").vertices.rows(), surface);
  EXPECT_EQ(read_asset(folder / "recording.glb").triangles.rows(),
            viewer.scene["bodies"][0]["triangles"].get<int>());
  EXPECT_GT((cache.frames.back() - cache.frames.front()).norm(), 0);
}

TEST(ServerThreads, ABodyIsMadeAnewFromHowItMoved) {
  RunningServer server(bar({{"kind", "projective_dynamics"}}));
  Looking viewer(server.port());
  LoopbackClient& client = viewer.client;
  const auto rebuild = [&](const Json& parameters) {
    client.send({{"type", "rebuild"}, {"body", 0}, {"method", "hrpd"}, {"parameters", parameters}});
  };
  rebuild({{"subspace", "localized"}, {"components", 8}});
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(), "no motion was recorded"));
  client.send({{"type", "record"}, {"on", true}});
  client.wait_for("state", [](const Json& s) { return s["recording"].get<bool>(); });
  const double start = client.wait_for_frame().time;
  client.wait_for_frame([&](const ReceivedFrame& f) { return f.time > start + 0.5; });
  // Asked for while it records: the recording ends there.
  rebuild({{"subspace", "localized"}, {"components", 8}, {"fitted_space", "snapshots"}, {"samples", 100}});
  viewer.scene = client.wait_for("scene", [](const Json& s) { return s["bodies"][0]["method"] == "hrpd"; });
  EXPECT_EQ(viewer.scene["bodies"][0]["dofs"], 36);  // eight components and the affine motions, three each
  viewer.fetch(server.port());
  const auto version = viewer.scene["version"].get<std::uint32_t>();
  client.wait_for_frame([&](const ReceivedFrame& f) { return f.version == version && f.time > start + 0.8; });
  viewer.expect_frames_tell_positions();
  client.wait_for("recorded");
  // More than the frames can give: a sentence, without the server's paths.
  rebuild({{"subspace", "pca"}, {"components", 500}});
  const auto message = client.wait_for("error")["message"].get<std::string>();
  EXPECT_TRUE(contains(message, "500 components of"));
  EXPECT_FALSE(contains(message, "/tmp")) << message;
  rebuild({{"subspace", "pca"}, {"components", 6}, {"fitted_space", "handles"}});
  client.wait_for("scene", [](const Json& s) { return s["bodies"][0]["dofs"] == 30; });
}

TEST(ServerThreads, AMeshThatIsSentBecomesTheScene) {
  const TemporaryFolder folder;
  RunningServer server(bar(small_hrpd()), {.port = 0, .tets = 600});
  Looking viewer(server.port());
  const HttpReply reply =
      http(server.port(), "/open?name=my%20ball.obj", {.method = "POST", .body = ball_bytes(folder)});
  EXPECT_EQ(reply.status, 202) << reply.body;
  viewer.scene = viewer.client.wait_for("scene");
  EXPECT_EQ(viewer.scene["title"], "my_ball.obj");
  EXPECT_EQ(viewer.scene["version"], 2);
  expect_prepared(viewer.client, "my_ball.obj");
  viewer.fetch(server.port());
  EXPECT_TRUE(viewer.scene["bodies"][0]["can_rebuild"].get<bool>());
  viewer.client.wait_for_frame([](const ReceivedFrame& f) { return f.version == 2 && f.time > 0.1; });
  viewer.expect_frames_tell_positions();
  // Rebuilt, it is still there: the file that was sent is kept as long as it is shown.
  viewer.client.send({{"type", "rebuild"},
                      {"body", 0},
                      {"method", "hrpd"},
                      {"parameters", {{"handles", 8}, {"samples", 50}}}});
  viewer.client.wait_for("scene", [](const Json& s) { return s["bodies"][0]["handles"] == 8; });
}

TEST(ServerThreads, AMeshThatIsBrokenIsRefusedByItsName) {
  RunningServer server(bar(small_hrpd()), {.port = 0, .tets = 600});
  LoopbackClient client = server.join();
  client.wait_for("scene");
  EXPECT_EQ(http(server.port(), "/open?name=bunny.obj",
                 {.method = "POST", .body = "v 0 0 0\nv 1 0 zero\nf 1 2 3\n"})
                .status,
            202);
  const std::string error = client.wait_for("error")["message"].get<std::string>();
  EXPECT_TRUE(contains(error, "bunny.obj: line 2"));
  EXPECT_EQ(error.find("/tmp"), std::string::npos) << error;
  EXPECT_EQ(error.find("bodies["), std::string::npos) << error;
  for (const char* name : {"bunny.json", "bunny", "", "passwd", "..%2f..%2fbunny", "a.exe"})
    EXPECT_EQ(http(server.port(), std::string("/open?name=") + name, {.method = "POST", .body = "x"}).status,
              400)
        << name;
  EXPECT_EQ(http(server.port(), "/open?name=..%2f..%2fempty.stl", {.method = "POST", .body = ""}).status,
            202);
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(), "empty.stl"));
  EXPECT_EQ(http(server.port(), "/open?name=model.pliant", {.method = "POST", .body = "not a model"}).status,
            202);
  EXPECT_TRUE(contains(client.wait_for("error")["message"].get<std::string>(), "model.pliant"));
  // The old scene goes on.
  const double time = client.wait_for_frame().time;
  client.wait_for_frame([&](const ReceivedFrame& f) { return f.time > time && f.version == 1; });
}

TEST(ServerThreads, AShapeOfTheProgramIsOpened) {
  RunningServer server(bar(small_hrpd()), {.port = 0, .tets = 600});
  LoopbackClient client = server.join();
  client.send({{"type", "open"}, {"shape", "torus"}});
  const Json scene = client.wait_for("scene", [](const Json& s) { return s["version"] == 2; });
  EXPECT_EQ(scene["title"], "torus");
  EXPECT_EQ(scene["bodies"][0]["method"], "hrpd");
  EXPECT_TRUE(
      client.wait_for("state", [](const Json& s) { return s["floor"]["on"].get<bool>(); })["floor"]["on"]
          .get<bool>());
}

}  // namespace pliant
