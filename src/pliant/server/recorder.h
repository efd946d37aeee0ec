#pragma once
// Motion as it was seen, kept to be written as files.
#include <filesystem>
#include <vector>

#include "pliant/server/stage.h"

namespace pliant::server {

/// All surfaces of a stage in one mesh, frame by frame.
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
  /// Slow: by a thread of its own. `scratch` is a folder for files that are gone afterwards.
  Files write(const std::filesystem::path& scratch, const Progress& progress) const;

 private:
  MeshData rest_;
  std::vector<double> times_;
  std::vector<Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>> frames_;
};

}  // namespace pliant::server
