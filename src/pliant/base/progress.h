#pragma once
// How long work tells how far it is, and how it is asked to stop.
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace pliant {

/// Called by long work with what it does now and the fraction done, 0 to 1, always on the thread that called
/// the work. It may throw (`Interrupted`): the work then unwinds and leaves nothing half-made. Empty means
/// nobody asks.
using Progress = std::function<void(std::string_view phase, double fraction)>;

inline void report(const Progress& progress, std::string_view phase, double fraction) {
  if (progress) progress(phase, fraction);
}

/// Draws "phase  [#####-----]  52 %  3 s left" on a terminal, redrawn at most ten times a second, and nothing
/// at all when the stream is a pipe or a file. Erases itself when it ends.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream = stderr);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::string_view phase, double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool on_terminal_;
  bool drawn_ = false;
  std::string phase_;
  Clock::time_point phase_start_{};
  Clock::time_point last_draw_{};
};

}  // namespace pliant
