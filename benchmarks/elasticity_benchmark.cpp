// Energy, forces and stiffness of a body: the SIMD kernels with assembly against one element at a time in Eigen.
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <string>

#include "pliant/base/rng.h"
#include "pliant/elasticity/body.h"
#include "pliant/geometry/shapes.h"

namespace pliant {
namespace {

const char* const kinds[] = {"linear",        "stvk", "corotated",   "neo_hookean",
                             "mooney_rivlin", "fung", "arruda_boyce"};

const TetMesh& mesh() {
  static const TetMesh shape = make_shape("bar", {.tets = 20000});
  return shape;
}

Points deformed() {
  Rng rng(1);
  return mesh().vertices + 1e-3 * Points::NullaryExpr(mesh().vertex_count(), 3, [&] { return rng.normal(); });
}

void count_tets(benchmark::State& state, const char* kind) {
  state.SetLabel(kind);
  state.counters["tets/s"] = benchmark::Counter(static_cast<double>(state.iterations() * mesh().tet_count()),
                                                benchmark::Counter::kIsRate);
}

void elastic_stiffness(benchmark::State& state) {
  const char* kind = kinds[state.range(0)];
  const Body body(mesh(), {make_material(kind, 1e6, 0.4)});
  const Points x = deformed();
  SymmetricBlocks K = body.block_pattern();
  Points forces;
  BodyWorkspace work;
  for (auto _ : state)
    benchmark::DoNotOptimize(body.stiffness_blocks(x, K, forces, work, Projection::positive));
  count_tets(state, kind);
}
BENCHMARK(elastic_stiffness)->DenseRange(0, 6)->Unit(benchmark::kMillisecond)->UseRealTime();

void elastic_forces(benchmark::State& state) {
  const char* kind = kinds[state.range(0)];
  const Body body(mesh(), {make_material(kind, 1e6, 0.4)});
  const Points x = deformed();
  Points forces;
  BodyWorkspace work;
  for (auto _ : state) benchmark::DoNotOptimize(body.energy_and_forces(x, forces, work));
  count_tets(state, kind);
}
BENCHMARK(elastic_forces)->DenseRange(0, 6)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The Hessians of the densities alone, one after the other, without projection or assembly.
void elastic_hessian_one_by_one(benchmark::State& state) {
  const char* kind = kinds[state.range(0)];
  const Material material = make_material(kind, 1e6, 0.4);
  const Points x = deformed();
  for (auto _ : state)
    for (Index t = 0; t < mesh().tet_count(); ++t) {
      Matrix3d rest, now;
      for (int a = 0; a < 3; ++a) {
        rest.col(a) =
            (mesh().vertices.row(mesh().tets(t, a + 1)) - mesh().vertices.row(mesh().tets(t, 0))).transpose();
        now.col(a) = (x.row(mesh().tets(t, a + 1)) - x.row(mesh().tets(t, 0))).transpose();
      }
      benchmark::DoNotOptimize(hessian(material, now * rest.inverse()).eval());
    }
  count_tets(state, kind);
}
BENCHMARK(elastic_hessian_one_by_one)->DenseRange(0, 6)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A crumpled sheet: all terms of the shell, with assembly.
void shell_stiffness(benchmark::State& state) {
  const bool projected = state.range(0) == 1;
  const TriMesh sheet = make_shell("plate_shell", {.vertices = 10000});
  const Body body(sheet, ShellMaterial::from_young(1e5, 0.3, 2e-3, 500));
  Rng rng(1);
  const Points x =
      sheet.vertices + 1e-3 * Points::NullaryExpr(sheet.vertices.rows(), 3, [&] { return rng.normal(); });
  SymmetricBlocks K = body.block_pattern();
  Points forces;
  BodyWorkspace work;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        body.stiffness_blocks(x, K, forces, work, projected ? Projection::positive : Projection::none));
  state.counters["triangles"] = static_cast<double>(sheet.triangles.rows());
}
BENCHMARK(shell_stiffness)->ArgName("positive")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pliant
