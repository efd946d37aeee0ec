#pragma once
// A scene run from beginning to end, with its files.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/io/animation_writer.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct SimulateOptions {
  std::vector<std::filesystem::path> outputs = {};  ///< .pvd, .pc2, .glb, .obj; any number of them
  std::filesystem::path csv = {};                   ///< energies, momenta and timings, one row a frame
  int frames = 0;                                   ///< above 0: instead of the scene's own number

  /// Written every so many frames, and when the run is interrupted: the state, and beside it (".frames") the frames so
  /// far, so that a run that is resumed ends with the same files as one that was not stopped.
  std::filesystem::path checkpoint = {};
  int checkpoint_every = 10;  ///< frames
  bool resume = false;        ///< go on from `checkpoint` if it is there
  Progress progress = {};     ///< may throw Interrupted
  /// Called after every frame, also those replayed from a checkpoint, with the positions of Scene::shown().
  std::function<void(int frame, double time, const Points& positions)> frame_done = {};
};

struct PhaseTime {
  std::string name;
  double milliseconds = 0;  ///< a step, on average
};

struct SimulateReport {
  int frames = 0;         ///< in all, the first included
  int resumed_frame = 0;  ///< the frame that was the first to be simulated now is one later
  double seconds = 0;     ///< of simulating, without writing files
  std::int64_t steps = 0;
  std::int64_t unconverged_steps = 0;
  std::vector<PhaseTime> phases;            ///< summed over bodies
  std::vector<AnimationReport> animations;  ///< one an output
};

SimulateReport simulate(Scene& scene, const SimulateOptions& options);

}  // namespace pliant
