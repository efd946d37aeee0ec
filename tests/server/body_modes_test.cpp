#include "pliant/server/body_modes.h"

#include <gtest/gtest.h>

#include "pliant/reduced/hrpd.h"
#include "pliant/server/stage.h"
#include "pliant/subspace/linear_modes.h"
#include "pliant/subspace/snapshot_blocks.h"
#include "pliant/subspace/snapshot_pca.h"
#include "reduced/small_models.h"

namespace pliant::server {
namespace {

using namespace testing_support;

BodyModes modes_with(const Body& body, int handles, bool knowing) {
  ReduceHrpdOptions options;
  options.positions.handles = handles, options.projections.handles = handles,
  options.projections.dimension = handles;
  options.projections.samples = 1000, options.contact_samples = 0, options.measure = false;
  const auto model = std::make_shared<const HrpdModel>(reduce_hrpd(body, options));
  const Stage stage(lone_simulator(std::make_shared<Hrpd>(model)), "bar");
  const BodyModes modes = body_modes(stage.simulator(0), stage.drawn(0), knowing ? &body : nullptr);
  EXPECT_LE(modes.frequencies.size(), mode_count(stage.simulator(0)));
  return modes;
}

}  // namespace

TEST(BodyModes, AreThoseOfTheBodyAsFarAsItsHandlesCanFollow) {
  for (const bool held : {true, false}) {
    const Body body = bar_body(NeoHookean::from_young(1e5, 0.3), held, {}, 12);
    const VectorXd exact = linear_modes(body, {.count = 4}).frequencies;
    const Index first = exact.size() - 4;
    for (const bool knowing : {true, false}) {
      const VectorXd found = modes_with(body, 24, knowing).frequencies;
      ASSERT_GE(found.size(), 20);
      for (Index i = 1; i < found.size(); ++i) EXPECT_GE(found[i], found[i - 1] * (1 - 1e-9));
      // A subspace is stiffer than the body.
      for (Index i = 0; i < 2; ++i) {
        EXPECT_GT(found[i], (knowing ? 1 - 1e-6 : 0.95) * exact[first + i]) << held;
        EXPECT_LT(found[i], (knowing ? 1.2 : 1.5) * exact[first + i]) << held;
      }
    }
  }
}

TEST(BodyModes, AreExactInASubspaceThatWasRecordedOfThem) {
  const Body body = bar_body(NeoHookean::from_young(1e5, 0.3), false, {}, 12);
  const LinearModes exact = linear_modes(body, {.count = 4});
  std::vector<Points> frames;
  for (Index k = 0; k < 4; ++k) {
    const VectorXd mode = exact.U.col(k);
    frames.push_back(body.rest_positions() +
                     0.01 * Eigen::Map<const Points>(mode.data(), body.vertex_count(), 3));
  }
  GeodesicSolver solver(TetMesh{body.rest_positions(), body.tets()});
  const SnapshotBasis basis =
      snapshot_pca(frames_of(frames), body.rest_positions(), body.masses(), {.components = 12});
  ReduceHrpdOptions options;
  options.basis = std::make_shared<const SkinningBasis>(snapshot_blocks(basis, body.masses(), solver));
  options.contact_samples = 0, options.measure = false;
  const Stage stage(
      lone_simulator(std::make_shared<Hrpd>(std::make_shared<const HrpdModel>(reduce_hrpd(body, options)))),
      "bar");
  const VectorXd found = body_modes(stage.simulator(0), stage.drawn(0), &body).frequencies;
  ASSERT_GE(found.size(), 4);
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(found[i], exact.frequencies[i], 1e-3 * exact.frequencies[i]);
}

TEST(BodyModes, AreFoundInLargeSubspacesToo) {
  const BodyModes modes = modes_with(bar_body(NeoHookean::from_young(1e5, 0.4), true, {}, 20), 80, false);
  EXPECT_EQ(modes.frequencies.size(), 30);
  EXPECT_GT(modes.frequencies[0], 0);
  for (const auto& q : modes.vectors)
    for (const float x : q) ASSERT_TRUE(std::isfinite(x));
}

}  // namespace pliant::server
