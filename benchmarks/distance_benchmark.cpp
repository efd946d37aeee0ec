#include <benchmark/benchmark.h>

#include "pliant/base/rng.h"
#include "pliant/geometry/embedding.h"
#include "pliant/geometry/signed_distance.h"
#include "support/soups.h"

namespace {

using namespace pliant;

Points scattered(Index count, double half_width) {
  Rng rng(1);
  Points points(count, 3);
  for (Index i = 0; i < points.size(); ++i) points.data()[i] = rng.uniform(-half_width, half_width);
  return points;
}

// Cubes of six tets.
TetMesh tet_grid(int cells) {
  TetMesh mesh;
  const int n = cells + 1;
  mesh.vertices.resize(n * n * n, 3);
  for (int v = 0; v < n * n * n; ++v)
    mesh.vertices.row(v) =
        Eigen::RowVector3d(v % n, v / n % n, v / (n * n)) * (2.0 / cells) - Eigen::RowVector3d::Ones();
  mesh.tets.resize(6 * cells * cells * cells, 4);
  const int step[3] = {1, n, n * n},
            paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  Index t = 0;
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x)
        for (int p = 0; p < 6; ++p) {
          const int a = (z * n + y) * n + x, b = a + step[paths[p][0]], c = b + step[paths[p][1]],
                    d = c + step[paths[p][2]];
          mesh.tets.row(t++) << a, b, p < 3 ? c : d, p < 3 ? d : c;
        }
  return mesh;
}

void signed_distance_build(benchmark::State& state) {
  const TriMesh mesh = testing_support::lumpy_sphere(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(SignedDistance(mesh));
  state.counters["triangles"] = static_cast<double>(mesh.triangle_count());
}
BENCHMARK(signed_distance_build)->Arg(133)->Unit(benchmark::kMillisecond)->UseRealTime();

void closest_point(benchmark::State& state) {
  const TriangleBvh bvh(testing_support::lumpy_sphere(133));
  const Points points = scattered(20000, 1.2);
  for (auto _ : state) benchmark::DoNotOptimize(bvh.closest_points(points));
  state.SetItemsProcessed(state.iterations() * points.rows());
}
BENCHMARK(closest_point)->Unit(benchmark::kMillisecond)->UseRealTime();

void winding_number_tree(benchmark::State& state) {
  const WindingNumber winding(testing_support::lumpy_sphere(133));
  const Points points = scattered(20000, 1.2);
  for (auto _ : state) benchmark::DoNotOptimize(winding.evaluate(points));
  state.SetItemsProcessed(state.iterations() * points.rows());
}
BENCHMARK(winding_number_tree)->Unit(benchmark::kMillisecond)->UseRealTime();

void winding_number_sum(benchmark::State& state) {
  const WindingNumber winding(testing_support::lumpy_sphere(133),
                              {.accuracy = std::numeric_limits<double>::infinity()});
  const Points points = scattered(20, 1.2);
  for (auto _ : state) benchmark::DoNotOptimize(winding.evaluate(points));
  state.SetItemsProcessed(state.iterations() * points.rows());
}
BENCHMARK(winding_number_sum)->Unit(benchmark::kMillisecond)->UseRealTime();

// 10^5 points, a few outside, in 6 cells^3 tets.
void embed_points(benchmark::State& state) {
  const TetMesh mesh = tet_grid(static_cast<int>(state.range(0)));
  const Points points = scattered(100000, 1.02);
  for (auto _ : state) benchmark::DoNotOptimize(embed(mesh, points));
  state.counters["tets"] = static_cast<double>(mesh.tet_count());
}
BENCHMARK(embed_points)->Arg(26)->Arg(55)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
