// pliant: parse, call, print. Exit code 0: done; 1: failed; 2: wrong usage.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <unistd.h>

#include "command.h"
#include "pliant/base/blas_threads.h"
#include "pliant/base/parallel.h"

namespace {

// What a person reads who named no command, or one that there is not.
std::string ask_for_command(const CLI::App& program) {
  std::string commands;
  for (const CLI::App* command : program.get_subcommands({}))
    commands += (commands.empty() ? "" : ", ") + command->get_name();
  const std::vector<std::string> words = program.remaining();
  return words.empty() ? fmt::format("no command was given; expected one of {}", commands)
                       : fmt::format("there is no command '{}'; expected one of {}", words[0], commands);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pliant;
  // OpenBLAS has chosen its kernels while it was loaded: where it chose badly, once more from the beginning.
  if (const char* kernels = better_blas_kernels(); kernels && !std::getenv("OPENBLAS_CORETYPE")) {
    setenv("OPENBLAS_CORETYPE", kernels, 1);
    execv("/proc/self/exe", argv);  // where that fails, it goes on slowly
  }
  CLI::App program{"Pliant turns a mesh into a deformable object that runs in real time.", "pliant"};
  program.set_version_flag("--version", std::string("pliant ") + PLIANT_VERSION);
  program.set_help_all_flag("--help-all", "Print the help of every command");
  program.require_subcommand(1);
  program.fallthrough();  // --threads may stand behind the command, too
  program.footer(
      "Example:\n  pliant shape squid --vertices 20000 -o squid.vtu -o squid.glb\n"
      "  pliant COMMAND --help tells more about a command");
  program.add_option_function<int>("--threads", set_thread_count, "Threads to use; 0 means every core")
      ->check(CLI::Range(0, 1024));

  app::add_info(program);
  app::add_shape(program);
  app::add_tetrahedralize(program);
  app::add_export(program);
  app::add_bench(program);
  app::add_modes(program);
  app::add_reduce(program);
  app::add_edit(program);
  app::add_simulate(program);
  app::add_snapshots(program);
  app::add_view(program);

  app::catch_interrupts();
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::CallForHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return program.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return program.exit(version);
  } catch (const CLI::ParseError& error) {
    const bool no_command = error.get_name() == "RequiredError" && program.get_subcommands().empty();
    fmt::print(stderr, "pliant: {}\nRun with --help for the words it takes.\n",
               no_command ? ask_for_command(program) : error.what());
    return 2;
  } catch (const app::UsageError& error) {
    fmt::print(stderr, "pliant: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "pliant: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pliant: {}\n", error.what());
    return 1;
  }
}
