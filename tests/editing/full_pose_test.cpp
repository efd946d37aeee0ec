#include "pliant/editing/full_pose.h"

#include <gtest/gtest.h>

#include "pliant/geometry/structured_grid.h"

namespace pliant {
namespace {

TEST(FullPose, SpringsAndBodyBalance) {
  const TetMesh mesh = structured_grid({0, 0, 0}, {1, 0.2, 0.2}, {8, 2, 2});
  const Body body(mesh, SolidMaterial{NeoHookean::from_young(1e5, 0.3), 1000});
  std::vector<Handle> handles(2);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(v, 0) < 0.2) handles[0].vertices.push_back(v);
    if (mesh.vertices(v, 0) > 0.8) handles[1].vertices.push_back(v);
  }
  handles[1].translation = {-0.2, 0.3, 0};
  handles[1].rotation = {0, 0, 1.5};
  const HandleSprings springs = sample_handles(mesh.vertices, handles, {.samples = 20, .stiffness = 1e5});
  std::vector<Points> way;
  const FullPose pose = solve_full_pose(
      body, handles, springs, {.steps = 4, .step_done = [&](int, const Points& x) { way.push_back(x); }});
  ASSERT_TRUE(pose.report.converged);
  ASSERT_EQ(way.size(), 4u);
  EXPECT_EQ(way.back(), pose.positions);
  Points forces;
  body.forces(pose.positions, forces);
  const double size = forces.cwiseAbs().maxCoeff();
  const Points targets = handle_targets(springs, handles);
  double energy = 0;
  for (Index i = 0; i < springs.count(); ++i) {
    const int v = springs.vertices[static_cast<std::size_t>(i)];
    const Eigen::RowVector3d off = targets.row(i) - pose.positions.row(v);
    forces.row(v) += springs.stiffness[i] * off;
    energy += springs.stiffness[i] / 2 * off.squaredNorm();
  }
  EXPECT_LT(forces.cwiseAbs().maxCoeff(), 1e-4 * size);
  EXPECT_NEAR(pose.report.springs, energy, 1e-9 * energy);
  EXPECT_NEAR(pose.report.elastic, body.energy(pose.positions), 1e-9 * pose.report.elastic);
}

}  // namespace
}  // namespace pliant
