#pragma once
// Recorded positions of a mesh, for building a subspace from them: safetensors with "positions" (s x n x 3) and
// "times" (s); and of projective simulators what constraints project to, "projections.tet_strain" (s x constraints x
// numbers of one) and so on, in single precision.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pliant/io/safetensors.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct Snapshots {
  std::vector<Points> frames;  ///< s frames of n x 3, metres
  VectorXd times;              ///< s, seconds
  /// By the kind of constraint, where they were recorded: a matrix a frame, numbers of a constraint x constraints.
  std::map<std::string, std::vector<Eigen::MatrixXf>> projections = {};
};

void write_snapshots(const std::filesystem::path& path, const Snapshots& snapshots);

/// The same file, mapped: what is read is a stretch of a frame, and no more is in memory. Threads may read at once.
class SnapshotFile {
 public:
  explicit SnapshotFile(const std::filesystem::path& path);

  Index frames() const { return frames_; }
  Index vertices() const { return vertices_; }
  /// Positions of `vertices` vertices from `first` on, three numbers each, metres.
  void read(Index frame, Index first, Index vertices, double* out) const;

  bool has_projections(const std::string& kind) const;
  Index constraints(const std::string& kind) const;
  Index numbers(const std::string& kind) const;  ///< of one constraint
  void read_projections(const std::string& kind, Index frame, Index first, Index count, double* out) const;

 private:
  SafetensorsFile file_;
  Index frames_ = 0, vertices_ = 0;
  bool single_ = false;
};

/// Takes positions in double or single precision; without "times", frames count 0, 1, 2...
Snapshots read_snapshots(const std::filesystem::path& path);

}  // namespace pliant
