// Force and stiffness of a subspace from weighted elements: what an online step costs.
#include <benchmark/benchmark.h>

#include <numeric>

#include "pliant/base/rng.h"
#include "pliant/geometry/shapes.h"
#include "pliant/hyperreduction/polynomial_forces.h"
#include "pliant/hyperreduction/reduced_elements.h"

namespace pliant {
namespace {

struct Case {
  ReducedElements reduced;
  VectorXd q;
};

Case make_case(const Body& body, Index dimension, Index samples) {
  Rng rng(1);
  const MatrixXd U = MatrixXd::NullaryExpr(3 * body.vertex_count(), dimension, [&] { return rng.normal(); });
  std::vector<int> chosen(static_cast<std::size_t>(samples));
  std::iota(chosen.begin(), chosen.end(), 0);
  const ElementSet set(body, chosen);
  return {ReducedElements(body, U, set, VectorXd::Ones(samples)),
          VectorXd::NullaryExpr(dimension, [&] { return 1e-4 * rng.normal(); })};
}

Body solid(const char* material) {
  return Body(make_shape("bar", {.tets = 2000}), {make_material(material, 1e6, 0.4)});
}

const char* const materials[] = {"stvk", "mooney_rivlin", "corotated"};

/// Arguments: dimension, elements, material.
void reduced_force(benchmark::State& state) {
  const Case c = make_case(solid(materials[state.range(2)]), state.range(0), state.range(1));
  ReducedElements::Workspace work;
  VectorXd f;
  for (auto _ : state) benchmark::DoNotOptimize(c.reduced.force(c.q, f, work));
  state.SetLabel(materials[state.range(2)]);
}
BENCHMARK(reduced_force)
    ->Args({30, 100, 0})
    ->Args({135, 150, 0})
    ->Args({135, 150, 1})
    ->Args({135, 150, 2})
    ->Args({135, 300, 0})
    ->Args({300, 800, 0})
    ->Unit(benchmark::kMicrosecond);

void reduced_force_of_flaps(benchmark::State& state) {
  const Body shell(make_shell("cylinder_shell", {.triangles = 2000}),
                   ShellMaterial::from_young(1e6, 0.3, 0.01, 1000));
  const Case c = make_case(shell, state.range(0), state.range(1));
  ReducedElements::Workspace work;
  VectorXd f;
  for (auto _ : state) benchmark::DoNotOptimize(c.reduced.force(c.q, f, work));
}
BENCHMARK(reduced_force_of_flaps)->Args({135, 500})->Unit(benchmark::kMicrosecond);

void reduced_stiffness(benchmark::State& state) {
  const Case c = make_case(solid("stvk"), state.range(0), state.range(1));
  ReducedElements::Workspace work;
  VectorXd f;
  MatrixXd K;
  for (auto _ : state) benchmark::DoNotOptimize(c.reduced.stiffness(c.q, K, f, work));
}
BENCHMARK(reduced_stiffness)
    ->Args({30, 100})
    ->Args({135, 150})
    ->Args({300, 800})
    ->Unit(benchmark::kMicrosecond);

/// The slow way: one element after the other in Eigen, double precision.
void reduced_force_one_by_one(benchmark::State& state) {
  const Index d = state.range(0), s = state.range(1);
  Rng rng(1);
  std::vector<MatrixXd> G(static_cast<std::size_t>(s));
  for (MatrixXd& g : G) g = MatrixXd::NullaryExpr(9, d, [&] { return rng.normal(); });
  const VectorXd q = VectorXd::NullaryExpr(d, [&] { return 1e-4 * rng.normal(); });
  const Material material = make_material("stvk", 1e6, 0.4);
  VectorXd f(d);
  for (auto _ : state) {
    f.setZero();
    for (const MatrixXd& g : G) {
      const Matrix3d F = (g * q).reshaped(3, 3) + Matrix3d::Identity();
      f.noalias() -= g.transpose() * stress(material, F).reshaped();
    }
    benchmark::DoNotOptimize(f.data());
  }
}
BENCHMARK(reduced_force_one_by_one)->Args({135, 150})->Unit(benchmark::kMicrosecond);

// === The cubic of StVK, for small subspaces

PolynomialForces some_polynomial(Index dimension) {
  Rng rng(1);
  return PolynomialForces(dimension, VectorXd::NullaryExpr(polynomial_coefficient_count(dimension),
                                                           [&] { return rng.normal(); }));
}

void polynomial_force(benchmark::State& state) {
  const PolynomialForces polynomial = some_polynomial(state.range(0));
  PolynomialForces::Workspace work;
  const VectorXd q = VectorXd::Constant(state.range(0), 0.01);
  VectorXd f;
  for (auto _ : state) benchmark::DoNotOptimize(polynomial.force(q, f, work));
}
BENCHMARK(polynomial_force)->Arg(20)->Arg(30)->Arg(60)->Unit(benchmark::kMicrosecond);

void polynomial_stiffness(benchmark::State& state) {
  const PolynomialForces polynomial = some_polynomial(state.range(0));
  PolynomialForces::Workspace work;
  const VectorXd q = VectorXd::Constant(state.range(0), 0.01);
  VectorXd f;
  MatrixXd K;
  for (auto _ : state) benchmark::DoNotOptimize(polynomial.stiffness(q, K, f, work));
}
BENCHMARK(polynomial_stiffness)->Arg(20)->Arg(30)->Arg(60)->Unit(benchmark::kMicrosecond);

/// Its coefficients, on as many tets as VegaFEM's bridge has.
void polynomial_build(benchmark::State& state) {
  const Body body(make_shape("bar", {.tets = 12827}), {make_material("stvk", 1e6, 0.4)});
  Rng rng(1);
  const Index d = state.range(0);
  const DenseBasis basis = dense_basis(
      "random", body.rest_positions(),
      MatrixXd::NullaryExpr(3 * body.vertex_count(), d, [&] { return rng.normal(); }), VectorXd::Ones(d));
  for (auto _ : state) benchmark::DoNotOptimize(PolynomialForces(body, basis).coefficients().data());
}
BENCHMARK(polynomial_build)->Arg(20)->Arg(30)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pliant
