#pragma once
// Threads that stay awake, for loops so short that waking them every time would cost more than they give.
#include "pliant/base/parallel.h"

namespace pliant {

/// While it lives, other threads wait for its loops without going to sleep: a loop costs a fraction of a microsecond beside what
/// it does. There is one crew of such threads; where another team has it, inside parallel loops, or where one thread is asked
/// for (parallel.h), loops run on the calling thread. Chunks are the same whatever the number of threads. In every loop of as many
/// chunks a thread begins with the same ones, whose data it has in its cache. Helpers take no part before they have woken up, and
/// a loop never waits for them to come.
class Team {
 public:
  explicit Team(bool wanted = true);  ///< not wanted: loops run on the calling thread
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls body(chunk, worker) for chunks 0 to count - 1, at most a million. Bodies must not throw. `worker` is below `workers()`,
  /// and no two bodies run at once with the same: for memory of their own.
  void run(Index count, FunctionRef<void(Index chunk, int worker)> body);

  /// Threads that a team can ever have, the calling one among them.
  static int workers();

 private:
  bool has_crew_ = false;
};

}  // namespace pliant
