#pragma once
// Recorded positions of a mesh, for building a subspace from them: safetensors with "positions" (s x n x 3) and
// "times" (s); and of projective simulators what constraints project to, "projections.tet_strain" (s x constraints x
// numbers of one) and so on, in single precision.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct Snapshots {
  std::vector<Points> frames;  ///< s frames of n x 3, metres
  VectorXd times;              ///< s, seconds
  /// By the kind of constraint, where they were recorded: a matrix a frame, numbers of a constraint x constraints.
  std::map<std::string, std::vector<Eigen::MatrixXf>> projections = {};
};

void write_snapshots(const std::filesystem::path& path, const Snapshots& snapshots);

/// Takes positions in double or single precision; without "times", frames count 0, 1, 2...
Snapshots read_snapshots(const std::filesystem::path& path);

}  // namespace pliant
