#pragma once
// .pc2, the point cache that Blender, 3ds Max and Houdini play on a mesh with the same vertices: 32-bit floats,
// frame by frame, behind a header of 32 bytes.
#include <filesystem>
#include <string_view>
#include <vector>

#include "pliant/io/atomic_file.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct PointCache {
  float start = 0;             ///< the frame of the animation that the first sample stands at
  float rate = 1;              ///< frames from one sample to the next
  std::vector<Points> frames;  ///< each n x 3
};

PointCache read_pc2_file(const std::filesystem::path& path);
PointCache read_pc2(std::string_view bytes);

/// Writes while something runs, in memory that does not grow. The file appears with finish(); without it,
/// nothing remains.
class PointCacheWriter {
 public:
  PointCacheWriter(const std::filesystem::path& path, Index point_count);

  void add(const Points& positions);
  void finish();

  Index frame_count() const { return frames_; }

 private:
  AtomicFile file_;
  Index points_;
  Index frames_ = 0;
};

}  // namespace pliant
