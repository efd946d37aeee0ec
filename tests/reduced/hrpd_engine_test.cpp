#include "pliant/reduced/hrpd_engine.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <tuple>

#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/hrpd.h"

namespace pliant {
namespace {

/// A solid with a skin, its projections fitted; those of the solid alone if the skin has weights.
struct Case {
  TetMesh mesh;
  VectorXd masses;
  std::shared_ptr<const HrpdModel> model;
};

Case bear_with_skin(bool skin_has_weights) {
  Case c;
  c.mesh = make_shape("bear", {.tets = 1500});
  c.masses = vertex_masses(c.mesh.vertices, c.mesh.tets, 1000);
  const Triangles surface = boundary_triangles(c.mesh.tets);
  ProjectiveConstraints constraints(c.mesh.vertices);
  add_tet_strain(constraints, c.mesh.tets, {.stiffness = 1e5});
  add_triangle_strain(constraints, surface, {.stiffness = 1e3});
  ReduceHrpdOptions options;
  options.positions.handles = 12;
  options.projections.handles = 8;
  options.projections.samples = 120;
  options.contact_samples = 0;
  std::vector<Points> frames;
  SnapshotFrames readers;  // which projections are read through
  if (skin_has_weights) {
    for (int f = 0; f < 12; ++f) {
      Points x = c.mesh.vertices;
      for (Index i = 0; i < x.rows(); ++i) x(i, f % 3) += 0.1 * std::sin(3 * x(i, (f + 1) % 3) + f);
      frames.push_back(x);
    }
    readers = frames_of(frames);
    options.recorded = {projections_of(constraints, ProjectiveKind::tet_strain, readers)};
  } else {
    options.sampling = Sampling::fitted;
  }
  GeodesicSolver solver(c.mesh);
  c.model = std::make_shared<const HrpdModel>(reduce_hrpd(constraints, c.masses, solver, surface, options));
  return c;
}

/// A global step as it is written down: with full matrices, all solved for.
MatrixXd slow_step(const HrpdModel& m, const MatrixXd& target, double h, std::span<const double> factors,
                   double prediction) {
  MatrixXd A = m.mass / (h * h), r = MatrixXd::Zero(m.columns(), 3);
  HrpdEngine<double> engine(m);
  Team team;
  engine.begin_step(team, target);
  engine.local_step(team, target, 1);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    const ReducedConstraints& kind = m.kinds[k];
    A += factors[k] * kind.stiffness;
    if (kind.samples.weighted()) continue;
    r += factors[k] * kind.rest_force;
    r -= factors[k] * ((1 - prediction) * kind.stiffness + prediction * seen_stiffness(kind)) * target;
    const MatrixXd found = engine.found(k);
    for (Index block = 0; block < found.cols() / 3; ++block)
      r += factors[k] * kind.map.middleCols(block * found.rows(), found.rows()) *
           found.middleCols<3>(3 * block);
  }
  // Of those with weights at factor 1, since the engine has no other.
  r += engine.pulled();
  for (Index i = 0; i < m.columns(); ++i)
    if (m.basis.dropped[static_cast<std::size_t>(i)]) {
      A.row(i).setZero(), A.col(i).setZero();
      A(i, i) = 1;
      r.row(i).setZero();
    }
  return target + A.ldlt().solve(r);
}

}  // namespace

TEST(HrpdEngine, AStepIsThatOfTheFullMatrices) {
  // Of stiff bodies it is written with B, of soft ones with K.
  for (const auto& [mixed, stiff, prediction] : {std::tuple(false, 1.0, 0.0),
                                                 {false, 1.0, 0.6},
                                                 {true, 1.0, 0.0},
                                                 {true, 1.0, 0.6},
                                                 {false, 1e-5, 0.6},
                                                 {true, 1e-5, 0.6}}) {
    const Case c = bear_with_skin(mixed);
    ASSERT_EQ(c.model->kinds.size(), 2u);
    ASSERT_FALSE(c.model->kinds[0].samples.weighted());
    ASSERT_EQ(c.model->kinds[1].samples.weighted(), mixed);
    const std::vector<double> factors = {1.7 * stiff, mixed ? 1.0 : 0.4 * stiff};
    const double h = 0.01;
    Hrpd sim(c.model, {.iterations = 1,
                       .time_step = h,
                       .double_precision = true,
                       .prediction = prediction,
                       .acceleration = 0});
    sim.set_gravity(Vector3d::Zero());
    for (std::size_t k = 0; k < 2; ++k)
      sim.set_stiffness_of(name(c.model->kinds[k].samples.kind), factors[k]);
    Points x = c.mesh.vertices, v = Points::Zero(x.rows(), 3);
    for (Index i = 0; i < x.rows(); ++i) {
      x(i, 0) += 0.2 * std::sin(4 * x(i, 1));
      v(i, 2) = std::cos(3 * x(i, 0));
    }
    sim.set_motion(x, v);
    const MatrixXd target = sim.coordinates() + h * sim.rates();
    sim.step();
    const MatrixXd slow = slow_step(*c.model, target, h, factors, prediction);
    const double moved = (slow - target).cwiseAbs().maxCoeff();
    EXPECT_GT(moved, 1e-3 * stiff);
    EXPECT_LT((sim.coordinates() - slow).cwiseAbs().maxCoeff(), 1e-8 * moved) << mixed << ' ' << prediction;
  }
}

}  // namespace pliant
