#include "pliant/contact/projection.h"

#include <numeric>

#include "contact/obstacles.h"

namespace pliant {
namespace {

using namespace testing_support;

std::vector<int> all_of(Index count) {
  std::vector<int> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

Points random_points(Rng& rng, Index count, double size) {
  Points points(count, 3);
  for (Index i = 0; i < count; ++i) points.row(i) = random_vector(rng, size);
  return points;
}

std::vector<PlacedObstacle> placed(const std::vector<Obstacle>& obstacles, double time = 0) {
  std::vector<PlacedObstacle> result;
  for (const Obstacle& obstacle : obstacles) result.push_back(place(obstacle, time));
  return result;
}

/// A free mass under gravity, in the steps of a simulator on positions.
struct Mass {
  Points x, v;
  Vector3d gravity = Vector3d(0, -9.81, 0);
  std::vector<VertexContact> contacts = {};

  explicit Mass(const Vector3d& position, const Vector3d& velocity = Vector3d::Zero()) {
    x = position.transpose(), v = velocity.transpose();
  }
  void step(const std::vector<Obstacle>& obstacles, double time, double h) {
    const std::vector<PlacedObstacle> at_end = placed(obstacles, time + h);
    const std::vector<int> ids{0};
    const Points start = x, before = v;
    x += h * v;
    x.row(0) += h * h * gravity.transpose();
    project_positions(at_end, ids, start, h, x, contacts);
    v = (x - start) / h;
    project_velocities(at_end, ids, contacts, before, v);
  }
};

/// A plane through the origin that falls by `angle` in the direction of x.
Obstacle incline(double angle, double friction) {
  Obstacle plane{.friction = friction};
  plane.path.keyframes = {{.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(-angle, Vector3d::UnitZ()))}};
  return plane;
}

TEST(Projection, VerticesInsideEndOnTheSurfaceAndOthersStay) {
  for (const double thickness : {0.0, 0.05})
    for (const NamedObstacle& named : one_of_each(thickness)) {
      Rng rng(1);
      const std::vector<PlacedObstacle> obstacles{place(named.obstacle, 0)};
      const Points before = random_points(rng, 600, 1);
      Points after = before;
      std::vector<VertexContact> contacts;
      const std::vector<int> ids = all_of(600);
      const Index moved = project_positions(obstacles, ids, before, 0.01, after, contacts);
      Index inside = 0;
      for (Index i = 0; i < 600; ++i) {
        const Contact was = contact_at(obstacles[0], before.row(i)),
                      is = contact_at(obstacles[0], after.row(i));
        const VertexContact& contact = contacts[static_cast<std::size_t>(i)];
        EXPECT_EQ(contact.touches(), was.distance < 0);
        if (was.distance < 0) {
          ++inside;
          EXPECT_NEAR(is.distance, 0, 1e-12) << named.name;
          // The shortest way out. (It moved against the resting start by no slip at all.)
          EXPECT_NEAR((after.row(i) - before.row(i)).norm(), -was.distance, 1e-12) << named.name;
        } else {
          EXPECT_EQ(before.row(i), after.row(i));
        }
      }
      EXPECT_EQ(moved, inside);
      EXPECT_GT(inside, 20) << named.name;
    }
}

TEST(Projection, OnlyTheVerticesOfTheSetAreMoved) {
  Rng rng(2);
  const std::vector<Obstacle> obstacles{{.shape = PlaneShape{}}};
  const Points before = random_points(rng, 100, 1);
  Points after = before;
  std::vector<VertexContact> contacts;
  const std::vector<int> ids{3, 50, 51, 98};
  project_positions(placed(obstacles), ids, before, 0.01, after, contacts);
  ASSERT_EQ(contacts.size(), ids.size());
  for (int v = 0; v < 100; ++v) {
    const bool listed = std::find(ids.begin(), ids.end(), v) != ids.end();
    EXPECT_EQ(after(v, 1), listed ? std::max(0.0, before(v, 1)) : before(v, 1));
  }
}

TEST(Projection, ACornerOfTwoObstaclesIsLeft) {
  std::vector<Obstacle> walls{incline(0, 0.5), incline(-1.0, 0.5)};  // a floor, and a slope rising along x
  Rng rng(3);
  const Points start = random_points(rng, 300, 1);
  Points x = start;
  std::vector<VertexContact> contacts;
  project_positions(placed(walls), all_of(300), start, 0.01, x, contacts);
  for (Index i = 0; i < 300; ++i)
    for (const PlacedObstacle& wall : placed(walls))
      EXPECT_GT(contact_at(wall, x.row(i)).distance, -0.03) << start.row(i);
}

TEST(Projection, AMassSticksOnAnInclineBelowTheAngleOfFriction) {
  for (const double angle : {0.1, 0.3, 0.5}) {
    const std::vector<Obstacle> slope{incline(angle, 1.01 * std::tan(angle))};
    Mass mass(Vector3d::Zero());
    for (int i = 0; i < 100; ++i) mass.step(slope, 0.01 * i, 0.01);
    EXPECT_LT(mass.x.norm(), 1e-12) << angle;
  }
}

TEST(Projection, AMassSlidesDownAnInclineAsCoulombSays) {
  const double h = 0.01, angle = 0.6, friction = 0.4;
  const std::vector<Obstacle> slope{incline(angle, friction)};
  Mass mass(Vector3d::Zero());
  for (int i = 1; i <= 100; ++i) {
    mass.step(slope, h * i, h);
    const double acceleration = 9.81 * (std::sin(angle) - friction * std::cos(angle));
    EXPECT_NEAR(mass.v.norm(), acceleration * h * i, 1e-10);
    EXPECT_NEAR(mass.v(0, 1) / mass.v.norm(), -std::sin(angle), 1e-10);
  }
}

TEST(Projection, WithoutFrictionTheSlipIsKept) {
  const std::vector<Obstacle> floor{incline(0, 0)};
  Mass mass({0, 0.05, 0}, {2, -1, 0.5});
  for (int i = 0; i < 50; ++i) mass.step(floor, 0.01 * i, 0.01);
  EXPECT_NEAR(mass.v(0, 0), 2, 1e-12);
  EXPECT_NEAR(mass.v(0, 2), 0.5, 1e-12);
  EXPECT_NEAR(mass.x(0, 1), 0, 1e-15);
}

TEST(Projection, AMassLeavesWithRestitutionTimesTheSpeedItCameWith) {
  for (const double restitution : {0.0, 0.3, 1.0}) {
    std::vector<Obstacle> floor{incline(0, 0.2)};
    floor[0].restitution = restitution;
    Mass mass({0, 1, 0});
    double before = 0;
    for (int i = 0; i < 1000 && !(i > 0 && mass.contacts[0].touches()); ++i) {
      before = mass.v(0, 1);
      mass.step(floor, 0.01 * i, 0.01);
    }
    ASSERT_TRUE(mass.contacts[0].touches());
    EXPECT_NEAR(mass.v(0, 1), -restitution * before, 1e-12);
    // And a bouncing mass comes to rest, not to a tremble.
    for (int i = 0; i < 3000 && restitution < 1; ++i) mass.step(floor, 0.01 * i, 0.01);
    if (restitution < 1) {
      EXPECT_LT(mass.v.norm(), 1e-10);
    }
  }
}

TEST(Projection, AMovingFloorCarriesWhatLiesOnIt) {
  std::vector<Obstacle> belt{incline(0, 0.5)};
  belt[0].path.keyframes = {{.time = 0}, {.time = 100, .position = {100, 0, 0}}};  // 1 m/s along x
  Mass mass(Vector3d::Zero());
  for (int i = 0; i < 100; ++i) {
    mass.step(belt, 0.01 * i, 0.01);
    EXPECT_LE(mass.v(0, 0), 1 + 1e-12);  // friction never overtakes
    EXPECT_NEAR(mass.v(0, 0), std::min(1.0, 0.5 * 9.81 * 0.01 * (i + 1)), 1e-9);
  }
}

TEST(Projection, ARisingFloorLifts) {
  std::vector<Obstacle> lift{incline(0, 0.5)};
  lift[0].path.keyframes = {{.time = 0}, {.time = 10, .position = {0, 20, 0}}};
  Mass mass(Vector3d::Zero());
  for (int i = 0; i < 50; ++i) mass.step(lift, 0.01 * i, 0.01);
  EXPECT_NEAR(mass.v(0, 1), 2, 1e-9);
  EXPECT_NEAR(mass.x(0, 1), 1, 1e-9);
}

TEST(Projection, SameBitsOnAnyNumberOfThreadsParallel) {
  Rng rng(7);
  std::vector<Obstacle> obstacles;
  for (const NamedObstacle& named : one_of_each()) obstacles.push_back(named.obstacle);
  const Points start = random_points(rng, 5000, 1), before = random_points(rng, 5000, 1);
  const Points moved = start + 0.1 * random_points(rng, 5000, 1);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    Points x = moved, v = before;
    std::vector<VertexContact> contacts;
    const std::vector<int> ids = all_of(5000);
    project_positions(placed(obstacles), ids, start, 0.01, x, contacts);
    project_velocities(placed(obstacles), ids, contacts, before, v);
    return std::pair(x, v);
  };
  const auto one = run(1);
  for (int threads : {2, 8}) {
    const auto many = run(threads);
    EXPECT_EQ(one.first, many.first);
    EXPECT_EQ(one.second, many.second);
  }
}

}  // namespace
}  // namespace pliant
