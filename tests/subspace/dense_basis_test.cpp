#include "pliant/subspace/dense_basis.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/subspace/linear_modes.h"
#include "pliant/subspace/orthonormalize.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const SolidMaterial rubber{StVK::from_young(1e6, 0.3), 1100};

VectorXd random_vector(Index size, Rng& rng) {
  VectorXd v(size);
  for (double& x : v) x = rng.uniform(-1, 1);
  return v;
}

TEST(DenseBasis, ColumnsAreTheModesOfAnySubspace) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {6, 3, 2}), rubber, {.fixed = {0, 1, 2, 3}});
  Rng rng(1);
  MatrixXd A(3 * body.vertex_count(), 9);
  for (double& a : A.reshaped()) a = rng.uniform(-1, 1);
  for (int v : body.fixed()) A.middleRows<3>(3 * v).setZero();
  const MatrixXd Q = orthonormalize(A, row_masses(body)).Q;
  const DenseBasis basis = dense_basis("random", body, body.rest_positions(), Q, MatrixXd(A.rows(), 0));
  EXPECT_EQ(basis.kind, "random");
  const MatrixXd mass = basis.U.transpose() * (body.mass_matrix() * basis.U);
  EXPECT_LT((mass - MatrixXd::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-12);
  const MatrixXd stiffness = basis.U.transpose() * (body.stiffness(body.rest_positions()) * basis.U);
  EXPECT_LT((stiffness - MatrixXd(basis.eigenvalues.asDiagonal())).norm(), 1e-12 * stiffness.norm());
  EXPECT_TRUE(std::is_sorted(basis.eigenvalues.begin(), basis.eigenvalues.end()));
  EXPECT_NEAR(basis.frequencies[3], std::sqrt(basis.eigenvalues[3]) / (2 * M_PI),
              1e-9 * basis.frequencies[3]);
  // The same span
  EXPECT_LT((Q - basis.U * (basis.U.transpose() * (body.mass_matrix() * Q))).norm(), 1e-11 * Q.norm());
}

TEST(DenseBasis, ModesOfAFreeBodyBeginWithItsRigidMotions) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 3, 2}), rubber);
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    const LinearModes modes = linear_modes(body, {.count = 5, .mass = mass});
    const DenseBasis basis = modal_basis(body, modes);
    ASSERT_EQ(basis.dimension(), 11);
    EXPECT_EQ(basis.frequencies.head(6), VectorXd::Zero(6));
    EXPECT_LT((body.stiffness(body.rest_positions()) * basis.U.leftCols(6)).norm(),
              1e-12 * body.stiffness(body.rest_positions()).norm() * basis.U.norm());
    const double allowed = mass == MassKind::lumped ? 1e-9 : 0.2;  // another mass, other frequencies
    for (Index i = 0; i < 5; ++i)
      EXPECT_NEAR(basis.frequencies[6 + i], modes.frequencies[i], allowed * modes.frequencies[i]);
    const MatrixXd gram = basis.U.transpose() * (body.mass_matrix() * basis.U);
    EXPECT_LT((gram - MatrixXd::Identity(11, 11)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(DenseBasis, PositionsForcesAndProjectionsAgreeWithTheMatrix) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.5, 0.5}, {12, 8, 8}), rubber, {.fixed = {0, 3, 300}});
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 6}));
  Rng rng(2);
  const VectorXd q = random_vector(6, rng);
  const Points x = positions(basis, q);
  const VectorXd moved = basis.U * q;
  EXPECT_LT((x - basis.origin - Eigen::Map<const Points>(moved.data(), x.rows(), 3)).norm(), 1e-13);
  for (int v : body.fixed()) EXPECT_EQ(x.row(v), body.rest_positions().row(v));
  Points some;
  const std::vector<int> ids{7, 0, 100};
  positions_of(basis, q, ids, some);
  for (Index i = 0; i < 3; ++i)
    EXPECT_LT((some.row(i) - x.row(ids[static_cast<std::size_t>(i)])).norm(), 1e-14);

  EXPECT_LT((project(basis, body.masses(), x) - q).norm(), 1e-12);
  Points f(x.rows(), 3);
  for (double& value : f.reshaped()) value = rng.uniform(-1, 1);
  EXPECT_NEAR(pull_back(basis, f).dot(q), f.cwiseProduct(x - basis.origin).sum(), 1e-11);  // power is kept
}

TEST(DenseBasis, SameBitsOnAnyNumberOfThreadsParallel) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.5, 0.5}, {10, 6, 6}), rubber, {.fixed = {0, 3, 300}});
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 4}));
  const VectorXd q = VectorXd::LinSpaced(4, -1, 1);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    const Points x = positions(basis, q);
    return std::pair(x, pull_back(basis, x));
  };
  const auto one = run(1), two = run(2), eight = run(8);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, eight);
}

TEST(DenseBasis, SizesThatDoNotFitGetASentence) {
  const Body body(structured_grid({0, 0, 0}, {1, 1, 1}, {1, 1, 1}), rubber, {.fixed = {0, 1, 2}});
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 2}));
  EXPECT_TRUE(contains(message_of([&] { positions(basis, VectorXd::Zero(3)); }), "3 entries; expected 2"));
  EXPECT_TRUE(contains(message_of([&] { pull_back(basis, Points::Zero(7, 3)); }), "7 rows for 8 vertices"));
  Points out;
  const std::vector<int> ids{8};
  EXPECT_TRUE(contains(message_of([&] { positions_of(basis, VectorXd::Zero(2), ids, out); }),
                       "vertex 8; expected 0 to 7"));
}

}  // namespace
}  // namespace pliant
