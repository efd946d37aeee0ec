#include "pliant/elasticity/material.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "elasticity/sample_deformations.h"
#include "pliant/base/error.h"
#include "pliant/elasticity/continued_power.h"
#include "pliant/elasticity/invariants.h"
#include "pliant/numerics/finite_difference.h"

namespace pliant {
namespace {

using namespace testing_support;

Matrix3d unstack(const VectorXd& f) { return f.reshaped(3, 3); }

}  // namespace

TEST(Material, StressIsTheGradientOfEnergy) {
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    for (const Matrix3d& F : sample_deformations(7)) {
      const VectorXd expected = finite_gradient(
          [&](const VectorXd& f) { return energy(material, unstack(f)); }, F.reshaped(), 2e-4);
      const Matrix3d P = stress(material, F);
      EXPECT_LT((P.reshaped() - expected).norm(), 1e-8 * (1 + P.norm()));
    }
  }
}

TEST(Material, HessianIsTheGradientOfStress) {
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    for (const Matrix3d& F : sample_deformations(8)) {
      const MatrixXd expected = finite_jacobian(
          [&](const VectorXd& f) -> VectorXd { return stress(material, unstack(f)).reshaped(); },
          F.reshaped(), 2e-4);
      const Matrix9d H = hessian(material, F);
      EXPECT_LT((H - expected).norm(), 1e-6 * (1 + H.norm()));
      EXPECT_LT((H - H.transpose()).norm(), 1e-13 * H.norm());
    }
  }
}

TEST(Material, DerivativesHoldWhereTheExponentialIsContinued) {
  const Fung tissue = Fung::from_young(1, 0.3);
  Rng rng(3);
  const Matrix3d F = turned({3, 2.5, 2}, rng);
  ASSERT_GT(energy(StVK{tissue.mu2, tissue.lambda2}, F), 2 * fung_largest_exponent);
  const Matrix9d H = hessian(tissue, F);
  const MatrixXd expected =
      finite_jacobian([&](const VectorXd& f) -> VectorXd { return stress(tissue, unstack(f)).reshaped(); },
                      F.reshaped(), 2e-4);
  EXPECT_LT((H - expected).norm(), 1e-8 * H.norm());
}

TEST(Material, NothingIsStoredAtRestNorByRotation) {
  Rng rng(1);
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    EXPECT_NEAR(energy(material, Matrix3d::Identity()), 0, 1e-15);
    EXPECT_LT(stress(material, Matrix3d::Identity()).norm(), 1e-14);
    if (std::holds_alternative<Linear>(material)) continue;  // rotations strain it
    const Matrix3d R = random_rotation(rng);
    EXPECT_NEAR(energy(material, R), 0, 1e-14);
    EXPECT_LT(stress(material, R).norm(), 1e-14);
  }
}

TEST(Material, EnergyIsIsotropic) {
  Rng rng(2);
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    for (const Matrix3d& F : sample_deformations(9)) {
      const double W = energy(material, F);
      const Matrix3d R = random_rotation(rng), Q = random_rotation(rng);
      if (!std::holds_alternative<Linear>(material)) {
        EXPECT_NEAR(energy(material, R * F * Q), W, 1e-11 * (1 + W));
      }
      EXPECT_NEAR(energy(material, Q * F * Q.transpose()), W, 1e-11 * (1 + W));
    }
  }
}

TEST(Material, AllHaveTheSameSmallStrainLimit) {
  for (const double poisson : {-0.3, 0.0, 0.3, 0.45}) {
    const auto all = all_materials(2.5, poisson);
    const Matrix9d expected = hessian(all.front(), Matrix3d::Identity());
    const Lame lame = lame_constants(2.5, poisson);
    for (const Material& material : all) {
      SCOPED_TRACE(name(material));
      EXPECT_LT((hessian(material, Matrix3d::Identity()) - expected).norm(), 1e-13 * expected.norm());
      EXPECT_NEAR(rest_moduli(material).mu, lame.mu, 1e-15 * lame.mu);
      EXPECT_NEAR(rest_moduli(material).lambda, lame.lambda, 1e-14 * (lame.mu + std::abs(lame.lambda)));
      EXPECT_NO_THROW(check(material));
    }
  }
}

TEST(Material, YoungAndPoissonAreWhatAStretchedBarShows) {
  // Uniaxial stress: strain along 1/young, across -poisson/young.
  const double young = 3, poisson = 0.27;
  const Lame lame = lame_constants(young, poisson);
  const Vector3d strain(1 / young, -poisson / young, -poisson / young);
  const Vector3d tension = 2 * lame.mu * strain + lame.lambda * strain.sum() * Vector3d::Ones();
  EXPECT_LT((tension - Vector3d(1, 0, 0)).norm(), 1e-14);
}

TEST(Material, ContinuedPowersJoinTwiceDifferentiably) {
  for (const double p : {-2.0 / 3, -4.0 / 3, -10.0 / 3}) {
    const double J = continued_below, step = 1e-12;
    const ContinuedPower above = continued_power(J + step, p), below = continued_power(J - step, p);
    EXPECT_NEAR(above.value, below.value, 1e-8 * std::abs(below.value));
    EXPECT_NEAR(above.first, below.first, 1e-8 * std::abs(below.first));
    EXPECT_NEAR(above.second, below.second, 1e-8 * std::abs(below.second));
    EXPECT_DOUBLE_EQ(continued_power(0.5, p).value, std::pow(0.5, p));
    double last = below.value;
    for (double j = 0.09; j > -3; j -= 0.01) {  // grows all the way down
      const double value = continued_power(j, p).value;
      EXPECT_GT(value, last);
      last = value;
    }
  }
}

TEST(Material, AnInvertedElementIsPushedBackWhereTheDensityCan) {
  // Along the squeezed direction the stress opposes inversion: energy falls as s3 grows from -0.5 towards 1.
  for (const char* kind : {"neo_hookean", "mooney_rivlin", "arruda_boyce", "corotated", "linear"}) {
    SCOPED_TRACE(kind);
    const Material material = make_material(kind, 1, 0.3);
    EXPECT_LT(stress(material, Vector3d(1, 1, -0.5).asDiagonal())(2, 2), 0);
    EXPECT_LT(stress(material, Vector3d(1, 1, 0).asDiagonal())(2, 2), 0);
  }
}

TEST(Material, PositivePartClampsEigenvalues) {
  for (const Material& material : all_materials())
    for (const Matrix3d& F : sample_deformations(10)) {
      const Matrix9d H = hessian(material, F), P = positive_part(H);
      const Eigen::SelfAdjointEigenSolver<Matrix9d> before(H), after(P);
      EXPECT_LT((before.eigenvalues().cwiseMax(0) - after.eigenvalues()).norm(), 1e-13 * (1 + H.norm()));
    }
}

TEST(Material, RefusesBadParameters) {
  EXPECT_THROW(lame_constants(1e6, 0.5), InputError);
  EXPECT_THROW(lame_constants(1e6, -1), InputError);
  EXPECT_THROW(lame_constants(0, 0.3), InputError);
  EXPECT_THROW(lame_constants(std::numeric_limits<double>::quiet_NaN(), 0.3), InputError);
  EXPECT_THROW(make_material("jelly", 1, 0.3), InputError);
  EXPECT_THROW(check(StVK{.mu = -1, .lambda = 1}), InputError);
  EXPECT_THROW(check(NeoHookean{.mu = 1, .lambda = std::numeric_limits<double>::infinity()}), InputError);
  EXPECT_THROW(check(MooneyRivlin{.c10 = 2, .c01 = -1, .kappa = 1}), InputError);
  EXPECT_THROW(check(ArrudaBoyce{.mu = 1, .kappa = 1, .locking = 0.5}), InputError);
  EXPECT_THROW(check(Fung{.mu1 = 2, .lambda1 = 1, .c = -1, .mu2 = 1, .lambda2 = 0}), InputError);
}

}  // namespace pliant
