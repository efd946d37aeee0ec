#pragma once
// What the benchmarks share.
#include <functional>
#include <vector>

#include "command.h"
#include "pliant/geometry/tet_mesh.h"

namespace pliant::app {

/// The mesh of a file without what cannot be simulated, or a shape of ours.
TetMesh bench_mesh(const std::string& file, const std::string& shape, Index vertices);

/// Vertices in the lowest part of the box.
std::vector<int> bottom(const Points& vertices, double part = 0.05);

/// The most memory this process ever held.
double peak_megabytes();

/// Wall time of some work, seconds.
double seconds_of(const std::function<void()>& work);

/// Figures as lines of text.
std::string table(const Json& json);

// One file a larger benchmark; each adds itself.
void add_bench_hrpd(CLI::App& bench);
void add_bench_reduced_fem(CLI::App& bench);
void add_bench_snapshots(CLI::App& bench);
void add_bench_view(CLI::App& bench);

}  // namespace pliant::app
