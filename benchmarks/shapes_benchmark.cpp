#include <benchmark/benchmark.h>

#include "pliant/geometry/shapes.h"

namespace {

using namespace pliant;

void count(benchmark::State& state, const TetMesh& mesh) {
  state.counters["vertices"] = static_cast<double>(mesh.vertex_count());
  state.counters["tets"] = static_cast<double>(mesh.tet_count());
  state.SetItemsProcessed(state.iterations() * mesh.tet_count());
}

void shape_squid_20k_vertices(benchmark::State& state) {
  TetMesh mesh;
  for (auto _ : state) mesh = make_shape("squid", {.vertices = 20000});
  count(state, mesh);
}
BENCHMARK(shape_squid_20k_vertices)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void shape_torus_1m_tets(benchmark::State& state) {
  TetMesh mesh;
  for (auto _ : state) mesh = make_shape("torus", {.tets = 1000000});
  count(state, mesh);
}
BENCHMARK(shape_torus_1m_tets)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime()
    ->Iterations(1);

void shape_bar_1m_tets(benchmark::State& state) {
  TetMesh mesh;
  for (auto _ : state) mesh = make_shape("bar", {.tets = 1000000});
  count(state, mesh);
}
BENCHMARK(shape_bar_1m_tets)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
