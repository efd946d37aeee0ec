#include "pliant/elasticity/body.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <limits>

#include "elasticity/sample_deformations.h"
#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/numerics/finite_difference.h"

namespace pliant {
namespace {

using namespace testing_support;

TetMesh small_grid() { return structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.6, 0.4), Vector3i(3, 2, 1)); }

/// All seven materials in one body, in stripes.
Body striped_body(const TetMesh& mesh) {
  std::vector<SolidMaterial> palette;
  for (const Material& m : all_materials(2, 0.3))
    palette.push_back({m, 100.0 * static_cast<double>(palette.size() + 1)});
  std::vector<int> of_tet;
  for (Index t = 0; t < mesh.tet_count(); ++t) of_tet.push_back(static_cast<int>(t % 7));
  return Body(mesh, palette, {.material_of_tet = of_tet});
}

Points shaken(const Points& X, double amount, std::uint64_t seed) {
  Rng rng(seed);
  return X + Points::NullaryExpr(X.rows(), 3, [&] { return rng.uniform(-amount, amount); });
}

VectorXd stacked(const Points& x) { return Eigen::Map<const VectorXd>(x.data(), x.size()); }
Points unstacked(const VectorXd& x) { return Eigen::Map<const Points>(x.data(), x.size() / 3, 3); }

}  // namespace

TEST(Body, ForcesAndStiffnessAreDerivativesOfTheEnergy) {
  const TetMesh mesh = small_grid();
  const Body body = striped_body(mesh);
  for (const double amount : {0.02, 0.1}) {
    const Points x = shaken(mesh.vertices, amount, 1);
    Points forces;
    body.forces(x, forces);
    const VectorXd gradient =
        finite_gradient([&](const VectorXd& y) { return body.energy(unstacked(y)); }, stacked(x), 2e-5);
    EXPECT_LT((stacked(forces) + gradient).norm(), 1e-8 * (1 + gradient.norm()));
    const auto minus_forces = [&](const VectorXd& y) -> VectorXd {
      Points f;
      body.forces(unstacked(y), f);
      return -stacked(f);
    };
    const MatrixXd jacobian = finite_jacobian(minus_forces, stacked(x), 2e-5);
    const MatrixXd K = body.stiffness(x);
    EXPECT_LT((K - jacobian).norm(), 1e-7 * K.norm());
    EXPECT_EQ(K, K.transpose());
  }
}

TEST(Body, RigidMotionGivesNoForce) {
  const TetMesh mesh = small_grid();
  Rng rng(2);
  for (const Material& material : all_materials(1e5, 0.4)) {
    SCOPED_TRACE(name(material));
    const Body body(mesh, {material});
    const bool turns = !std::holds_alternative<Linear>(material);
    const Matrix3d R = turns ? random_rotation(rng) : Matrix3d(Matrix3d::Identity());
    Points x = mesh.vertices * R.transpose();
    x.rowwise() += Eigen::RowVector3d(3, -2, 1);
    Points forces;
    body.forces(x, forces);
    EXPECT_LT(forces.cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(body.energy(x), 0, 1e-9);
  }
}

TEST(Body, InnerForcesHaveNoResultantNorTorque) {
  const TetMesh mesh = small_grid();
  for (const Material& material : all_materials()) {
    SCOPED_TRACE(name(material));
    const Body body(mesh, {material});
    const Points x = shaken(mesh.vertices, 0.1, 3);
    Points forces;
    body.forces(x, forces);
    const double scale = forces.norm();
    EXPECT_LT(forces.colwise().sum().norm(), 1e-13 * scale);
    Vector3d torque = Vector3d::Zero();
    for (Index i = 0; i < x.rows(); ++i) torque += Vector3d(x.row(i)).cross(Vector3d(forces.row(i)));
    if (!std::holds_alternative<Linear>(material)) {
      EXPECT_LT(torque.norm(), 1e-12 * scale);
    }
  }
}

TEST(Body, AllMaterialsHaveTheSameStiffnessAtRest) {
  const TetMesh mesh = small_grid();
  const SparseMatrix expected = Body(mesh, {Linear::from_young(1e6, 0.3)}).stiffness(mesh.vertices);
  for (const Material& material : all_materials(1e6, 0.3)) {
    SCOPED_TRACE(name(material));
    const SparseMatrix K = Body(mesh, {material}).stiffness(mesh.vertices);
    EXPECT_LT((K - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(Body, MassIsDensityTimesVolumeHoweverItIsSpread) {
  const TetMesh mesh = small_grid();
  const Body body(mesh, {StVK::from_young(1, 0.3), 800});
  EXPECT_NEAR(body.total_mass(), 800 * 0.24, 1e-10);
  EXPECT_NEAR(body.volume(), 0.24, 1e-13);
  const SparseMatrix lumped = body.mass_matrix(), consistent = body.consistent_mass_matrix();
  // Row sums of the consistent matrix are the lumped masses; both give linear fields the right momentum.
  const VectorXd ones = VectorXd::Ones(lumped.cols());
  EXPECT_LT((lumped * ones - consistent * ones).norm(), 1e-12 * body.total_mass());
  // ∫ ρ x² over the box, exact for the consistent matrix: density * volume * lx²/3.
  VectorXd x = VectorXd::Zero(lumped.cols());
  for (Index i = 0; i < mesh.vertex_count(); ++i) x[3 * i] = mesh.vertices(i, 0);
  EXPECT_NEAR(x.dot(consistent * x), 800 * 0.24 / 3, 1e-10);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(MatrixXd(consistent)).eigenvalues()[0], 0);
}

TEST(Body, EachTetHasItsOwnMaterial) {
  const TetMesh mesh = small_grid();
  const Points x = shaken(mesh.vertices, 0.05, 4);
  const SolidMaterial soft{NeoHookean::from_young(1, 0.3), 500}, hard{StVK::from_young(100, 0.2), 2000};
  std::vector<int> of_tet(static_cast<std::size_t>(mesh.tet_count()), 0);
  for (std::size_t t = 0; t < of_tet.size(); t += 3) of_tet[t] = 1;
  const Body mixed(mesh, {soft, hard}, {.material_of_tet = of_tet});
  // The same as two bodies of the tets of each.
  double energy = 0, mass = 0;
  for (int kind = 0; kind < 2; ++kind)
    for (Index t = 0; t < mesh.tet_count(); ++t) {
      if (of_tet[static_cast<std::size_t>(t)] != kind) continue;
      TetMesh one;
      one.vertices.resize(4, 3);
      one.tets.resize(1, 4);
      one.tets << 0, 1, 2, 3;
      Points y(4, 3);
      for (int a = 0; a < 4; ++a)
        one.vertices.row(a) = mesh.vertices.row(mesh.tets(t, a)), y.row(a) = x.row(mesh.tets(t, a));
      const Body part(one, kind == 0 ? soft : hard);
      energy += part.energy(y);
      mass += part.total_mass();
    }
  EXPECT_NEAR(mixed.energy(x), energy, 1e-12 * energy);
  EXPECT_NEAR(mixed.total_mass(), mass, 1e-12 * mass);
}

TEST(Body, ParallelEvaluationHasTheSameBits) {
  const TetMesh mesh = make_shape("bar", {.tets = 3000});
  const Body body = striped_body(mesh);
  const Points x = shaken(mesh.vertices, 0.01, 5);
  double energy = 0;
  Points forces;
  SymmetricBlocks K = body.block_pattern();
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    BodyWorkspace work;
    Points f;
    SymmetricBlocks blocks = body.block_pattern();
    const double e = body.stiffness_blocks(x, blocks, f, work, Projection::positive);
    if (threads == 1) {
      energy = e, forces = f, K = blocks;
      Points again;
      EXPECT_EQ(body.energy_and_forces(x, again, work), e);
      EXPECT_EQ(again, f);
    }
    EXPECT_EQ(e, energy);
    EXPECT_EQ(f, forces);
    EXPECT_EQ(std::memcmp(blocks.values.data(), K.values.data(), 8 * K.values.size()), 0);
  }
}

TEST(Body, AWarmWorkspaceGivesTheSameAsAFreshOne) {
  const TetMesh mesh = small_grid();
  const Body body = striped_body(mesh);
  BodyWorkspace work;
  SparseMatrix K = body.stiffness_pattern();
  for (const std::uint64_t seed : {6, 7}) {
    const Points x = shaken(mesh.vertices, 0.1, seed);
    body.stiffness(x, K, work);
    EXPECT_EQ(MatrixXd(K), MatrixXd(body.stiffness(x)));
  }
}

TEST(Body, StaysFiniteWhateverThePositions) {
  const TetMesh mesh = small_grid();
  Rng rng(8);
  for (const Material& material : all_materials(1e6, 0.45)) {
    SCOPED_TRACE(name(material));
    const Body body(mesh, {material});
    Points flat = mesh.vertices, point = Points::Zero(mesh.vertex_count(), 3), mirrored = mesh.vertices;
    flat.col(1).setZero();
    mirrored.col(0) *= -1;
    const Points random = Points::NullaryExpr(mesh.vertex_count(), 3, [&] { return rng.uniform(-5, 5); });
    for (const Points& x : {flat, point, mirrored, random, Points(100 * random)}) {
      Points forces;
      body.forces(x, forces);
      EXPECT_TRUE(std::isfinite(body.energy(x)));
      EXPECT_TRUE(forces.allFinite());
      const SparseMatrix K = body.stiffness(x, Projection::positive);
      EXPECT_TRUE(VectorXd(Eigen::Map<const VectorXd>(K.valuePtr(), K.nonZeros())).allFinite());
    }
  }
}

TEST(Body, RefusesBadInput) {
  const SolidMaterial rubber{NeoHookean::from_young(1, 0.3)};
  TetMesh flat = small_grid();
  flat.vertices.col(2).setZero();
  EXPECT_THROW(Body(flat, rubber), InputError);
  TetMesh inverted = small_grid();
  std::swap(inverted.tets(4, 0), inverted.tets(4, 1));
  EXPECT_THROW(Body(inverted, rubber), InputError);
  TetMesh lonely = small_grid();
  lonely.vertices.conservativeResize(lonely.vertices.rows() + 1, 3);
  lonely.vertices.bottomRows(1).setConstant(9);
  EXPECT_THROW(Body(lonely, rubber), InputError);
  TetMesh poisoned = small_grid();
  poisoned.vertices(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Body(poisoned, rubber), InputError);
  const TetMesh mesh = small_grid();
  EXPECT_THROW(Body(mesh, {rubber.material, -1}), InputError);
  EXPECT_THROW(Body(mesh, rubber, {.material_of_tet = {0, 1}}), InputError);
  EXPECT_THROW(Body(mesh, rubber, {.fixed = {-1}}), InputError);
  EXPECT_THROW(Body(mesh, rubber, {.damping = {.mass = -1}}), InputError);
  EXPECT_THROW(Body(mesh, std::vector<SolidMaterial>{}), InputError);
  EXPECT_THROW(Body(mesh, rubber).energy(Points::Zero(3, 3)), InputError);
}

}  // namespace pliant
