#include "pliant/reduced/newmark_broyden.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/fullspace/newton.h"
#include "reduced/small_models.h"

namespace pliant {
namespace {

using namespace testing_support;

std::shared_ptr<const ReducedFem> exact(const Body& body, const DenseBasis& basis) {
  return std::make_shared<const ReducedFem>(make_exact_reduced_fem(body, basis));
}

Material rubber() { return StVK::from_young(2e5, 0.35); }

int right_corner(const Points& X) {
  Index best = 0;
  (X.col(0) + X.col(1) + X.col(2)).maxCoeff(&best);
  return static_cast<int>(best);
}

}  // namespace

TEST(NewmarkBroyden, InTheWholeSpaceItIsTheFullSimulation) {
  const Body body = bar_body(NeoHookean::from_young(1e5, 0.4), true, {.mass = 0.5});
  NewmarkBroyden reduced(exact(body, whole_space(body)), {.tolerance = 1e-9});
  NewtonSimulator full(body, {.scheme = TimeScheme::newmark, .tolerance = 1e-11});
  double largest = 0;
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(reduced.step().converged);
    full.step();
    EXPECT_LT((reduced.positions() - full.positions()).cwiseAbs().maxCoeff(), 2e-6) << "step " << i;
    largest = std::max(largest, (full.positions() - body.rest_positions()).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 0.05);  // it did move
}

TEST(NewmarkBroyden, BroydenAndNewtonAgree) {
  const Body body = bar_body(rubber(), true, {.mass = 0.2, .stiffness = 1e-3});
  const auto model = exact(body, extended(body, 5));
  NewmarkBroyden broyden(model, {.tolerance = 1e-10, .max_iterations = 60});
  NewmarkBroyden newton(model, {.tolerance = 1e-10, .max_iterations = 0});
  for (int i = 0; i < 60; ++i) {
    EXPECT_TRUE(broyden.step().converged);
    EXPECT_TRUE(newton.step().converged);
    EXPECT_LT((broyden.coordinates() - newton.coordinates()).norm(), 1e-8 * newton.coordinates().norm());
  }
  EXPECT_EQ(newton.newton_steps(), 60);
  EXPECT_EQ(broyden.newton_steps(), 0);
}

TEST(NewmarkBroyden, ThePolynomialMovesAsAllElementsDo) {
  const Body body = bar_body(rubber(), true, {.mass = 0.2, .stiffness = 1e-3});
  const DenseBasis basis = extended(body, 3);
  NewmarkBroyden elements(exact(body, basis), {.tolerance = 1e-10});
  NewmarkBroyden polynomial(std::make_shared<const ReducedFem>(make_polynomial_reduced_fem(body, basis)),
                            {.tolerance = 1e-10});
  for (int i = 0; i < 120; ++i) {
    EXPECT_TRUE(elements.step().converged);
    EXPECT_TRUE(polynomial.step().converged);
    // The elements have U in single precision.
    EXPECT_LT((polynomial.coordinates() - elements.coordinates()).norm(),
              1e-5 * elements.coordinates().norm());
  }
}

TEST(NewmarkBroyden, DampingByEitherStiffnessIsTheSameInALinearBody) {
  const Body body = bar_body(Linear::from_young(1e5, 0.4), true, {.mass = 0.5, .stiffness = 5e-3});
  const auto model = exact(body, extended(body, 5));
  NewmarkBroyden at_rest(model, {.tolerance = 1e-10});
  NewmarkBroyden following(model, {.tolerance = 1e-10, .damping = StiffnessDamping::following});
  for (int i = 0; i < 60; ++i) at_rest.step(), following.step();
  EXPECT_LT((at_rest.coordinates() - following.coordinates()).norm(), 1e-6 * at_rest.coordinates().norm());
}

TEST(NewmarkBroyden, FollowingDampingLetsABodySpin) {
  const Body body = bar_body(StVK::from_young(1e6, 0.3), false, {.stiffness = 2e-3});
  const auto model = exact(body, extended(body, 3));
  const auto spin_left = [&](StiffnessDamping damping) {
    NewmarkBroyden simulator(model, {.damping = damping});
    simulator.set_gravity(Vector3d::Zero());
    Points velocities(body.vertex_count(), 3);
    const Vector3d spin(0, 0, 2),
        middle = body.masses().transpose() * body.rest_positions() / body.total_mass();
    for (Index i = 0; i < body.vertex_count(); ++i)
      velocities.row(i) = spin.cross(Vector3d(body.rest_positions().row(i).transpose() - middle)).transpose();
    simulator.set_motion(body.rest_positions(), velocities);
    const double before = simulator.measure().angular_momentum.z();
    for (int i = 0; i < 60; ++i) simulator.step();
    return simulator.measure().angular_momentum.z() / before;
  };
  EXPECT_NEAR(spin_left(StiffnessDamping::following), 1, 0.02);  // after a turn of two radians
  EXPECT_LT(spin_left(StiffnessDamping::at_rest), 0.5);
}

TEST(NewmarkBroyden, KeepsTheEnergyOfALinearBody) {
  const Body body = bar_body(Linear::from_young(1e5, 0.3), true);
  NewmarkBroyden sim(exact(body, extended(body, 4)), {.tolerance = 1e-12});
  const double before = sim.measure().total();
  for (int i = 0; i < 200; ++i) sim.step();
  const Measures after = sim.measure();
  EXPECT_NEAR(after.total(), before, 1e-6 * (after.kinetic + after.elastic));
}

TEST(NewmarkBroyden, FreeBodiesFallAndKeepTheirMomentum) {
  const Body body = bar_body(rubber(), false);
  NewmarkBroyden sim(exact(body, extended(body, 4)), {.tolerance = 1e-10});
  Points spin(body.vertex_count(), 3);
  for (Index i = 0; i < spin.rows(); ++i)
    spin.row(i) = Vector3d(0.3, 1, 2).cross(Vector3d(body.rest_positions().row(i).transpose())).transpose();
  sim.set_motion(body.rest_positions(), spin);
  const Measures before = sim.measure();
  const Vector3d center = (body.masses().transpose() * body.rest_positions()).transpose() / body.total_mass();
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(sim.step().converged);
  const double t = sim.time();
  const Vector3d fallen = before.momentum + body.total_mass() * t * sim.gravity();
  EXPECT_LT((sim.measure().momentum - fallen).norm(), 1e-4 * fallen.norm());  // U is kept in float
  const Vector3d expected = center + before.momentum / body.total_mass() * t + 0.5 * t * t * sim.gravity();
  const Vector3d now = (body.masses().transpose() * sim.positions()).transpose() / body.total_mass();
  EXPECT_LT((now - expected).norm(), 1e-4);
}

TEST(NewmarkBroyden, StiffnessIsAFactorOnForces) {
  const Body body = bar_body(rubber(), true, {.mass = 20}),
             soft = bar_body(StVK::from_young(1e5, 0.35), true, {.mass = 20});
  NewmarkBroyden changed(exact(body, whole_space(body)), {.tolerance = 1e-9});
  NewmarkBroyden made(exact(soft, whole_space(soft)), {.tolerance = 1e-9});
  changed.set_stiffness(0.5);
  for (int i = 0; i < 20; ++i) changed.step(), made.step();
  EXPECT_LT((changed.positions() - made.positions()).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(NewmarkBroyden, ADragPullsItsVertexAndReleasesIt) {
  const Body body = bar_body(rubber(), true, {.mass = 5, .stiffness = 1e-2});
  NewmarkBroyden sim(exact(body, extended(body, 5)));
  sim.set_gravity(Vector3d::Zero());
  const int corner = right_corner(body.rest_positions());
  const Vector3d rest = body.rest_positions().row(corner).transpose(), target = rest + Vector3d(0, 0.3, 0.1);
  const int id = sim.begin_drag(corner, target);
  Points here;
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(sim.step().converged);
  sim.positions_of(std::span(&corner, 1), here);
  EXPECT_LT((here.row(0).transpose() - target).norm(), 0.5 * (rest - target).norm());
  sim.end_drag(id);
  for (int i = 0; i < 400; ++i) EXPECT_TRUE(sim.step().converged);
  sim.positions_of(std::span(&corner, 1), here);
  EXPECT_LT((here.row(0).transpose() - rest).norm(), 0.02);
}

TEST(NewmarkBroyden, ReactionsCarryTheWeight) {
  const Body body = bar_body(rubber(), true, {.mass = 20, .stiffness = 2e-2});
  NewmarkBroyden sim(exact(body, extended(body, 5)));
  for (int i = 0; i < 600; ++i) sim.step();
  Points reactions;
  sim.reactions_of(body.fixed(), reactions);
  const Vector3d sum = reactions.colwise().sum().transpose();
  EXPECT_LT((sum + body.total_mass() * sim.gravity()).norm(), 1e-3 * body.total_mass() * 9.81);
}

TEST(NewmarkBroyden, ComesToRestOnAFloor) {
  const Body body = bar_body(rubber(), false, {.mass = 2, .stiffness = 5e-3});
  NewmarkBroyden sim(exact(body, extended(body, 4)));
  Obstacle floor;
  floor.path.keyframes[0].position = Vector3d(0, -0.2, 0);
  sim.set_obstacles({floor});
  for (int i = 0; i < 600; ++i) sim.step();
  EXPECT_GT(sim.positions().col(1).minCoeff(), -0.22);
  EXPECT_LT(sim.positions().col(1).maxCoeff(), 0.02);
  EXPECT_LT(sim.measure().kinetic, 1e-4);
}

TEST(NewmarkBroyden, VerticesFixedWhileRunningStayAndMove) {
  const Body body = bar_body(rubber(), true, {.mass = 5, .stiffness = 1e-2});
  NewmarkBroyden sim(exact(body, extended(body, 6)));
  const int corner = right_corner(body.rest_positions());
  const std::vector<int> ids{corner};
  sim.fix(ids);
  for (int i = 0; i < 100; ++i) sim.step();
  Points here;
  sim.positions_of(ids, here);
  EXPECT_LT((here.row(0) - body.rest_positions().row(corner)).norm(), 5e-3);
  const int drag = sim.begin_drag(corner, Vector3d(3, 3, 3), 100);  // what is held stays
  for (int i = 0; i < 100; ++i) sim.step();
  sim.positions_of(ids, here);
  EXPECT_LT((here.row(0) - body.rest_positions().row(corner)).norm(), 5e-3);
  sim.end_drag(drag);
  Points target = body.rest_positions().row(corner);
  target(0, 1) += 0.1;
  sim.move_fixed(ids, target);
  for (int i = 0; i < 100; ++i) sim.step();
  sim.positions_of(ids, here);
  EXPECT_LT((here - target).norm(), 1e-2);
  sim.release(ids);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(sim.step().converged);
  EXPECT_THROW(sim.release(body.fixed()), InputError);
}

TEST(NewmarkBroyden, AStateGivesTheSameBitsAgain) {
  const Body body = bar_body(rubber(), true, {.mass = 0.1});
  NewmarkBroyden sim(exact(body, extended(body, 4)));
  sim.begin_drag(right_corner(body.rest_positions()), Vector3d(1.2, 0.4, 0));
  for (int i = 0; i < 10; ++i) sim.step();
  const State state = sim.save();
  for (int i = 0; i < 10; ++i) sim.step();
  const VectorXd q = sim.coordinates();
  sim.restore(state);
  EXPECT_EQ(sim.save(), state);
  for (int i = 0; i < 10; ++i) sim.step();
  EXPECT_EQ(sim.coordinates(), q);
  NewmarkBroyden other(exact(body, extended(body, 5)));
  EXPECT_THROW(other.restore(state), InputError);
}

TEST(NewmarkBroyden, APullHoweverHardMakesNoEnergy) {
  for (const Material& material : {Material(rubber()), Material(NeoHookean::from_young(1e5, 0.45))}) {
    const Body body = bar_body(material, true);
    NewmarkBroyden sim(exact(body, extended(body, 4)));
    const double box =
        (body.rest_positions().colwise().maxCoeff() - body.rest_positions().colwise().minCoeff()).norm();
    const int corner = right_corner(body.rest_positions());
    double furthest = 0;
    for (int i = 0; i < 240; ++i) {
      if (i % 60 == 0) {
        for (const Drag& d : std::vector<Drag>(sim.drags())) sim.end_drag(d.id);
        sim.begin_drag(corner, (i % 120 ? -10 : 10) * box * Vector3d(0.3, 1, 0.2), 100);
      }
      sim.step();
      furthest =
          std::max(furthest, (sim.positions() - body.rest_positions()).rowwise().norm().maxCoeff() / box);
    }
    EXPECT_GT(furthest, 0.5);
    EXPECT_LT(furthest, 100);
    for (const Drag& d : std::vector<Drag>(sim.drags())) sim.end_drag(d.id);
    double before = sim.measure().total();
    for (int i = 0; i < 60; ++i) {
      sim.step();
      const double now = sim.measure().total();
      EXPECT_LT(now, before + 0.011 * std::abs(before) + 1e-9) << "step " << i;
      before = now;
    }
  }
}

TEST(NewmarkBroyden, StaysFiniteWhateverIsDone) {
  Rng rng(11);
  for (const Material& material : {Material(rubber()), Material(NeoHookean::from_young(1e5, 0.45)),
                                   Material(Corotated::from_young(1e5, 0.3))})
    for (const bool held : {true, false}) {
      const Body body = bar_body(material, held, {.mass = 0.1, .stiffness = 1e-3});
      NewmarkBroyden sim(exact(body, extended(body, 4)));
      sim.set_obstacles({Obstacle{.shape = SphereShape{0.3}}});
      int drag = 0;
      for (int i = 0; i < 60; ++i) {
        if (i % 15 == 3) {
          Points x = body.rest_positions();
          for (Index k = 0; k < x.size(); ++k) x.data()[k] *= i % 2 ? 0.0 : rng.uniform(-3, 3);
          sim.set_motion(x, 10 * Points::Random(x.rows(), 3));
        }
        if (i % 10 == 0) sim.set_stiffness(std::pow(10, rng.uniform(-3, 3)));
        if (i % 20 == 0) drag = sim.begin_drag(5, Vector3d(rng.uniform(-9, 9), 4, 4), 10);
        if (i % 20 == 12) sim.end_drag(drag);
        sim.set_time_step(i % 7 == 0 ? 1.0 / 30 : 1.0 / 200);
        sim.step();
        ASSERT_TRUE(sim.coordinates().allFinite() && sim.rates().allFinite()) << "step " << i;
      }
    }
}

}  // namespace pliant
