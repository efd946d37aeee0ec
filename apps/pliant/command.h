#pragma once
// What the subcommands share: how they are registered, how they print, how they stop.
#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "pliant/base/error.h"
#include "pliant/base/progress.h"

namespace pliant::app {

using Json = nlohmann::ordered_json;

/// The words of the command line are wrong in a way the parser cannot see. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// One file a subcommand; each adds itself to the program.
void add_bench(CLI::App& program);
void add_edit(CLI::App& program);
void add_export(CLI::App& program);
void add_info(CLI::App& program);
void add_modes(CLI::App& program);
void add_reduce(CLI::App& program);
void add_shape(CLI::App& program);
void add_simulate(CLI::App& program);
void add_snapshots(CLI::App& program);
void add_tetrahedralize(CLI::App& program);
void add_view(CLI::App& program);

/// Adds `--json` and the example that ends the help text.
void add_common(CLI::App& command, bool& json, const std::string& example);

/// Refuses what is not a number, or one for which `holds` is false, with "found 'nan'; expected <expected>".
CLI::Validator number_where(std::function<bool(double)> holds, const std::string& expected);
/// The same for numbers from low to high; CLI::Range takes what is not a number, too.
CLI::Validator number_from(double low, double high);

/// Prints to standard output; a broken pipe or a full disk there is an error, not silence.
void print(const std::string& text);
void print_json(const Json& json);

/// A progress bar on a terminal, nothing in a pipe; stops the work on Ctrl-C.
class CommandProgress {
 public:
  Progress callback();

 private:
  ProgressBar bar_;
};

/// Makes the first Ctrl-C stop long work cleanly, and a second one end the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace pliant::app
