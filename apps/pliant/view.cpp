// pliant view: bodies in a browser, to be pulled.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "load_scene.h"
#include "pliant/server/server.h"

namespace pliant::app {
namespace {

struct Arguments {
  BodySource source;
  Reduction reduction;
  ServerOptions server;
  bool floor = true, browser = true, fast = false, json = false;
};

/// Shows the page, where there is a screen to show it on. Not waited for.
void open_browser(const std::string& url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  // Twice: the browser then is nobody's child, and nobody needs to ask how it ended.
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      const int nowhere = open("/dev/null", O_RDWR);
      for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
      execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void run(Arguments& arguments) {
  BodySource& source = arguments.source;
  if (source.input.empty()) source.input = "squid";
  std::shared_ptr<Scene> scene;
  {
    CommandProgress progress;
    scene = std::make_shared<Scene>(
        load_scene(source, arguments.reduction, arguments.floor, progress.callback()));
  }
  arguments.server.title = std::filesystem::path(source.input).filename().string();
  arguments.server.real_time = !arguments.fast;
  arguments.server.tets = source.tets;
  Server server(scene, arguments.server);
  server.start();
  if (arguments.json)
    print_json({{"url", server.url()}, {"port", server.port()}});
  else
    print(fmt::format("{} is at {}\nPull it with the mouse. Ctrl-C ends.\n", arguments.server.title,
                      server.url()));
  if (arguments.browser) open_browser(server.url());
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.stop();
}

}  // namespace

void add_view(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("view", "Show a scene, a model or a mesh in a browser, to be pulled");
  add_body_source(*command, arguments->source);
  command->get_option("input")->required(false)->description(
      "A scene (.json), a model (.pliant), a mesh file or the name of a shape, which is reduced first; by "
      "default the "
      "squid");
  command
      ->add_option("--port", arguments->server.port,
                   "Where browsers find it; 0: any that is free; one that is taken: "
                   "the next that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option(
          "--address", arguments->server.address,
          "Address to listen on; 0.0.0.0 also answers other machines, which then can do all that you can")
      ->capture_default_str();
  command->add_option("--allow-host", arguments->server.allowed_hosts,
                      "A name beside localhost by which browsers may ask; may come several times");
  command->add_flag("!--no-browser", arguments->browser, "Do not open a browser");
  command->add_flag("--paused", arguments->server.paused, "Time stands in the beginning");
  command->add_flag("--fast", arguments->fast, "As fast as it goes instead of in real time");
  command->add_flag("!--no-floor", arguments->floor,
                    "No floor below a model, mesh or shape that nothing holds");
  add_reduction(*command, arguments->reduction);
  add_common(*command, arguments->json,
             "  pliant view\n"
             "  pliant view bunny.obj --handles 60\n"
             "  pliant view scenes/drop.json --port 0 --no-browser");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace pliant::app
