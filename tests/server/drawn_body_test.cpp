#include "pliant/server/drawn_body.h"

#include <gtest/gtest.h>

#include "pliant/fullspace/newton.h"
#include "pliant/geometry/shapes.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/server/stage.h"
#include "reduced/small_models.h"
#include "server/shown_scenes.h"

namespace pliant::server {
namespace {

using namespace testing_support;

/// A body in the middle of something.
void move_about(Simulator& simulator) {
  Points x = simulator.positions();
  const int last = static_cast<int>(x.rows()) - 1;
  simulator.begin_drag(last, x.row(last).transpose() + Vector3d(0.1, 0.2, -0.1));
  for (int i = 0; i < 8; ++i) simulator.step();
}

/// Decodes a frame as a page would, and compares with the simulator's own positions.
void expect_decoded(SceneBody& body, Decode decode_as) {
  Simulator& simulator = *body.simulator;
  const DrawnBody drawn =
      drawn_body(simulator, {body.rest_positions, body.shown, body.embedding ? &*body.embedding : nullptr});
  EXPECT_EQ(drawn.decode, decode_as);
  move_about(simulator);
  ReceivedFrame frame;
  frame.kind = 1;
  frame.numbers = drawn_coordinates(drawn, simulator);
  if (decode_as == Decode::positions) {
    frame.kind = 2;
    Points x;
    drawn_positions(drawn, simulator, x);
    const Bytes bytes = positions_frame({.kind = FrameKind::positions}, x);
    frame.numbers.resize(6);
    frame.points.resize(static_cast<std::size_t>(x.size()));
    std::memcpy(frame.numbers.data(), bytes->data() + 24, 24);
    std::memcpy(frame.points.data(), bytes->data() + 48, 2 * frame.points.size());
  }
  const Points seen = decode(*data_blob(drawn), frame);
  ASSERT_EQ(seen.rows(), drawn.points());
  Points expected;
  combine(drawn, simulator.positions(), drawn.points(), expected);
  const double box = (expected.colwise().maxCoeff() - expected.colwise().minCoeff()).norm();
  EXPECT_LT((seen - expected).rowwise().norm().maxCoeff(), 1e-4 * box);
  EXPECT_GT((expected - drawn.rest).rowwise().norm().maxCoeff(), 1e-2 * box);
  // The surface is what a person sees.
  const Points shown = body.shown_positions();
  if (body.embedding) {
    EXPECT_LT((expected.topRows(drawn.surface) - shown).norm(),
              1e-12 * std::sqrt(1.0 * static_cast<double>(shown.size())));
  }
  for (Index p = 0; p < drawn.surface; ++p) {
    const int v = drawn.pick[static_cast<std::size_t>(p)];
    const double near = (expected.row(p) - simulator.positions().row(v)).norm();
    EXPECT_LT(near, 0.5 * box);
    if (!body.embedding) {
      EXPECT_EQ(near, 0);
    }
  }
  EXPECT_LT(drawn.triangles.maxCoeff(), drawn.surface);
}

}  // namespace

TEST(DrawnBody, FramesOfEveryMethodDecodeToPositions) {
  expect_decoded(make_scene(bar(small_hrpd()))->bodies()[0], Decode::skinning);
  expect_decoded(make_scene(bar(small_fem()))->bodies()[0], Decode::dense);
  expect_decoded(make_scene(bar({{"kind", "projective_dynamics"}}))->bodies()[0], Decode::positions);
  expect_decoded(make_scene(bar({{"kind", "newton"}}))->bodies()[0], Decode::positions);
}

TEST(DrawnBody, CarriedSurfacesDecodeToo) {
  const TemporaryFolder folder;
  write_ball(folder / "ball.obj");
  for (const Json& simulator : {small_hrpd(), small_fem()}) {
    const Json body = {{"mesh", "ball.obj"}, {"tets", 400}, {"simulator", simulator}};
    expect_decoded(make_scene(body, folder.path())->bodies()[0],
                   simulator["kind"] == "hrpd" ? Decode::skinning : Decode::dense);
  }
}

TEST(DrawnBody, ShellsDecodeToo) {
  for (const char* kind : {"hrpd", "reduced_fem"}) {
    Json simulator = std::string(kind) == "hrpd" ? small_hrpd() : small_fem();
    const Json body = {{"shape", {{"name", "plate_shell"}, {"triangles", 200}}},
                       {"shell", {{"thickness", 0.01}}},
                       {"simulator", simulator}};
    const auto scene = make_scene(body);
    const SceneBody& made = scene->bodies()[0];
    const DrawnBody drawn = drawn_body(*made.simulator, {made.rest_positions, made.shown, nullptr});
    EXPECT_GT(drawn.sample_points.size(), 5u);
    // Marks of samples lie on the sheet.
    for (const int p : drawn.sample_points) EXPECT_NEAR(drawn.rest(p, 1), drawn.rest(0, 1), 1e-9);
    expect_decoded(scene->bodies()[0], std::string(kind) == "hrpd" ? Decode::skinning : Decode::dense);
  }
}

TEST(DrawnBody, MarksLieWhereSamplesAndHandlesAre) {
  const auto scene = make_scene(bar(small_hrpd()));
  SceneBody& body = scene->bodies()[0];
  const auto& model = dynamic_cast<const Hrpd&>(*body.simulator).model();
  const DrawnBody drawn = drawn_body(*body.simulator, {body.rest_positions, body.shown, nullptr});
  Index samples = 0;
  for (const ReducedConstraints& kind : model.kinds) samples += kind.samples.size();
  ASSERT_EQ(static_cast<Index>(drawn.sample_points.size()), samples);
  ASSERT_EQ(drawn.handle_points.size(), model.basis.weights.handles.size());
  for (std::size_t h = 0; h < drawn.handle_points.size(); ++h)
    EXPECT_EQ(drawn.rest.row(drawn.handle_points[h]), model.basis.rest.row(model.basis.weights.handles[h]));
  // Each mark is the middle of a tet of the mesh.
  for (const int p : drawn.sample_points) {
    bool found = false;
    for (Index t = 0; t < model.tets.rows() && !found; ++t) {
      Eigen::RowVector3d middle = Eigen::RowVector3d::Zero();
      for (int k = 0; k < 4; ++k) middle += model.basis.rest.row(model.tets(t, k)) / 4;
      found = (middle - drawn.rest.row(p)).norm() < 1e-12;
    }
    EXPECT_TRUE(found);
  }
  EXPECT_NEAR(drawn.sample_weights.mean(), 1, 1e-5);
  // Held points are at the end that is held.
  ASSERT_FALSE(drawn.fixed_points.empty());
  for (const int p : drawn.fixed_points) EXPECT_LT(drawn.rest(p, 0), drawn.rest.col(0).minCoeff() + 0.02);
}

TEST(DrawnBody, ASimulatorWithoutASceneIsShownWithTheMeshItKnows) {
  const Body body = bar_body(NeoHookean::from_young(1e5, 0.4), true);
  const LoneSimulator newton = lone_simulator(std::make_shared<NewtonSimulator>(body));
  EXPECT_EQ(newton.mesh.tets, body.tets());
  ReduceHrpdOptions options;
  options.positions.handles = 6, options.projections.handles = 4, options.projections.samples = 20;
  const auto model = std::make_shared<const HrpdModel>(reduce_hrpd(body, options));
  const LoneSimulator hrpd = lone_simulator(std::make_shared<Hrpd>(model));
  EXPECT_EQ(hrpd.mesh.tets, body.tets());
  Stage stage(hrpd, "bar");
  EXPECT_EQ(stage.drawn(0).decode, Decode::skinning);
  EXPECT_FALSE(stage.words(0));
}

}  // namespace pliant::server
