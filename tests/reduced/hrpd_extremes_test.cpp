// Hyper-reduced bodies at the ends of what can be set: stiffness, turns, pins.
#include <gtest/gtest.h>

#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/hrpd.h"

namespace pliant {
namespace {

struct Bear {
  TetMesh mesh = make_shape("bear", {.tets = 1500});
  VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  double diagonal = bounding_box(mesh.vertices).diagonal();
  std::shared_ptr<const HrpdModel> model;

  /// @param away  the body is made there, not at the origin
  explicit Bear(Sampling sampling, double away = 0) {
    mesh.vertices.array() += away;
    ProjectiveConstraints constraints(mesh.vertices);
    add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
    ReduceHrpdOptions options;
    options.positions.handles = 20;
    options.projections.handles = 15;
    options.projections.samples = 200;
    options.contact_samples = 200;
    options.sampling = sampling;
    GeodesicSolver solver(mesh);
    model = std::make_shared<const HrpdModel>(
        reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), options));
  }
};

class HrpdExtremes : public testing::TestWithParam<Sampling> {};

}  // namespace

TEST_P(HrpdExtremes, SpinningBodiesGainNeitherEnergyNorMomentum) {
  const Bear bear(GetParam());
  const Points& X = bear.mesh.vertices;
  const Eigen::RowVector3d center = (bear.masses.transpose() * X) / bear.masses.sum();
  Points spin(X.rows(), 3);
  for (Index i = 0; i < X.rows(); ++i) {
    const Eigen::RowVector3d arm = X.row(i) - center;
    spin.row(i) << -3 * arm.y(), 3 * arm.x(), 0;
  }
  for (const double stiffness : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    Hrpd sim(bear.model);
    sim.set_gravity(Vector3d::Zero());
    sim.set_stiffness(stiffness);
    sim.set_motion(X, spin);
    const double before = sim.measure().kinetic;
    for (int i = 0; i < 150; ++i) sim.step();
    const Measures after = sim.measure();
    EXPECT_LT(after.kinetic, 1.01 * before) << stiffness;
    EXPECT_LT(after.momentum.norm(), 1e-9 * bear.masses.sum() * bear.diagonal) << stiffness;
  }
}

TEST_P(HrpdExtremes, ManyVerticesAreHeldWhateverTheStiffness) {
  const Bear bear(GetParam());
  const Points& X = bear.mesh.vertices;
  std::vector<int> held;
  for (int v = 0; v < X.rows() && held.size() < 100; ++v)
    if (X(v, 1) > 0.7 * X.col(1).maxCoeff()) held.push_back(v);
  for (const bool precise : {false, true})
    for (const double stiffness : {1e-3, 1.0, 1e3, 1e6}) {
      Hrpd sim(bear.model, {.double_precision = precise});
      sim.set_stiffness(stiffness);
      sim.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, X.col(1).minCoeff(), 0)}}}}});
      sim.fix(held);
      for (int i = 0; i < 60; ++i) sim.step();
      double worst = 0;
      for (const int v : held) worst = std::max(worst, (sim.positions().row(v) - X.row(v)).norm());
      EXPECT_LT(worst, 0.02 * bear.diagonal) << precise << ' ' << stiffness;
      EXPECT_TRUE(std::isfinite(sim.measure().kinetic));
    }
}

// Rest positions far away say little in single precision: contacts counted from the origin would be off by millimetres, and never rest.
TEST_P(HrpdExtremes, BodiesMadeFarAwayComeToRestOnTheFloor) {
  double heights[2];
  for (const double away : {0.0, 1e5}) {
    const Bear bear(GetParam(), away);
    Hrpd sim(bear.model);
    const double floor = bear.mesh.vertices.col(1).minCoeff() - 0.02 * bear.diagonal;
    sim.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, floor, 0)}}}}});
    sim.set_damping(1);
    for (int i = 0; i < 600; ++i) sim.step();
    EXPECT_LT(sim.measure().kinetic, 1e-6 * bear.masses.sum()) << away;
    heights[away > 0] = sim.positions().col(1).mean() - floor;
  }
  EXPECT_NEAR(heights[1], heights[0], 0.002);
}

// A free body that was stretched shakes for a while, and then nothing is left that could move it.
TEST_P(HrpdExtremes, FreeBodiesComeToRest) {
  const TetMesh mesh = make_shape("cactus", {.tets = 6000});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_volume(constraints, mesh.tets, TetVolume::from_young(5e4, 0.4));
  ReduceHrpdOptions options;
  options.positions.handles = 15;
  options.contact_samples = 0;
  options.sampling = GetParam();
  GeodesicSolver solver(mesh);
  Hrpd sim(std::make_shared<const HrpdModel>(reduce_hrpd(constraints,
                                                         vertex_masses(mesh.vertices, mesh.tets, 1000),
                                                         solver, boundary_triangles(mesh.tets), options)));
  sim.set_gravity(Vector3d::Zero());
  Points stretched = mesh.vertices;
  stretched.col(1) *= 1.2;
  sim.set_motion(stretched, Points::Zero(stretched.rows(), 3));
  const double before = sim.measure().elastic;
  for (int i = 0; i < 1500; ++i) sim.step();
  EXPECT_LT(sim.measure().kinetic, 1e-4 * before);
}

TEST_P(HrpdExtremes, SoftBodiesLieOnTheFloorWithFewTurns) {
  const Bear bear(GetParam());
  const Points& X = bear.mesh.vertices;
  const double floor = X.col(1).minCoeff();
  for (const int turns : {1, 2, 10})
    for (const double friction : {0.0, 0.4}) {
      Hrpd sim(bear.model, {.iterations = turns});
      sim.set_stiffness(1e-3);
      sim.set_obstacles({Obstacle{.path = {{{0, Vector3d(0, floor, 0)}}}, .friction = friction}});
      double high = 0, deep = 0;
      for (int i = 0; i < 180; ++i) {
        sim.step();
        const auto y = sim.positions().col(1).array() - floor;
        high = std::max(high, y.maxCoeff() / bear.diagonal);
        deep = std::max(deep, -y.minCoeff() / bear.diagonal);
      }
      const double tall = (X.col(1).maxCoeff() - floor) / bear.diagonal;
      EXPECT_LT(high, tall + 0.1) << turns << ' ' << friction;
      EXPECT_LT(deep, 0.05) << turns << ' ' << friction;
    }
}

INSTANTIATE_TEST_SUITE_P(Samplings, HrpdExtremes, testing::Values(Sampling::weighted, Sampling::fitted));

}  // namespace pliant
