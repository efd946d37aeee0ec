// pliant: parse, call, print. Exit code 0: done; 1: failed; 2: wrong usage.
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "command.h"
#include "pliant/base/parallel.h"

int main(int argc, char** argv) {
  using namespace pliant;
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
    fmt::print(stderr, "pliant: {}\nRun with --help for the words it takes.\n", error.what());
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
