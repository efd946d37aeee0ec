#pragma once
// Long work beside the simulation: one thing at a time, on a thread of its own.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pliant/base/progress.h"

namespace pliant::server {

/// Work returns what is left to do with its result, which the owner does on its own thread when it has time.
class Background {
 public:
  using Finish = std::function<void()>;
  using Work = std::function<Finish(const Progress&)>;

  /// @param wake  called, on the thread of the work, when it is done
  explicit Background(std::function<void()> wake);
  ~Background();  ///< the work is asked to stop (its progress throws Interrupted), and waited for

  bool busy() const;  ///< also while a result waits to be taken
  void start(Work work);

  /// What became of the work, once: `finish`, or a sentence why not.
  struct Result {
    Finish finish;
    std::string error;
  };
  std::optional<Result> take();

  struct State {
    std::string what;
    double part = 0;
  };
  State progress() const;

 private:
  void run();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Work work_;
  std::optional<Result> result_;
  State progress_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace pliant::server
