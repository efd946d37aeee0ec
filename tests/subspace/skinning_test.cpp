#include "pliant/subspace/skinning.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/rng.h"
#include "pliant/elasticity/projective_constraints.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/structured_grid.h"
#include "support/simple_meshes.h"
#include "support/skinning_matrix.h"

namespace pliant {
namespace {

using testing_support::dense;

struct Case {
  TetMesh mesh;
  VectorXd masses;
  SkinningBasis basis;
};

Case make_case(int handles, std::span<const int> fixed = {}, RadialFunction radial = RadialFunction::smooth) {
  TetMesh mesh = make_shape("bear", {.tets = 3000});
  VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  GeodesicSolver solver(mesh);
  SkinningBasis basis =
      skinning_basis(solver, mesh.vertices, masses, {.handles = handles, .radial = radial, .fixed = fixed});
  return {std::move(mesh), std::move(masses), std::move(basis)};
}

MatrixXd random(Index rows, Index columns, Rng& rng) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

}  // namespace

TEST(Skinning, WeightsAreAPartitionOfUnityWithinTheirRadius) {
  for (const auto radial : {RadialFunction::kinked, RadialFunction::smooth}) {
    const Case c = make_case(30, {}, radial);
    const HandleWeights& w = c.basis.weights;
    ASSERT_EQ(w.count(), 30);
    GeodesicSolver solver(c.mesh);
    MatrixXd distance(c.mesh.vertex_count(), 30);
    for (Index j = 0; j < 30; ++j)
      distance.col(j) = solver.distance_from(std::span(&w.handles[static_cast<std::size_t>(j)], 1)).distance;
    EXPECT_NEAR(w.radius, SkinningOptions().support * distance.rowwise().minCoeff().maxCoeff(),
                1e-9 * w.radius);
    for (Index i = 0; i < c.mesh.vertex_count(); ++i) {
      double sum = 0;
      const int first = w.first[static_cast<std::size_t>(i)], last = w.first[static_cast<std::size_t>(i) + 1];
      ASSERT_LT(first, last) << "a vertex without a handle";
      for (int e = first; e < last; ++e) {
        EXPECT_GT(w.weight[static_cast<std::size_t>(e)], 0);
        EXPECT_LT(distance(i, w.handle[static_cast<std::size_t>(e)]), w.radius * (1 + 1e-12));
        sum += w.weight[static_cast<std::size_t>(e)];
      }
      EXPECT_NEAR(sum, 1, 1e-14);
    }
  }
}

TEST(Skinning, AffineMapsOfTheWholeBodyAreInTheSpan) {
  const Case c = make_case(12);
  Rng rng(1);
  const Matrix3d G = random(3, 3, rng);
  const Vector3d a = random(3, 1, rng);
  MatrixXd q(c.basis.columns(), 3);
  for (Index j = 0; j < c.basis.weights.count(); ++j) {
    q.row(4 * j) = (a + G * c.basis.centers.row(j).transpose()).transpose();
    q.middleRows<3>(4 * j + 1) = c.basis.weights.radius * G.transpose();
  }
  Points x;
  positions(c.basis, q, x);
  Points expected = c.mesh.vertices + c.mesh.vertices * G.transpose();
  expected.rowwise() += a.transpose();
  EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Skinning, ReducedMatricesAreTheObviousProducts) {
  const Case c = make_case(9);
  const MatrixXd U = dense(c.basis);
  Rng rng(2);
  ProjectiveConstraints constraints(c.mesh.vertices);
  add_tet_strain(constraints, c.mesh.tets, {});
  const SparseMatrix K = projective_matrix(constraints);
  const MatrixXd A = U.transpose() * K * U, M = U.transpose() * c.masses.asDiagonal() * U;
  EXPECT_LT((reduced_matrix(c.basis, K) - A).norm(), 1e-12 * A.norm());
  EXPECT_LT((reduced_diagonal(c.basis, c.masses) - M).norm(), 1e-12 * M.norm());
  const Points f = random(c.mesh.vertex_count(), 3, rng);
  EXPECT_LT((pull_back(c.basis, f) - U.transpose() * f).norm(), 1e-11 * (U.transpose() * f).norm());
  const MatrixXd q = random(c.basis.columns(), 3, rng);
  Points x;
  positions(c.basis, q, x);
  EXPECT_LT((x - c.mesh.vertices - U * q).norm(), 1e-12 * x.norm());
}

TEST(Skinning, FixedVerticesDoNotMoveAndOthersDo) {
  const TetMesh mesh = make_shape("bear", {.tets = 3000});
  std::vector<int> fixed;
  for (Index i = 0; i < mesh.vertex_count(); ++i)
    if (mesh.vertices(i, 1) < mesh.vertices.col(1).minCoeff() + 0.05) fixed.push_back(static_cast<int>(i));
  ASSERT_GT(fixed.size(), 3u);
  const Case c = make_case(12, fixed);
  Rng rng(3);
  Points x;
  positions(c.basis, random(c.basis.columns(), 3, rng), x);
  std::vector<char> held(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const int v : fixed) held[static_cast<std::size_t>(v)] = 1;
  for (Index i = 0; i < mesh.vertex_count(); ++i)
    EXPECT_EQ(x.row(i) == mesh.vertices.row(i), held[static_cast<std::size_t>(i)] != 0);
}

TEST(Skinning, ColumnsOfAFlatBodyThatDependOnOthersAreDropped) {
  const TriMesh mesh = testing_support::grid_plane(12, 12, 0.1);
  GeodesicSolver solver(mesh);
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.triangles, 1);
  const SkinningBasis basis = skinning_basis(solver, mesh.vertices, masses, {.handles = 6});
  const MatrixXd U = dense(basis);
  const Index kept = std::count(basis.dropped.begin(), basis.dropped.end(), 0);
  EXPECT_EQ(kept, 18);  // nothing is out of the plane
  MatrixXd independent(U.rows(), kept);
  Index column = 0;
  for (Index j = 0; j < U.cols(); ++j)
    if (!basis.dropped[static_cast<std::size_t>(j)]) independent.col(column++) = U.col(j);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(independent);
  EXPECT_EQ(qr.rank(), kept);
  EXPECT_LT((independent * qr.solve(U) - U).norm(), 1e-4 * U.norm());
}

TEST(Skinning, HandlesAtAllVerticesMoveEachAlone) {
  const TetMesh mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(1, 1, 1), Vector3i(2, 2, 2));
  const int n = static_cast<int>(mesh.vertex_count());
  GeodesicSolver solver(mesh);
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  const SkinningBasis basis = skinning_basis(solver, mesh.vertices, masses, {.handles = n});
  EXPECT_EQ(std::count(basis.dropped.begin(), basis.dropped.end(), 0), n);
  EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(dense(basis)).rank(), n);
}

// The vertex furthest from all handles must still feel one; it would hang in the air otherwise.
TEST(Skinning, WeightsReachFurtherThanTheNextHandle) {
  const TetMesh mesh = make_shape("bear", {.tets = 1500});
  GeodesicSolver solver(mesh);
  const VectorXd masses = VectorXd::Ones(mesh.vertex_count());
  for (const double support : {-1.0, 0.5, 1.0, 1000.0, std::nan("")})
    EXPECT_THROW(skinning_basis(solver, mesh.vertices, masses, {.handles = 10, .support = support}),
                 InputError)
        << support;
  const SkinningBasis basis =
      skinning_basis(solver, mesh.vertices, masses, {.handles = 10, .support = least_support});
  for (Index i = 0; i < mesh.vertex_count(); ++i) {
    const auto v = static_cast<std::size_t>(i);
    const auto begin = basis.weights.weight.begin();
    const double sum =
        std::accumulate(begin + basis.weights.first[v], begin + basis.weights.first[v + 1], 0.0);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Skinning, EveryPieceNeedsAHandle) {
  TetMesh mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(1, 1, 1), Vector3i(2, 2, 2));
  const TetMesh other = structured_grid(Vector3d(3, 0, 0), Vector3d(4, 1, 1), Vector3i(2, 2, 2));
  const Index n = mesh.vertex_count(), m = mesh.tet_count();
  mesh.vertices.conservativeResize(2 * n, 3);
  mesh.vertices.bottomRows(n) = other.vertices;
  mesh.tets.conservativeResize(2 * m, 4);
  mesh.tets.bottomRows(m) = other.tets.array() + static_cast<int>(n);
  GeodesicSolver solver(mesh);
  const VectorXd masses = vertex_masses(mesh.vertices, mesh.tets, 1000);
  EXPECT_THROW(skinning_basis(solver, mesh.vertices, masses, {.handles = 1}), InputError);
  EXPECT_THROW(skinning_basis(solver, mesh.vertices, masses, {.handles = 0}), InputError);
  const SkinningBasis basis = skinning_basis(solver, mesh.vertices, masses, {.handles = 2});
  Points x;
  MatrixXd q = MatrixXd::Zero(8, 3);
  q(0, 0) = 1;  // the first handle moves, and with it its own piece alone
  positions(basis, q, x);
  const Points moved = x - mesh.vertices;
  EXPECT_NEAR(moved.col(0).sum(), static_cast<double>(n), 1e-12);
  EXPECT_EQ((moved.col(0).array() != 0).count(), n);
}

TEST(SkinningParallel, SameBitsOnAnyNumberOfThreads) {
  MatrixXd gram;
  std::vector<double> weights;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    const Case c = make_case(20);
    const MatrixXd M = reduced_diagonal(c.basis, c.masses);
    if (threads == 1) gram = M, weights = c.basis.weights.weight;
    EXPECT_EQ(M, gram);
    EXPECT_EQ(c.basis.weights.weight, weights);
  }
}

}  // namespace pliant
