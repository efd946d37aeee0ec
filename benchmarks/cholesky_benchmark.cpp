// Sparse Cholesky against CHOLMOD's, in one run, on the matrix of a step of Newton: medians of factorisations and of solves
// with one right-hand side. On one thread both are measured in the time the thread ran, so others on the machine do
// not count; on more, by the clock, CHOLMOD still on one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "cholmod_reference.h"
#include "pliant/elasticity/body.h"
#include "pliant/geometry/shapes.h"
#include "pliant/numerics/sparse_cholesky.h"

namespace {

using namespace pliant;

double thread_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}
double clock_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Stiffness at rest and inertia for 1/60 s.
SparseMatrix newton_matrix(Index vertices) {
  const TetMesh mesh = make_shape("bear", {.vertices = vertices});
  const Body body(mesh, {make_material("corotated", 1e6, 0.4)});
  SymmetricBlocks K = body.block_pattern();
  Points forces = mesh.vertices;
  BodyWorkspace work;
  body.stiffness_blocks(mesh.vertices, K, forces, work);
  for (Index i = 0; i < K.size(); ++i) K.diagonal(i).diagonal().array() += 3600 * body.masses()[i];
  return to_sparse(K, StoredTriangles::lower);
}

void cholesky(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(1));
  const ScopedThreadCount scope(threads);
  const auto now = threads == 1 ? thread_milliseconds : clock_milliseconds;
  SparseMatrix A = newton_matrix(state.range(0));
  MatrixXd b = VectorXd::LinSpaced(A.rows(), -1, 1), x = b;
  SparseCholesky ours;
  ours.analyze(A);
  CholmodReference theirs(A);
  std::vector<double> factorize, solve, cholmod_factorize, cholmod_solve;
  const auto time = [&](std::vector<double>& times, auto&& work) {
    const double start = now();
    work();
    times.push_back(now() - start);
  };
  for (auto _ : state) {
    time(factorize, [&] { ours.factorize(A); });
    time(solve, [&] { ours.solve(b, x); });
    time(cholmod_factorize, [&] { theirs.factorize(); });
    time(cholmod_solve, [&] { theirs.solve(b); });
  }
  state.counters["rows"] = static_cast<double>(A.rows());
  state.counters["nonzeros"] = static_cast<double>(ours.factor_nonzeros());
  state.counters["MB"] = static_cast<double>(ours.memory_bytes()) / (1 << 20);
  state.counters["ms_factorize"] = median(factorize);
  state.counters["ms_solve"] = median(solve);
  state.counters["gigaflops"] = 1e-6 * ours.factor_flops() / median(factorize);
  state.counters["times_cholmod"] = median(cholmod_factorize) / median(factorize);
  state.counters["solve_times_cholmod"] = median(cholmod_solve) / median(solve);
}
BENCHMARK(cholesky)->ArgsProduct({{1000, 4000, 16000}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
