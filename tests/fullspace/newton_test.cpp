#include "pliant/fullspace/newton.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "elasticity/sample_deformations.h"
#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/io/mesh_file.h"
#include "support/meshes.h"

namespace pliant {
namespace {

using namespace testing_support;

TetMesh bar() { return structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.25, 0.25), Vector3i(4, 1, 1)); }

std::vector<int> left_end(const TetMesh& mesh) {
  std::vector<int> out;
  for (Index i = 0; i < mesh.vertex_count(); ++i)
    if (mesh.vertices(i, 0) < 1e-9) out.push_back(static_cast<int>(i));
  return out;
}

Points shaken(const Points& X, double amount, std::uint64_t seed) {
  Rng rng(seed);
  return X + Points::NullaryExpr(X.rows(), 3, [&] { return rng.uniform(-amount, amount); });
}

std::vector<int> all_vertices(const Simulator& sim) {
  std::vector<int> ids;
  for (Index i = 0; i < sim.vertex_count(); ++i) ids.push_back(static_cast<int>(i));
  return ids;
}

Points velocities(Simulator& sim) {
  Points v;
  sim.velocities_of(all_vertices(sim), v);
  return v;
}

/// A turn about an axis through the origin, in rad/s.
Points spin(const Points& X, const Vector3d& omega) {
  Points v(X.rows(), 3);
  for (Index i = 0; i < X.rows(); ++i) v.row(i) = omega.cross(Vector3d(X.row(i))).transpose();
  return v;
}

const NewtonOptions exactly{.time_step = 0.01, .tolerance = 1e-12};

NewtonOptions with(TimeScheme scheme, double time_step) {
  NewtonOptions options = exactly;
  options.scheme = scheme;
  options.time_step = time_step;
  return options;
}

}  // namespace

TEST(Newton, FreeFallIsTheExactSolutionOfTheScheme) {
  const TetMesh mesh = bar();
  const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)});
  const double h = 0.02;
  const int steps = 25;
  const Vector3d v0(1, 3, -2);
  for (const auto scheme : {TimeScheme::implicit_euler, TimeScheme::newmark}) {
    NewtonSimulator sim(body, with(scheme, h));
    Points v(mesh.vertex_count(), 3);
    v.rowwise() = v0.transpose();
    sim.set_motion(mesh.vertices, v);
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(sim.step().converged);
    const double t = h * steps;
    // Euler sums velocities after each kick: t²/2 becomes h² n (n+1)/2. Newmark is exact.
    const double square = scheme == TimeScheme::newmark ? t * t / 2 : h * h * steps * (steps + 1) / 2;
    const Eigen::RowVector3d shift = (v0 * t + sim.gravity() * square).transpose();
    EXPECT_LT((sim.positions() - mesh.vertices).rowwise().operator-(shift).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((velocities(sim).rowwise() - (v0 + sim.gravity() * t).transpose()).cwiseAbs().maxCoeff(),
              1e-11);
  }
}

TEST(Newton, LinearMomentumOfAFreeBodyIsExact) {
  const TetMesh mesh = bar();
  for (const Material& material : all_materials(1e5, 0.3)) {
    SCOPED_TRACE(name(material));
    for (const auto scheme : {TimeScheme::implicit_euler, TimeScheme::newmark}) {
      NewtonSimulator sim(Body(mesh, {material}), with(scheme, 0.01));
      sim.set_motion(shaken(mesh.vertices, 0.02, 1), shaken(Points::Zero(mesh.vertex_count(), 3), 2, 2));
      sim.set_gravity(Vector3d(0.5, -9.81, 0.1));
      const Vector3d p0 = sim.measure().momentum;
      for (int i = 0; i < 20; ++i) sim.step();
      const Vector3d expected = p0 + sim.body().total_mass() * sim.gravity() * 0.2;
      EXPECT_LT((sim.measure().momentum - expected).norm(), 1e-11 * expected.norm());
    }
  }
}

TEST(Newton, AngularMomentumLossOfImplicitEulerIsFirstOrder) {
  TetMesh mesh = bar();
  mesh.vertices.rowwise() -= mesh.vertices.colwise().mean();
  const Body body(mesh, {Corotated::from_young(1e6, 0.3)});
  std::vector<double> losses;
  for (const double h : {0.004, 0.002, 0.001, 0.0005}) {
    NewtonSimulator sim(body, with(TimeScheme::implicit_euler, h));
    sim.set_gravity(Vector3d::Zero());
    sim.set_motion(mesh.vertices, spin(mesh.vertices, Vector3d(0, 0, 3)));
    const double before = sim.measure().angular_momentum.norm();
    for (int i = 0; i < static_cast<int>(std::lround(0.4 / h)); ++i) sim.step();
    losses.push_back(1 - sim.measure().angular_momentum.norm() / before);
    EXPECT_GT(losses.back(), 0);
  }
  for (std::size_t i = 1; i < losses.size(); ++i) {
    const double order = std::log2(losses[i - 1] / losses[i]);
    EXPECT_GT(order, 0.85) << losses[i - 1] << " " << losses[i];
    EXPECT_LT(order, 1.15) << losses[i - 1] << " " << losses[i];
  }
}

TEST(Newton, NewmarkKeepsTheEnergyOfALinearBody) {
  const TetMesh mesh = bar();
  const Body body(mesh, {Linear::from_young(1e5, 0.3)}, {.fixed = left_end(mesh)});
  NewtonSimulator sim(body, with(TimeScheme::newmark, 0.02));
  Points start = shaken(mesh.vertices, 0.02, 3);
  for (int v : body.fixed()) start.row(v) = mesh.vertices.row(v);
  sim.set_motion(start, Points::Zero(mesh.vertex_count(), 3));
  const double before = sim.measure().total();
  const double scale = sim.measure().elastic;
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    sim.step();
    worst = std::max(worst, std::abs(sim.measure().total() - before));
  }
  EXPECT_LT(worst, 1e-10 * scale);
}

TEST(Newton, NewmarksEnergyDriftFallsAsTheSquareOfTheStep) {
  const TetMesh mesh = bar();
  for (const char* kind : {"stvk", "neo_hookean", "corotated"}) {
    SCOPED_TRACE(kind);
    const Body body(mesh, {make_material(kind, 1e5, 0.3)}, {.fixed = left_end(mesh)});
    std::vector<double> drifts;
    for (const double h : {0.002, 0.001, 0.0005}) {
      NewtonSimulator sim(body, with(TimeScheme::newmark, h));
      const double before = sim.measure().total();
      double worst = 0;
      for (int i = 0; i < static_cast<int>(std::lround(0.3 / h)); ++i) {
        sim.step();
        worst = std::max(worst, std::abs(sim.measure().total() - before));
      }
      drifts.push_back(worst);
    }
    for (std::size_t i = 1; i < drifts.size(); ++i) {
      const double order = std::log2(drifts[i - 1] / drifts[i]);
      EXPECT_GT(order, 1.7) << drifts[i - 1] << " " << drifts[i];
    }
  }
}

TEST(Newton, ImplicitEulerNeverGainsEnergyOfALinearBody) {
  const TetMesh mesh = bar();
  const Body body(mesh, {Linear::from_young(1e5, 0.45)}, {.fixed = left_end(mesh)});
  for (const double h : {1e-3, 1.0 / 30, 0.5}) {
    NewtonSimulator sim(body, with(TimeScheme::implicit_euler, h));
    Points start = shaken(mesh.vertices, 0.05, 4);
    for (int v : body.fixed()) start.row(v) = mesh.vertices.row(v);
    sim.set_motion(start, Points::Zero(mesh.vertex_count(), 3));
    double before = sim.measure().total();
    const double scale = sim.measure().elastic;
    for (int i = 0; i < 50; ++i) {
      sim.step();
      const double after = sim.measure().total();
      EXPECT_LE(after, before + 1e-12 * scale);
      before = after;
    }
  }
}

TEST(Newton, EquilibriumLeavesNoForceAndIsCarriedByWhatHolds) {
  const TetMesh mesh = bar();
  for (const Material& material : all_materials(2e5, 0.3)) {
    SCOPED_TRACE(name(material));
    const Body body(mesh, {material}, {.fixed = left_end(mesh)});
    NewtonSimulator sim(body, with(TimeScheme::quasi_static, 0.1));
    EXPECT_TRUE(sim.step().converged);
    Points forces;
    body.forces(sim.positions(), forces);
    const double weight = body.total_mass() * 9.81;
    Vector3d carried = Vector3d::Zero();
    for (Index i = 0; i < mesh.vertex_count(); ++i) {
      if (std::binary_search(body.fixed().begin(), body.fixed().end(), static_cast<int>(i))) continue;
      const Vector3d rest = Vector3d(forces.row(i)) + body.masses()[i] * sim.gravity();
      EXPECT_LT(rest.norm(), 1e-9 * weight);
    }
    Points reactions;
    sim.reactions_of(body.fixed(), reactions);
    carried = reactions.colwise().sum().transpose();
    EXPECT_LT((carried - Vector3d(0, weight, 0)).norm(), 1e-8 * weight);
    EXPECT_LT(sim.positions().col(1).minCoeff(), -0.001);  // it did sag
    // A second step stays.
    const Points before = sim.positions();
    sim.step();
    EXPECT_LT((sim.positions() - before).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(Newton, AStateIsRestoredBitForBit) {
  const TetMesh mesh = bar();
  const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)},
                  {.fixed = left_end(mesh), .damping = {0.1, 1e-3}});
  for (const auto scheme : {TimeScheme::implicit_euler, TimeScheme::newmark}) {
    NewtonSimulator sim(body, with(scheme, 0.01));
    sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.3, 0)}}}}});
    sim.begin_drag(static_cast<int>(mesh.vertex_count()) - 1, Vector3d(1, 0.5, 0.5));
    for (int i = 0; i < 5; ++i) sim.step();
    const State saved = sim.save();
    for (int i = 0; i < 5; ++i) sim.step();
    const State later = sim.save();
    sim.restore(saved);
    for (int i = 0; i < 5; ++i) sim.step();
    EXPECT_TRUE(sim.save() == later);
    NewtonSimulator other(body, with(scheme, 0.01));
    other.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.3, 0)}}}}});
    other.restore(saved);
    for (int i = 0; i < 5; ++i) other.step();
    EXPECT_TRUE(other.save() == later);
  }
}

TEST(Newton, ParallelStepsHaveTheSameBits) {
  const TetMesh mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.5, 0.5), Vector3i(12, 6, 6));
  for (const auto solver : {LinearSolver::cholesky, LinearSolver::pcg}) {
    NewtonOptions options;
    options.solver = solver;
    const Body body(mesh, {NeoHookean::from_young(1e4, 0.4)}, {.fixed = left_end(mesh)});
    Points reference;
    for (const int threads : {1, 2, 8}) {
      const ScopedThreadCount scope(threads);
      NewtonSimulator sim(body, options);
      sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.01, 0)}}}}});
      for (int i = 0; i < 3; ++i) sim.step();
      if (threads == 1) reference = sim.positions();
      EXPECT_EQ(sim.positions(), reference);
    }
  }
}

TEST(Newton, BothSolversGoTheSameWay) {
  const TetMesh mesh = bar();
  const Body body(mesh, {StVK::from_young(1e5, 0.3)}, {.fixed = left_end(mesh)});
  NewtonOptions options = exactly;
  options.solver = LinearSolver::cholesky;
  NewtonSimulator direct(body, options);
  options.solver = LinearSolver::pcg;
  options.pcg_tolerance = 1e-10;
  NewtonSimulator iterative(body, options);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(direct.step().converged);
    EXPECT_TRUE(iterative.step().converged);
  }
  EXPECT_LT((direct.positions() - iterative.positions()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Newton, WhereConjugateGradientsAreSlowCholeskyTakesOver) {
  const TetMesh mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.05, 0.05), Vector3i(40, 3, 3));
  NewtonOptions options;
  options.largest_cholesky = 100;  // fewer than there are, more than a tenth of them
  const Body soft(mesh, {StVK::from_young(1e3, 0.3)}, {.fixed = left_end(mesh)});
  NewtonSimulator quick(soft, options);
  for (int i = 0; i < 3; ++i) quick.step();
  EXPECT_EQ(quick.solver(), LinearSolver::pcg);

  const Body stiff(mesh, {StVK::from_young(1e9, 0.3)}, {.fixed = left_end(mesh)});
  NewtonSimulator slow(stiff, options);
  EXPECT_EQ(slow.solver(), LinearSolver::pcg);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(slow.step().converged);
  EXPECT_EQ(slow.solver(), LinearSolver::cholesky);
  EXPECT_GT(slow.factor_nonzeros(), 0);
  const State saved = slow.save();
  slow.step();
  NewtonSimulator other(stiff, options);
  other.restore(saved);
  other.step();
  EXPECT_TRUE(other.save() == slow.save());
}

/// Stiffness at rest and inertia for 1/60 s.
SparseMatrix step_matrix(const TetMesh& mesh) {
  const Body body(mesh, {Corotated::from_young(1e6, 0.4)});
  SymmetricBlocks K = body.block_pattern();
  Points forces = mesh.vertices;
  BodyWorkspace work;
  body.stiffness_blocks(mesh.vertices, K, forces, work);
  for (Index i = 0; i < K.size(); ++i) K.diagonal(i).diagonal().array() += 3600 * body.masses()[i];
  return to_sparse(K, StoredTriangles::lower);
}

TEST(Newton, ParallelCholeskySolvesTheSystemsOfRealBodiesToRounding) {
  std::vector<TetMesh> meshes = {make_shape("bear", {.vertices = 1500})};
  if (const auto folder = real_meshes()) {
    const MeshData dragon = read_mesh(*folder / "veg" / "asianDragon.veg");
    meshes.push_back({dragon.vertices, dragon.tets});
  }
  for (const TetMesh& mesh : meshes) {
    const SparseMatrix A = step_matrix(mesh);
    Rng rng(30);
    const VectorXd b = VectorXd::NullaryExpr(A.rows(), [&] { return rng.normal(); });
    VectorXd one;
    for (int threads : {1, 2, 8}) {
      const ScopedThreadCount scope(threads);
      SparseCholesky cholesky;
      cholesky.analyze(A);
      ASSERT_TRUE(cholesky.factorize(A));
      VectorXd x(b.size());
      cholesky.solve(b, x);
      EXPECT_LT((A.selfadjointView<Eigen::Lower>() * x - b).norm(), 1e-13 * b.norm());
      if (threads == 1) one = x;
      EXPECT_EQ(x, one);
    }
  }
}

TEST(Newton, OneIterationSolvesALinearBody) {
  const TetMesh mesh = bar();
  const Body body(mesh, {Linear::from_young(1e5, 0.3)}, {.fixed = left_end(mesh)});
  NewtonSimulator converged(body, exactly);
  NewtonOptions options = exactly;
  options.iterations = 1;
  NewtonSimulator once(body, options);
  for (int i = 0; i < 10; ++i) {
    converged.step();
    EXPECT_EQ(once.step().iterations, 1);
  }
  EXPECT_LT((converged.positions() - once.positions()).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Newton, DampingFollowsItsOwnLaw) {
  const TetMesh mesh = bar();
  const double h = 0.01, alpha = 2;
  Points v(mesh.vertex_count(), 3);
  v.rowwise() = Eigen::RowVector3d(1, 0, 0);
  const auto speed_after = [&](const Rayleigh& damping, TimeScheme scheme, double fade) {
    const Body body(mesh, {Corotated::from_young(1e5, 0.3)}, {.damping = damping});
    NewtonSimulator sim(body, with(scheme, h));
    sim.set_gravity(Vector3d::Zero());
    sim.set_damping(fade);
    sim.set_motion(mesh.vertices, v);
    for (int i = 0; i < 10; ++i) sim.step();
    return sim.measure().momentum.x() / body.total_mass();
  };
  EXPECT_NEAR(speed_after({alpha, 0}, TimeScheme::implicit_euler, 0), std::pow(1 / (1 + alpha * h), 10),
              1e-10);
  EXPECT_NEAR(speed_after({alpha, 0}, TimeScheme::newmark, 0),
              std::pow((1 - alpha * h / 2) / (1 + alpha * h / 2), 10), 1e-10);
  // Damping by stiffness does not see translations.
  EXPECT_NEAR(speed_after({0, 0.1}, TimeScheme::implicit_euler, 0), 1, 1e-10);
  EXPECT_NEAR(speed_after({0, 0.1}, TimeScheme::newmark, 0), 1, 1e-10);
  EXPECT_NEAR(speed_after({0, 0}, TimeScheme::newmark, 3), std::exp(-3 * 10 * h), 1e-10);
}

TEST(Newton, StiffnessDampingTakesEnergyFromVibrationAsTheModeSays) {
  // One mode of a linear body under Newmark: per step the amplitude obeys the damped trapezoidal rule; for small
  // h ω it decays as exp(-β ω² t / 2).
  const TetMesh mesh = bar();
  const double beta = 1e-4;
  const auto energy_left = [&](double stiffness_damping) {
    const Body body(mesh, {Linear::from_young(1e5, 0.3)},
                    {.fixed = left_end(mesh), .damping = {0, stiffness_damping}});
    NewtonSimulator sim(body, with(TimeScheme::newmark, 1e-3));
    sim.set_gravity(Vector3d::Zero());
    Points x = mesh.vertices;
    x.col(0) += 0.01 * (mesh.vertices.col(0).array() * 1.5707963).sin().matrix();
    sim.set_motion(x, Points::Zero(x.rows(), 3));
    const double before = sim.measure().total();
    for (int i = 0; i < 400; ++i) sim.step();
    return sim.measure().total() / before;
  };
  EXPECT_NEAR(energy_left(0), 1, 1e-9);
  const double some = energy_left(beta), more = energy_left(2 * beta);
  EXPECT_LT(some, 0.99);
  EXPECT_NEAR(more, some * some, 0.05);  // twice the damping, the square of the decay
}

TEST(Newton, HeldVerticesArriveWhereTheyAreSent) {
  const TetMesh mesh = bar();
  const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)}, {.fixed = left_end(mesh)});
  NewtonSimulator sim(body, exactly);
  sim.set_gravity(Vector3d::Zero());
  Points targets(static_cast<Index>(body.fixed().size()), 3);
  for (std::size_t i = 0; i < body.fixed().size(); ++i)
    targets.row(static_cast<Index>(i)) = mesh.vertices.row(body.fixed()[i]);
  for (int i = 0; i < 40; ++i) {
    targets.col(0).array() += 0.002;
    sim.move_fixed(body.fixed(), targets);
    EXPECT_TRUE(sim.step().converged);
  }
  Points there, speed;
  sim.positions_of(body.fixed(), there);
  sim.velocities_of(body.fixed(), speed);
  EXPECT_EQ(there, targets);
  EXPECT_LT((speed.rowwise() - Eigen::RowVector3d(0.2, 0, 0)).norm(), 1e-10);
  sim.release(body.fixed());
  sim.step();
  EXPECT_NEAR(
      sim.measure().momentum.x(),
      [&] {
        sim.step();
        return sim.measure().momentum.x();
      }(),
      1e-9);
}

TEST(Newton, ADraggedVertexComesToItsTargetAndAFloorCarriesTheBody) {
  const TetMesh mesh = bar();
  const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)}, {.damping = {.mass = 3, .stiffness = 0.01}});
  NewtonSimulator sim(body, {.time_step = 0.01});
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.05, 0)}}}, .friction = 0.5}});
  for (int i = 0; i < 300; ++i) sim.step();
  EXPECT_LT(std::sqrt(2 * sim.measure().kinetic / body.total_mass()), 0.02);  // m/s
  EXPECT_GT(sim.positions().col(1).minCoeff(), -0.05 - 0.01);
  EXPECT_LT(sim.positions().col(1).minCoeff(), -0.05 + 1e-9);
  const int corner = static_cast<int>(mesh.vertex_count()) - 1;
  const Vector3d target(1.2, 0.6, 0.2);
  const int id = sim.begin_drag(corner, target, 10);
  for (int i = 0; i < 300; ++i) sim.step();
  Points there;
  sim.positions_of(std::vector{corner}, there);
  EXPECT_LT((there.row(0) - target.transpose()).norm(), 0.1);
  sim.end_drag(id);
}

TEST(Newton, ForcesAppliedForOneStepGiveTheirImpulse) {
  const TetMesh mesh = bar();
  for (const auto scheme : {TimeScheme::implicit_euler, TimeScheme::newmark}) {
    NewtonSimulator sim(Body(mesh, {StVK::from_young(1e6, 0.3)}), with(scheme, 0.01));
    sim.set_gravity(Vector3d::Zero());
    sim.apply_force(std::vector{3}, Points(Eigen::RowVector3d(5, -7, 2)));
    sim.step();
    sim.step();
    EXPECT_LT((sim.measure().momentum - 0.01 * Vector3d(5, -7, 2)).norm(), 1e-12);
  }
}

TEST(Newton, StaysFiniteFromAnyStart) {
  const TetMesh mesh = bar();
  Rng rng(5);
  for (const Material& material : all_materials(1e6, 0.45)) {
    SCOPED_TRACE(name(material));
    const Body body(mesh, {material}, {.fixed = left_end(mesh), .damping = {0.1, 1e-3}});
    Points flat = mesh.vertices, mirrored = mesh.vertices;
    flat.col(1).setZero();
    mirrored.col(0) *= -1;
    const Points point = Points::Zero(mesh.vertex_count(), 3);
    const Points random = Points::NullaryExpr(mesh.vertex_count(), 3, [&] { return rng.uniform(-3, 3); });
    for (const auto scheme : {TimeScheme::implicit_euler, TimeScheme::newmark, TimeScheme::quasi_static})
      for (const Points& start : {flat, mirrored, point, random, Points(1e4 * random)}) {
        NewtonSimulator sim(body, {.scheme = scheme, .time_step = 1.0 / 30, .max_iterations = 8});
        sim.set_motion(start, random);
        for (int i = 0; i < 4; ++i) {
          if (i == 2) sim.set_stiffness(1000);
          sim.step();
          ASSERT_TRUE(sim.positions().allFinite());
          ASSERT_TRUE(velocities(sim).allFinite());
        }
      }
  }
}

TEST(Newton, AFlattenedBodyRecovers) {
  const TetMesh mesh = bar();
  const Body body(mesh, {NeoHookean::from_young(1e5, 0.4)},
                  {.fixed = left_end(mesh), .damping = {.mass = 5}});
  NewtonSimulator sim(body);
  sim.set_gravity(Vector3d::Zero());
  Points flat = mesh.vertices;
  flat.col(1).setConstant(0.1);
  for (int v : body.fixed()) flat.row(v) = mesh.vertices.row(v);
  sim.set_motion(flat, Points::Zero(flat.rows(), 3));
  for (int i = 0; i < 300; ++i) sim.step();
  EXPECT_LT((sim.positions() - mesh.vertices).cwiseAbs().maxCoeff(), 0.01);
}

TEST(Newton, SchemesAndSolversHaveNames) {
  EXPECT_EQ(time_scheme("implicit_euler"), TimeScheme::implicit_euler);
  EXPECT_EQ(time_scheme("newmark"), TimeScheme::newmark);
  EXPECT_EQ(time_scheme("quasi_static"), TimeScheme::quasi_static);
  for (LinearSolver solver : {LinearSolver::automatic, LinearSolver::cholesky, LinearSolver::pcg})
    EXPECT_EQ(linear_solver(name_of(solver)), solver);
  try {
    time_scheme("euler");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "scheme is 'euler'; expected one of 'implicit_euler', 'newmark', 'quasi_static'");
  }
}

TEST(Newton, RefusesBadOptions) {
  const Body body(bar(), {StVK::from_young(1, 0.3)});
  EXPECT_THROW(NewtonSimulator(body, {.max_iterations = 0}), InputError);
  EXPECT_THROW(NewtonSimulator(body, {.iterations = -1}), InputError);
  EXPECT_THROW(NewtonSimulator(body, {.tolerance = 0}), InputError);
  EXPECT_THROW(NewtonSimulator(body, {.time_step = 0}), InputError);
}

}  // namespace pliant
