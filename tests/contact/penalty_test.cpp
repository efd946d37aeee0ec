#include "pliant/contact/penalty.h"

#include <Eigen/Dense>
#include <numeric>

#include "contact/obstacles.h"
#include "support/temporary_folder.h"

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

TEST(Penalty, DerivativesOfDepthAndSlipMatchDifferences) {
  const double step = 1e-6;
  for (const double width : {0.3, 1.0})
    for (double s = -0.5; s < 2; s += 0.0371) {
      EXPECT_NEAR(penalty_gradient(s, 7, width),
                  (penalty(s + step, 7, width) - penalty(s - step, 7, width)) / (2 * step), 1e-7);
      EXPECT_NEAR(penalty_hessian(s, 7, width),
                  (penalty_gradient(s + step, 7, width) - penalty_gradient(s - step, 7, width)) / (2 * step),
                  1e-4);
      if (s < 2 * step) continue;
      EXPECT_NEAR(smooth_slip_gradient(s, width),
                  (smooth_slip(s + step, width) - smooth_slip(s - step, width)) / (2 * step), 1e-8);
      EXPECT_NEAR(
          smooth_slip_hessian(s, width),
          (smooth_slip_gradient(s + step, width) - smooth_slip_gradient(s - step, width)) / (2 * step), 1e-4);
    }
}

TEST(Penalty, JoinsAreSmooth) {
  const double width = 0.2, e = 1e-12;
  for (const double at : {0.0, width}) {
    EXPECT_NEAR(penalty(at - e, 5, width), penalty(at + e, 5, width), 1e-10);
    EXPECT_NEAR(penalty_gradient(at - e, 5, width), penalty_gradient(at + e, 5, width), 1e-10);
    EXPECT_NEAR(penalty_hessian(at - e, 5, width), penalty_hessian(at + e, 5, width), 1e-9);
  }
  EXPECT_NEAR(smooth_slip(width - e, width), width, 1e-11);
  EXPECT_NEAR(smooth_slip_gradient(width - e, width), 1, 1e-11);
  EXPECT_EQ(penalty(0.3, 5, 0), 5 * 0.09 / 2);  // width 0: the plain quadratic
  EXPECT_EQ(penalty_hessian(1e-9, 5, 0), 5);
}

struct Setting {
  std::vector<Obstacle> obstacles;
  std::vector<PlacedObstacle> placed;
  Points start, x;
  PenaltyContact contact;
};

/// Many vertices in and around one moving obstacle, with slips below and above the smoothed speed.
Setting around(const Obstacle& obstacle, double width) {
  Rng rng(11);
  const Index count = 300;
  Setting s{{obstacle},
            {},
            random_points(rng, count, 1),
            {},
            PenaltyContact(all_of(count), VectorXd::LinSpaced(count, 50, 500),
                           {.width = width, .slip_speed = 2.0})};
  Keyframe later = s.obstacles[0].path.keyframes[0];
  later.time = 1;
  later.position += Vector3d(0.5, 0.2, -0.3);
  later.rotation =
      later.rotation * Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()));
  s.obstacles[0].path.keyframes.push_back(later);
  s.placed = {place(s.obstacles[0], 0.3)};
  s.x = s.start + 0.05 * random_points(rng, count, 1);
  s.contact.begin_step(s.placed, s.start, 0.01);
  s.contact.freeze_friction(s.x + 0.01 * random_points(rng, count, 1));
  return s;
}

TEST(Penalty, ForcesAndHessiansAreDerivativesOfTheEnergy) {
  for (const double thickness : {0.0, 0.1})
    for (const NamedObstacle& named : one_of_each(thickness)) {
      Setting s = around(named.obstacle, 0.1);
      PenaltyTerms terms, plus, minus;
      s.contact.forces_and_hessians(s.x, false, terms);
      const PenaltyEnergy alone = s.contact.energy(s.x);
      EXPECT_EQ(alone.penalty, terms.energy.penalty);
      EXPECT_EQ(alone.friction, terms.energy.friction);
      EXPECT_GT(alone.penalty, 0);
      EXPECT_GT(alone.friction, 0);

      const double step = 1e-6;
      int compared = 0;
      for (Index i = 0; i < s.x.rows(); ++i) {
        // Where the nearest face changes, the distance has a corner and the energy no derivative.
        bool corner = false;
        const Contact here = contact_at(s.placed[0], s.x.row(i));
        for (int c = 0; c < 3; ++c)
          for (double side : {-1e-4, 1e-4}) {
            const Vector3d p = s.x.row(i).transpose() + side * Vector3d::Unit(c);
            corner |= (contact_at(s.placed[0], p).normal - here.normal).norm() > 0.02;
          }
        if (corner || !terms.touching[static_cast<std::size_t>(i)]) continue;
        ++compared;
        Vector3d force;
        Matrix3d hessian;
        Points x = s.x;
        for (int c = 0; c < 3; ++c) {
          x(i, c) = s.x(i, c) + step;
          s.contact.forces(x, plus);
          x(i, c) = s.x(i, c) - step;
          s.contact.forces(x, minus);
          x(i, c) = s.x(i, c);
          force[c] = -(plus.energy.total() - minus.energy.total()) / (2 * step);
          hessian.col(c) = -(plus.forces.row(i) - minus.forces.row(i)).transpose() / (2 * step);
        }
        const Matrix3d exact = terms.hessians[static_cast<std::size_t>(i)];
        EXPECT_LT((force - terms.forces.row(i).transpose()).norm(), 1e-5)
            << named.name;  // of newtons to hundreds
        EXPECT_LT((hessian - exact).norm(), 1e-3 * (1 + exact.norm())) << named.name << ' ' << here.distance;
      }
      EXPECT_GT(compared, 15) << named.name;
    }
}

TEST(Penalty, ProjectedHessiansAreTheNearestPositiveOnes) {
  for (const double thickness : {0.0, 0.1})
    for (const NamedObstacle& named : one_of_each(thickness)) {
      Setting s = around(named.obstacle, 0.1);
      s.contact.begin_step(s.placed, s.start, 0);  // without friction one obstacle makes one eigen-system
      PenaltyTerms exact, projected;
      s.contact.forces_and_hessians(s.x, false, exact);
      s.contact.forces_and_hessians(s.x, true, projected);
      EXPECT_EQ(exact.forces, projected.forces);
      for (std::size_t i = 0; i < exact.hessians.size(); ++i) {
        const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(exact.hessians[i]);
        const Matrix3d nearest = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                                 eigen.eigenvectors().transpose();
        EXPECT_LT((nearest - projected.hessians[i]).norm(), 1e-10 * (1 + exact.hessians[i].norm()))
            << named.name;
      }
      s.contact.begin_step(s.placed, s.start, 0.01);
      s.contact.forces_and_hessians(s.x, true, projected);
      for (const Matrix3d& hessian : projected.hessians) {
        EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix3d>(hessian).eigenvalues()[0],
                  -1e-10 * (1 + hessian.norm()));
      }
    }
}

TEST(Penalty, FrictionOpposesTheSlipAndNeverExceedsCoulomb) {
  for (const NamedObstacle& named : one_of_each()) {
    Setting s = around(named.obstacle, 0.05);
    s.contact.begin_step(s.placed, s.start, 0.01);
    PenaltyTerms with, without;
    s.contact.forces(s.x, with);
    PenaltyContact smooth(all_of(s.x.rows()), VectorXd::LinSpaced(s.x.rows(), 50, 500), {.width = 0.05});
    smooth.begin_step(s.placed, s.start, 0);
    smooth.forces(s.x, without);
    for (Index i = 0; i < s.x.rows(); ++i) {
      const Vector3d friction = (with.forces.row(i) - without.forces.row(i)).transpose();
      const Contact lag = contact_at(s.placed[0], s.start.row(i));
      const Vector3d slip = (s.x.row(i) - s.start.row(i)).transpose() - 0.01 * lag.velocity;
      EXPECT_LE(friction.dot(slip), 1e-12);
      const double normal_force =
          penalty_gradient(-lag.distance, 50 + 450.0 * static_cast<double>(i) / 299, 0.05);
      EXPECT_LE(friction.norm(), 0.3 * normal_force * (1 + 1e-9) + 1e-12);
    }
  }
}

/// One mass, implicit Euler by Newton with line search.
struct ImplicitMass {
  double mass = 2;
  Points x = Points::Zero(1, 3), v = Points::Zero(1, 3);
  Vector3d gravity = Vector3d(0, -9.81, 0);

  void step(PenaltyContact& contact, std::span<const PlacedObstacle> obstacles, double h) {
    const Points start = x, inertial = x + h * v + h * h * gravity.transpose();
    contact.begin_step(obstacles, start, h);
    const auto objective = [&](const Points& p) {
      return mass / (2 * h * h) * (p - inertial).squaredNorm() + contact.energy(p).total();
    };
    PenaltyTerms terms;
    for (int outer = 0; outer < 2; ++outer) {
      for (int i = 0; i < 50; ++i) {
        contact.forces_and_hessians(x, true, terms);
        const Vector3d gradient =
            mass / (h * h) * (x - inertial).transpose() - terms.forces.row(0).transpose();
        const Matrix3d hessian = mass / (h * h) * Matrix3d::Identity() + terms.hessians[0];
        const Vector3d direction = -hessian.ldlt().solve(gradient);
        if (direction.norm() < 1e-14) break;
        double part = 1;
        while (part > 1e-10 && objective(x + part * direction.transpose()) > objective(x)) part /= 2;
        x += part * direction.transpose();
      }
      contact.freeze_friction(x);
    }
    v = (x - start) / h;
  }
  double energy(PenaltyContact& contact) const {
    return mass / 2 * v.squaredNorm() - mass * gravity.dot(x.row(0).transpose()) + contact.energy(x).penalty;
  }
};

Obstacle incline(double angle, double friction) {
  Obstacle plane{.friction = friction};
  plane.path.keyframes = {{.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(-angle, Vector3d::UnitZ()))}};
  return plane;
}

TEST(Penalty, AMassOnAnInclineSticksOrSlidesAsCoulombSays) {
  const double h = 0.005;
  for (const bool sticks : {true, false}) {
    const double angle = 0.4, friction = sticks ? 1.1 * std::tan(angle) : 0.5 * std::tan(angle);
    const Obstacle slope = incline(angle, friction);
    const std::vector<PlacedObstacle> placed{place(slope, 0)};
    PenaltyContact contact({0}, VectorXd::Constant(1, 1e5), {.width = 1e-5, .slip_speed = 1e-3});
    ImplicitMass mass;
    const Vector3d normal(std::sin(angle), std::cos(angle), 0);
    mass.x = (-(mass.mass * 9.81 * std::cos(angle) / 1e5) * normal).transpose();  // sunk in already
    const double before = mass.energy(contact);
    for (int i = 0; i < 200; ++i) mass.step(contact, placed, h);
    const double speed = mass.v.norm(), time = 200 * h;
    if (sticks) {
      EXPECT_LT(speed, 1e-3);  // it creeps below the speed of smoothing
    } else {
      const double acceleration = 9.81 * (std::sin(angle) - friction * std::cos(angle));
      EXPECT_NEAR(speed, acceleration * time, 0.01 * acceleration * time);
    }
    EXPECT_LE(mass.energy(contact), before + 1e-9);
  }
}

TEST(Penalty, AStationaryObstacleAddsNoEnergy) {
  // Implicit steps lose energy, friction loses energy: no step gains any.
  for (const NamedObstacle& named : one_of_each()) {
    const std::vector<PlacedObstacle> placed{place(named.obstacle, 0)};
    PenaltyContact contact({0}, VectorXd::Constant(1, 2e4), {.width = 1e-3, .slip_speed = 1e-3});
    ImplicitMass mass;
    mass.x << 0.1, 2, 0.2;
    mass.v << 0.3, -1, 0.1;
    contact.begin_step(placed, mass.x, 0.01);
    double before = mass.energy(contact);
    for (int i = 0; i < 300; ++i) {
      mass.step(contact, placed, 0.01);
      const double after = mass.energy(contact);
      EXPECT_LE(after, before + 1e-7 * std::abs(before)) << named.name << " step " << i;
      before = after;
    }
  }
}

TEST(Penalty, WithoutFrictionAnElasticBounceKeepsEnergyToTheOrderOfTheStep) {
  // Explicit leapfrog on the penalty force: drift at most h^2, so the force is that of a potential.
  const Obstacle floor = incline(0, 0.0);
  const std::vector<PlacedObstacle> placed{place(floor, 0)};
  std::vector<double> drift;
  for (const double h : {2e-4, 1e-4}) {
    PenaltyContact contact({0}, VectorXd::Constant(1, 1e4), {.width = 1e-2});
    ImplicitMass mass;
    mass.x << 0, 0.2, 0;
    contact.begin_step(placed, mass.x, 0);
    PenaltyTerms terms;
    const double before = mass.energy(contact);
    double worst = 0;
    contact.forces(mass.x, terms);
    for (double time = 0; time < 1; time += h) {
      mass.v += h / 2 * (terms.forces / mass.mass + mass.gravity.transpose());
      mass.x += h * mass.v;
      contact.forces(mass.x, terms);
      mass.v += h / 2 * (terms.forces / mass.mass + mass.gravity.transpose());
      worst = std::max(worst, std::abs(mass.energy(contact) - before));
    }
    drift.push_back(worst);
  }
  EXPECT_LT(drift[0], 1e-3);
  EXPECT_GT(drift[0] / drift[1], 3);
}

TEST(Penalty, SameBitsOnAnyNumberOfThreadsParallel) {
  const auto run = [](int threads) {
    const ScopedThreadCount scope(threads);
    Setting s = around(one_of_each()[4].obstacle, 0.1);
    PenaltyTerms terms;
    s.contact.forces_and_hessians(s.x, true, terms);
    return terms;
  };
  const PenaltyTerms one = run(1), two = run(2), eight = run(8);
  for (const PenaltyTerms* many : {&two, &eight}) {
    EXPECT_EQ(one.energy.total(), many->energy.total());
    EXPECT_EQ(one.forces, many->forces);
    EXPECT_EQ(one.hessians, many->hessians);
  }
}

TEST(Penalty, BadNumbersGetASentence) {
  EXPECT_TRUE(contains(message_of([] {
                         PenaltyContact({0, 1}, VectorXd::Ones(3));
                       }),
                       "3 stiffnesses for 2 vertices"));
  EXPECT_TRUE(contains(message_of([] { PenaltyContact({0}, -VectorXd::Ones(1)); }), "negative"));
  EXPECT_TRUE(
      contains(message_of([] { PenaltyContact({0}, VectorXd::Ones(1), {.width = -1}); }), "width is -1"));
  EXPECT_TRUE(contains(message_of([] { PenaltyContact({0}, VectorXd::Ones(1), {.slip_speed = 0}); }),
                       "slip_speed is 0"));
}

}  // namespace
}  // namespace pliant
