// Hyper-reduced bodies that are held, dragged and touched at once.
#include "pliant/reduced/hrpd_pins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/hrpd.h"

namespace pliant {
namespace {

/// A bar that lies along x; one end of it is held, the other falls on a floor.
struct Bar {
  TetMesh mesh = make_shape("bar", {.tets = 800});
  BoundingBox box = bounding_box(mesh.vertices);
  VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  std::vector<int> end;
  HrpdModel model;

  /// @param pieces_apart  a second bar stands there, which no end is held of
  Bar(double stiffness, bool held_by_model, double pieces_apart = 0) {
    const Index one = mesh.vertex_count();
    if (pieces_apart > 0) {
      const Index n = mesh.vertex_count(), m = mesh.tet_count();
      mesh.vertices.conservativeResize(2 * n, 3);
      mesh.vertices.bottomRows(n) =
          mesh.vertices.topRows(n).rowwise() + Eigen::RowVector3d(0, 0, pieces_apart);
      mesh.tets.conservativeResize(2 * m, 4);
      mesh.tets.bottomRows(m) = mesh.tets.topRows(m).array() + static_cast<int>(n);
      masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
    }
    const double from = box.low[0] + 0.15 * (box.high[0] - box.low[0]);
    for (int v = 0; v < one; ++v)
      if (mesh.vertices(v, 0) < from) end.push_back(v);
    ProjectiveConstraints constraints(mesh.vertices);
    add_tet_strain(constraints, mesh.tets, {.stiffness = stiffness});
    ReduceHrpdOptions options;
    options.positions.handles = 16;
    if (held_by_model) options.positions.fixed = end;
    options.projections.samples = 200;
    options.contact_samples = 200;
    GeodesicSolver solver(mesh);
    model = reduce_hrpd(constraints, masses, solver, boundary_triangles(mesh.tets), options);
  }

  std::vector<Obstacle> floor(double friction, double restitution = 0) const {
    const double y = box.low[1] - 0.05 * box.diagonal();
    return {Obstacle{.path = {{{0, Vector3d(0, y, 0)}}}, .friction = friction, .restitution = restitution}};
  }
};

}  // namespace

// Contacts that slide must not loosen what is held: it would be off by a tenth of the bar and more.
TEST(HrpdPins, VerticesStayHeldWhileContactsSlide) {
  const Bar bar(2e4, false);
  for (const bool precise : {false, true})
    for (const double friction : {0.0, 0.1, 0.3}) {
      Hrpd sim(std::make_shared<const HrpdModel>(bar.model), {.double_precision = precise});
      sim.set_obstacles(bar.floor(friction));
      sim.fix(bar.end);
      double off = 0;
      Index pushed = 0;
      for (int i = 0; i < 120; ++i) {
        sim.step();
        for (const int v : bar.end)
          off = std::max(off, (sim.positions().row(v) - bar.mesh.vertices.row(v)).norm());
        pushed = std::max(pushed, static_cast<Index>(sim.pin_count() - bar.end.size()));
      }
      EXPECT_GT(pushed, 0);
      EXPECT_LT(off, 1e-3 * bar.box.diagonal()) << precise << ' ' << friction;
    }
}

// Nor do those that bounce: where held vertices are, and how fast, is as if nothing did.
TEST(HrpdPins, VerticesStandStillWhereOthersBounce) {
  const Bar bar(2e4, false);
  Hrpd sim(std::make_shared<const HrpdModel>(bar.model));
  sim.set_obstacles(bar.floor(0.3, 0.8));
  sim.fix(bar.end);
  Points velocities;
  double fastest = 0;
  for (int i = 0; i < 120; ++i) {
    sim.step();
    sim.velocities_of(bar.end, velocities);
    fastest = std::max(fastest, velocities.rowwise().norm().maxCoeff());
  }
  EXPECT_LT(fastest, 0.02);
}

// A contact vertex that the subspace does not move has no answer to a push. It must not spoil that of the others.
TEST(HrpdPins, AContactThatCannotMoveDoesNotSwitchOthersOff) {
  Bar bar(1e5, false);
  const int still = bar.model.contact_vertices.back();
  HandleWeights& w = bar.model.basis.weights;
  std::fill(w.weight.begin() + w.first[static_cast<std::size_t>(still)],
            w.weight.begin() + w.first[static_cast<std::size_t>(still) + 1], 0.0);
  Hrpd sim(std::make_shared<const HrpdModel>(bar.model), {.double_precision = true});
  std::vector<Obstacle> obstacles = bar.floor(0.5);
  obstacles.push_back(
      Obstacle{.shape = SphereShape{0.02},
               .path = {{{0, Vector3d(bar.mesh.vertices.row(still).transpose()) + Vector3d(0, 0.01, 0)}}}});
  sim.set_obstacles(obstacles);
  for (int i = 0; i < 60; ++i) sim.step();
  const double floor = bar.box.low[1] - 0.05 * bar.box.diagonal();
  EXPECT_GT(sim.positions().col(1).minCoeff(), floor - 0.02 * bar.box.diagonal());
}

// What lies on the floor need not be carried where the body is held.
TEST(HrpdPins, ReactionsLeaveOutWhatObstaclesCarry) {
  double carried[2];
  for (const bool by_model : {false, true}) {
    const Bar bar(2e4, by_model);
    Hrpd sim(std::make_shared<const HrpdModel>(bar.model));
    sim.set_damping(3);
    sim.set_obstacles(bar.floor(1e6));
    if (!by_model) sim.fix(bar.end);
    for (int i = 0; i < 300; ++i) sim.step();
    Points reactions;
    sim.reactions_of(bar.end, reactions);
    carried[by_model] = reactions.col(1).sum() / (9.81 * bar.masses.sum());
  }
  EXPECT_GT(carried[true], 0.1);
  EXPECT_LT(carried[true], 0.8);
  EXPECT_NEAR(carried[true], carried[false], 0.15);
}

TEST(HrpdPins, HoldBodiesHoweverStiff) {
  for (const double stiffness : {1e12, 1e13, 1e14}) {
    const Bar bar(stiffness, false);
    Hrpd sim(std::make_shared<const HrpdModel>(bar.model));
    const int last = static_cast<int>(bar.mesh.vertex_count()) - 1;
    const std::vector<int> some = {0, 1, last / 2, last - 1, last};
    sim.fix(some);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(sim.step().converged);
    for (const int v : some) EXPECT_LT((sim.positions().row(v) - bar.mesh.vertices.row(v)).norm(), 1e-6);
  }
}

// Rounding must not drive apart the pieces of a body that is in two.
TEST(HrpdPins, EachPieceKeepsItsOwnCentre) {
  for (const bool first_is_held : {false, true}) {
    const Bar bar(1e11, first_is_held, 1.0);
    Hrpd sim(std::make_shared<const HrpdModel>(bar.model));
    sim.set_gravity(Vector3d::Zero());
    const Points& X = bar.mesh.vertices;
    const Index n = X.rows() / 2;
    const auto center = [&](const Points& x, Index first) -> Eigen::RowVector3d {
      return bar.masses.segment(first, n).transpose() * x.middleRows(first, n) /
             bar.masses.segment(first, n).sum();
    };
    Points spin(X.rows(), 3);
    for (Index i = 0; i < X.rows(); ++i) {
      const Eigen::RowVector3d arm = X.row(i) - center(X, i < n ? 0 : n);
      spin.row(i) << -3 * arm.y(), 3 * arm.x(), 0;
    }
    sim.set_motion(X, spin);
    for (int i = 0; i < 300; ++i) sim.step();
    for (const Index first : {Index{0}, n}) {
      if (first == 0 && first_is_held) continue;
      EXPECT_LT((center(sim.positions(), first) - center(X, first)).norm(), 1e-9) << first_is_held;
    }
  }
}

// What is held stays where it is, however hard it is pulled.
TEST(HrpdPins, HeldVerticesDoNotFollowDrags) {
  const Bar bar(2e4, false);
  for (const double stiffness : {1e-6, 1.0}) {
    Hrpd sim(std::make_shared<const HrpdModel>(bar.model));
    sim.set_gravity(Vector3d::Zero());
    sim.set_stiffness(stiffness);
    sim.fix(bar.end);
    const int v = bar.end.front();
    sim.begin_drag(v, Vector3d(bar.mesh.vertices.row(v).transpose()) + Vector3d(0, 1, 0), 100);
    for (int i = 0; i < 60; ++i) sim.step();
    EXPECT_LT((sim.positions().row(v) - bar.mesh.vertices.row(v)).norm(), 1e-4 * bar.box.diagonal())
        << stiffness;
  }
}

// Memory goes with the square of their number: what takes the whole machine gets a sentence.
TEST(HrpdPins, TooManyToHoldGetASentence) {
  const TetMesh mesh = make_shape("bar", {.tets = 12000});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  ReduceHrpdOptions options;
  options.positions.handles = 8;
  options.projections.samples = 80;
  options.contact_samples = 0;
  GeodesicSolver solver(mesh);
  Hrpd sim(std::make_shared<const HrpdModel>(reduce_hrpd(constraints,
                                                         vertex_masses(mesh.vertices, mesh.tets, 1000),
                                                         solver, boundary_triangles(mesh.tets), options)));
  std::vector<int> all(static_cast<std::size_t>(mesh.vertex_count()));
  std::iota(all.begin(), all.end(), 0);
  ASSERT_GT(all.size(), 2000u);
  EXPECT_THROW(sim.fix(all), InputError);
  EXPECT_TRUE(sim.fixed().empty());
  sim.fix(std::span(all).first(100));
  sim.step();
  EXPECT_TRUE(sim.coordinates().allFinite());
}

// Which vertices were pinned first is not part of a state: steps must not depend on it, to the last bit.
TEST(HrpdPins, StatesDoNotKnowWhichVerticesWerePinnedFirst) {
  const Bar bar(2e4, false);
  const int last = static_cast<int>(bar.mesh.vertex_count()) - 1;
  for (const bool precise : {false, true}) {
    const auto model = std::make_shared<const HrpdModel>(bar.model);
    Hrpd sim(model, {.double_precision = precise}), other(model, {.double_precision = precise});
    for (Hrpd* s : {&sim, &other}) s->set_obstacles(bar.floor(0.5));
    for (const int v : {last, last / 2, 5, last / 3, 1}) {
      sim.fix(std::span(&v, 1));
      for (int i = 0; i < 5; ++i) sim.step();
    }
    sim.begin_drag(last / 4, Vector3d(0, 0.5, 0.2));
    sim.step();
    other.restore(sim.save());
    for (int i = 0; i < 60; ++i) sim.step(), other.step();
    EXPECT_TRUE(sim.save() == other.save()) << precise;
  }
}

}  // namespace pliant
