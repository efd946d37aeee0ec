// pliant bench view: what it costs to be looked at.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "bench.h"
#include "load_scene.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/server/server.h"
#include "viewer_crowd.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string mesh, shape = "squid", first_frame;
  Index vertices = 200000;
  int viewers = 20, handles = 120;
  double seconds = 5;
  bool json = false;
};

/// How long it takes from a mesh file to what a browser can draw.
Json first_frame(const Arguments& a) {
  ViewerCrowd crowd;
  CommandProgress progress;
  BodySource source;
  source.input = a.first_frame;
  const auto start = std::chrono::steady_clock::now();
  const auto since = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto scene = std::make_shared<Scene>(load_scene(source, {}, true, progress.callback()));
  const double loaded = since();
  Server server(scene, {.port = 0});
  server.start();
  const double served = since();
  const ViewerCrowd::Seen seen = crowd.look(server.port(), 1, 0);
  return {{"mesh", a.first_frame},
          {"vertices", scene->bodies()[0].simulator->vertex_count()},
          {"shown_points", scene->bodies()[0].shown.vertices.rows()},
          {"prepare_s", loaded},
          {"draw_s", served - loaded},
          {"first_frame_s", served + seen.first_frame_seconds}};
}

Json many_viewers(const Arguments& a) {
  ViewerCrowd crowd;
  CommandProgress progress;
  const TetMesh mesh = bench_mesh(a.mesh, a.shape, a.vertices);
  const Points& X = mesh.vertices;
  ReduceHrpdOptions options;
  options.positions.handles = a.handles;
  options.progress = progress.callback();
  options.measure = false;
  const Body body(mesh, SolidMaterial{make_material("neo_hookean", 1e5, 0.4), 1000}, {.fixed = bottom(X)});
  const auto model = std::make_shared<const HrpdModel>(reduce_hrpd(body, options));
  auto simulator = std::make_shared<Hrpd>(model);
  const Index dofs = model->degrees_of_freedom();
  Server server(server::lone_simulator(simulator), {.port = 0});
  server.start();

  const auto steps_alone = [&] {
    const std::int64_t before = server.statistics().steps;
    std::this_thread::sleep_for(std::chrono::duration<double>(a.seconds));
    return static_cast<double>(server.statistics().steps - before) / a.seconds;
  };
  const double alone = steps_alone();
  const ServerStatistics before = server.statistics();
  const auto start = std::chrono::steady_clock::now();
  const ViewerCrowd::Seen seen = crowd.look(server.port(), a.viewers, a.seconds);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const ServerStatistics after = server.statistics();
  return {{"vertices", X.rows()},
          {"dofs", dofs},
          {"viewers", seen.viewers},
          {"frames_per_s", seen.frames_per_second},
          {"fewest_frames_per_s", seen.fewest_frames_per_second},
          {"bytes_per_frame", seen.bytes_per_frame},
          {"frames_missed", after.frames_missed - before.frames_missed},
          {"network_cpu_part", (after.network_cpu_seconds - before.network_cpu_seconds) / seconds},
          {"steps_per_s", static_cast<double>(after.steps - before.steps) / seconds},
          {"steps_per_s_without_viewers", alone}};
}

void run(const Arguments& a) {
  const Json json = a.first_frame.empty() ? many_viewers(a) : first_frame(a);
  if (a.json)
    print_json(json);
  else
    print(table(json));
}

}  // namespace

void add_bench_view(CLI::App& bench) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = bench.add_subcommand(
      "view", "Frames to many viewers at once in real time, or the way of a mesh to its first frame");
  command->add_option("--mesh", a->mesh, "A file with tets; otherwise a shape of ours");
  command->add_option("--shape", a->shape, "Which shape")->capture_default_str();
  command->add_option("--vertices", a->vertices, "About how many, of the shape")->capture_default_str();
  command->add_option("--handles", a->handles, "Twelve degrees of freedom each")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str();
  command->add_option("--viewers", a->viewers, "Who look at it")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--seconds", a->seconds, "For how long")
      ->check(number_from(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--first-frame", a->first_frame,
                      "A mesh file: how long until a browser has its first frame");
  add_common(*command, a->json,
             "  pliant bench view --viewers 20 --json\n  pliant bench view --first-frame bunny.obj");
  command->callback([a] { run(*a); });
}

}  // namespace pliant::app
