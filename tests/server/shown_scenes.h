#pragma once
// Small things on show.
#include <gtest/gtest.h>

#include <map>

#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/safetensors.h"
#include "pliant/scene/scene.h"
#include "pliant/server/server.h"
#include "server/loopback_client.h"
#include "support/temporary_folder.h"

namespace pliant::testing_support {

inline Json small_hrpd() {
  return {{"kind", "hrpd"},      {"handles", 10},   {"samples", 60},
          {"fitted_handles", 8}, {"iterations", 4}, {"contact_samples", 30}};
}
inline Json small_fem() {
  return {{"kind", "reduced_fem"}, {"modes", 3}, {"samples", 25}, {"poses", 40}, {"contact_samples", 20}};
}

/// A bar that is held at one end.
inline Json bar(const Json& simulator, int tets = 400) {
  return {
      {"name", "bar"},
      {"shape", {{"name", "bar"}, {"tets", tets}}},
      {"material", {{"kind", "neo_hookean"}, {"young", 2e5}, {"poisson", 0.4}}},
      {"fixed", Json::array({{{"box", {{"low", {0, 0, 0}}, {"high", {0.01, 1, 1}}}}, {"relative", true}}})},
      {"simulator", simulator}};
}

/// One that nothing holds.
inline Json free_bar(const Json& simulator, int tets = 400) {
  Json body = bar(simulator, tets);
  body.erase("fixed");
  return body;
}

inline std::shared_ptr<Scene> make_scene(const Json& body, const std::filesystem::path& folder = {}) {
  const Json words = {{"bodies", Json::array({body})}};
  return std::make_shared<Scene>(Scene::from_text(words.dump(), folder));
}

/// A surface that tets carry.
inline void write_ball(const std::filesystem::path& file) {
  const TetMesh ball = make_shape("sphere", {.tets = 1500});
  const Surface surface = extract_surface(ball);
  write_mesh(file, {surface.mesh.vertices, surface.mesh.triangles, Tets(0, 4)});
}

/// A server that runs.
class RunningServer {
 public:
  explicit RunningServer(SessionSource source, ServerOptions options = {.port = 0})
      : server_(std::move(source), options) {
    server_.start();
  }
  explicit RunningServer(const Json& body, ServerOptions options = {.port = 0})
      : RunningServer(make_scene(body), options) {}

  Server& operator*() { return server_; }
  Server* operator->() { return &server_; }
  int port() const { return server_.port(); }
  LoopbackClient join() const { return LoopbackClient(server_.port()); }

 private:
  Server server_;
};

/// What a page does with data and a frame, written once more: positions of all points.
inline Points decode(const std::string& blob, const ReceivedFrame& frame) {
  const SafetensorsFile data(blob, "data");
  Points x = data.matrix<float>("rest", 3).cast<double>();
  if (frame.kind != 1) {
    x.resize(static_cast<Index>(frame.points.size() / 3), 3);
    for (Index i = 0; i < x.rows(); ++i)
      for (Index c = 0; c < 3; ++c)
        x(i, c) = static_cast<double>(frame.numbers[static_cast<std::size_t>(c)]) +
                  static_cast<double>(frame.numbers[static_cast<std::size_t>(3 + c)]) *
                      frame.points[static_cast<std::size_t>(3 * i + c)];
    return x;
  }
  const auto q = [&](std::size_t i) { return static_cast<double>(frame.numbers.at(i)); };
  if (data.has("U")) {
    const auto U = data.matrix<float>("U");
    for (Index i = 0; i < x.rows(); ++i)
      for (Index c = 0; c < 3; ++c)
        for (Index j = 0; j < U.cols(); ++j)
          x(i, c) += static_cast<double>(U(3 * i + c, j)) * q(static_cast<std::size_t>(j));
    return x;
  }
  const auto first = data.values<std::uint32_t>("first");
  const auto handle = data.values<std::uint16_t>("handle");
  const auto columns = data.matrix<float>("columns", 4);
  for (Index i = 0; i < x.rows(); ++i)
    for (std::uint32_t e = first[static_cast<std::size_t>(i)]; e < first[static_cast<std::size_t>(i) + 1];
         ++e)
      for (std::size_t k = 0; k < 4; ++k)
        for (Index c = 0; c < 3; ++c)
          x(i, c) += static_cast<double>(columns(e, static_cast<Index>(k))) *
                     q(12 * std::size_t{handle[e]} + 3 * k + static_cast<std::size_t>(c));
  return x;
}

/// A viewer with what it needs to draw a body.
struct Looking {
  LoopbackClient client;
  Json hello, scene;
  std::string data;  // of the first body

  explicit Looking(int port) : client(port) {
    hello = client.wait_for("hello");
    scene = client.wait_for("scene");
    fetch(port);
  }
  void fetch(int port) { data = http(port, scene["bodies"][0]["data"].get<std::string>()).body; }
  double diagonal() const {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double side = scene["box"][1][c].get<double>() - scene["box"][0][c].get<double>();
      sum += side * side;
    }
    return std::sqrt(sum);
  }
  /// Time stands, and what was drawn last is compared with what the simulator says.
  void expect_frames_tell_positions(double tolerance = 1e-4) {
    client.send({{"type", "pause"}, {"on", true}});
    client.wait_for("state", [](const Json& state) { return state["paused"].get<bool>(); });
    const int points = scene["bodies"][0]["points"].get<int>();
    std::vector<int> ids;
    for (int p = 0; p < points; p += std::max(1, points / 500)) ids.push_back(p);
    client.send({{"type", "positions"}, {"body", 0}, {"points", ids}});
    const Json exact = client.wait_for("positions");
    const double time = exact["time"].get<double>();
    const auto told = [&](const ReceivedFrame& one) {
      return one.kind != 3 && !one.numbers.empty() && one.time == time && one.version == exact["version"];
    };
    const ReceivedFrame frame = told(client.last_frame()) ? client.last_frame() : client.wait_for_frame(told);
    const Points seen = decode(data, frame);
    ASSERT_EQ(seen.rows(), points);
    ASSERT_EQ(exact["values"].size(), 3 * ids.size());
    double largest = 0;
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        largest = std::max(largest, std::abs(exact["values"][3 * i + c].get<double>() -
                                             seen(ids[i], static_cast<Index>(c))));
    EXPECT_LT(largest, tolerance * diagonal());
  }
};

}  // namespace pliant::testing_support
