#pragma once
// The same bodies in full space, treated in the same way: what reduced motion is compared with.
#include <memory>
#include <vector>

#include "pliant/server/rebuild.h"
#include "pliant/server/stage.h"

namespace pliant::server {

/// How far apart two surfaces are, in box diagonals.
struct GhostError {
  double mean = 0, largest = 0;
};

class Ghost {
 public:
  /// Made from words, by any thread; slow.
  Ghost(const std::vector<Json>& words, const std::filesystem::path& folder, const Progress& progress);

  /// Everything to where the bodies of the stage are now.
  void start(const Stage& stage);
  /// What happens to the bodies of the stage happens to these in the next step.
  void follow(const Stage& stage);
  void step();

  /// Positions of the points of a body's surface.
  void surface(std::size_t b, const DrawnBody& drawn, Points& out) const;
  double time() const { return bodies_[0].simulator->time(); }

 private:
  std::vector<SceneBody> bodies_;
  int obstacle_changes_ = -1;
};

}  // namespace pliant::server
