#pragma once
// Motion as it was seen, kept to be written as files.
#include <filesystem>
#include <vector>

#include "pliant/server/stage.h"

namespace pliant::server {

/// All surfaces of a stage in one mesh, frame by frame; and of bodies that can be made anew all vertices, so that they can
/// be made anew from how they moved.
class Recorder {
 public:
  explicit Recorder(const Stage& stage);

  /// False once there is no room for more.
  bool add(const Stage& stage);
  int frames() const { return static_cast<int>(times_.size()); }
  double seconds() const { return times_.empty() ? 0 : times_.back() - times_.front(); }
  double last_time() const { return times_.empty() ? -1 : times_.back(); }

  struct Files {
    Bytes glb, pc2, obj;
  };
  /// Of one body's vertices, as `pliant snapshots record` writes them. InputError where it was not kept.
  void write_motion(std::size_t body, const std::filesystem::path& file) const;

  /// Slow: by a thread of its own. `scratch` is a folder for files that are gone afterwards.
  Files write(const std::filesystem::path& scratch, const Progress& progress) const;

 private:
  MeshData rest_;
  std::vector<double> times_;
  using FloatPoints = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;
  std::vector<FloatPoints> frames_;
  std::vector<std::vector<FloatPoints>> motions_;  // of each body
  std::size_t bytes_ = 0;
};

}  // namespace pliant::server
