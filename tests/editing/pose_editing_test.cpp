#include "pliant/editing/pose_editing.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/editing/full_pose.h"
#include "pliant/geometry/shapes.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/geometry/surface.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/subspace/extended_modes.h"
#include "pliant/subspace/linear_modes.h"
#include "pliant/subspace/modal_derivatives.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

/// Vertices between these parts of the box along an axis.
std::vector<int> slab(const Points& x, int axis, double from, double to) {
  const double low = x.col(axis).minCoeff(), high = x.col(axis).maxCoeff();
  std::vector<int> ids;
  for (int v = 0; v < x.rows(); ++v)
    if (const double s = (x(v, axis) - low) / (high - low); s >= from - 1e-9 && s <= to + 1e-9)
      ids.push_back(v);
  return ids;
}

double root_mean_square(const Body& body, const Points& difference) {
  return std::sqrt(body.masses().dot(difference.rowwise().squaredNorm()) / body.total_mass());
}

Body held_bar(const char* material = "neo_hookean") {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.25, 0.25}, {8, 2, 2});
  return Body(mesh, SolidMaterial{make_material(material, 1e5, 0.35), 1000},
              {.fixed = slab(mesh.vertices, 0, 0, 0)});
}

TEST(PoseEditing, ACompleteSubspaceGivesTheFullPose) {
  const Body body = held_bar();
  const int all = 3 * static_cast<int>(body.vertex_count() - static_cast<Index>(body.fixed().size()));
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = all}));
  const std::vector<Handle> handles{{.vertices = slab(body.rest_positions(), 0, 1, 1),
                                     .translation = {-0.1, 0.3, 0},
                                     .rotation = {0.6, 0, 0.3}}};
  PoseEditor editor(basis, exact_energy(body, basis));
  editor.set_handles(handles);
  const PoseReport report = editor.solve({.max_iterations = 3000, .tolerance = 1e-9});
  ASSERT_TRUE(report.converged);
  const FullPose full = solve_full_pose(body, handles, editor.springs(), {.tolerance = 1e-9});
  ASSERT_TRUE(full.report.converged);
  EXPECT_LT((positions(basis, editor.q()) - full.positions).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_NEAR(report.elastic + report.springs, full.report.elastic + full.report.springs,
              1e-8 * full.report.elastic);
}

TEST(PoseEditing, ThePoseIsAnEquilibriumOfTheSubspace) {
  const Body body = held_bar();
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 5}));
  PoseEditor editor(basis, exact_energy(body, basis));
  editor.set_handles({{.vertices = slab(body.rest_positions(), 0, 0.9, 1), .translation = {0, 0.4, 0}}},
                     {.samples = 6, .stiffness = 2000});
  ASSERT_EQ(editor.springs().count(), 6);
  ASSERT_TRUE(editor.solve({.tolerance = 1e-10}).converged);
  Points x = positions(basis, editor.q()), forces;
  body.forces(x, forces);
  const double elastic = pull_back(basis, forces).norm();
  const Points targets = handle_targets(editor.springs(), editor.handles());
  for (Index i = 0; i < 6; ++i) {
    const int v = editor.springs().vertices[static_cast<std::size_t>(i)];
    forces.row(v) += editor.springs().stiffness[i] * (targets.row(i) - x.row(v));
  }
  EXPECT_LT(pull_back(basis, forces).norm(), 1e-6 * elastic);
}

TEST(PoseEditing, AllElementsWithWeightOneAreTheExactEnergy) {
  const Body body = held_bar();
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 3}));
  const ReducedElements elements(body, basis.U, ElementSet(body), VectorXd::Ones(body.tets().rows()));
  const auto pose = [&](ReducedEnergy energy) {
    PoseEditor editor(basis, std::move(energy));
    editor.set_handles({{.vertices = slab(body.rest_positions(), 0, 1, 1), .translation = {0, 0.3, 0.1}}});
    EXPECT_TRUE(editor.solve({.tolerance = 1e-8}).converged);
    return positions(basis, editor.q());
  };
  EXPECT_LT((pose(exact_energy(body, basis)) - pose(cubature_energy(elements))).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(PoseEditing, AModelFromAFileIsAllThatAnEditNeeds) {
  const Body body = held_bar();
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 3}));
  const std::vector<Handle> handles{{.vertices = slab(body.rest_positions(), 0, 1, 1),
                                     .translation = {-0.1, 0.3, 0.1},
                                     .rotation = {0.5, 0, 0.4}}};
  PoseEditor by_body(basis, exact_energy(body, basis));
  by_body.set_handles(handles);
  ASSERT_TRUE(by_body.solve({.tolerance = 1e-8}).converged);
  const Points truth = positions(basis, by_body.q());
  const auto pose = [&](const ReducedFem& model) {
    PoseEditor editor(model);
    editor.set_handles(handles);
    EXPECT_TRUE(editor.solve({.tolerance = 1e-8}).converged);
    EXPECT_NEAR(editor.springs().stiffness.sum(), handle_stiffness(model), 1e-9 * handle_stiffness(model));
    return positions(model, editor.q());
  };
  // All elements: the pose of the body, but for single precision. Through a file: the same.
  const ReducedFem all = make_exact_reduced_fem(body, basis);
  EXPECT_LT((pose(all) - truth).cwiseAbs().maxCoeff(), 1e-5);
  const TemporaryFolder folder;
  write_reduced_fem(all, folder / "bar.pliant");
  EXPECT_EQ(pose(read_reduced_fem(folder / "bar.pliant")), pose(all));
  // A few weighted ones: nearly.
  const ReducedFem few = reduce_fem(body, {.modes = 3, .samples = 60, .poses = {.count = 100}});
  EXPECT_LT((pose(few) - truth).rowwise().norm().maxCoeff(),
            0.05 * (truth - body.rest_positions()).rowwise().norm().maxCoeff());
}

TEST(PoseEditing, AModelOfCubicForcesIsAsExact) {
  const Body body = held_bar("stvk");
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 8}));
  const ReducedFem model = make_polynomial_reduced_fem(body, basis);
  PoseEditor by_body(basis, exact_energy(body, basis)), by_model(model);
  for (PoseEditor* editor : {&by_body, &by_model}) {
    editor->set_handles({{.vertices = slab(body.rest_positions(), 0, 1, 1), .translation = {0, 0.2, 0.1}}});
    ASSERT_TRUE(editor->solve({.tolerance = 1e-8}).converged);
  }
  EXPECT_LT((positions(basis, by_body.q()) - positions(model, by_model.q())).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(PoseEditing, TheReportSaysWhatIsLeft) {
  const Body body = held_bar();
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 5}));
  const std::vector<Handle> handles{
      {.vertices = slab(body.rest_positions(), 0, 0.9, 1), .translation = {0, 0.4, 0}}};
  PoseEditor editor(basis, exact_energy(body, basis));
  editor.set_handles(handles);
  EXPECT_DOUBLE_EQ(editor.springs().stiffness.sum(), handle_stiffness(basis));
  EXPECT_GT(editor.solve({.max_iterations = 2}).residual, 1e-3);
  const PoseReport report = editor.solve({.tolerance = 1e-10});
  EXPECT_LT(report.residual, 1e-7);
  const Points x = positions(basis, editor.q()), targets = handle_targets(editor.springs(), handles);
  double squares = 0;
  for (Index i = 0; i < editor.springs().count(); ++i)
    squares += (x.row(editor.springs().vertices[static_cast<std::size_t>(i)]) - targets.row(i)).squaredNorm();
  EXPECT_NEAR(report.handle_error, std::sqrt(squares / static_cast<double>(editor.springs().count())), 1e-12);
  // All springs of a handle are alike, so that their energy says the same.
  EXPECT_NEAR(report.springs, 0.5 * handle_stiffness(basis) * std::pow(report.handle_error, 2),
              1e-9 * report.springs);
  // The same on all vertices, among which there is more to choose from.
  const FullPose full = solve_full_pose(body, handles, editor.springs());
  EXPECT_LT(full.report.residual, 1e-6);
  EXPECT_NEAR(full.report.springs, 0.5 * handle_stiffness(basis) * std::pow(full.report.handle_error, 2),
              1e-9 * full.report.springs);
  EXPECT_LT(full.report.elastic + full.report.springs, report.elastic + report.springs);
}

TEST(PoseEditing, HandlesThatMoveAFreeBodyRigidlyCostNothing) {
  const Body body(structured_grid({0, 0, 0}, {1, 0.25, 0.25}, {6, 2, 2}),
                  SolidMaterial{StVK::from_young(1e5, 0.35), 1000});
  const DenseBasis basis = extended_modes(body, linear_modes(body, {.count = 2}));
  PoseEditor editor(basis, exact_energy(body, basis));
  editor.set_handles({{.vertices = slab(body.rest_positions(), 0, 0, 1)}});
  editor.move_handle(0, {0.2, 1, 3}, {0, 2.5, 0.4});
  const PoseReport report = editor.solve({.steps = 5});
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.elastic + report.springs, 1e-6);
  // From the last pose a small move takes a few iterations.
  editor.move_handle(0, {0.2, 1.01, 3}, {0, 2.5, 0.4});
  EXPECT_LT(editor.solve().iterations, report.iterations);
}

TEST(PoseEditing, BadInputGetsASentence) {
  const Body body = held_bar();
  const DenseBasis basis = modal_basis(body, linear_modes(body, {.count = 2}));
  PoseEditor editor(basis, exact_energy(body, basis));
  EXPECT_TRUE(contains(message_of([&] { editor.solve(); }), "no handles"));
  EXPECT_TRUE(contains(message_of([&] { editor.set_handles({{.vertices = {}}}); }), "selects no vertex"));
  editor.set_handles({{.vertices = {5}}});
  EXPECT_TRUE(contains(message_of([&] { editor.move_handle(1, {}, {}); }), "handle 1; expected 0 to 0"));
  EXPECT_TRUE(contains(message_of([&] { editor.solve({.steps = 0}); }), "steps is 0"));
  EXPECT_TRUE(contains(message_of([&] { editor.set_q(VectorXd::Zero(3)); }), "3 entries; expected 2"));
}

// ---- Poses of [Botsch and Sorkine 2008], as free shells, in subspaces of one dimension [von Tycowicz et al.
// 2013, Table 2]

struct Edit {
  TriMesh mesh;
  std::vector<Handle> handles;
};

/// Both ends along an axis held; the upper one turned, and moved as the end of an arc if it bends.
Edit ends_turned(const TriMesh& mesh, int axis, const Vector3d& rotation, bool bends) {
  Edit edit{mesh, std::vector<Handle>(2)};
  edit.handles[0].vertices = slab(mesh.vertices, axis, 0, 0.1);
  edit.handles[1].vertices = slab(mesh.vertices, axis, 0.9, 1);
  edit.handles[1].rotation = rotation;
  if (bends) {
    const double angle = rotation.norm(),
                 length = 0.9 * (mesh.vertices.col(axis).maxCoeff() - mesh.vertices.col(axis).minCoeff());
    const Vector3d along = Vector3d::Unit(axis), across = rotation.normalized().cross(along);
    edit.handles[1].translation =
        length / angle * ((1 - std::cos(angle)) * across + (std::sin(angle) - angle) * along);
  }
  return edit;
}

TriMesh surface_of(const char* name, Index tets) {
  const TetMesh solid = make_shape(name, {.tets = tets});
  return compact_surface(solid.vertices, boundary_triangles(solid.tets)).mesh;
}

Edit make_edit(const std::string& name) {
  const double degree = M_PI / 180;
  if (name == "bar") return ends_turned(surface_of("bar", 1500), 0, Vector3d(135 * degree, 0, 0), false);
  if (name == "cactus") return ends_turned(surface_of("cactus", 1500), 1, Vector3d(0, 0, -70 * degree), true);
  TriMesh cylinder = make_shell("cylinder_shell", {.vertices = 500});
  cylinder.vertices.col(0) *= 0.2, cylinder.vertices.col(2) *= 0.2;  // 1 m long, 0.1 m across
  return ends_turned(cylinder, 1, Vector3d(0, 0, -120 * degree), true);
}

class Subspaces : public testing::TestWithParam<const char*> {};

TEST_P(Subspaces, ExtendedModesAndDerivativesAreFourTimesCloserThanModes) {
  const Edit edit = make_edit(GetParam());
  const Body body(edit.mesh, ShellMaterial::from_young(1e6, 0.4, 0.05, 1000));
  const LinearModes modes = linear_modes(body, {.count = 9});
  const DenseBasis extended = extended_modes(body, modes), derivatives = modal_derivatives(body, modes);
  const DenseBasis plain =
      modal_basis(body, linear_modes(body, {.count = static_cast<int>(derivatives.dimension()) - 6}));
  EXPECT_LE(extended.dimension(), plain.dimension());
  const HandleOptions firm{.samples = 150, .stiffness = handle_stiffness(plain)};
  const FullPose full =
      solve_full_pose(body, edit.handles, sample_handles(edit.mesh.vertices, edit.handles, firm));
  ASSERT_TRUE(full.report.converged);
  const auto error = [&](const DenseBasis& basis) {
    PoseEditor editor(basis, exact_energy(body, basis));
    editor.set_handles(edit.handles, firm);
    EXPECT_TRUE(editor.solve({.steps = 10}).converged) << basis.kind;
    return root_mean_square(body, positions(basis, editor.q()) - full.positions);
  };
  const double by_extended = error(extended), by_derivatives = error(derivatives), by_modes = error(plain);
  EXPECT_LT(4 * by_extended, by_modes);
  EXPECT_LT(4 * by_derivatives, by_modes);
  RecordProperty("modes_over_extended", std::to_string(by_modes / by_extended));
  RecordProperty("modes_over_derivatives", std::to_string(by_modes / by_derivatives));
}

INSTANTIATE_TEST_SUITE_P(Poses, Subspaces, testing::Values("bar", "cactus", "cylinder"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace pliant
