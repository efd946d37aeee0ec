#include "pliant/elasticity/shell_elements.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/elasticity/body.h"
#include "pliant/geometry/shapes.h"
#include "pliant/numerics/finite_difference.h"
#include "support/equilateral.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const ShellMaterial sheet{.stretch = 3, .area = 2, .bending = 0.1, .density = 4};

Points shaken(const Points& rest, double size, std::uint64_t seed) {
  Rng rng(seed);
  Points x = rest;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] += rng.uniform(-size, size);
  return x;
}

Eigen::Map<const VectorXd> stacked(const Points& x) { return {x.data(), x.size()}; }

TEST(ShellBody, IsTheSumOfItsElements) {
  const TriMesh mesh = icosphere(3);
  const Body body(mesh, sheet);
  const DiscreteShell slow = make_discrete_shell(mesh, sheet);
  const Points x = shaken(mesh.vertices, 0.05, 1);
  EXPECT_NEAR(body.energy(x), energy(slow, x), 1e-12 * energy(slow, x));
  Points forces;
  body.forces(x, forces);
  EXPECT_LT((forces + gradient(slow, x)).norm(), 1e-12 * forces.norm());
}

TEST(ShellBody, StiffnessIsTheDerivativeOfForces) {
  const TriMesh mesh = icosphere(1);
  const Points x = shaken(mesh.vertices, 0.15, 2);
  for (const double area : {0.0, 2.0})
    for (const double bending : {0.0, 0.1}) {
      const Body body(mesh, {.stretch = 3, .area = area, .bending = bending, .density = 1});
      const MatrixXd K = body.stiffness(x);
      const MatrixXd expected = finite_jacobian(
          [&](const VectorXd& v) -> VectorXd {
            Points f;
            body.forces(Eigen::Map<const Points>(v.data(), x.rows(), 3), f);
            return -stacked(f);
          },
          stacked(x), 1e-4);
      EXPECT_LT((K - expected).norm(), 1e-7 * K.norm());
      const MatrixXd P = body.stiffness(x, Projection::positive);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(P).eigenvalues()[0], -1e-12 * P.norm());
      // What is taken away is negative.
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(P - K).eigenvalues()[0], -1e-12 * P.norm());
    }
}

TEST(ShellBody, MassIsDensityTimesArea) {
  const TriMesh mesh = grid_plane(6, 4, 0.5);
  const Body body(mesh, sheet);
  EXPECT_NEAR(body.total_mass(), 4 * 6, 1e-12);
  EXPECT_NEAR(body.consistent_mass_matrix().sum(), 3 * 4 * 6, 1e-11);
  // Kinetic energy of x -> (x, 0, 0) m/s is exact for the consistent matrix: density / 2 times the integral of x^2.
  VectorXd v = VectorXd::Zero(3 * body.vertex_count());
  for (Index i = 0; i < body.vertex_count(); ++i) v[3 * i] = mesh.vertices(i, 0);
  EXPECT_NEAR(v.dot(body.consistent_mass_matrix() * v), 4 * 2 * 27.0 / 3, 1e-11);
}

TEST(ShellBody, ParallelEvaluationHasTheSameBits) {
  const TriMesh mesh = make_shell("plate_shell", {.triangles = 3000});
  const Points x = shaken(mesh.vertices, 0.01, 3);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    const Body body(mesh, ShellMaterial::from_young(1e6, 0.4, 0.01, 1000));
    Points f;
    BodyWorkspace work;
    const double e = body.energy_and_forces(x, f, work);
    return std::tuple(e, f, body.stiffness(x, Projection::positive));
  };
  const auto [e1, f1, k1] = run(1);
  for (const int threads : {2, 8}) {
    const auto [e, f, k] = run(threads);
    EXPECT_EQ(e, e1);
    EXPECT_EQ(f, f1);
    EXPECT_EQ((k - k1).norm(), 0);
  }
}

TEST(ShellBody, StaysFiniteWhateverThePositions) {
  const TriMesh mesh = icosphere(2);
  const Body body(mesh, sheet);
  Points flat = mesh.vertices, line = mesh.vertices;
  flat.col(1).setZero();
  line.rightCols(2).setZero();
  for (const Points& x :
       {Points(Points::Zero(mesh.vertex_count(), 3)), flat, line, shaken(mesh.vertices, 10, 4),
        Points(-mesh.vertices), Points(1e-9 * mesh.vertices)}) {
    Points f;
    BodyWorkspace work;
    EXPECT_TRUE(std::isfinite(body.energy_and_forces(x, f, work)));
    EXPECT_TRUE(f.allFinite());
    for (const Projection p : {Projection::none, Projection::positive}) {
      const SparseMatrix K = body.stiffness(x, p);
      EXPECT_TRUE(Eigen::Map<const VectorXd>(K.valuePtr(), K.nonZeros()).allFinite());
    }
  }
}

TEST(ShellBody, RefusesBadInput) {
  const TriMesh mesh = grid_plane(2, 2, 1.0);
  EXPECT_TRUE(contains(message_of([&] { Body(TriMesh{}, sheet); }), "no triangles"));
  EXPECT_TRUE(contains(message_of([&] { Body(mesh, ShellMaterial{.stretch = 1}); }), "density is 0"));
  EXPECT_TRUE(contains(message_of([&] { Body(mesh, sheet, {.material_of_tet = {0}}); }), "material_of_tet"));
  EXPECT_TRUE(contains(message_of([&] { Body(mesh, sheet, {.fixed = {9}}); }), "fixed vertex 9"));
  TriMesh lonely = mesh;
  lonely.vertices.conservativeResize(10, 3);
  lonely.vertices.row(9).setZero();
  EXPECT_TRUE(contains(message_of([&] { Body(lonely, sheet); }), "vertex 9 belongs to no triangle"));
}

}  // namespace
}  // namespace pliant
