#pragma once
// Recorded positions of a mesh, for building a subspace from them: safetensors with "positions" (s x n x 3) and
// "times" (s).
#include <filesystem>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct Snapshots {
  std::vector<Points> frames;  ///< s frames of n x 3, metres
  VectorXd times;              ///< s, seconds
};

void write_snapshots(const std::filesystem::path& path, const Snapshots& snapshots);

/// Takes positions in double or single precision; without "times", frames count 0, 1, 2...
Snapshots read_snapshots(const std::filesystem::path& path);

}  // namespace pliant
