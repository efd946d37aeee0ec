// A warm step takes no memory.
#include "support/count_allocations.h"

#include "pliant/fullspace/newton.h"
#include "pliant/fullspace/projective_dynamics.h"

namespace pliant {

using namespace testing_support;

TEST_F(Allocations, AreCounted) {
  requests = 0;
  counting = true;
  const VectorXd eigen = VectorXd::Zero(100);
  const auto numbers = std::make_unique<std::vector<double>>(100);
  counting = false;
  EXPECT_EQ(requests, 3) << eigen.sum() + numbers->at(0);
}

TEST_F(Allocations, OfAWarmProjectiveStepAreNone) {
  const TetMesh mesh = bar();
  for (const bool single : {false, true}) {
    ProjectiveConstraints constraints(mesh.vertices);
    add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
    ProjectiveDynamics simulator(constraints, vertex_masses(mesh.vertices, mesh.tets, 1000),
                                 {.single_precision = single, .record_objective = true});
    simulator.add_position(0, Vector3d(0, 0, 0), 100);
    expect_none(requests_of(simulator, mesh, 20));
  }
}

TEST_F(Allocations, OfAWarmNewtonStepAreNone) {
  const TetMesh mesh = bar();
  for (const auto& [scheme, solver] : {std::pair(TimeScheme::implicit_euler, LinearSolver::pcg),
                                       std::pair(TimeScheme::newmark, LinearSolver::pcg),
                                       std::pair(TimeScheme::newmark, LinearSolver::cholesky)}) {
    const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)}, {.damping = {.mass = 0.1, .stiffness = 1e-3}});
    NewtonSimulator simulator(body, {.scheme = scheme, .solver = solver});
    expect_none(requests_of(simulator, mesh, 20));
  }
}

}  // namespace pliant
