// A warm step of a reduced body takes no memory.
#include "support/count_allocations.h"

#include "pliant/reduced/hrpd.h"
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

TEST_F(Allocations, OfAWarmHyperReducedStepAreNone) {
  const TetMesh mesh = bar();
  const Body body(mesh, SolidMaterial{NeoHookean::from_young(1e5, 0.4), 1000});
  ReduceHrpdOptions options;
  options.positions.handles = 12, options.projections.handles = 10, options.projections.samples = 200;
  Hrpd simulator(std::make_shared<const HrpdModel>(reduce_hrpd(body, options)));
  expect_none(requests_of(simulator, mesh, 20));
}

TEST_F(Allocations, OfHyperReducedStepsAreNoneWhilePinsComeAndGo) {
  const ScopedThreadCount one(1);
  const TetMesh mesh = bar();
  const Body body(mesh, SolidMaterial{NeoHookean::from_young(1e4, 0.4), 1000});
  const std::vector<int> end = end_of(mesh, 0);
  for (const auto& [sampling, contacts] :
       {std::pair(Sampling::weighted, 600), {Sampling::fitted, 600}, {Sampling::weighted, 0}}) {
    ReduceHrpdOptions options;
    options.positions.handles = 12, options.projections.handles = 10, options.projections.samples = 200;
    options.sampling = sampling, options.contact_samples = contacts;
    Hrpd simulator(std::make_shared<const HrpdModel>(reduce_hrpd(body, options)));
    simulator.set_obstacles(
        {Obstacle{.shape = PlaneShape{}, .path = {{{0, Vector3d(0, -0.05, 0)}}}, .restitution = 0.3}});
    // The first step factorises; after it contacts begin and end as the body falls and bounces, drags and held vertices are
    // added between steps and let go again.
    simulator.step();
    std::size_t fewest = 1000, most = 0;
    for (int n = 0; n < 120; ++n) {
      if (n == 30) simulator.fix(end);
      if (n == 60) simulator.release(end);
      if (n % 10 == 5) simulator.begin_drag(n, Vector3d(0, 1, 0), 1);
      if (n == 95)
        for (const Drag& drag : std::vector<Drag>(simulator.drags())) simulator.end_drag(drag.id);
      requests = 0;
      counting = true;
      simulator.step();
      counting = false;
      EXPECT_EQ(requests, 0) << "step " << n << " with " << contacts;
      const std::size_t pins = simulator.pin_count();
      fewest = std::min(fewest, pins), most = std::max(most, pins);
    }
    EXPECT_LT(fewest + (contacts > 0 ? 20 : 5), most);
  }
}

}  // namespace pliant
