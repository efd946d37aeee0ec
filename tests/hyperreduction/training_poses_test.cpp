#include "pliant/hyperreduction/training_poses.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/subspace/extended_modes.h"

namespace pliant {
namespace {

Body bar(bool held) {
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  std::vector<int> fixed;
  const double end = mesh.vertices.col(0).minCoeff();
  for (Index i = 0; held && i < mesh.vertex_count(); ++i)
    if (mesh.vertices(i, 0) < end + 1e-9) fixed.push_back(static_cast<int>(i));
  return Body(mesh, {make_material("stvk", 1e5, 0.4)}, {.fixed = fixed});
}

double median_of(VectorXd v) {
  std::sort(v.begin(), v.end());
  return (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
}

}  // namespace

TEST(TrainingPoses, TheMedianPoseMovesAsFarAsAsked) {
  const Body body = bar(true);
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 4}));
  const Points& X = body.rest_positions();
  const double box = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  for (const int count : {51, 100})
    for (const double power : {1.0, 2.0})
      for (const double spread : {1.0, 10.0}) {
        Rng rng(1);
        const TrainingPoses poses =
            training_poses(basis, rng, {.count = count, .power = power, .scale = 0.07, .spread = spread});
        ASSERT_EQ(poses.q.cols(), count);
        VectorXd moved(count);
        for (int t = 0; t < count; ++t)
          moved[t] = (positions(basis, poses.q.col(t)) - X).rowwise().norm().maxCoeff();
        EXPECT_NEAR(median_of(moved) / box, 0.07, 1e-12);
        EXPECT_EQ(poses.scale, 0.07);
        EXPECT_LT((moved - largest_displacements(basis, poses.q)).norm(), 1e-12 * moved.norm());
      }
}

TEST(TrainingPoses, DeviationsFallWithFrequency) {
  const Body body = bar(true);
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 6}));
  for (const double power : {0.0, 1.0, 2.0, 3.0}) {
    Rng rng(2);
    const MatrixXd q = training_poses(basis, rng, {.count = 20000, .power = power}).q;
    for (Index k = 1; k < 6; ++k) {
      const double ratio = q.row(k).norm() / q.row(0).norm();
      const double expected = std::pow(basis.frequencies[0] / basis.frequencies[k], power);
      EXPECT_NEAR(ratio / expected, 1, 0.04);  // a deviation from 20000 draws is known to 0.5 %
      EXPECT_LT(std::abs(q.row(k).mean()), 0.04 * q.row(k).norm() / std::sqrt(20000.0));
    }
  }
}

TEST(TrainingPoses, FreeBodiesAreNotMovedRigidly) {
  const Body body = bar(false);
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 2}));
  Rng rng(3);
  const MatrixXd q = training_poses(basis, rng, {.count = 10}).q;
  ASSERT_EQ((basis.frequencies.array() == 0).count(), 6);
  for (Index k = 0; k < basis.dimension(); ++k)
    EXPECT_EQ(q.row(k).cwiseAbs().maxCoeff() == 0, basis.frequencies[k] == 0) << k;
}

TEST(TrainingPoses, MotionWithinTheSubspaceIsFoundAgain) {
  const Body body = bar(true);
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 3}));
  Rng rng(4);
  const TrainingPoses drawn = training_poses(basis, rng, {.count = 20, .scale = 0.1});
  const TrainingPoses found = poses_of_motion(basis, body.masses(), basis.U * drawn.q);
  EXPECT_LT((found.q - drawn.q).norm(), 1e-10 * drawn.q.norm());
  EXPECT_NEAR(found.scale, 0.1, 1e-9);
}

TEST(TrainingPoses, MotionIsProjectedWithTheLeastStrain) {
  for (const bool held : {true, false}) {
    const Body body = bar(held);
    const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 3}));
    Rng rng(6);
    const TrainingPoses drawn = training_poses(basis, rng, {.count = 5, .scale = 0.1});
    const TrainingPoses same = poses_of_motion(body, basis, basis.U * drawn.q);
    EXPECT_LT((same.q - drawn.q).norm(), 1e-8 * drawn.q.norm());
    // No other pose is closer in the inner product of the stiffness.
    MatrixXd u = MatrixXd::NullaryExpr(3 * body.vertex_count(), 1, [&] { return rng.normal(); });
    for (const int v : body.fixed()) u.middleRows<3>(3 * v).setZero();
    const VectorXd q = poses_of_motion(body, basis, u).q;
    const MatrixXd slope = basis.U.transpose() * (body.stiffness(basis.origin) * (u - basis.U * q));
    EXPECT_LT(slope.norm(), 1e-8 * (basis.U.transpose() * (body.stiffness(basis.origin) * u)).norm());
  }
}

TEST(TrainingPoses, RefuseWhatMakesNoSense) {
  const Body body = bar(true);
  DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 2}));
  Rng rng(5);
  EXPECT_THROW(training_poses(basis, rng, {.count = 0}), InputError);
  EXPECT_THROW(training_poses(basis, rng, {.scale = 0}), InputError);
  EXPECT_THROW(training_poses(basis, rng, {.scale = NAN}), InputError);
  EXPECT_THROW(training_poses(basis, rng, {.power = -1}), InputError);
  EXPECT_THROW(training_poses(basis, rng, {.spread = 0.5}), InputError);
  EXPECT_THROW(poses_of_motion(basis, body.masses(), MatrixXd::Zero(4, 3)), InputError);
  EXPECT_THROW(poses_of_motion(basis, body.masses(), MatrixXd(3 * body.vertex_count(), 0)), InputError);
  basis.frequencies.setZero();
  EXPECT_THROW(training_poses(basis, rng), InputError);
}

}  // namespace pliant
