#include "pliant/hyperreduction/projection_fitting.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/rng.h"
#include "pliant/geometry/shapes.h"
#include "support/skinning_matrix.h"

namespace pliant {
namespace {

using testing_support::dense;

struct Case {
  ProjectiveConstraints constraints;
  GeodesicSolver solver;
  SkinningBasis basis;
};

Case solid() {
  const TetMesh mesh = make_shape("bear", {.tets = 4000});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_volume(constraints, mesh.tets, TetVolume::from_young(1e5, 0.4));
  GeodesicSolver solver(mesh);
  SkinningBasis basis =
      skinning_basis(solver, mesh.vertices, vertex_masses(mesh.vertices, mesh.tets, 1000), {.handles = 20});
  return {std::move(constraints), std::move(solver), std::move(basis)};
}

Case shell() {
  const TriMesh mesh = make_shell("cylinder_shell", {.triangles = 1500});
  ProjectiveConstraints constraints(mesh.vertices);
  add_triangle_strain(constraints, mesh.triangles, {});
  add_bending(constraints, mesh.triangles, {});
  GeodesicSolver solver(mesh);
  SkinningBasis basis =
      skinning_basis(solver, mesh.vertices, vertex_masses(mesh.vertices, mesh.triangles, 1), {.handles = 20});
  return {std::move(constraints), std::move(solver), std::move(basis)};
}

/// Uᵀ Sᵀ Λ of these projections (a column a constraint), the slow way.
MatrixXd exact(const Case& c, ProjectiveKind kind, const MatrixXd& p) {
  const ProjectiveGroup& group = c.constraints.group(kind);
  Points f = Points::Zero(c.basis.vertex_count(), 3);
  MatrixXd S;
  for (Index i = 0; i < group.size(); ++i) {
    const double lambda = constraint_rows(group, i, S);
    const auto ids = group.vertices_of(i);
    const MatrixXd rows = p.col(i).reshaped(3, S.rows());
    for (std::size_t k = 0; k < ids.size(); ++k)
      f.row(ids[k]) += lambda * (rows * S.col(static_cast<Index>(k))).transpose();
  }
  return dense(c.basis).transpose() * f;
}

/// The same through samples.
MatrixXd fitted(const ProjectionFitting& fitting, const MatrixXd& p) {
  MatrixXd seen(fitting.rows * static_cast<Index>(fitting.samples.size()), fitting.width);
  for (Index i = 0; i < static_cast<Index>(fitting.samples.size()); ++i)
    for (Index r = 0; r < fitting.rows; ++r)
      seen.row(fitting.rows * i + r) =
          p.col(fitting.samples[static_cast<std::size_t>(i)]).segment(3 * r, fitting.width).transpose();
  const MatrixXd found = fitting.fit * seen;  // d x width
  MatrixXd out = MatrixXd::Zero(fitting.map.rows(), 3);
  for (Index block = 0; block < fitting.width / 3; ++block)
    out += fitting.map.middleCols(block * fitting.dimension(), fitting.dimension()) *
           found.middleCols<3>(3 * block);
  return out;
}

MatrixXd all_at(const Case& c, ProjectiveKind kind, const Points& q) {
  std::vector<int> all(static_cast<std::size_t>(c.constraints.group(kind).size()));
  std::iota(all.begin(), all.end(), 0);
  return projections_at(c.constraints.group(kind), all, q);
}

std::vector<std::pair<Case, ProjectiveKind>> cases() {
  std::vector<std::pair<Case, ProjectiveKind>> out;
  out.emplace_back(solid(), ProjectiveKind::tet_volume);
  out.emplace_back(shell(), ProjectiveKind::triangle_strain);
  out.emplace_back(shell(), ProjectiveKind::bending);
  return out;
}

}  // namespace

TEST(ProjectionFitting, RotationsOfTheRestStateAreExact) {
  for (auto& [c, kind] : cases()) {
    const ProjectionFitting fitting =
        fit_projections(c.constraints, kind, c.basis, c.solver, {.handles = 12, .samples = 100});
    EXPECT_EQ(fitting.samples.size(), 100u);
    const Matrix3d R = Eigen::AngleAxisd(2.1, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
    const Points q = c.constraints.rest * R.transpose();
    const MatrixXd p = all_at(c, kind, q), expected = exact(c, kind, p);
    EXPECT_LT((fitted(fitting, p) - expected).norm(), 1e-6 * expected.norm());
  }
}

TEST(ProjectionFitting, WithEveryConstraintAndTheWholeSpaceNothingIsLost) {
  Rng rng(1);
  for (auto& [c, kind] : cases()) {
    const ProjectionFitting all = all_projections(c.constraints, kind, c.basis);
    Points q = c.constraints.rest;
    for (Index i = 0; i < q.size(); ++i) q.data()[i] += 0.01 * rng.normal();
    const MatrixXd p = all_at(c, kind, q), expected = exact(c, kind, p);
    EXPECT_LT((fitted(all, p) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(ProjectionFitting, SmoothMotionIsFittedToAFewPercent) {
  for (auto& [c, kind] : cases()) {
    const ProjectionFitting fitting =
        fit_projections(c.constraints, kind, c.basis, c.solver, {.handles = 20, .samples = 300});
    // Twisted and bent.
    Points q = c.constraints.rest;
    for (Index i = 0; i < q.rows(); ++i) {
      const double angle = 1.0 * q(i, 1);
      q.row(i) = (Eigen::AngleAxisd(angle, Vector3d::UnitY()) * Vector3d(q.row(i).transpose())).transpose();
      q(i, 0) += 0.2 * q(i, 1) * q(i, 1);
    }
    const MatrixXd p = all_at(c, kind, q), expected = exact(c, kind, p);
    const double error = (fitted(fitting, p) - expected).norm() / expected.norm();
    EXPECT_LT(error, 0.05) << static_cast<int>(kind);
    RecordProperty("error", std::to_string(error));
  }
}

TEST(ProjectionFitting, RefusesWhatCannotBe) {
  Case c = solid();
  EXPECT_THROW(fit_projections(c.constraints, ProjectiveKind::spring, c.basis, c.solver), InputError);
  EXPECT_THROW(fit_projections(c.constraints, ProjectiveKind::tet_volume, c.basis, c.solver, {.samples = 0}),
               InputError);
}

TEST(ProjectionFittingParallel, SameBitsOnAnyNumberOfThreads) {
  MatrixXd fit, map;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    Case c = solid();
    const ProjectionFitting fitting =
        fit_projections(c.constraints, ProjectiveKind::tet_volume, c.basis, c.solver, {.samples = 60});
    if (threads == 1) fit = fitting.fit, map = fitting.map;
    EXPECT_EQ(fitting.fit, fit);
    EXPECT_EQ(fitting.map, map);
  }
}

}  // namespace pliant
