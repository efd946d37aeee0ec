// Random scenes, roughly treated, for as many steps as one asks: soak [steps] [seed].
#include <cstdlib>

#include "pliant/base/progress.h"
#include "soak.h"

int main(int argc, char** argv) {
  using namespace pliant;
  const std::int64_t steps = argc > 1 ? std::atoll(argv[1]) : 100000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  SoakReport report;
  {
    ProgressBar bar;
    report = run_soak(steps, seed, [&](const SoakReport& now) {
      bar.update("soaking", static_cast<double>(now.steps) / static_cast<double>(steps));
    });
  }
  fmt::print(
      "{} steps of {} random scenes, seed {}: {}; {} steps stopped before they converged; positions up to "
      "{:.3g} m\n",
      report.steps, report.scenes, seed, report.failure.empty() ? "every number finite" : report.failure,
      report.unconverged, report.largest_position);
  return report.failure.empty() ? 0 : 1;
}
