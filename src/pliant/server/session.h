#pragma once
// The simulation that viewers see and steer, on a thread of its own. A step never waits for a viewer.
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "pliant/server/background.h"
#include "pliant/server/body_modes.h"
#include "pliant/server/body_pose.h"
#include "pliant/server/ghost.h"
#include "pliant/server/messages.h"
#include "pliant/server/recorder.h"
#include "pliant/server/request_queue.h"
#include "pliant/server/scratch_folder.h"
#include "pliant/server/shelf.h"
#include "pliant/server/stage.h"

namespace pliant::server {

struct SessionOptions {
  bool paused = false;                 ///< in the beginning
  bool real_time = true;               ///< false: as fast as it goes
  bool pause_without_viewers = false;  ///< stands still while nobody looks
  double frames_per_second = 60;       ///< at most; only what changed is sent
  int tets = 20000;                    ///< about how many fill a surface that is opened
};

/// How a session speaks; none of these may wait.
struct Outbox {
  std::function<void(int client, Bytes text)> send;
  std::function<void(Bytes text)> send_to_all;
  std::function<void(std::vector<Bytes> frames, bool in_order)> frames;
  std::function<void(int client, std::vector<Bytes> frames)> frames_to;
};

class Session {
 public:
  Session(StageSource source, const std::string& title, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(Outbox outbox);
  void stop();  ///< waits for the step that runs; may be called twice

  // === Any thread
  bool ask(int client, Request request) {
    return queue_.push(client, std::move(request));
  }                                                                       ///< false: too many
  Bytes file(const std::string& path) const { return shelf_.get(path); }  ///< null: not there
  bool preparing() const { return preparation_.busy(); }
  std::int64_t steps() const { return steps_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int nobody = 0;

  // === The loop
  void run();
  void handle_requests();
  void move_on();
  bool wants_step(Clock::time_point now) const;
  void step_once(Clock::time_point now);
  void take_ghost();
  void take_preparation();
  void publish(bool in_order = false);
  std::vector<Bytes> frames();
  void tell(Clock::time_point now);
  void wait(Clock::time_point now);
  void show(std::shared_ptr<Stage> stage, std::shared_ptr<ScratchFolder> files);
  void announce_scene();

  // === Requests
  void handle(int client, const Request& request);
  void on(int client, const Joined&);
  void on(int client, const Left&);
  void on(int client, const Wheel&);
  void on(int client, const Pause&);
  void on(int client, const StepOnce&);
  void on(int client, const Reset&);
  void on(int client, const Pull&);
  void on(int client, const Release&);
  void on(int client, const Set&);
  void on(int client, const Rebuild&);
  void on(int client, const GhostSwitch&);
  void on(int client, const Show&);
  void on(int client, const ModeChoice&);
  void on(int client, const Record&);
  void on(int client, const Edit&);
  void on(int client, const EditHandles&);
  void on(int client, const EditMove&);
  void on(int client, const AskPositions&);
  void on(int client, const OpenShape&);
  void on(int client, const Upload&);

  void send(int client, const Json& message) { outbox_.send(client, text(message)); }
  void send_to_all(const Json& message) { outbox_.send_to_all(text(message)); }
  void give_wheel(int client);
  std::size_t checked_body(int body) const;
  void end_pulls(int client);
  Vector3d within_reach(const Vector3d& way) const;
  void end_specials();  ///< modes and poses, which stand in the way of motion
  void end_recording();
  void write_recording();  ///< of one that ended, as soon as nothing else is prepared
  void prepare(const std::string& what, Background::Work work);
  void open(const std::string& name, Bytes bytes);

  SessionOptions options_;
  Outbox outbox_;
  RequestQueue queue_;
  Shelf shelf_;
  ScratchFolder scratch_;

  // === Only the session's thread
  std::shared_ptr<ScratchFolder> files_;  // of a mesh that was sent
  std::shared_ptr<Stage> stage_;
  std::uint32_t version_ = 1;
  Switches switches_;
  int single_steps_ = 0;
  Clock::time_point next_step_{}, next_frame_{}, next_stats_{}, next_progress_{}, last_stats_{};
  bool dirty_ = true;          // something that is seen changed since the last frame
  bool state_changed_ = true;  // what state_message says
  std::vector<Bytes> latest_;
  StepStatistics statistics_;

  std::vector<int> clients_;  // in the order in which they came
  int driver_ = nobody;
  std::set<int> energy_askers_;
  Clock::time_point next_energy_{};
  std::optional<Measures> energy_;

  struct Held {
    std::size_t body = 0;
    int vertex = 0, drag = 0;
  };
  std::map<std::pair<int, int>, Held> pulls_;  // by client and its own number
  void let_go(const Held& held);

  std::vector<Asked> asked_;  // taken from the queue; those from next_asked_ on wait for the next turn
  std::size_t next_asked_ = 0;

  std::map<std::size_t, BodyModes> modes_;  // of bodies, once found
  Clock::time_point mode_start_{};
  std::unique_ptr<BodyPose> pose_;
  std::shared_ptr<Recorder> recorder_, recorded_;
  std::shared_ptr<const Recorder> motion_;  // the last that ended, for bodies that are made anew from it

  std::shared_ptr<Ghost> ghost_;
  bool ghost_steps_ = false;  // now, on its own thread
  bool ghost_restarts_ = false;
  std::vector<Points> ghost_surfaces_;
  std::optional<GhostError> ghost_error_;

  std::string preparing_;  // what viewers are told of
  int preparing_for_ = nobody;
  std::string hidden_path_;  // left out of sentences

  std::atomic<std::int64_t> steps_{0};
  std::atomic<bool> stop_{false};

  // Last: their threads use all of the above.
  Background preparation_{[this] { queue_.wake(); }};
  Background ghost_thread_{[this] { queue_.wake(); }};
  std::thread thread_;
};

}  // namespace pliant::server
