#include "pliant/elasticity/tet_elements.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/Dense>

#include "elasticity/sample_deformations.h"
#include "pliant/elasticity/body.h"
#include "pliant/elasticity/invariants.h"

namespace pliant {
namespace {

using namespace testing_support;

/// Tets that share no vertex, each at one deformation: element results stay apart.
struct Scattered {
  TetMesh mesh;
  Points x;
  std::vector<Matrix3d> F;
};

Scattered scattered_tets(const std::vector<Matrix3d>& deformations, std::uint64_t seed) {
  Rng rng(seed);
  Scattered out;
  const Index count = static_cast<Index>(deformations.size());
  out.F = deformations;
  out.mesh.vertices.resize(4 * count, 3);
  out.mesh.tets.resize(count, 4);
  out.x.resize(4 * count, 3);
  for (Index t = 0; t < count; ++t) {
    Matrix3d edges;
    do edges = Matrix3d::NullaryExpr([&] { return rng.normal(); });
    while (edges.determinant() < 0.3);
    const Vector3d origin(rng.normal(), rng.normal(), rng.normal());
    for (int a = 0; a < 4; ++a) {
      const Vector3d X = a == 0 ? origin : Vector3d(origin + edges.col(a - 1));
      out.mesh.vertices.row(4 * t + a) = X.transpose();
      out.x.row(4 * t + a) = (deformations[static_cast<std::size_t>(t)] * X).transpose();
      out.mesh.tets(t, a) = static_cast<int>(4 * t + a);
    }
    // Any order of vertices that keeps the tet positive.
    const int turn = static_cast<int>(rng.integer(3));
    const Vector4i v = out.mesh.tets.row(t).transpose();
    for (int a = 0; a < 3; ++a) out.mesh.tets(t, a) = v[(a + turn) % 3];
  }
  return out;
}

/// The slow way for one tet, from the definition: F = Σ x_a ⊗ ∇N_a.
struct SlowTet {
  double energy;
  Eigen::Matrix<double, 12, 1> gradient;
  Eigen::Matrix<double, 12, 12> exact, projected;
};

SlowTet slow_tet(const Material& material, const TetMesh& mesh, const Points& x, Index t) {
  Eigen::Matrix4d corners;  // barycentric coordinates are the inverse of this
  for (int a = 0; a < 4; ++a) corners.col(a) << 1, mesh.vertices.row(mesh.tets(t, a)).transpose();
  const Eigen::Matrix<double, 4, 3> grad = corners.inverse().rightCols<3>();
  const double volume = corners.determinant() / 6;
  Matrix3d F = Matrix3d::Zero();
  Eigen::Matrix<double, 9, 12> B = Eigen::Matrix<double, 9, 12>::Zero();
  for (int a = 0; a < 4; ++a) {
    F += x.row(mesh.tets(t, a)).transpose() * grad.row(a);
    for (int j = 0; j < 3; ++j) B.block<3, 3>(3 * j, 3 * a) = grad(a, j) * Matrix3d::Identity();
  }
  const Matrix9d H = hessian(material, F);
  return {volume * energy(material, F), volume * B.transpose() * stress(material, F).reshaped(),
          volume * B.transpose() * H * B, volume * B.transpose() * positive_part(H) * B};
}

MatrixXd element_block(const MatrixXd& K, const Tets& tets, Index t) {
  MatrixXd out(12, 12);
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) out.block<3, 3>(3 * a, 3 * b) = K.block<3, 3>(3 * tets(t, a), 3 * tets(t, b));
  return out;
}

}  // namespace

TEST(TetElements, TheFastWayEqualsTheSlowWayForEveryMaterial) {
  for (const Material& material : all_materials(3, 0.35)) {
    SCOPED_TRACE(name(material));
    const Scattered s = scattered_tets(sample_deformations(11), 12);
    const Body body(s.mesh, {material, 1});
    Points forces;
    BodyWorkspace work;
    const double energy = body.energy_and_forces(s.x, forces, work);
    const MatrixXd exact = body.stiffness(s.x), projected = body.stiffness(s.x, Projection::positive);
    double expected_energy = 0, magnitude = 0;
    for (Index t = 0; t < s.mesh.tet_count(); ++t) {
      const SlowTet slow = slow_tet(material, s.mesh, s.x, t);
      expected_energy += slow.energy;
      magnitude += std::abs(slow.energy);
      Eigen::Matrix<double, 12, 1> force;
      for (int a = 0; a < 4; ++a) force.segment<3>(3 * a) = forces.row(s.mesh.tets(t, a)).transpose();
      EXPECT_LT((force + slow.gradient).norm(), 1e-11 * (1 + slow.gradient.norm())) << t;
      const double scale = slow.exact.norm();
      EXPECT_LT((element_block(exact, s.mesh.tets, t) - slow.exact).norm(), 1e-10 * scale) << t;
      EXPECT_LT((element_block(projected, s.mesh.tets, t) - slow.projected).norm(), 1e-10 * scale) << t;
    }
    EXPECT_NEAR(energy, expected_energy, 1e-12 * magnitude);
    EXPECT_EQ(body.energy(s.x), energy);
  }
}

TEST(TetElements, EverySimdTargetAgrees) {
  const Scattered s = scattered_tets(sample_deformations(13), 14);
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    const Body body(s.mesh, {material, 1});
    const SparseMatrix reference = body.stiffness(s.x, Projection::positive);
    const double energy = body.energy(s.x);
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      const SparseMatrix K = body.stiffness(s.x, Projection::positive);
      EXPECT_LT((K - reference).norm(), 1e-11 * reference.norm()) << hwy::TargetName(target);
      EXPECT_NEAR(body.energy(s.x), energy, 1e-12 * (1 + std::abs(energy))) << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(TetElements, ProjectionLeavesPositiveElementsAndRemovesNegativeEigenvalues) {
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    const Scattered s = scattered_tets(sample_deformations(15), 16);
    const Body body(s.mesh, {material, 1});
    const MatrixXd exact = body.stiffness(s.x), projected = body.stiffness(s.x, Projection::positive);
    int changed = 0;
    for (Index t = 0; t < s.mesh.tet_count(); ++t) {
      const MatrixXd K = element_block(exact, s.mesh.tets, t), P = element_block(projected, s.mesh.tets, t);
      const double lowest = Eigen::SelfAdjointEigenSolver<MatrixXd>(K).eigenvalues()[0];
      const Matrix9d H = hessian(material, s.F[static_cast<std::size_t>(t)]);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(P).eigenvalues()[0], -1e-12 * K.norm());
      const bool positive = Eigen::SelfAdjointEigenSolver<Matrix9d>(H).eigenvalues()[0] > 1e-9 * H.norm();
      if (positive) {
        EXPECT_EQ(K, P);
      }
      changed += lowest < -1e-9 * K.norm();
    }
    if (!std::holds_alternative<Linear>(material)) {
      EXPECT_GT(changed, 3);  // there was something to do
    }
  }
}

}  // namespace pliant
