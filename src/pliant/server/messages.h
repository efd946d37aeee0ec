#pragma once
// What the server tells viewers, beside frames.
#include <map>
#include <string>

#include "pliant/server/ghost.h"
#include "pliant/server/stage.h"

namespace pliant::server {

Json scene_message(const Stage& stage, std::uint32_t version);

/// What is switched on, beside the settings of the stage.
struct Switches {
  bool paused = false, real_time = true, ghost = false, recording = false;
  int recorded_frames = 0;
  std::optional<ModeChoice> mode;
  std::optional<int> edit;  ///< the body whose pose is edited
};
Json state_message(const Stage& stage, const Switches& switches);

/// Sums since the last message.
struct StepStatistics {
  int steps = 0;
  double microseconds = 0;               ///< in steps
  double seconds = 0;                    ///< of wall time
  std::map<std::string, double> phases;  ///< microseconds
  StepReport last;

  void add(const Stage& stage, const StepReport& report, double microseconds);
};
Json stats_message(const Stage& stage, const StepStatistics& statistics,
                   const std::optional<Measures>& energy, const std::optional<GhostError>& ghost);

Json error_message(const std::string& sentence);

}  // namespace pliant::server
