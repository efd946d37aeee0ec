// Geodesic distances: time, and error against the exact distance, with the window of plain Dijkstra (1) and others.
#include <benchmark/benchmark.h>

#include "pliant/base/rng.h"
#include "pliant/geometry/geodesics.h"
#include "pliant/geometry/sampling.h"
#include "pliant/geometry/shapes.h"

namespace {

using namespace pliant;

// n x n squares of side 1, vertices moved by up to a fifth, every square cut along a random diagonal.
TriMesh irregular_plane(int n) {
  Rng rng(1);
  TriMesh mesh{Points((n + 1) * (n + 1), 3), Triangles(2 * n * n, 3)};
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.vertices.row(j * (n + 1) + i) << i + rng.uniform(-0.2, 0.2), j + rng.uniform(-0.2, 0.2), 0;
  for (int j = 0, t = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
      const bool rising = rng.uniform() < 0.5;
      mesh.triangles.row(t++) << a, b, (rising ? c : d);
      mesh.triangles.row(t++) << (rising ? a : b), c, d;
    }
  return mesh;
}

// Mean relative error of distances to vertex 0 that should be those of space, beyond `from`, in percent.
double error_percent(const Points& x, const VectorXd& distance, double from) {
  double sum = 0;
  Index count = 0;
  for (Index v = 0; v < x.rows(); ++v) {
    const double exact = (x.row(v) - x.row(0)).norm();
    if (exact < from) continue;
    sum += std::abs(distance[v] - exact) / exact;
    ++count;
  }
  return 100 * sum / static_cast<double>(count);
}

template <class Mesh>
void measure(benchmark::State& state, const Mesh& mesh, double far) {
  GeodesicSolver solver(mesh);
  const int source = 0, window = static_cast<int>(state.range(0));
  VectorXd distance;
  for (auto _ : state) distance = solver.distance_from({&source, 1}, {.window = window}).distance;
  state.counters["vertices"] = static_cast<double>(mesh.vertex_count());
  if (far > 0) state.counters["error_%"] = error_percent(mesh.vertices, distance, far);
}

void geodesics_plane(benchmark::State& state) {
  static const TriMesh plane = irregular_plane(446);
  measure(state, plane, 6);
}
BENCHMARK(geodesics_plane)->ArgName("window")->Arg(1)->Arg(4)->Arg(8)->Arg(16)->Unit(benchmark::kMillisecond);

void geodesics_solid_bar(benchmark::State& state) {
  static const TetMesh bar = make_shape("bar", {.vertices = 200000});
  measure(state, bar, 0.05);
}
BENCHMARK(geodesics_solid_bar)
    ->ArgName("window")
    ->Arg(1)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond);

// Not convex: straightened paths are checked to stay inside near its notches. No exact distance to compare with.
void geodesics_solid_fork(benchmark::State& state) {
  static const TetMesh fork = make_shape("fork", {.vertices = 200000});
  measure(state, fork, 0);
}
BENCHMARK(geodesics_solid_fork)->ArgName("window")->Arg(1)->Arg(8)->Unit(benchmark::kMillisecond);

void geodesics_prepare_plane(benchmark::State& state) {
  static const TriMesh plane = irregular_plane(446);
  for (auto _ : state) benchmark::DoNotOptimize(GeodesicSolver(plane).vertex_count());
}
BENCHMARK(geodesics_prepare_plane)->Unit(benchmark::kMillisecond);

// All samples together cost a few times what one field costs: each new one only moves its own border.
void furthest_points_plane(benchmark::State& state) {
  static const TriMesh plane = irregular_plane(446);
  static GeodesicSolver solver(plane);
  const int count = static_cast<int>(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(furthest_point_vertices(solver, {.count = count}).radius.back());
}
BENCHMARK(furthest_points_plane)
    ->ArgName("count")
    ->Arg(1)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
