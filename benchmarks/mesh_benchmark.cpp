// What is asked of every mesh that comes in: measures, neighbours, components, validation. About 2 million tets.
#include <benchmark/benchmark.h>

#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/components.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/validation.h"

namespace {

using namespace pliant;

const TetMesh& big_bar() {
  static const TetMesh bar = make_shape("bar", {.tets = 2000000});
  return bar;
}

void mesh_quality(benchmark::State& state) {
  const TetMesh& bar = big_bar();
  for (auto _ : state) benchmark::DoNotOptimize(tet_quality(bar));
  state.counters["tets"] = static_cast<double>(bar.tet_count());
}
BENCHMARK(mesh_quality)->UseRealTime()->Unit(benchmark::kMillisecond);

void mesh_vertex_neighbors(benchmark::State& state) {
  const TetMesh& bar = big_bar();
  for (auto _ : state) benchmark::DoNotOptimize(vertex_neighbors(bar.tets, bar.vertex_count()));
}
BENCHMARK(mesh_vertex_neighbors)->UseRealTime()->Unit(benchmark::kMillisecond);

void mesh_tet_neighbors(benchmark::State& state) {
  const TetMesh& bar = big_bar();
  for (auto _ : state) benchmark::DoNotOptimize(tet_neighbors(bar.tets, bar.vertex_count()));
}
BENCHMARK(mesh_tet_neighbors)->UseRealTime()->Unit(benchmark::kMillisecond);

void mesh_components(benchmark::State& state) {
  const TetMesh& bar = big_bar();
  for (auto _ : state) benchmark::DoNotOptimize(connected_components(bar).count);
}
BENCHMARK(mesh_components)->UseRealTime()->Unit(benchmark::kMillisecond);

void mesh_validate(benchmark::State& state) {
  const TetMesh& bar = big_bar();
  for (auto _ : state) benchmark::DoNotOptimize(validate(bar).ok());
}
BENCHMARK(mesh_validate)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
