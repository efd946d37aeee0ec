// Batched 3x3 decompositions against Eigen's JacobiSVD, the same matrices in the same run on one thread:
// `times_eigen` is how many of ours fit in the time of one of Eigen's.
#include <benchmark/benchmark.h>

#include <Eigen/SVD>
#include <algorithm>
#include <ctime>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/numerics/polar3.h"
#include "pliant/numerics/svd3.h"

namespace {

using pliant::Index;

/// Seconds this thread has run: others on the machine do not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr Index count = 4000;
constexpr Index stride =
    4016;  // not near a power of two: 30 rows would fall into the same lines of the cache

template <class T>
std::vector<T> random_matrices() {
  pliant::Rng rng(1);
  std::vector<T> F(9 * stride);
  for (T& entry : F) entry = static_cast<T>(rng.normal());
  return F;
}

/// Seconds of one matrix with Eigen: the fastest of many passes, so that a disturbance does not flatter us.
template <class T>
double eigen_seconds(const std::vector<T>& F, bool polar) {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  double best = 1e9;
  for (int pass = 0; pass < 40; ++pass) {
    const double start = thread_seconds();
    for (Index i = 0; i < count; ++i) {
      Matrix M;
      for (int c = 0; c < 9; ++c) M.data()[c] = F[c * stride + i];
      const Eigen::JacobiSVD<Matrix> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
      if (polar) {
        Matrix R = svd.matrixU() * svd.matrixV().transpose();
        Matrix S = svd.matrixV() * svd.singularValues().asDiagonal() * svd.matrixV().transpose();
        benchmark::DoNotOptimize(R);
        benchmark::DoNotOptimize(S);
      } else {
        benchmark::DoNotOptimize(&svd);
        benchmark::ClobberMemory();
      }
    }
    best = std::min(best, (thread_seconds() - start) / count);
  }
  return best;
}

template <class T, class Run>
void against_eigen(benchmark::State& state, const std::vector<T>& F, bool polar, Run&& run) {
  const double eigen = eigen_seconds(F, polar);
  double ours = 1e9;  // the fastest pass, too
  for (auto _ : state) {
    const double start = thread_seconds();
    run();
    benchmark::ClobberMemory();
    ours = std::min(ours, (thread_seconds() - start) / count);
  }
  state.counters["ns_matrix"] = 1e9 * ours;
  state.counters["ns_eigen"] = 1e9 * eigen;
  state.counters["times_eigen"] = eigen / ours;
}

template <class T>
void svd3(benchmark::State& state) {
  const std::vector<T> F = random_matrices<T>();
  std::vector<T> U(9 * stride), sigma(3 * stride), V(9 * stride);
  against_eigen(state, F, false,
                [&] { pliant::svd3(count, F.data(), stride, U.data(), sigma.data(), V.data()); });
}
BENCHMARK_TEMPLATE(svd3, float);
BENCHMARK_TEMPLATE(svd3, double);

template <class T>
void polar3(benchmark::State& state) {
  const std::vector<T> F = random_matrices<T>();
  std::vector<T> R(9 * stride), S(9 * stride);
  against_eigen(state, F, true, [&] { pliant::polar3(count, F.data(), stride, R.data(), S.data()); });
}
BENCHMARK_TEMPLATE(polar3, float);
BENCHMARK_TEMPLATE(polar3, double);

}  // namespace
