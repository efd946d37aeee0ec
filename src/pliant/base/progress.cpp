#include "pliant/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace pliant {

ProgressBar::ProgressBar(std::FILE* stream) : stream_(stream), on_terminal_(isatty(fileno(stream)) != 0) {}

ProgressBar::~ProgressBar() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void ProgressBar::update(std::string_view phase, double fraction) {
  if (!on_terminal_) return;
  const auto now = Clock::now();
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
  } else if (now - last_draw_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_draw_ = now;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double elapsed = std::chrono::duration<double>(now - phase_start_).count();

  constexpr int width = 30;
  const int filled = static_cast<int>(fraction * width);
  std::string line = fmt::format("\r\x1b[K{:<24} [{}{}] {:3.0f} %", phase_, std::string(filled, '#'),
                                 std::string(width - filled, '-'), 100 * fraction);
  // An estimate from the first moments jumps about: wait for a second of evidence.
  if (elapsed > 1 && fraction > 0.02 && fraction < 1)
    line += fmt::format("  {:.0f} s left", elapsed * (1 - fraction) / fraction);
  std::fputs(line.c_str(), stream_);
  std::fflush(stream_);
  drawn_ = true;
}

}  // namespace pliant
