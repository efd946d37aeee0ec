#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "pliant/geometry/tetrahedralize.h"
#include "pliant/io/mesh_file.h"
#include "support/soups.h"

namespace {

using namespace pliant;

void run(benchmark::State& state, const TriMesh& soup) {
  Tetrahedralization result;
  for (auto _ : state) result = tetrahedralize(soup, {.target_tets = state.range(0)});
  state.counters["triangles"] = static_cast<double>(soup.triangle_count());
  state.counters["tets"] = static_cast<double>(result.mesh.tet_count());
  state.counters["min_dihedral"] = result.min_dihedral;
}

void tetrahedralize_lumpy(benchmark::State& state) { run(state, testing_support::lumpy_sphere(133)); }
BENCHMARK(tetrahedralize_lumpy)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime();

// The scanned bunny with its holes, from the folder in PLIANT_MESHES.
void tetrahedralize_bunny(benchmark::State& state) {
  const char* folder = std::getenv("PLIANT_MESHES");
  const auto file = std::filesystem::path(folder ? folder : "") / "shell" / "bunny_35k_open.off.gz";
  if (!folder || !std::filesystem::exists(file)) {
    state.SkipWithError("no bunny in PLIANT_MESHES");
    return;
  }
  const MeshData bunny = read_mesh(file);
  run(state, {bunny.vertices, bunny.triangles});
}
BENCHMARK(tetrahedralize_bunny)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
