// A warm step of a reduced body takes no memory.
#include "support/count_allocations.h"

#include "pliant/reduced/newmark_broyden.h"
#include "reduced/small_models.h"

namespace pliant {

using namespace testing_support;

TEST_F(Allocations, OfAWarmReducedStepAreNone) {
  const TetMesh mesh = bar();
  const Body body(mesh, SolidMaterial{NeoHookean::from_young(1e5, 0.4), 1000},
                  {.damping = {.mass = 0.1, .stiffness = 1e-3}});
  const auto model = std::make_shared<const ReducedFem>(make_exact_reduced_fem(body, extended(body, 6)));
  NewmarkBroyden simulator(model);
  expect_none(requests_of(simulator, mesh, 20));
}

TEST_F(Allocations, OfAWarmStepWithAPolynomialAreNone) {
  const TetMesh mesh = bar();
  const Body body(mesh, SolidMaterial{StVK::from_young(1e5, 0.4), 1000},
                  {.damping = {.mass = 0.1, .stiffness = 1e-3}});
  const auto model = std::make_shared<const ReducedFem>(make_polynomial_reduced_fem(body, extended(body, 2)));
  NewmarkBroyden simulator(model);
  expect_none(requests_of(simulator, mesh, 20));
}

}  // namespace pliant
