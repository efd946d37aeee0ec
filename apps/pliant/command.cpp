#include "command.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace pliant::app {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_requested = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second Ctrl-C has its usual meaning
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return stop_requested; }

void add_common(CLI::App& command, bool& json, const std::string& example) {
  command.add_flag("--json", json, "Print one JSON object instead of text");
  command.footer("Example:\n" + example);
}

CLI::Validator number_where(std::function<bool(double)> holds, const std::string& expected) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && holds(value)) return std::string();
        return fmt::format("found '{}'; expected {}", text, expected);
      },
      "");
}

CLI::Validator number_from(double low, double high) {
  return number_where([=](double x) { return low <= x && x <= high; },
                      fmt::format("a number from {} to {}", low, high));
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error("cannot write to standard output");
}

void print_json(const Json& json) {
  // Bytes of a file name that are not UTF-8 must not stop the output.
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Progress CommandProgress::callback() {
  return [this](std::string_view phase, double fraction) {
    if (interrupted()) throw Interrupted();
    bar_.update(phase, fraction);
  };
}

}  // namespace pliant::app
