#include <benchmark/benchmark.h>

#include <cmath>

#include "pliant/geometry/stuffing.h"

namespace {

using namespace pliant;

double torus(const Vector3d& p) { return std::hypot(std::hypot(p.x(), p.z()) - 0.65, p.y()) - 0.25; }

const Vector3d upper(1, 0.3, 1), lower(-1, -0.3, -1);

// One mesh from a known cell size: a torus of about 100k, 1M and 2M tets, graded and uniform.
void stuffing_torus(benchmark::State& state, double cell, bool graded) {
  StuffedMesh ring;
  for (auto _ : state) ring = stuff_isosurface(torus, lower, upper, {.cell = cell, .graded = graded});
  state.counters["tets"] = static_cast<double>(ring.mesh.tet_count());
  state.counters["min_dihedral"] = ring.min_dihedral;
  state.counters["max_dihedral"] = ring.max_dihedral;
  state.counters["tets_per_second"] = benchmark::Counter(static_cast<double>(ring.mesh.tet_count()),
                                                         benchmark::Counter::kIsIterationInvariantRate);
}

// The whole search for the cell size of a wanted count.
void stuffing_to_count(benchmark::State& state) {
  StuffedMesh ring;
  for (auto _ : state) ring = stuff_to_count(torus, lower, upper, state.range(0));
  state.counters["tets"] = static_cast<double>(ring.mesh.tet_count());
}

}  // namespace

BENCHMARK_CAPTURE(stuffing_torus, graded_100k, 0.044, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(stuffing_torus, uniform_100k, 0.0465, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(stuffing_torus, graded_1M, 0.016, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(stuffing_torus, uniform_1M, 0.0215, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(stuffing_torus, graded_2M, 0.0115, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(stuffing_to_count)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
