#include <gtest/gtest.h>

#include "pliant/fullspace/newton.h"
#include "support/equilateral.h"

namespace pliant {
namespace {

using namespace testing_support;

const ShellMaterial cloth = ShellMaterial::from_young(1e5, 0.3, 2e-3, 500);

/// Lying at y = 0.
TriMesh sheet() {
  TriMesh mesh = equilateral_plate(10, 10, 0.1);
  mesh.vertices.col(1).swap(mesh.vertices.col(2));
  return mesh;
}

TEST(NewtonShell, AFreeSheetFallsAsImplicitEulerSays) {
  NewtonSimulator sim(Body(sheet(), cloth), {.time_step = 0.01});
  const Points start = sim.positions();
  for (int i = 0; i < 20; ++i) sim.step();
  const double fallen = 9.81 * 1e-4 * (20 * 21 / 2);  // h^2 g (1 + 2 + ... + 20)
  for (Index v = 0; v < start.rows(); ++v) EXPECT_NEAR(start(v, 1) - sim.positions()(v, 1), fallen, 1e-9);
}

TEST(NewtonShell, AHeldSheetHangsInEquilibriumAndItsReactionsCarryIt) {
  const TriMesh mesh = sheet();
  const std::vector<int> held{0, 10};  // two corners
  const Body body(mesh, cloth, {.fixed = held});
  NewtonSimulator sim(body, {.scheme = TimeScheme::implicit_euler, .time_step = 1.0 / 30});
  sim.set_damping(5);
  for (int i = 0; i < 300; ++i) sim.step();
  EXPECT_TRUE(sim.positions().allFinite());
  EXPECT_LT(sim.positions().col(1).minCoeff(), -0.6);  // it hangs down its whole length, about 0.87 m
  Points reactions;
  sim.reactions_of(held, reactions);
  EXPECT_NEAR(reactions.col(1).sum(), 9.81 * body.total_mass(), 0.02 * 9.81 * body.total_mass());
}

TEST(NewtonShell, AFallingSheetStopsOnTheFloor) {
  NewtonSimulator sim(Body(sheet(), cloth), {.time_step = 0.01});
  Obstacle floor;
  floor.path.keyframes = {{.position = {0, -0.2, 0}}};
  sim.set_obstacles({floor});
  for (int i = 0; i < 100; ++i) sim.step();
  EXPECT_GT(sim.positions().col(1).minCoeff(), -0.2 - 0.01);
  EXPECT_LT(sim.positions().col(1).maxCoeff(), -0.2 + 0.01);
}

}  // namespace
}  // namespace pliant
