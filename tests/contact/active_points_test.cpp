#include "pliant/contact/active_points.h"

#include <Eigen/Dense>

#include "contact/obstacles.h"

namespace pliant {
namespace {

using namespace testing_support;

/// Points that feel each other by a matrix.
class Coupled final : public PointResponses {
 public:
  explicit Coupled(MatrixXd compliance) : C(std::move(compliance)), shift(Points::Zero(C.rows(), 3)) {}
  void prepare(std::span<const Index>) override { ++prepared; }
  void compliance(Index row, std::span<const Index> others, double* out) override {
    for (const Index other : others) *out++ = C(row, other);
  }
  void push(std::span<const Index> rows, const MatrixXd& forces) override {
    shift.setZero();
    for (std::size_t i = 0; i < rows.size(); ++i) shift += C.col(rows[i]) * forces.row(static_cast<Index>(i));
  }
  Vector3d moved(Index row) const override { return shift.row(row); }

  MatrixXd C;
  Points shift;
  int prepared = 0;  ///< how often: once a system that is made anew
};

MatrixXd random_compliance(Rng& rng, Index count) {
  MatrixXd A(count, count + 4);
  for (double& a : A.reshaped()) a = rng.normal();
  return A * A.transpose() / static_cast<double>(count) + 0.05 * MatrixXd::Identity(count, count);
}

const std::vector<Obstacle> floor_only = {Obstacle{.friction = 0}};

std::vector<PlacedObstacle> placed(const std::vector<Obstacle>& obstacles) {
  std::vector<PlacedObstacle> result;
  for (const Obstacle& obstacle : obstacles) result.push_back(place(obstacle, 0));
  return result;
}

}  // namespace

TEST(ActivePoints, PinsReachWhatSpringsWouldHold) {
  Rng rng(3);
  const Index count = 5;
  Coupled body(random_compliance(rng, count));
  ActivePoints points(0, 1, 0);
  points.begin({}, 0.01);
  const Points here = Points::Random(count, 3), place = Points::Random(count, 3);
  VectorXd stiffness(count);
  for (Index i = 0; i < count; ++i) {
    stiffness[i] = rng.uniform(1, 100);
    points.add_pin(i, stiffness[i], place.row(i));
    points.points()[static_cast<std::size_t>(i)].here = here.row(i);
  }
  ASSERT_TRUE(points.pull(body));
  // Forces are those of springs at where the points end.
  for (Index i = 0; i < count; ++i) {
    const Vector3d end = here.row(i) + body.shift.row(i);
    const Vector3d pull = stiffness[i] * (Vector3d(place.row(i)) - end);
    EXPECT_LT((points.points()[static_cast<std::size_t>(i)].force - pull).norm(), 1e-8 * (1 + pull.norm()));
  }
}

TEST(ActivePoints, AFloorPushesAndNeverPulls) {
  Rng rng(5);
  for (int trial = 0; trial < 50; ++trial) {
    const Index count = 2 + trial % 12;
    Coupled body(random_compliance(rng, count));
    const double softness = 1e-6;
    ActivePoints points(count, 10, softness);
    const auto obstacles = placed(floor_only);
    Points here(count, 3);
    for (Index i = 0; i < count; ++i) here.row(i) = Vector3d(0, rng.uniform(-0.1, 0.1), 0);
    points.begin(obstacles, 0.01);
    for (Index i = 0; i < count; ++i)
      points.add_contact(i, i, here.row(i), [&] { return Vector3d(here.row(i)); });
    ASSERT_EQ(points.points().size(), static_cast<std::size_t>(count));
    // What is not settled in one turn is in the next ones.
    for (int turn = 0; turn < 20; ++turn) {
      for (ActivePoint& point : points.points()) point.here = here.row(point.row);
      if (!points.pull(body)) body.shift.setZero();
    }
    for (const ActivePoint& point : points.points()) {
      const double height = here(point.row, 1) + body.shift(point.row, 1), push = point.force.y();
      EXPECT_GE(push, 0) << trial;
      EXPECT_GT(height, -2e-4) << trial;  // as deep as counts as outside
      if (push > 0) {
        EXPECT_LT(std::abs(height), 1e-4 + softness * push) << trial;
      }
      EXPECT_EQ(points.touched[static_cast<std::size_t>(point.contact)] != 0, push > 0);
    }
  }
}

TEST(ActivePoints, VerticesFarFromEveryObstacleAreLeftOut) {
  ActivePoints points(2, 1, 0.01);
  const auto obstacles = placed(floor_only);
  points.begin(obstacles, 0.01);
  points.add_contact(0, 0, Vector3d(0, 0.5, 0), [] { return Vector3d(0, 0.5, 0); });
  points.add_contact(1, 1, Vector3d(0, 0.01, 0), [] { return Vector3d(0, 0.02, 0); });
  ASSERT_EQ(points.points().size(), 1u);
  EXPECT_EQ(points.points()[0].contact, 1);
  Coupled body(MatrixXd::Identity(2, 2));
  points.points()[0].here = Vector3d(0, 0.01, 0);
  EXPECT_FALSE(points.pull(body));
  EXPECT_EQ(points.pushed(), 0);
}

/// Vertices that move from turn to turn and from step to step among these obstacles: the forces of every turn.
/// @param fresh  nothing is remembered of the turn before of where obstacles are, nor of the step before of how points answer
std::vector<double> forces_over_time(const std::vector<Obstacle>& obstacles, bool fresh) {
  Rng rng(23);
  const Index count = 40;
  Coupled body(0.02 * random_compliance(rng, count));
  ActivePoints points(count, 20, 0.01);
  Points here(count, 3);
  for (double& x : here.reshaped()) x = rng.uniform(-1.2, 1.2);
  const std::vector<PlacedObstacle> at_rest = placed(obstacles);
  std::vector<double> forces;
  for (int step = 0; step < 20; ++step) {
    if (fresh) points.forget();
    points.begin(at_rest, 0.01);
    const Points start = here;
    for (double& x : here.reshaped()) x += 0.1 * rng.normal();
    for (Index i = 0; i < count; ++i)
      points.add_contact(i, i, here.row(i), [&] { return Vector3d(start.row(i)); });
    for (int turn = 0; turn < 4; ++turn) {
      for (double& x : here.reshaped()) x += 0.03 * rng.normal();
      for (ActivePoint& point : points.points()) {
        point.here = here.row(point.row);
        if (fresh) point.clear = -1;
      }
      points.pull(body);
      for (const ActivePoint& point : points.points())
        forces.insert(forces.end(), {point.force.x(), point.force.y(), point.force.z()});
    }
  }
  return forces;
}

TEST(ActivePoints, WhatIsRememberedChangesNothing) {
  const auto at = [](double x, double y, double z) {
    return ObstaclePath{{Keyframe{.position = Vector3d(x, y, z)}}};
  };
  const std::vector<Obstacle> obstacles = {
      Obstacle{.path = at(0, -0.8, 0)},
      Obstacle{.shape = SphereShape{0.4}, .path = at(0.3, 0.2, 0), .thickness = 0.05},
      Obstacle{.shape = BoxShape{Vector3d(0.2, 0.3, 0.1)}, .path = at(-0.6, 0.1, 0.3)},
      Obstacle{.shape = CapsuleShape{0.1, 0.4}, .path = at(0, 0, -0.7), .friction = 1}};
  const std::vector<double> forces = forces_over_time(obstacles, false);
  EXPECT_EQ(forces, forces_over_time(obstacles, true));
  EXPECT_GT(std::count_if(forces.begin(), forces.end(), [](double f) { return f != 0; }), 1000);
}

TEST(ActivePoints, PinsAreNotTakenForWhatWasInTheirRowBefore) {
  Coupled body(MatrixXd::Identity(2, 2));
  ActivePoints points(2, 1, 0.01);
  const auto obstacles = placed(floor_only);
  points.begin(obstacles, 0.01);
  points.add_contact(1, 1, Vector3d(0, -0.01, 0), [] { return Vector3d(0, 0, 0); });
  points.points()[0].here = Vector3d(0, -0.01, 0);
  ASSERT_TRUE(points.pull(body));
  ASSERT_EQ(points.pushed(), 1);
  for (const double stiffness : {1.0, 3.0}) {
    points.begin({}, 0.01);
    points.add_pin(1, stiffness, Vector3d(1, 0, 0));
    ASSERT_TRUE(points.pull(body));
    EXPECT_NEAR(body.shift(1, 0), stiffness / (1 + stiffness), 1e-9);
  }
}

TEST(ActivePoints, VerticesThatRestDoNotSlipBelowTheAngleOfFriction) {
  const std::vector<Obstacle> rough = {Obstacle{.friction = 0.5}};
  const auto obstacles = placed(rough);
  Coupled body(MatrixXd::Identity(1, 1));
  ActivePoints points(1, 1, 1e-9);
  for (const double aside : {0.3, 0.7}) {
    points.begin(obstacles, 0.01);
    points.add_contact(0, 0, Vector3d(0, -0.001, 0), [] { return Vector3d(0, 0, 0); });
    points.points()[0].here = Vector3d(aside * 0.001, -0.001, 0);
    ASSERT_TRUE(points.pull(body));
    const double end = points.points()[0].here.x() + body.shift(0, 0);
    EXPECT_NEAR(end, std::max(0.0, aside - 0.5) * 0.001, 1e-9);
    points.leave_out(0);
  }
}

TEST(ActivePoints, ForcesLieInCoulombsConesHoweverPointsFeelEachOther) {
  Rng rng(11);
  const double friction = 0.3, time_step = 0.01;
  const std::vector<Obstacle> floor = {Obstacle{.friction = friction}};
  int sliding = 0, sticking = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Index count = 2 + trial % 12;
    Coupled body(random_compliance(rng, count));
    ActivePoints points(count, 10, 1e-6);
    const std::vector<PlacedObstacle> obstacles = placed(floor);
    points.begin(obstacles, time_step);
    Points start(count, 3), here(count, 3);
    for (Index i = 0; i < count; ++i) {
      start.row(i) << rng.normal(), 0, rng.normal();
      here.row(i) = start.row(i) + Eigen::RowVector3d(0.05 * rng.normal(), -0.1 * rng.uniform(0, 1), 0);
      points.add_contact(i, i, here.row(i), [&] { return Vector3d(start.row(i)); });
    }
    // Turns go on where the last has left off.
    for (int turn = 0; turn < 200; ++turn) {
      for (ActivePoint& point : points.points()) point.here = here.row(point.row);
      points.pull(body);
    }
    for (const ActivePoint& point : points.points()) {
      const double push = point.force.y();
      const Vector3d along(point.force.x(), 0, point.force.z());
      EXPECT_GE(push, 0);
      EXPECT_LE(along.norm(), friction * push * (1 + 1e-9));
      if (!(push > 0)) continue;
      // Those that slide are held back with all of it, against their slip; the others stay where they were.
      const Vector3d end = here.row(point.row) + body.shift.row(point.row);
      Vector3d slip = end - Vector3d(start.row(point.row));
      slip.y() = 0;
      if (along.norm() < friction * push * (1 - 1e-6)) {
        EXPECT_LT(slip.norm(), 2e-3);
        ++sticking;
      } else if (slip.norm() > 2e-3) {
        EXPECT_LT((along / along.norm() + slip / slip.norm()).norm(), 0.1);
        ++sliding;
      }
    }
  }
  EXPECT_GT(sliding, 20);
  EXPECT_GT(sticking, 20);
}

TEST(ActivePoints, PointsThatAreLetGoComeBackInTheSameStep) {
  // Many turns in which points go up and down by chance; after each the forces are those of turns that know no past.
  Rng rng(17);
  const Index count = 24;
  Coupled body(random_compliance(rng, count));
  const auto obstacles = placed(floor_only);
  const auto fresh_forces = [&](const Points& here, const std::vector<char>& pushed) {
    ActivePoints points(count, 10, 1e-3);
    for (Index i = 0; i < count; ++i)
      points.touched[static_cast<std::size_t>(i)] = pushed[static_cast<std::size_t>(i)];
    points.begin(obstacles, 0.01);
    for (Index i = 0; i < count; ++i) {
      points.add_contact(i, i, Vector3d(0, -0.01, 0), [] { return Vector3d(0, 0, 0); });
      points.points()[static_cast<std::size_t>(i)].here = here.row(i);
    }
    points.pull(body);
    VectorXd forces(count);
    for (const ActivePoint& point : points.points()) forces[point.row] = point.force.y();
    return forces;
  };
  ActivePoints points(count, 10, 1e-3);
  points.begin(obstacles, 0.01);
  for (Index i = 0; i < count; ++i)
    points.add_contact(i, i, Vector3d(0, -0.01, 0), [] { return Vector3d(0, 0, 0); });
  Points here = Points::Zero(count, 3);
  for (Index i = 0; i < count; ++i) here(i, 1) = rng.uniform(-0.1, 0.02);
  int changes = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<char> pushed;
    for (const ActivePoint& point : points.points()) pushed.push_back(turn > 0 && point.active);
    for (int moves = 0; moves < 3; ++moves)
      here(static_cast<Index>(rng.uniform(0, 23.99)), 1) = rng.uniform(-0.1, 0.02);
    for (ActivePoint& point : points.points()) point.here = here.row(point.row);
    points.pull(body);
    const VectorXd forces = fresh_forces(here, pushed);
    for (const ActivePoint& point : points.points()) {
      EXPECT_NEAR(point.force.y(), forces[point.row], 1e-6) << turn;
      changes += point.active != (pushed[static_cast<std::size_t>(point.row)] != 0);
    }
  }
  EXPECT_GT(changes, 200);
}

// Points that never settle cost what their systems cost: hundreds of systems of many points in a step would take seconds.
TEST(ActivePoints, ManyPointsThatDoNotSettleHaveFewRounds) {
  Rng rng(23);
  const Index count = 700;
  Coupled body(random_compliance(rng, count));
  const auto obstacles = placed(floor_only);
  ActivePoints points(count, 10, 1e-3);
  points.begin(obstacles, 0.01);
  for (Index i = 0; i < count; ++i)
    points.add_contact(i, i, Vector3d(0, -0.01, 0), [] { return Vector3d(0, 0, 0); });
  constexpr int turns = 20;
  for (int turn = 0; turn < turns; ++turn) {
    for (ActivePoint& point : points.points()) point.here = Vector3d(0, rng.uniform(-0.1, 0.02), 0);
    points.pull(body);
  }
  EXPECT_GT(body.prepared, 10);
  EXPECT_LT(body.prepared, 3 * turns);
  for (const ActivePoint& point : points.points()) EXPECT_TRUE(point.force.allFinite());
}

TEST(ActivePoints, VerticesLeaveWithRestitutionTimesTheSpeedTheyCameWith) {
  const std::vector<Obstacle> bouncy = {Obstacle{.friction = 0, .restitution = 0.5}};
  const auto obstacles = placed(bouncy);
  Coupled body(MatrixXd::Identity(1, 1));
  ActivePoints points(1, 1, 1e-6);
  points.begin(obstacles, 0.01);
  points.add_contact(0, 0, Vector3d(0, -0.001, 0), [] { return Vector3d(0, 0.001, 0); });
  points.points()[0].here = Vector3d(0, -0.001, 0);
  ASSERT_TRUE(points.pull(body));
  const Vector3d before(1, -2, 0), now(1, 0, 0);
  ASSERT_TRUE(points.bounce(
      body, [&](Index) { return before; }, [&](Index) { return now; }));
  // A tenth is taken off, since contacts may not determine all of a body.
  EXPECT_NEAR(now.y() + body.shift(0, 1), 0.5 * 2 / 1.1, 1e-9);
  EXPECT_EQ(body.shift(0, 0), 0);
  EXPECT_FALSE(points.bounce(
      body, [&](Index) { return now; }, [&](Index) { return now; }));  // it did not come
}

}  // namespace pliant
