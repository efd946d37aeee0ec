#include "pliant/hyperreduction/weighted_samples.h"

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
  for (const int count : {1, 50, 500}) {
    const WeightedSamples found =
        weighted_samples(constraints, ProjectiveKind::tet_strain, std::vector<int>{3}, solver, count);
    EXPECT_EQ(static_cast<int>(found.samples.size()), count);
    EXPECT_TRUE(std::is_sorted(found.samples.begin(), found.samples.end()));
    EXPECT_GT(found.weights.minCoeff(), 1 - 1e-12);  // each stands for itself at least
    EXPECT_NEAR(sum_of_lambdas(group, found), sum_of_lambdas(group), 1e-9 * sum_of_lambdas(group));
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
      weighted_samples(constraints, ProjectiveKind::tet_strain, std::vector<int>{}, solver, 40);
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

TEST(WeightedSamples, BadInputIsRefused) {
  const TetMesh mesh = make_shape("bar", {.tets = 100});
  ProjectiveConstraints constraints(mesh.vertices);
  add_tet_strain(constraints, mesh.tets, {.stiffness = 1e5});
  GeodesicSolver solver(mesh);
  EXPECT_THROW(weighted_samples(constraints, ProjectiveKind::tet_strain, {}, solver, 0), InputError);
  EXPECT_THROW(weighted_samples(constraints, ProjectiveKind::spring, {}, solver, 10), InputError);
}

}  // namespace pliant
