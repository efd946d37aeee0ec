#pragma once
// Bodies in motion, shown in a browser and pulled with the mouse: docs/server.md.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pliant/server/stage.h"

namespace pliant {

/// What is shown: a scene, or a simulator with its mesh (server::lone_simulator). Nobody else may use it while it is.
using SessionSource = server::StageSource;

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< to listen on; others than this machine need another
  int port = 8080;                    ///< 0: any that is free
  bool next_free_port = true;         ///< where the port is taken, the next ones are tried
  std::vector<std::string> allowed_hosts =
      {};  ///< names beside localhost by which browsers may ask for the page
  std::string title = "Pliant";
  bool paused = false;                 ///< in the beginning
  bool real_time = true;               ///< false: as fast as it goes
  bool pause_without_viewers = false;  ///< stands still while nobody looks
  int tets = 20000;                    ///< about how many fill a surface that a viewer opens
};

struct ServerStatistics {
  std::int64_t steps = 0;
  std::int64_t frames_sent = 0, frames_missed = 0;  ///< summed over viewers
  std::int64_t bytes_sent = 0;
  std::int64_t viewers_seen = 0;
  double network_cpu_seconds = 0;  ///< of the thread that speaks to browsers
};

/// Runs on threads of its own from start() to stop(). One thread at a time.
class Server {
 public:
  /// Draws the bodies and takes the port; throws InputError where that cannot be had.
  explicit Server(SessionSource source, const ServerOptions& options = {});
  ~Server();  ///< stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  void stop();  ///< closes all viewers and waits for the step that runs; may be called twice

  int port() const;
  std::string url() const;  ///< of the page
  ServerStatistics statistics() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pliant
