// Projective dynamics against the obvious way, in one run on one thread: the local step against a loop over tets with
// Eigen's JacobiSVD (gather, projection, λ Sᵀ and scatter included in both), the triangular solves against CHOLMOD's.
#include <benchmark/benchmark.h>

#include <Eigen/SVD>
#include <algorithm>
#include <chrono>
#include <ctime>

#include "cholmod_reference.h"
#include "pliant/base/rng.h"
#include "pliant/elasticity/projective_forces.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/shapes.h"

namespace {

using namespace pliant;

/// Seconds this thread has run: others on the machine do not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

const TetMesh& bear() {
  static const TetMesh mesh = make_shape("bear", {.vertices = 19000});
  return mesh;
}

Points deformed(const TetMesh& mesh) {
  Rng rng(1);
  Points q = mesh.vertices;
  q.col(0) *= 1.2;
  for (double& x : q.reshaped()) x += 0.002 * rng.normal();
  return q;
}

/// One tet after the other, in precision T.
template <class T>
void eigen_local_step(const TetMesh& mesh, const std::vector<Eigen::Matrix<T, 3, 3>>& inverses,
                      const std::vector<T>& weights, const Points& q, Points& forces) {
  using Matrix = Eigen::Matrix<T, 3, 3>;
  forces.setZero();
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    const Matrix& B = inverses[static_cast<std::size_t>(t)];
    Matrix edges;
    for (int k = 0; k < 3; ++k)
      edges.col(k) = (q.row(mesh.tets(t, k + 1)) - q.row(mesh.tets(t, 0))).transpose().template cast<T>();
    const Matrix F = edges * B;
    const Eigen::JacobiSVD<Matrix> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Matrix U = svd.matrixU();
    if ((U * svd.matrixV().transpose()).determinant() < 0) U.col(2) = -U.col(2);
    const Matrix H =
        weights[static_cast<std::size_t>(t)] * (U * svd.matrixV().transpose() - F) * B.transpose();
    for (int k = 0; k < 3; ++k) {
      forces.row(mesh.tets(t, k + 1)) += H.col(k).transpose().template cast<double>();
      forces.row(mesh.tets(t, 0)) -= H.col(k).transpose().template cast<double>();
    }
  }
}

template <class T>
void projective_local_step(benchmark::State& state) {
  const ScopedThreadCount one_thread(1);
  const TetMesh& mesh = bear();
  const Points q = deformed(mesh);
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets);
  const MatrixXd& parameters = constraints.group(ProjectiveKind::tet_strain).parameters;
  std::vector<Eigen::Matrix<T, 3, 3>> inverses;
  std::vector<T> weights;
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    inverses.push_back(parameters.col(t).head<9>().reshaped(3, 3).template cast<T>());
    weights.push_back(static_cast<T>(parameters(9, t)));
  }
  const double tets = static_cast<double>(mesh.tet_count());
  Points slow(q.rows(), 3), fast(q.rows(), 3);
  double eigen = 1e9, ours = 1e9;  // the fastest pass of each
  for (int pass = 0; pass < 5; ++pass) {
    const double start = thread_seconds();
    eigen_local_step<T>(mesh, inverses, weights, q, slow);
    eigen = std::min(eigen, (thread_seconds() - start) / tets);
  }
  ProjectiveForces<T> forces(constraints);
  for (auto _ : state) {
    const double start = thread_seconds();
    forces.project(q, 1);
    for (Index v = 0; v < q.rows(); ++v) fast.row(v) = forces.force(v).transpose();
    ours = std::min(ours, (thread_seconds() - start) / tets);
  }
  if ((fast - slow).norm() > 1e-3 * slow.norm()) state.SkipWithError("the two ways disagree");
  state.counters["ns_tet"] = 1e9 * ours;
  state.counters["ns_eigen"] = 1e9 * eigen;
  state.counters["times_eigen"] = eigen / ours;
}
BENCHMARK_TEMPLATE(projective_local_step, float)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(projective_local_step, double)->Unit(benchmark::kMillisecond);

void projective_global_step(benchmark::State& state) {
  const ScopedThreadCount threads(static_cast<int>(state.range(0)));
  const TetMesh& mesh = bear();
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets);
  SparseMatrix A = projective_matrix(constraints);
  A.diagonal() += 3600 * vertex_masses(mesh.vertices, mesh.tets, 1000);
  SparseCholesky cholesky;
  cholesky.analyze(A);
  if (!cholesky.factorize(A)) state.SkipWithError("not positive definite");
  PanelSolver solver;
  solver.analyze(cholesky.factor());
  const Points q = deformed(mesh);
  CholmodReference reference(A);
  reference.factorize();
  MatrixXd B = q;
  // On one thread its own time, which other work on the machine does not change.
  const auto milliseconds = [&] {
    if (state.range(0) == 1) return 1e3 * thread_seconds();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  double cholmod = 1e9, ours = 1e9;
  for (int pass = 0; pass < 20; ++pass) {
    const double start = milliseconds();
    reference.solve(B);
    cholmod = std::min(cholmod, milliseconds() - start);
  }
  AlignedVector<double> b(static_cast<std::size_t>(4 * q.rows()), 0), x(b.size());
  for (Index v = 0; v < q.rows(); ++v)
    for (int r = 0; r < 3; ++r) b[static_cast<std::size_t>(4 * v + r)] = q(v, r);
  for (auto _ : state) {
    const double start = milliseconds();
    solver.solve(b.data(), x.data());
    ours = std::min(ours, milliseconds() - start);
  }
  state.counters["ms"] = ours;
  state.counters["ms_cholmod"] = cholmod;
  state.counters["times_cholmod"] = cholmod / ours;
  state.counters["sequential"] = solver.sequential_part();
  state.counters["nonzeros"] = static_cast<double>(cholesky.factor_nonzeros());
}
BENCHMARK(projective_global_step)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// A whole step of ten iterations on every core.
void projective_step(benchmark::State& state) {
  const TetMesh& mesh = bear();
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets);
  ProjectiveDynamics simulator(constraints, vertex_masses(mesh.vertices, mesh.tets, 1000),
                               {.single_precision = state.range(0) == 1});
  simulator.set_motion(deformed(mesh), Points::Zero(mesh.vertex_count(), 3));
  simulator.step();
  double local = 0, global = 0;
  for (auto _ : state) {
    simulator.step();
    local += simulator.trace().microseconds("local") + simulator.trace().microseconds("sum");
    global += simulator.trace().microseconds("global");
  }
  const double steps = 1000 * static_cast<double>(state.iterations());
  state.counters["ms_local"] = local / steps;
  state.counters["ms_global"] = global / steps;
  state.counters["threads"] = thread_count();
}
BENCHMARK(projective_step)->ArgName("single")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
