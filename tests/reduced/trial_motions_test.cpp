#include "pliant/reduced/trial_motions.h"

#include <gtest/gtest.h>

#include "pliant/fullspace/newton.h"
#include "pliant/geometry/measures.h"
#include "pliant/reduced/newmark_broyden.h"
#include "reduced/small_models.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

double largest(const Points& u) { return u.rowwise().norm().maxCoeff(); }

TEST(TrialMotions, ALoadBendsALinearBodyAsFarAsIsAsked) {
  const Body body = bar_body(Linear::from_young(1e5, 0.3), true);
  const std::vector<TrialMotion> trials = trial_motions(body, whole_space(body), {.reach = 0.3});
  ASSERT_EQ(trials.size(), 3u);
  NewtonSimulator full(body, {.scheme = TimeScheme::quasi_static});
  full.set_gravity(trials[0].gravity);
  full.step();
  EXPECT_NEAR(largest(full.positions() - body.rest_positions()),
              0.3 * bounding_box(body.rest_positions()).diagonal(), 1e-5);
  // The bar lies along x, held on the left: it twists about x and falls to the left.
  EXPECT_EQ(trials[0].gravity.x(), 0);
  EXPECT_TRUE(trials[1].velocities.col(0).isZero(0));
  EXPECT_LT(trials[2].velocities.col(0).maxCoeff(), 1e-300);
  for (int v : body.fixed()) EXPECT_TRUE(trials[2].velocities.row(v).isZero(0));
}

TEST(TrialMotions, EveryStartHasTheEnergyOfTheSlowestVibration) {
  for (const bool is_held : {true, false}) {
    const Body body = bar_body(Linear::from_young(1e5, 0.3), is_held);
    const DenseBasis basis = extended(body, 3);
    const std::vector<TrialMotion> trials = trial_motions(body, basis, {.reach = 0.1});
    // The body at the end of its slowest vibration
    const Index slowest = is_held ? 0 : 6;
    VectorXd q = VectorXd::Unit(basis.dimension(), slowest);
    q *= 0.1 * bounding_box(basis.origin).diagonal() / largest(positions(basis, q) - basis.origin);
    const double energy = body.energy(positions(basis, q));
    for (const TrialMotion& trial : trials) {
      if (!trial.gravity.isZero(0)) continue;
      EXPECT_NEAR(0.5 * body.masses().dot(trial.velocities.rowwise().squaredNorm()), energy, 1e-9 * energy)
          << trial.name;
    }
  }
}

TEST(TrialMotions, FreeBodiesAreDeformedAndNotCarriedAway) {
  const Body body = bar_body(StVK::from_young(1e5, 0.3), false);
  const std::vector<TrialMotion> trials = trial_motions(body, extended(body, 3));
  const Points& X = body.rest_positions();
  for (int k = 0; k < 2; ++k) {
    const Points& v = trials[static_cast<std::size_t>(k)].velocities;
    Vector3d momentum = Vector3d::Zero(), spin = Vector3d::Zero();
    double size = 0;
    for (Index i = 0; i < X.rows(); ++i) {
      const Vector3d p = body.masses()[i] * v.row(i).transpose();
      momentum += p, spin += Vector3d(X.row(i).transpose()).cross(p), size += p.norm();
    }
    EXPECT_LT(momentum.norm() + spin.norm(), 1e-9 * size);
  }
  // It falls onto a floor, and bounces.
  NewtonSimulator full(body, {.scheme = TimeScheme::newmark});
  const MatrixXd u = run_trial(full, X, trials[2], 60);
  VectorXd mean(u.cols());  // along the bar
  for (Index i = 0; i < u.cols(); ++i)
    mean[i] = Eigen::Map<const Points>(u.col(i).data(), X.rows(), 3).col(0).mean();
  Index lowest = 0;
  mean.minCoeff(&lowest);
  EXPECT_LT(mean[lowest], -0.5 * 0.01 * bounding_box(X).diagonal());
  EXPECT_GT(mean[59], mean[lowest]);
}

TEST(TrialMotions, DistancesAreMeans) {
  MatrixXd a = MatrixXd::Zero(6, 2), b = a;
  b.col(1) << 1, 2, 2, 0, 0, 4;  // by 3 and by 4
  const Eigen::Vector2d masses(1, 3);
  EXPECT_NEAR(mean_distance(a, b, masses), 0.5 * std::sqrt((9 + 3 * 16) / 4.0), 1e-15);
  EXPECT_TRUE(contains(message_of([&] { mean_distance(a, b.leftCols(1), masses); }), "expected the same"));
}

}  // namespace
}  // namespace pliant
