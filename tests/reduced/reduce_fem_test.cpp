#include "pliant/reduced/reduce_fem.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pliant/fullspace/newton.h"
#include "pliant/geometry/shapes.h"
#include "pliant/reduced/newmark_broyden.h"
#include "pliant/reduced/trial_motions.h"
#include "reduced/small_models.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

/// The end of a side, a twentieth of it.
std::vector<int> foot(const Points& x, int axis) {
  const double low = x.col(axis).minCoeff(), high = x.col(axis).maxCoeff();
  std::vector<int> ids;
  for (int v = 0; v < x.rows(); ++v)
    if (x(v, axis) <= low + 0.05 * (high - low)) ids.push_back(v);
  return ids;
}

Body trial_body(const std::string& name) {
  const Rayleigh damping{.mass = 0.1, .stiffness = 1e-3};
  if (name == "plate") {
    const TriMesh mesh = make_shell("plate_shell", {.vertices = 400});
    return Body(mesh, ShellMaterial::from_young(1e6, 0.4, 0.02, 1000),
                {.fixed = foot(mesh.vertices, 0), .damping = damping});
  }
  const TetMesh mesh = make_shape("cactus", {.tets = 2000});
  const Material material =
      name == "free" ? Material(StVK::from_young(1e6, 0.4)) : NeoHookean::from_young(1e6, 0.4);
  return Body(mesh, SolidMaterial{material, 1000},
              {.fixed = name == "free" ? std::vector<int>{} : foot(mesh.vertices, 1), .damping = damping});
}

class Motions : public testing::TestWithParam<const char*> {};

// Over the first second: |cubature - exact forces in the subspace| is no more than |exact forces in the subspace - full|.
TEST_P(Motions, HyperReductionAddsNoMoreErrorThanTheSubspace) {
  const Body body = trial_body(GetParam());
  const bool large = GetParam() == std::string("held");
  const ReduceFemOptions options{.modes = large ? 15 : 7,
                                 .samples = large ? 300 : 150,
                                 .poses = {.count = 80},
                                 .cubature = {.max_iterations = 25}};
  const DenseBasis basis = make_basis(body, options);
  const auto few = std::make_shared<const ReducedFem>(reduce_fem(body, basis, options));
  const auto all = std::make_shared<const ReducedFem>(make_exact_reduced_fem(body, basis));
  const Points& X = body.rest_positions();
  for (const TrialMotion& trial : trial_motions(body, basis)) {
    NewtonSimulator full(body, {.scheme = TimeScheme::newmark});
    // The damping of all three is alike: otherwise that would be most of how they differ.
    const NewmarkBroydenOptions alike{.damping = StiffnessDamping::following};
    NewmarkBroyden exact(all, alike), fast(few, alike);
    const MatrixXd truth = run_trial(full, X, trial, 60), subspace = run_trial(exact, X, trial, 60),
                   cubature = run_trial(fast, X, trial, 60);
    const double subspace_gap = mean_distance(subspace, truth, body.masses()),
                 cubature_gap = mean_distance(cubature, subspace, body.masses()),
                 motion = mean_distance(truth, MatrixXd::Zero(truth.rows(), truth.cols()), body.masses());
    EXPECT_LE(cubature_gap, subspace_gap) << trial.name;
    if (large) {  // and the subspace does follow the full motion
      EXPECT_LT(subspace_gap, 0.15 * motion) << trial.name;
    }
    RecordProperty(trial.name + "_cubature_gap", std::to_string(cubature_gap));
    RecordProperty(trial.name + "_subspace_gap", std::to_string(subspace_gap));
    RecordProperty(trial.name + "_motion", std::to_string(motion));
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, Motions, testing::Values("held", "free", "plate"),
                         [](const auto& test) { return std::string(test.param); });

TEST(ReduceFem, ASubspaceThatIsThereAlreadyGivesTheSameModel) {
  const Body body = bar_body(StVK::from_young(1e5, 0.4), true);
  const ReduceFemOptions options{.modes = 3, .samples = 20, .poses = {.count = 30}};
  const ReducedFem a = reduce_fem(body, options), b = reduce_fem(body, make_basis(body, options), options);
  EXPECT_EQ(a.U, b.U);
  EXPECT_EQ(a.elements.weights(), b.elements.weights());
  EXPECT_EQ(a.elements.elements().elements(), b.elements.elements().elements());
  EXPECT_TRUE(a.measured.count("seconds_subspace") > 0 && b.measured.count("seconds_subspace") == 0);
}

TEST(ReduceFem, WhatCannotBeGetsASentence) {
  const Body body = bar_body(StVK::from_young(1e5, 0.4), true);
  const auto refused = [&](const ReduceFemOptions& options) {
    return message_of([&] { reduce_fem(body, options); });
  };
  EXPECT_EQ(refused({.modes = 5000}),
            "reduce_fem: 5000 modes of a body with 162 degrees of freedom; expected 1 to 162");
  EXPECT_EQ(refused({.modes = 3, .samples = 5000}),
            "reduce_fem: 5000 samples of 120 elements; expected 1 to 120");
  EXPECT_EQ(refused({.modes = 3, .dimension = 163}),
            "reduce_fem: dimension 163 of a body with 162 degrees of freedom; expected up to 162");
  const Body free = bar_body(StVK::from_young(1e5, 0.4), false);
  EXPECT_EQ(message_of([&] { reduce_fem(free, {.modes = 184}); }),
            "reduce_fem: 184 modes of a body with 189 degrees of freedom; expected 1 to 183");
  std::vector<int> all(63);
  std::iota(all.begin(), all.end(), 0);
  const Body held(small_bar(), SolidMaterial{StVK::from_young(1e5, 0.4), 1000}, {.fixed = all});
  EXPECT_EQ(message_of([&] { reduce_fem(held); }),
            "reduce_fem: all 63 vertices of the body are fixed; expected some that move");
  const Body other = bar_body(StVK::from_young(1e5, 0.4), true, {}, 3);
  EXPECT_EQ(message_of([&] { reduce_fem(body, extended(other, 2), {.samples = 10}); }),
            "reduce_fem: a basis of 36 vertices for a body of 63; expected one of it");
}

}  // namespace
}  // namespace pliant
