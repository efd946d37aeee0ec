#include "pliant/elasticity/discrete_shells.h"

#include <gtest/gtest.h>

#include "pliant/geometry/adjacency.h"
#include "pliant/numerics/finite_difference.h"
#include "support/equilateral.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

const ShellMaterial sheet{.stretch = 3, .area = 2, .bending = 0.1, .density = 1};

TEST(DiscreteShells, FromYoungIsPlaneStressOnEquilateralTriangles) {
  const TriMesh plate = equilateral_plate(12, 12, 0.1);
  const double young = 7e5, thickness = 0.02;
  double area = 0;
  for (const AreaTerm& term : make_discrete_shell(plate, sheet).area_terms) area += term.rest;
  Rng rng(1);
  for (const double poisson : {1.0 / 3, 0.4, 0.49, 0.2, 0.0}) {
    const DiscreteShell shell =
        make_discrete_shell(plate, ShellMaterial::from_young(young, poisson, thickness, 1000));
    for (int i = 0; i < 10; ++i) {
      const double exx = rng.uniform(-1, 1), eyy = rng.uniform(-1, 1), exy = rng.uniform(-1, 1), size = 1e-4;
      Matrix3d F = Matrix3d::Identity();
      F(0, 0) += size * exx, F(1, 1) += size * eyy, F(0, 1) += size * exy, F(1, 0) += size * exy;
      // The border's edges have one triangle, and so half the weight: the sum is exact on the whole plate.
      const double found = energy(shell, plate.vertices * F.transpose()) / (area * size * size);
      const double nu = std::max(poisson, 1.0 / 3);
      const double plane_stress = young * thickness / (2 * (1 - nu * nu)) *
                                  (exx * exx + eyy * eyy + 2 * nu * exx * eyy + 2 * (1 - nu) * exy * exy);
      EXPECT_NEAR(found, plane_stress, 2e-3 * young * thickness) << poisson;
    }
  }
}

/// Energy of hinges a square metre, inside a plate of equilateral triangles laid onto a graph z(x, y).
double bending_density(double h, double kxx, double kyy, double kxy, double bending) {
  const TriMesh plate = equilateral_plate(16, 18, h);
  const DiscreteShell shell =
      make_discrete_shell(plate, {.stretch = 1, .area = 0, .bending = bending, .density = 1});
  Points x = plate.vertices;
  const Vector3d middle = x.colwise().mean();
  for (Index v = 0; v < x.rows(); ++v) {
    const double a = x(v, 0) - middle.x(), b = x(v, 1) - middle.y();
    x(v, 2) = (kxx * a * a + kyy * b * b) / 2 + kxy * a * b;
  }
  Vector3d sum = Vector3d::Zero(),
           area = Vector3d::Zero();  // edges have three directions, equally many inside
  for (Index i = 0; i < shell.hinges.rows(); ++i) {
    HingePositions corners;
    for (int k = 0; k < 4; ++k) corners.col(k) = x.row(shell.hinges(i, k));
    const HingeTerm& term = shell.hinge_terms[static_cast<std::size_t>(i)];
    const Vector3d edge = plate.vertices.row(shell.hinges(i, 1)) - plate.vertices.row(shell.hinges(i, 0));
    const int direction = std::abs(edge.y()) < 0.1 * h ? 0 : edge.x() * edge.y() > 0 ? 1 : 2;
    sum[direction] += energy(term, corners);
    area[direction] += 2 * term.area;  // of which this direction has a third
  }
  return sum.cwiseQuotient(area / 3).sum() / 3;
}

TEST(DiscreteShells, HingesBendAsAPlateWithARatioOfMinusOneThird) {
  const ShellMaterial material = ShellMaterial::from_young(2e6, 0.3, 0.01, 1000);
  const double D = 2e6 * 1e-6 / (12 * (1 - 0.09));
  const double size = 1e-3;  // slopes so small that the graph is the surface
  Rng rng(2);
  for (int i = 0; i < 10; ++i) {
    const double kxx = rng.uniform(-1, 1), kyy = rng.uniform(-1, 1), kxy = rng.uniform(-1, 1);
    const double found =
        bending_density(0.1, size * kxx, size * kyy, size * kxy, material.bending) / (size * size);
    const double nu = -1.0 / 3;
    const double plate = D / 2 * (kxx * kxx + kyy * kyy + 2 * nu * kxx * kyy + 2 * (1 - nu) * kxy * kxy);
    EXPECT_NEAR(found, plate, 1e-4 * D);
  }
}

TEST(DiscreteShells, EveryEdgeOnceAndAHingeWhereTwoTrianglesMeet) {
  for (const TriMesh& mesh : {icosphere(2), grid_plane(5, 7, 0.2)}) {
    const DiscreteShell shell = make_discrete_shell(mesh, sheet);
    EXPECT_EQ(shell.edges, unique_edges(mesh.triangles, mesh.vertex_count()));
    const Index border = 2 * shell.edges.rows() - 3 * mesh.triangle_count();
    EXPECT_EQ(shell.hinges.rows(), shell.edges.rows() - border);
    EXPECT_NEAR(energy(shell, mesh.vertices), 0, 1e-25);
  }
  TriMesh book = grid_plane(1, 1, 1.0);  // three pages at one edge
  book.vertices.conservativeResize(5, 3);
  book.vertices.row(4) << 0.5, 0.5, 1;
  book.triangles.conservativeResize(3, 3);
  book.triangles.row(2) << 0, 3, 4;
  EXPECT_EQ(make_discrete_shell(book, sheet).hinges.rows(), 2);
}

TEST(DiscreteShells, WhichWayATriangleFacesDoesNotMatter) {
  Rng rng(3);
  const TriMesh mesh = icosphere(1);
  TriMesh mixed = mesh;
  for (Index t = 0; t < mixed.triangle_count(); t += 3)
    std::swap(mixed.triangles(t, 0), mixed.triangles(t, 1));
  Points x = mesh.vertices;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] += rng.uniform(-0.2, 0.2);
  const DiscreteShell shell = make_discrete_shell(mesh, sheet), other = make_discrete_shell(mixed, sheet);
  EXPECT_NEAR(energy(shell, x), energy(other, x), 1e-12);
}

TEST(DiscreteShells, TheGradientIsThatOfTheEnergyAndRigidMotionsHaveNone) {
  Rng rng(4);
  const TriMesh mesh = icosphere(0);
  const DiscreteShell shell = make_discrete_shell(mesh, sheet);
  Points x = mesh.vertices;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] += rng.uniform(-0.15, 0.15);
  const Points g = gradient(shell, x);
  const VectorXd differences = finite_gradient(
      [&](const VectorXd& v) {
        return energy(shell, Points(Eigen::Map<const Points>(v.data(), x.rows(), 3)));
      },
      Eigen::Map<const VectorXd>(x.data(), x.size()), 1e-4);
  EXPECT_LT((Eigen::Map<const VectorXd>(g.data(), g.size()) - differences).norm(), 1e-8 * g.norm());
  EXPECT_LT(g.colwise().sum().norm(), 1e-12);

  const Matrix3d R = Eigen::Quaterniond(1, 2, -1, 0.5).normalized().toRotationMatrix();
  const Points moved = (mesh.vertices * R.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
  EXPECT_LT(gradient(shell, moved).norm(), 1e-12);
}

TEST(DiscreteShells, BadInputGetsASentence) {
  TriMesh mesh = grid_plane(2, 2, 1.0);
  mesh.vertices.row(4) = mesh.vertices.row(0);
  EXPECT_TRUE(contains(message_of([&] { make_discrete_shell(mesh, sheet); }), "has no area at rest"));
  mesh = grid_plane(2, 2, 1.0);
  mesh.triangles(1, 1) = 99;
  EXPECT_TRUE(contains(message_of([&] { make_discrete_shell(mesh, sheet); }), "names vertex 99"));
  mesh = grid_plane(2, 2, 1.0);
  mesh.vertices(3, 0) = std::nan("");
  EXPECT_TRUE(contains(message_of([&] { make_discrete_shell(mesh, sheet); }), "not finite"));
  EXPECT_TRUE(contains(message_of([] { ShellMaterial::from_young(1e5, 0.5, 1e-3, 1); }), "poisson is 0.5"));
  EXPECT_TRUE(contains(message_of([] { ShellMaterial::from_young(1e5, 0.3, 0, 1); }), "thickness is 0"));
  EXPECT_TRUE(contains(message_of([] { ShellMaterial::from_young(1e5, 0.3, 1, -1); }), "density is -1"));
  EXPECT_TRUE(
      contains(message_of([] { check(ShellMaterial{.stretch = 1, .bending = -1}); }), "bending is -1"));
  EXPECT_TRUE(contains(message_of([] { check(ShellMaterial{.stretch = 0}); }), "stretch is 0"));
}

}  // namespace
}  // namespace pliant
