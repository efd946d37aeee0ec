#include "pliant/hyperreduction/weighted_samples.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/surface.h"

namespace pliant {
namespace {

double sum_of_lambdas(const ProjectiveGroup& group, const WeightedSamples& samples) {
  double sum = 0;
  MatrixXd S;
  for (std::size_t i = 0; i < samples.samples.size(); ++i)
    sum += samples.weights[static_cast<Index>(i)] * constraint_rows(group, samples.samples[i], S);
  return sum;
}

SkinningBasis skinned(const TetMesh& mesh, GeodesicSolver& solver, const std::vector<int>& fixed = {}) {
  return skinning_basis(solver, mesh.vertices, VectorXd::Ones(mesh.vertex_count()),
                        {.handles = 10, .fixed = fixed});
}

double sum_of_lambdas(const ProjectiveGroup& group) {
  double sum = 0;
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c) sum += constraint_rows(group, c, S);
  return sum;
}

}  // namespace

TEST(WeightedSamples, WeighAsMuchAsAllTogether) {
  const TetMesh mesh = make_shape("bear", {.tets = 3000});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  GeodesicSolver solver(mesh);
  const ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_strain);
  const SkinningBasis basis = skinned(mesh, solver);
  for (const int count : {80, 100, 400}) {
    const WeightedSamples found =
        weighted_samples(constraints, ProjectiveKind::tet_strain, basis, solver, count);
    EXPECT_EQ(static_cast<int>(found.samples.size()), count);
    EXPECT_TRUE(std::is_sorted(found.samples.begin(), found.samples.end()));
    EXPECT_GT(found.weights.minCoeff(), 1 - 1e-12);  // each stands for itself at least
    EXPECT_NEAR(sum_of_lambdas(group, found), sum_of_lambdas(group), 1e-9 * sum_of_lambdas(group));
    // A weight is what stands in the region of a sample, over its own.
    VectorXd within = VectorXd::Zero(count);
    MatrixXd S;
    ASSERT_EQ(static_cast<Index>(found.region.size()), group.size());
    for (Index c = 0; c < group.size(); ++c)
      within[found.region[static_cast<std::size_t>(c)]] += constraint_rows(group, c, S);
    for (std::size_t i = 0; i < found.samples.size(); ++i) {
      const double own = constraint_rows(group, found.samples[i], S);
      EXPECT_NEAR(within[static_cast<Index>(i)], found.weights[static_cast<Index>(i)] * own, 1e-9 * own);
      EXPECT_EQ(found.region[static_cast<std::size_t>(found.samples[i])], static_cast<int>(i));
    }
  }
}

TEST(WeightedSamples, StandForWhatIsAroundThem) {
  // Two pieces of different stiffness: none of the soft one is counted for the stiff one.
  TetMesh mesh = make_shape("bar", {.tets = 400});
  const Index n = mesh.vertex_count();
  TetMesh both;
  both.vertices.resize(2 * n, 3);
  both.vertices << mesh.vertices, mesh.vertices.rowwise() + Eigen::RowVector3d(0, 5, 0);
  both.tets.resize(2 * mesh.tet_count(), 4);
  both.tets << mesh.tets, (mesh.tets.array() + static_cast<int>(n)).matrix();
  ProjectiveConstraints constraints(both.vertices);
  add_tet_strain(constraints, both.tets.topRows(mesh.tet_count()), {.stiffness = 1e3});
  add_tet_strain(constraints, both.tets.bottomRows(mesh.tet_count()), {.stiffness = 1e6});
  GeodesicSolver solver(both);
  const ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_strain);
  const WeightedSamples found =
      weighted_samples(constraints, ProjectiveKind::tet_strain, skinned(both, solver), solver, 100);
  double soft = 0, stiff = 0, all_soft = 0, all_stiff = 0;
  MatrixXd S;
  for (std::size_t i = 0; i < found.samples.size(); ++i)
    (found.samples[i] < mesh.tet_count() ? soft : stiff) +=
        found.weights[static_cast<Index>(i)] * constraint_rows(group, found.samples[i], S);
  for (Index c = 0; c < group.size(); ++c)
    (c < mesh.tet_count() ? all_soft : all_stiff) += constraint_rows(group, c, S);
  EXPECT_NEAR(soft, all_soft, 1e-9 * all_soft);
  EXPECT_NEAR(stiff, all_stiff, 1e-9 * all_stiff);
}

TEST(WeightedSamples, WhatNothingMovesIsLeftOut) {
  const TetMesh mesh = make_shape("bar", {.tets = 1000});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  GeodesicSolver solver(mesh);
  const double middle = mesh.vertices.col(0).mean();
  std::vector<int> fixed;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (mesh.vertices(v, 0) < middle) fixed.push_back(static_cast<int>(v));
  const ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_strain);
  const WeightedSamples found =
      weighted_samples(constraints, ProjectiveKind::tet_strain, skinned(mesh, solver, fixed), solver, 80);
  const auto moves = [&](Index c) {
    const auto ids = group.vertices_of(c);
    return std::any_of(ids.begin(), ids.end(),
                       [&](int v) { return !std::binary_search(fixed.begin(), fixed.end(), v); });
  };
  double all = 0;
  MatrixXd S;
  for (Index c = 0; c < group.size(); ++c)
    if (moves(c)) all += constraint_rows(group, c, S);
  for (const int c : found.samples) EXPECT_TRUE(moves(c)) << c;
  EXPECT_GT(found.samples.size(), 25u);
  EXPECT_NEAR(sum_of_lambdas(group, found), all, 1e-9 * all);
}

TEST(WeightedSamples, BadInputIsRefused) {
  const TetMesh mesh = make_shape("bar", {.tets = 100});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  GeodesicSolver solver(mesh);
  const SkinningBasis basis = skinned(mesh, solver);
  EXPECT_THROW(weighted_samples(constraints, ProjectiveKind::tet_strain, basis, solver, 0), InputError);
  EXPECT_THROW(weighted_samples(constraints, ProjectiveKind::spring, basis, solver, 10), InputError);
}

}  // namespace pliant
