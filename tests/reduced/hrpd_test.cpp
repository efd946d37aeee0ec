#include "pliant/reduced/hrpd.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/rng.h"
#include "pliant/fullspace/projective_dynamics.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/geometry/surface.h"
#include "support/skinning_matrix.h"

namespace pliant {
namespace {

using testing_support::dense;

struct Case {
  TetMesh mesh;
  VectorXd masses;
  ProjectiveConstraints constraints;
  std::shared_ptr<const HrpdModel> model;
};

std::vector<int> lowest(const Points& X, double part) {
  const double low = X.col(1).minCoeff(), high = X.col(1).maxCoeff();
  std::vector<int> out;
  for (Index i = 0; i < X.rows(); ++i)
    if (X(i, 1) <= low + part * (high - low)) out.push_back(static_cast<int>(i));
  return out;
}

Case make_case(TetMesh mesh, const ReduceHrpdOptions& options, double young = 1e5, bool volume = true) {
  VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  ProjectiveConstraints constraints(mesh.vertices);
  if (volume)
    add_tet_volume(constraints, mesh.tets, TetVolume::from_young(young, 0.4));
  else
    add_tet_strain(constraints, mesh.tets, {.stiffness = young});
  GeodesicSolver solver(mesh);
  auto model = std::make_shared<const HrpdModel>(
      reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), options));
  return {std::move(mesh), std::move(masses), std::move(constraints), std::move(model)};
}

Case bear(const ReduceHrpdOptions& options, int tets = 4000, double young = 1e5) {
  return make_case(make_shape("bear", {.tets = tets}), options, young);
}

ReduceHrpdOptions small() {
  ReduceHrpdOptions options;
  options.positions.handles = 20;
  options.projections.handles = 15;
  options.projections.samples = 200;
  options.contact_samples = 200;
  return options;
}

}  // namespace

TEST(Hrpd, TheRestStateMovedAndTurnedStaysWhereItIs) {
  const Case c = bear(small());
  const Matrix3d R = Eigen::AngleAxisd(2, Vector3d(1, -1, 2).normalized()).toRotationMatrix();
  Points x = c.mesh.vertices * R.transpose();
  x.rowwise() += Eigen::RowVector3d(0.3, 2, -1);
  for (const bool exact : {true, false}) {
    Hrpd sim(c.model, {.double_precision = exact});
    sim.set_gravity(Vector3d::Zero());
    sim.set_motion(x, Points::Zero(x.rows(), 3));
    EXPECT_LT((sim.positions() - x).cwiseAbs().maxCoeff(), 1e-9);
    for (int i = 0; i < 10; ++i) sim.step();
    EXPECT_LT((sim.positions() - x).cwiseAbs().maxCoeff(), exact ? 1e-6 : 1e-4);
  }
}

TEST(Hrpd, FarFromWhereItWasMadeABodyKeepsItsShapeAndItsMomentum) {
  for (const Sampling sampling : {Sampling::weighted, Sampling::fitted}) {
    ReduceHrpdOptions options = small();
    options.sampling = sampling;
    const Case c = bear(options, 1500, 1e7);
    const Points& X = c.mesh.vertices;
    Hrpd sim(c.model);
    sim.set_gravity(Vector3d::Zero());
    sim.set_motion(X.rowwise() + Eigen::RowVector3d(1e4, -2e4, 0),
                   Points::Zero(X.rows(), 3).rowwise() + Eigen::RowVector3d(0, 3, 1));
    const Vector3d momentum = sim.measure().momentum;
    for (int i = 0; i < 100; ++i) sim.step();
    const Points x = sim.positions();
    // As near as it is where it was made; were the translation in the floats, the shape would be off by centimetres.
    EXPECT_LT(((x.rowwise() - x.row(0)) - (X.rowwise() - X.row(0))).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT((sim.measure().momentum - momentum).norm(), 1e-7 * momentum.norm());
  }
}

TEST(Hrpd, FarFromWhereItWasMadeABodyLiesOnTheFloorAsItDoesThere) {
  const Case c = bear(small(), 1500);
  const Points& X = c.mesh.vertices;
  std::vector<Points> places;
  for (const double far : {0.0, 1e4}) {
    Hrpd sim(c.model);
    sim.set_motion(X.rowwise() + Eigen::RowVector3d(0, far, 0), Points::Zero(X.rows(), 3));
    sim.set_obstacles(
        {Obstacle{.path = {{Keyframe{.position = Vector3d(0, X.col(1).minCoeff() + far - 0.02, 0)}}},
                  .friction = 0.5}});
    for (int i = 0; i < 40; ++i) sim.step();
    places.push_back(sim.positions().rowwise() - Eigen::RowVector3d(0, far, 0));
  }
  EXPECT_LT((places[1] - places[0]).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Hrpd, WithEveryConstraintAStepIsThatOfTheReducedPositions) {
  ReduceHrpdOptions options = small();
  options.fit = false;
  const Case c = bear(options, 1000);
  const double h = 0.02;
  Hrpd sim(c.model, {.iterations = 3, .time_step = h, .double_precision = true, .acceleration = 0});
  // Squeezed and sheared.
  Points x = c.mesh.vertices;
  x.col(0) *= 1.3, x.col(1) *= 0.6;
  sim.set_motion(x, Points::Zero(x.rows(), 3));
  const MatrixXd q0 = sim.coordinates();
  sim.step();

  const MatrixXd U = dense(c.model->basis);
  const SparseMatrix K = projective_matrix(c.constraints);
  MatrixXd A = U.transpose() * (MatrixXd(K) + MatrixXd((c.masses / (h * h)).asDiagonal())) * U;
  for (Index i = 0; i < A.rows(); ++i)
    if (c.model->basis.dropped[static_cast<std::size_t>(i)])
      A.row(i).setZero(), A.col(i).setZero(), A(i, i) = 1;
  const Points start = c.mesh.vertices + U * q0;
  Points s = start;
  s.col(1).array() -= h * h * 9.81;
  Points q = s;
  ProjectiveForces<double> forces(c.constraints);
  for (int i = 0; i < 3; ++i) {
    forces.project(q, 1);
    Points g(q.rows(), 3);
    for (Index v = 0; v < q.rows(); ++v)
      g.row(v) = forces.force(v).transpose() + c.masses[v] / (h * h) * (s.row(v) - q.row(v));
    MatrixXd r = U.transpose() * g;
    for (Index k = 0; k < A.rows(); ++k)
      if (c.model->basis.dropped[static_cast<std::size_t>(k)]) r.row(k).setZero();
    q += U * A.ldlt().solve(r);
  }
  EXPECT_LT((sim.positions() - q).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT((q - start).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Hrpd, WithAllSampledAndNothingLeftOutAStepIsThatOfThePositionsAlone) {
  ReduceHrpdOptions options = small();
  options.fit = false;
  for (const bool volume : {true, false}) {
    const Case c = make_case(make_shape("bear", {.tets = 1000}), options, 1e5, volume);
    HrpdModel fitted = *c.model;
    fitted.all.reset();
    const ProjectiveKind kind = volume ? ProjectiveKind::tet_volume : ProjectiveKind::tet_strain;
    fitted.kinds = {reduced_constraints(c.constraints, fitted.basis,
                                        all_projections(c.constraints, kind, fitted.basis),
                                        projective_matrix(c.constraints.group(kind), fitted.vertex_count()))};
    const MatrixXd& K = fitted.kinds[0].stiffness;
    EXPECT_LT((seen_stiffness(fitted.kinds[0]) - K).norm(), 1e-9 * K.norm());
    Points x = c.mesh.vertices;
    x.col(1) *= 0.6;
    const auto model = std::make_shared<const HrpdModel>(std::move(fitted));
    for (const auto& [floor, bound] : {std::pair(false, 1e-9), std::pair(true, 1e-6)}) {
      Hrpd exact(c.model), sim(model, {.double_precision = true});
      for (Hrpd* s : {&exact, &sim}) {
        if (floor) s->set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.1, 0)}}}}});
        s->set_motion(x, Points::Zero(x.rows(), 3));
        if (volume) s->set_volume(1.2);
        s->set_stiffness(0.5);
        for (int i = 0; i < 20; ++i) s->step();
      }
      EXPECT_LT((exact.positions() - sim.positions()).cwiseAbs().maxCoeff(), bound) << floor;
      // With a target volume the fit knows the mean of two projections only, and so not their energies.
      if (!volume) {
        EXPECT_NEAR(exact.measure().elastic, sim.measure().elastic, 1e-6 * sim.measure().elastic);
      }
    }
  }
}

TEST(Hrpd, InTheWholeSpaceAStepIsThatOfTheFullMethod) {
  ReduceHrpdOptions options;
  options.fit = false;
  TetMesh mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.5, 0.5), Vector3i(4, 2, 2));
  options.positions.handles = static_cast<int>(mesh.vertex_count());
  const Case c = make_case(std::move(mesh), options, 1e4);
  Hrpd sim(c.model, {.iterations = 5, .double_precision = true, .acceleration = 0});
  ProjectiveDynamics full(c.constraints, c.masses, {.iterations = 5});
  Points x = c.mesh.vertices;
  x.col(0) *= 1.2;
  for (Simulator* s : {static_cast<Simulator*>(&sim), static_cast<Simulator*>(&full)})
    s->set_motion(x, Points::Zero(x.rows(), 3));
  for (int i = 0; i < 10; ++i) sim.step(), full.step();
  EXPECT_LT((sim.positions() - full.positions()).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Hrpd, FloatGoesWithDouble) {
  const Case c = bear(small());
  Hrpd single(c.model), twice(c.model, {.double_precision = true});
  for (Simulator* s : {static_cast<Simulator*>(&single), static_cast<Simulator*>(&twice)}) {
    Points x = c.mesh.vertices;
    x.col(1) *= 0.7;
    s->set_motion(x, Points::Zero(x.rows(), 3));
  }
  for (int i = 0; i < 30; ++i) single.step(), twice.step();
  EXPECT_LT((single.positions() - twice.positions()).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(Hrpd, FloatGoesWithDoubleWhereColumnsNearlyDependOnEachOther) {
  // Many handles for so coarse a mesh: single precision must do for the columns that are left.
  ReduceHrpdOptions options = small();
  const TetMesh mesh = make_shape("bear", {.tets = 1000});
  const std::vector<int> held = lowest(mesh.vertices, 0.05);
  options.positions.handles = 80;
  options.positions.fixed = held;
  const Case c = make_case(mesh, options, 1e5, false);
  // Accelerated turns forget their past in other turns where rounding decides it: they end as near to each other as to what is
  // converged.
  for (const auto& [acceleration, bound] : {std::pair(0, 1e-5), std::pair(3, 1e-2)}) {
    Hrpd single(c.model, {.acceleration = acceleration}),
        twice(c.model, {.double_precision = true, .acceleration = acceleration});
    for (Hrpd* s : {&single, &twice}) s->set_gravity(Vector3d(10, 0, 0));
    for (int i = 0; i < 60; ++i) single.step(), twice.step();
    EXPECT_LT((single.positions() - twice.positions()).cwiseAbs().maxCoeff(), bound) << acceleration;
    EXPECT_GT((twice.positions() - mesh.vertices).cwiseAbs().maxCoeff(), 0.1);
  }
}

TEST(Hrpd, AFreeBodyKeepsItsMomentum) {
  const Case c = bear(small());
  Hrpd sim(c.model);
  Points x = c.mesh.vertices, v(x.rows(), 3);
  x.col(1) *= 0.7;
  v.setZero();
  v.col(0).setConstant(2);
  sim.set_gravity(Vector3d::Zero());
  sim.set_motion(x, v);
  const Vector3d before = sim.measure().momentum;
  for (int i = 0; i < 100; ++i) sim.step();
  EXPECT_NEAR(before.x(), 2 * c.masses.sum(), 1e-9 * before.norm());
  EXPECT_LT((sim.measure().momentum - before).norm(), 1e-3 * before.norm());
}

TEST(Hrpd, AFitFollowsTheFullMethod) {
  ReduceHrpdOptions options = small();
  options.sampling = Sampling::fitted;
  options.positions.handles = 60;
  options.projections.handles = 60;
  options.projections.samples = 1000;
  const TetMesh mesh = make_shape("bear", {.tets = 2000});
  const std::vector<int> held = lowest(mesh.vertices, 0.05);
  options.positions.fixed = held;
  const double box = (mesh.vertices.colwise().maxCoeff() - mesh.vertices.colwise().minCoeff()).norm();
  for (const bool volume : {false, true}) {
    const Case c = make_case(mesh, options, 2e5, volume);
    Hrpd sim(c.model), as_in_the_paper(c.model, {.prediction = 0});
    ProjectiveDynamics full(c.constraints, c.masses, {.iterations = 50});
    full.fix(held);
    for (Simulator* s : {static_cast<Simulator*>(&sim), static_cast<Simulator*>(&as_in_the_paper),
                         static_cast<Simulator*>(&full)})
      s->set_gravity(Vector3d(3, 0, 0));
    double error = 0, without = 0, way = 0;
    for (int i = 0; i < 60; ++i) {
      sim.step(), as_in_the_paper.step(), full.step();
      error += (sim.positions() - full.positions()).rowwise().norm().mean() / 60 / box;
      without += (as_in_the_paper.positions() - full.positions()).rowwise().norm().mean() / 60 / box;
      way = std::max(way, (full.positions() - mesh.vertices).rowwise().norm().maxCoeff() / box);
    }
    EXPECT_GT(way, 0.1) << volume;
    EXPECT_LT(error, 0.02) << volume;
    EXPECT_LT(error, 0.8 * without) << volume;
  }
}

TEST(Hrpd, SamplesWithWeightsFollowPositionsAlone) {
  ReduceHrpdOptions options = small();
  options.positions.handles = 60;
  options.projections.samples = 1000;
  const TetMesh mesh = make_shape("bear", {.tets = 8000});
  const std::vector<int> held = lowest(mesh.vertices, 0.05);
  options.positions.fixed = held;
  ReduceHrpdOptions exact = options;
  exact.fit = false;
  const double box = (mesh.vertices.colwise().maxCoeff() - mesh.vertices.colwise().minCoeff()).norm();
  for (const bool volume : {false, true}) {
    Hrpd sim(make_case(mesh, options, 2e5, volume).model), all(make_case(mesh, exact, 2e5, volume).model);
    double error = 0, way = 0;
    for (Hrpd* s : {&sim, &all}) s->set_gravity(Vector3d(3, 0, 0));
    for (int i = 0; i < 60; ++i) {
      sim.step(), all.step();
      error += (sim.positions() - all.positions()).rowwise().norm().mean() / 60 / box;
      way = std::max(way, (all.positions() - mesh.vertices).rowwise().norm().maxCoeff() / box);
    }
    EXPECT_GT(way, 0.1) << volume;
    EXPECT_LT(error, 0.03 * way) << volume;
  }
}

TEST(Hrpd, SmoothedSamplesResistBendingAsTheBodyDoes) {
  // A bar bent evenly: between handles strain varies, and is resisted. Smoothed by a half it is resisted as it should be.
  const TetMesh mesh = make_shape("bar", {.tets = 4000});
  const Points& X = mesh.vertices;
  Points bent = X;
  const double middle = X.col(0).mean(), height = X.col(1).mean(), curvature = 0.2;
  bent.col(1).array() += curvature / 2 * (X.col(0).array() - middle).square();
  bent.col(0).array() -= curvature * (X.col(0).array() - middle) * (X.col(1).array() - height);
  ReduceHrpdOptions options = small();
  options.positions.handles = 12, options.projections.samples = 144;
  const auto energy = [&](double smoothing) {
    options.smoothing = smoothing;
    Hrpd sim(make_case(mesh, options, 1e5, false).model);
    sim.set_motion(bent, Points::Zero(X.rows(), 3));
    return sim.measure().elastic;
  };
  const Case c = make_case(mesh, options, 1e5, false);
  ProjectiveDynamics full(c.constraints, c.masses, {});
  full.set_motion(bent, Points::Zero(X.rows(), 3));
  const double own = full.measure().elastic;
  EXPECT_GT(energy(0), 1.1 * own);
  EXPECT_NEAR(energy(0.5), own, 0.06 * own);
  EXPECT_LT(energy(1), own);
  EXPECT_THROW(energy(1.5), InputError);
}

TEST(Hrpd, WhereAllAreSampledWeightsAreOneAndTheStepIsThatOfPositionsAlone) {
  ReduceHrpdOptions options = small();
  options.projections.samples = 100'000;
  ReduceHrpdOptions exact = options;
  exact.fit = false;
  const TetMesh mesh = make_shape("bear", {.tets = 1000});
  for (const bool volume : {false, true}) {
    const Case c = make_case(mesh, options, 1e5, volume), all = make_case(mesh, exact, 1e5, volume);
    const VectorXd& weights = c.model->kinds[0].samples.weights;
    EXPECT_EQ(weights.size(), c.constraints.size());
    EXPECT_LT((weights.array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_LT((c.model->kinds[0].stiffness - all.model->kinds[0].stiffness).norm(),
              1e-10 * all.model->kinds[0].stiffness.norm());
    Points x = mesh.vertices;
    x.col(1) *= 0.7;
    for (const auto& [floor, acceleration] :
         {std::pair(false, 0), {true, 0}, {false, HrpdOptions().acceleration}}) {
      const double bound = acceleration == 0 ? 1e-12 : 1e-9;  // accelerated turns make more of rounding
      Hrpd sim(c.model, {.double_precision = true, .acceleration = acceleration}),
          slow(all.model, {.acceleration = acceleration});
      for (Hrpd* s : {&sim, &slow}) {
        s->set_motion(x, Points::Zero(x.rows(), 3));
        if (floor) s->set_obstacles({Obstacle{.path = {{{0, Vector3d(0, x.col(1).minCoeff() - 0.02, 0)}}}}});
      }
      for (int i = 0; i < 10; ++i) sim.step(), slow.step();
      EXPECT_LT((sim.positions() - slow.positions()).cwiseAbs().maxCoeff(), bound) << volume << floor;
      EXPECT_NEAR(sim.measure().elastic, slow.measure().elastic, bound * slow.measure().elastic);
      const FitError error = fit_error(c.constraints, *c.model, sim.coordinates());
      EXPECT_LT(error.elastic_force, 1e-9);
    }
  }
}

TEST(Hrpd, ASoftBodySwingsWithoutGainingEnergy) {
  ReduceHrpdOptions options = small();
  const TetMesh mesh = make_shape("bear", {.tets = 4000});
  const std::vector<int> held = lowest(mesh.vertices, 0.05);
  options.positions.fixed = held;
  const Case c = make_case(mesh, options, 5e4, false);
  for (const double prediction : {0.0, 0.6, 0.8}) {
    Hrpd sim(c.model, {.prediction = prediction});
    sim.set_gravity(Vector3d::Zero());
    Points kick = Points::Zero(mesh.vertex_count(), 3);
    kick.col(0) = 3 * (mesh.vertices.col(1).array() - mesh.vertices.col(1).minCoeff());
    sim.set_motion(mesh.vertices, kick);
    double first = 0, later = 0;
    for (int i = 0; i < 600; ++i) {
      sim.step();
      const double way = (sim.positions() - mesh.vertices).rowwise().norm().maxCoeff();
      (i < 120 ? first : later) = std::max(i < 120 ? first : later, way);
    }
    EXPECT_GT(first, 0.1) << prediction;
    EXPECT_LT(later, 1.02 * first) << prediction;
  }
}

TEST(Hrpd, AcceleratedTurnsEndNearerToWhatATurnDoesNotChange) {
  // A stiff body, stretched, lands: ten plain turns are far from done.
  const Case c = bear(small(), 4000, 1e6);
  Points x = c.mesh.vertices;
  x.col(0) *= 1.2;
  const auto after_a_step = [&](int iterations, int acceleration) {
    Hrpd sim(c.model, {.iterations = iterations, .double_precision = true, .acceleration = acceleration});
    sim.set_motion(x, Points::Zero(x.rows(), 3));
    sim.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, x.col(1).minCoeff() + 0.01, 0)}}}}});
    sim.step();
    return Points(sim.positions());
  };
  const Points done = after_a_step(2000, 0);
  const double plain = (after_a_step(10, 0) - done).norm(), mixed = (after_a_step(10, 3) - done).norm();
  EXPECT_GT(plain, 1e-3 * x.norm());
  EXPECT_LT(mixed, 0.5 * plain);
  EXPECT_LT((after_a_step(200, 3) - done).norm(), 0.01 * plain);  // to the same
  EXPECT_EQ(after_a_step(1, 3), after_a_step(1, 0));
  EXPECT_THROW(Hrpd(c.model, {.acceleration = 9}), InputError);
  EXPECT_THROW(Hrpd(c.model, {.acceleration = -1}), InputError);
}

TEST(Hrpd, DraggedAndHeldVerticesGoWhereTheyAreTold) {
  const Case c = bear(small());
  Hrpd sim(c.model);
  sim.set_gravity(Vector3d::Zero());
  sim.set_damping(5);
  Index top = 0;
  c.mesh.vertices.col(1).maxCoeff(&top);
  const std::vector<int> feet = lowest(c.mesh.vertices, 0.02);
  sim.fix(feet);
  const int id =
      sim.begin_drag(static_cast<int>(top), c.mesh.vertices.row(top).transpose() + Vector3d(0.3, 0, 0), 20);
  for (int i = 0; i < 200; ++i) sim.step();
  const Points x = sim.positions();
  EXPECT_GT(x(top, 0) - c.mesh.vertices(top, 0), 0.2);
  for (const int v : feet) EXPECT_LT((x.row(v) - c.mesh.vertices.row(v)).norm(), 2e-3);
  sim.end_drag(id);
  sim.release(feet);
  EXPECT_EQ(sim.factorizations(), 1);  // pins come and go without
  sim.step();
}

TEST(Hrpd, ComesToRestOnTheFloor) {
  const Case c = bear(small());
  Hrpd sim(c.model);
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.2, 0)}}}, .friction = 0.5}});
  sim.set_damping(0.5);
  for (int i = 0; i < 900; ++i) sim.step();  // it topples, and rocks for a while
  const Points before = sim.positions();
  for (int i = 0; i < 60; ++i) sim.step();
  const double low = sim.positions().col(1).minCoeff();
  EXPECT_GT(low, -0.2 - 0.03);
  EXPECT_LT(low, -0.2 + 0.01);
  EXPECT_LT((sim.positions() - before).cwiseAbs().maxCoeff(), 1e-4);
}

// Where only the surface feels the floor, what is inside falls through it, and the body is flung into the air afterwards.
TEST(Hrpd, ABodyThatLosesItsStiffnessStaysOnTheFloorAndComesBack) {
  const Case c = bear(small(), 3000);
  const Points& X = c.mesh.vertices;
  const double low = X.col(1).minCoeff(), box = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  Hrpd sim(c.model);
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, low, 0)}}}}});
  for (int i = 0; i < 30; ++i) sim.step();
  sim.set_stiffness(1e-6);
  for (int i = 0; i < 90; ++i) sim.step();
  EXPECT_LT(sim.positions().col(1).maxCoeff(), low + 0.3 * box);  // it has melted
  EXPECT_GT(sim.positions().col(1).minCoeff(), low - 0.2 * box);
  sim.set_stiffness(1);
  double highest = low;
  for (int i = 0; i < 120; ++i) {
    sim.step();
    highest = std::max(highest, sim.positions().col(1).maxCoeff());
  }
  EXPECT_LT(highest, low + 1.5 * box);
  EXPECT_GT(sim.positions().col(1).maxCoeff(), low + 0.3 * box);
}

// What contact vertices cannot carry by pushing would fall through the floor by tens of boxes, and be flung up by hundreds once
// the body is stiff again.
TEST(Hrpd, ABodyOfManyHandlesAndNoStiffnessLiesFlatAndComesBack) {
  for (const Sampling sampling : {Sampling::weighted, Sampling::fitted}) {
    ReduceHrpdOptions options = small();
    options.positions.handles = 80;
    options.projections.samples = 300;
    options.contact_samples = 150;
    options.sampling = sampling;
    const Case c = bear(options, 3000);
    const Points& X = c.mesh.vertices;
    const double low = X.col(1).minCoeff(), box = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
    Hrpd sim(c.model);
    sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, low, 0)}}}}});
    sim.set_stiffness(1e-6);
    for (int i = 0; i < 180; ++i) sim.step();
    const auto height = [&] { return ((sim.positions().col(1).array() - low) / box).eval(); };
    EXPECT_LT(height().abs().maxCoeff(), 0.02);
    sim.set_stiffness(1);
    double highest = 0;
    for (int i = 0; i < 180; ++i) {
      sim.step();
      highest = std::max(highest, height().maxCoeff());
    }
    EXPECT_LT(highest, 5);  // it leaps: what it takes to press it flat would lift it by metres
    EXPECT_GT(height().maxCoeff(), 0.2);
    EXPECT_GT(height().minCoeff(), -0.05);
  }
}

// Pins of vertices that are not inside would hold the body back, and the drop be off by a tenth of the box.
TEST(Hrpd, DropsOntoAFloorAsTheFullMethodDoes) {
  ReduceHrpdOptions options = small();
  options.positions.handles = 60;
  options.contact_samples = 400;
  options.fit = false;  // the subspace and contact alone
  const Case c = bear(options, 2000);
  const Points& X = c.mesh.vertices;
  const double box = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  Hrpd sim(c.model);
  ProjectiveDynamics full(c.constraints, c.masses, {.iterations = 150});
  for (Simulator* s : {static_cast<Simulator*>(&sim), static_cast<Simulator*>(&full)})
    s->set_obstacles(
        {Obstacle{.path = {{Keyframe{.position = Vector3d(0, X.col(1).minCoeff() - 0.05 * box, 0)}}}}});
  double error = 0;
  for (int i = 0; i < 45; ++i) {
    sim.step(), full.step();
    error += (sim.positions() - full.positions()).rowwise().norm().mean() / 45 / box;
  }
  EXPECT_LT(error, 0.015);
  EXPECT_GT(full.positions().col(1).minCoeff(), X.col(1).minCoeff() - 0.06 * box);
}

TEST(Hrpd, ObstaclesPushAndNeverPull) {
  const Case c = bear(small(), 1500);
  const double low = c.mesh.vertices.col(1).minCoeff();
  Hrpd sim(c.model), free(c.model);
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, low, 0)}}}, .friction = 1}});
  for (int i = 0; i < 30; ++i) sim.step();
  EXPECT_GT(sim.pin_count(), 0u);
  // What stands on the floor is lifted at least as fast as if that were not there.
  for (Hrpd* s : {&sim, &free}) {
    s->set_gravity(Vector3d(0, 20, 0));
    s->set_coordinates(sim.coordinates(), MatrixXd::Zero(c.model->columns(), 3));
  }
  for (int i = 0; i < 20; ++i) {
    sim.step(), free.step();
    EXPECT_GT(sim.measure().momentum.y(), free.measure().momentum.y() * (1 - 1e-4)) << i;
  }
  EXPECT_EQ(sim.pin_count(), 0u);
}

TEST(Hrpd, RestitutionGivesSpeedBack) {
  const Case c =
      make_case(structured_grid(Vector3d(0, 0, 0), Vector3d(0.2, 0.2, 0.2), Vector3i(3, 3, 3)), small(), 1e6);
  const double low = 0;
  double highest[2];
  for (const int bouncy : {0, 1}) {
    Hrpd sim(c.model);
    sim.set_obstacles(
        {Obstacle{.path = {{Keyframe{.position = Vector3d(0, low - 0.2, 0)}}}, .restitution = 0.9 * bouncy}});
    highest[bouncy] = -1e9;
    for (int i = 0; i < 60; ++i) {
      sim.step();
      if (i > 20) highest[bouncy] = std::max(highest[bouncy], sim.measure().momentum.y());
    }
  }
  EXPECT_GT(highest[1], highest[0] + 0.3 * c.masses.sum());  // kg m/s; it lands at 2 m/s
}

TEST(Hrpd, EveryKindOfConstraintsHasAFactorOfItsOwn) {
  TetMesh mesh = make_shape("bear", {.tets = 1500});
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  add_triangle_strain(constraints, boundary_triangles(mesh.tets), {.stiffness = 1e4});
  GeodesicSolver solver(mesh);
  const auto model = std::make_shared<const HrpdModel>(
      reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), small()));
  Hrpd all(model), each(model), skin(model);
  all.set_stiffness(4);
  for (const char* kind : {"tet_strain", "triangle_strain"}) each.set_stiffness_of(kind, 4);
  skin.set_stiffness_of("triangle_strain", 4);
  EXPECT_EQ(skin.stiffness_of("triangle_strain"), 4);
  EXPECT_EQ(skin.stiffness_of("tet_strain"), 1);
  Points squeezed = mesh.vertices;
  squeezed.col(1) *= 0.8;
  for (Hrpd* s : {&all, &each, &skin}) {
    s->set_motion(squeezed, Points::Zero(squeezed.rows(), 3));
    for (int i = 0; i < 5; ++i) s->step();
  }
  EXPECT_LT((all.coordinates() - each.coordinates()).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GT((all.coordinates() - skin.coordinates()).cwiseAbs().maxCoeff(), 1e-3);
  Hrpd later(model);
  later.restore(skin.save());
  later.step(), skin.step();
  EXPECT_EQ(later.coordinates(), skin.coordinates());
  EXPECT_THROW(skin.set_stiffness_of("bending", 2), InputError);
  EXPECT_THROW(skin.set_stiffness_of("tet_strain", 0), InputError);
}

TEST(Hrpd, AStateIsRestoredBitForBit) {
  const Case c = bear(small());
  Hrpd sim(c.model);
  const std::vector<Obstacle> floor{Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.02, 0)}}}}};
  sim.set_obstacles(floor);
  sim.begin_drag(3, Vector3d(0.2, 0, 0));
  for (int i = 0; i < 20; ++i) sim.step();
  EXPECT_GT(sim.pin_count(), 1u);  // it stands on the floor
  const State saved = sim.save();
  for (int i = 0; i < 5; ++i) sim.step();
  const State later = sim.save();
  Hrpd other(c.model);
  other.set_obstacles(floor);
  other.restore(saved);
  for (int i = 0; i < 5; ++i) other.step();
  EXPECT_TRUE(other.save() == later);
}

TEST(Hrpd, StaysFiniteWhateverHappens) {
  const Case c = bear(small(), 1500);
  Hrpd sim(c.model);
  Rng rng(5);
  sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.2, 0)}}}}});
  Points x = c.mesh.vertices, zero = Points::Zero(x.rows(), 3);
  for (int i = 0; i < 300; ++i) {
    if (i % 50 == 0) {
      for (Index k = 0; k < x.size(); ++k) x.data()[k] = i % 100 == 0 ? rng.normal() : 0.0;
      sim.set_motion(x, zero);
    }
    if (i % 20 == 0) sim.set_stiffness(std::pow(10.0, rng.uniform(-6, 6)));
    if (i % 7 == 0) {
      for (const Drag& d : std::vector<Drag>(sim.drags())) sim.end_drag(d.id);
      sim.begin_drag(static_cast<int>(rng.uniform(0, static_cast<double>(x.rows()))),
                     10 * Vector3d(rng.normal(), rng.normal(), rng.normal()), 50);
    }
    sim.step();
    ASSERT_TRUE(sim.coordinates().allFinite()) << i;
    ASSERT_LT(sim.coordinates().cwiseAbs().maxCoeff(), 1e6) << i;
  }
}

TEST(HrpdParallel, SameBitsOnAnyNumberOfThreads) {
  MatrixXd first;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    const Case c = bear(small(), 1500);
    Hrpd sim(c.model);
    sim.set_obstacles({Obstacle{.path = {{Keyframe{.position = Vector3d(0, -0.02, 0)}}}}});
    for (int i = 0; i < 20; ++i) sim.step();
    if (threads == 1) first = sim.coordinates();
    EXPECT_EQ(sim.coordinates(), first);
  }
}

}  // namespace pliant
