#include "pliant/hyperreduction/polynomial_forces.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Dense>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/hyperreduction/training_poses.h"
#include "pliant/subspace/extended_modes.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

struct Case {
  Body body;
  DenseBasis basis;
  MatrixXd poses;
};

/// Two materials, one of them with a negative Poisson ratio; a basis of `dimension` coordinates.
Case make_case(Index dimension, bool loaded = false) {
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  std::vector<int> fixed, of_tet;
  for (Index i = 0; i < mesh.vertex_count(); ++i)
    if (mesh.vertices(i, 0) < mesh.vertices.col(0).minCoeff() + 1e-9) fixed.push_back(static_cast<int>(i));
  for (Index t = 0; t < mesh.tet_count(); ++t) of_tet.push_back(static_cast<int>(t % 2));
  Body body(mesh, {{make_material("stvk", 1e5, 0.4)}, {make_material("stvk", 3e5, -0.2)}},
            {.material_of_tet = of_tet, .fixed = fixed});
  DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 4}));
  basis = dense_basis("part", basis.origin, MatrixXd(basis.U.leftCols(dimension)),
                      VectorXd(basis.eigenvalues.head(dimension)));
  Rng rng(1);
  if (loaded)
    for (Index i = 0; i < basis.origin.size(); ++i) basis.origin.data()[i] += 0.002 * rng.normal();
  MatrixXd poses = training_poses(basis, rng, {.count = 5, .power = 2, .scale = 0.3}).q;
  return {std::move(body), std::move(basis), std::move(poses)};
}

}  // namespace

TEST(PolynomialForces, AreTheExactReducedForces) {
  for (const Index dimension : {1, 2, 3, 7, 20})
    for (const bool loaded : {false, true}) {
      SCOPED_TRACE(dimension);
      const Case c = make_case(dimension, loaded);
      const PolynomialForces polynomial(c.body, c.basis);
      ASSERT_EQ(polynomial.coefficients().size(), polynomial_coefficient_count(dimension));
      PolynomialForces::Workspace work;
      for (Index t = 0; t < c.poses.cols(); ++t) {
        const VectorXd q = c.poses.col(t);
        const Points x = positions(c.basis, q);
        Points f;
        BodyWorkspace full;
        const double energy = c.body.energy_and_forces(x, f, full);
        const VectorXd expected = pull_back(c.basis, f);
        const MatrixXd Kx = c.basis.U.transpose() * c.body.stiffness(x) * c.basis.U;
        VectorXd force, again;
        MatrixXd K;
        EXPECT_NEAR(polynomial.force(q, force, work), energy, 1e-12 * energy);
        EXPECT_EQ(polynomial.energy(q, work), polynomial.force(q, force, work));
        EXPECT_LT((force - expected).norm(), 1e-11 * expected.norm());
        EXPECT_NEAR(polynomial.stiffness(q, K, again, work), energy, 1e-12 * energy);
        EXPECT_LT((again - force).norm(), 1e-13 * force.norm());
        EXPECT_LT((K - Kx).norm(), 1e-11 * Kx.norm());
        EXPECT_EQ(K, MatrixXd(K.transpose()));
      }
    }
}

TEST(PolynomialForces, ProjectedStiffnessIsPositiveDefinite) {
  const Case c = make_case(12);
  const PolynomialForces polynomial(c.body, c.basis);
  PolynomialForces::Workspace work;
  VectorXd f;
  MatrixXd K, P;
  // Pressed flat, stvk gives way.
  Points flat = c.body.rest_positions();
  flat = (-0.9 * c.body.masses().asDiagonal() * flat).eval();
  const VectorXd q = pull_back(c.basis, flat);
  polynomial.stiffness(q, K, f, work);
  polynomial.stiffness(q, P, f, work, Projection::positive);
  const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(K).eigenvalues()[0];
  EXPECT_LT(least, 0);  // or nothing is shown
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(P).eigenvalues()[0], 0);
  const double added = P(0, 0) - K(0, 0);
  EXPECT_LT((P - K - added * MatrixXd::Identity(12, 12)).norm(), 1e-9 * K.norm());
  EXPECT_LT(added, -3 * least + 1e-3 * K.diagonal().cwiseAbs().maxCoeff());

  polynomial.stiffness(VectorXd::Zero(12), K, f, work);
  polynomial.stiffness(VectorXd::Zero(12), P, f, work, Projection::positive);
  EXPECT_EQ(K, P);
}

TEST(PolynomialForces, CoefficientsAreAllThatIsKept) {
  const Case c = make_case(6);
  const PolynomialForces polynomial(c.body, c.basis), again(6, polynomial.coefficients());
  PolynomialForces::Workspace work;
  VectorXd f, g;
  EXPECT_EQ(polynomial.force(c.poses.col(0), f, work), again.force(c.poses.col(0), g, work));
  EXPECT_EQ(f, g);
  EXPECT_EQ(polynomial_coefficient_count(1), 5);  // 1 q q^2 q^3 q^4
  EXPECT_EQ(polynomial_coefficient_count(30), 46376);
}

TEST(PolynomialForces, EverySimdTargetAgrees) {
  const Case c = make_case(11);
  const PolynomialForces polynomial(c.body, c.basis);
  PolynomialForces::Workspace work;
  VectorXd f, g;
  MatrixXd K, L;
  polynomial.stiffness(c.poses.col(1), K, f, work);
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    polynomial.stiffness(c.poses.col(1), L, g, work);
    EXPECT_LT((f - g).norm(), 1e-12 * f.norm()) << hwy::TargetName(target);
    EXPECT_LT((K - L).norm(), 1e-12 * K.norm()) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(PolynomialForcesParallel, SameBitsOnAnyNumberOfThreads) {
  const Case c = make_case(5);
  VectorXd first;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    const PolynomialForces polynomial(c.body, c.basis);
    if (threads == 1) first = polynomial.coefficients();
    EXPECT_EQ(polynomial.coefficients(), first);
  }
}

TEST(PolynomialForces, RefuseWhatIsNoPolynomial) {
  const Case c = make_case(4);
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  const Body other(mesh, {make_material("neo_hookean", 1e5, 0.4)});
  EXPECT_THROW(PolynomialForces(other, c.basis), InputError);
  const Body shell(testing_support::grid_plane(3, 3, 0.1),
                   {.stretch = 3, .area = 2, .bending = 0.1, .density = 4});
  EXPECT_THROW(PolynomialForces(shell, c.basis), InputError);
  EXPECT_THROW(PolynomialForces(c.body, c.basis, {.largest_dimension = 3}), InputError);
  EXPECT_THROW(PolynomialForces(4, VectorXd::Zero(69)), InputError);
  EXPECT_THROW(PolynomialForces(4, VectorXd::Constant(70, NAN)), InputError);
  EXPECT_NO_THROW(PolynomialForces(4, VectorXd::Zero(70)));
}

}  // namespace pliant
