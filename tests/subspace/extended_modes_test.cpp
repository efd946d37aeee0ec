#include "pliant/subspace/extended_modes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/geometry/structured_grid.h"
#include "pliant/subspace/orthonormalize.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const SolidMaterial rubber{StVK::from_young(1e6, 0.3), 1100};

std::vector<int> left_end(const TetMesh& mesh) {
  std::vector<int> ids;
  for (int v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.vertices(v, 0) < 1e-9) ids.push_back(v);
  return ids;
}

/// Algorithm 2 as it is written: every map with a single entry, of every field.
MatrixXd nine_maps(const MatrixXd& fields) {
  MatrixXd all = MatrixXd::Zero(fields.rows(), 9 * fields.cols());
  for (Index i = 0; i < fields.cols(); ++i)
    for (Index j = 0; j < fields.rows() / 3; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) all(3 * j + l, 9 * i + 3 * k + l) = fields(3 * j + k, i);
  return all;
}

/// All maps x -> A x + b, as displacements.
MatrixXd affine_fields(const Points& x) {
  MatrixXd all = MatrixXd::Zero(3 * x.rows(), 12);
  for (Index j = 0; j < x.rows(); ++j)
    for (int l = 0; l < 3; ++l) {
      all(3 * j + l, l) = 1;
      for (int k = 0; k < 3; ++k) all(3 * j + l, 3 + 3 * k + l) = x(j, k);
    }
  return all;
}

double part_outside(const MatrixXd& A, const DenseBasis& basis, const Body& body) {
  return (A - basis.U * (basis.U.transpose() * (body.mass_matrix() * A))).norm() / A.norm();
}

void expect_reduced_modes(const DenseBasis& basis, const Body& body) {
  const Index d = basis.dimension();
  const MatrixXd mass = basis.U.transpose() * (body.mass_matrix() * basis.U);
  EXPECT_LT((mass - MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff(), 1e-12);
  const MatrixXd stiffness = basis.U.transpose() * (body.stiffness(basis.origin) * basis.U);
  EXPECT_LT((stiffness - MatrixXd(basis.eigenvalues.asDiagonal())).norm(), 1e-11 * stiffness.norm());
  EXPECT_TRUE(std::is_sorted(basis.frequencies.begin(), basis.frequencies.end()));
  for (int v : body.fixed()) EXPECT_EQ(basis.U.middleRows<3>(3 * v).norm(), 0);
}

TEST(ExtendedModes, AHeldBodyHasNineAMode) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 4, 3});
  const Body body(mesh, rubber, {.fixed = left_end(mesh)});
  const LinearModes modes = linear_modes(body, {.count = 15});
  const DenseBasis basis = extended_modes(body, modes);
  EXPECT_EQ(basis.kind, "extended_modes");
  ASSERT_EQ(basis.dimension(), 135);
  expect_reduced_modes(basis, body);
  EXPECT_LT(part_outside(nine_maps(modes.U), basis, body), 1e-10);
  // The modes themselves are among them, and nothing vibrates slower than the body.
  EXPECT_LT(part_outside(modes.U, basis, body), 1e-10);
  for (Index i = 0; i < 15; ++i)
    EXPECT_NEAR(basis.frequencies[i], modes.frequencies[i], 1e-8 * modes.frequencies[i]);
}

TEST(ExtendedModes, AFreeBodyHasAllAffineMapsAndNineAMode) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {10, 4, 3}), rubber);
  const LinearModes modes = linear_modes(body, {.count = 9});
  const DenseBasis basis = extended_modes(body, modes);
  ASSERT_EQ(basis.dimension(), 93);  // that of the paper, which counts 15 modes
  expect_reduced_modes(basis, body);
  EXPECT_LT(part_outside(affine_fields(body.rest_positions()), basis, body), 1e-11);
  EXPECT_LT(part_outside(nine_maps(modes.U), basis, body), 1e-10);
  EXPECT_EQ(basis.frequencies.head(6), VectorXd::Zero(6));
  EXPECT_GT(basis.frequencies[6], 1);

  // So every rotation is a point of the subspace, and costs no energy.
  const Matrix3d R = Eigen::AngleAxisd(2, Vector3d(1, -2, 3).normalized()).toRotationMatrix();
  const Points turned = body.rest_positions() * R.transpose();
  const Points within = positions(basis, project(basis, body.masses(), turned));
  EXPECT_LT((within - turned).norm(), 1e-11 * turned.norm());
}

TEST(ExtendedModes, AreTheModesOfAlgorithm2OrthonormalisedColumnByColumn) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {6, 3, 2}), rubber);
  const LinearModes modes = linear_modes(body, {.count = 4});
  const DenseBasis fast = extended_modes(body, modes);
  MatrixXd all(3 * body.vertex_count(), 48);
  all << affine_fields(body.rest_positions()), nine_maps(modes.U);
  const DenseBasis slow =
      dense_basis("slow", body, body.rest_positions(), orthonormalize(all, row_masses(body)).Q, modes.rigid);
  ASSERT_EQ(fast.dimension(), slow.dimension());
  EXPECT_LT((fast.frequencies - slow.frequencies).norm(), 1e-9 * slow.frequencies.norm());
}

TEST(ExtendedModes, AroundAFixedVertexTheRotationsBecomeLinearMaps) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 4, 3}), rubber, {.fixed = {0}});
  const LinearModes modes = linear_modes(body, {.count = 3});
  const DenseBasis basis = extended_modes(body, modes);
  EXPECT_EQ(basis.dimension(), 9 + 27);
  expect_reduced_modes(basis, body);
  EXPECT_EQ(basis.frequencies.head(3), VectorXd::Zero(3));
}

TEST(ExtendedModes, AFlatPlateLosesTheMapsOfWhatItDoesNotDo) {
  // Its lowest modes bend: only z moves, so only three of nine maps give something, and z = 0 leaves nine of
  // twelve.
  const Body body(grid_plane(12, 8, 0.1), ShellMaterial::from_young(1e6, 0.4, 1e-3, 1000));
  const LinearModes modes = linear_modes(body, {.count = 5});
  const DenseBasis basis = extended_modes(body, modes);
  EXPECT_EQ(basis.dimension(), 9 + 3 * 5);
  expect_reduced_modes(basis, body);
}

TEST(ExtendedModes, SameBitsOnAnyNumberOfThreadsParallel) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {12, 7, 7});
  const Body body(mesh, rubber, {.fixed = left_end(mesh)});
  const LinearModes modes = linear_modes(body, {.count = 3});
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return extended_modes(body, modes).U;
  };
  const MatrixXd one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(8));
}

TEST(ExtendedModes, ModesOfAnotherBodyGetASentence) {
  const Body one(structured_grid({0, 0, 0}, {1, 1, 1}, {2, 2, 2}), rubber),
      other(structured_grid({0, 0, 0}, {1, 1, 1}, {3, 2, 2}), rubber);
  const LinearModes modes = linear_modes(one, {.count = 2});
  EXPECT_TRUE(contains(message_of([&] { extended_modes(other, modes); }), "81 rows for 36 vertices"));
}

}  // namespace
}  // namespace pliant
