#pragma once
// Many viewers that only look, in a process of their own: what they cost does not count as the server's.
#include <string>
#include <vector>

#include "command.h"

namespace pliant::app {

/// Begins as a copy of this process, which must not have threads yet.
class ViewerCrowd {
 public:
  ViewerCrowd();
  ~ViewerCrowd();
  ViewerCrowd(const ViewerCrowd&) = delete;
  ViewerCrowd& operator=(const ViewerCrowd&) = delete;

  /// `viewers` of them look for `seconds`, counted from when all have seen a frame. Returns, of all together: frames, bytes of
  /// frames, seconds, and how long the first frame took from the first connection.
  struct Seen {
    double frames_per_second = 0;         ///< of a viewer, on average
    double fewest_frames_per_second = 0;  ///< of the viewer that got fewest
    double bytes_per_frame = 0;
    double first_frame_seconds = 0;
    int viewers = 0;  ///< that got any
  };
  Seen look(int port, int viewers, double seconds);

 private:
  int to_ = -1, from_ = -1;
  int child_ = 0;
};

}  // namespace pliant::app
