// Bodies of a scene that are made small from how they moved before.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/base/error.h"
#include "pliant/io/snapshots.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/scene/scene.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::message_of;
using testing_support::TemporaryFolder;

Json words(const Json& simulator) {
  const Json body = {
      {"shape", {{"name", "bear"}, {"tets", 600}}}, {"velocity", {0, -3, 0}}, {"simulator", simulator}};
  return {{"bodies", Json::array({body})},
          {"obstacles", Json::array({{{"kind", "plane"}, {"position", {0, -0.5, 0}}}})}};
}

Scene scene_of(const Json& simulator, const std::filesystem::path& folder) {
  return Scene::from_text(words(simulator).dump(), folder);
}

/// Thirty frames of the full method.
Snapshots recorded() {
  Scene scene = scene_of({{"kind", "projective_dynamics"}}, {});
  Snapshots out;
  for (int f = 0; f < 30; ++f) {
    scene.step();
    out.frames.push_back(scene.bodies()[0].simulator->positions());
  }
  out.times = VectorXd::LinSpaced(30, 0, 29);
  return out;
}

Json reduced(const char* subspace = "localized", int components = 16) {
  return {{"kind", "hrpd"},        {"subspace", subspace},         {"components", components},
          {"samples", 500},        {"snapshots", "a.safetensors"}, {"fitted_space", "snapshots"},
          {"contact_samples", 100}};
}

}  // namespace

TEST(RecordedMotion, ABodyFollowsWhatItWasMadeFrom) {
  const TemporaryFolder folder;
  const Snapshots motion = recorded();
  write_snapshots(folder / "a.safetensors", motion);
  const double box = (motion.frames[0].colwise().maxCoeff() - motion.frames[0].colwise().minCoeff()).norm();
  for (const char* subspace : {"pca", "localized", "splocs"}) {
    Scene scene = scene_of(reduced(subspace, 40), folder.path());
    double error = 0;
    for (const Points& frame : motion.frames) {
      scene.step();
      error += (scene.bodies()[0].simulator->positions() - frame).rowwise().norm().mean() / box / 30;
    }
    EXPECT_LT(error, 0.05) << subspace;
  }
}

TEST(RecordedMotion, WrongFramesAreNamed) {
  const TemporaryFolder folder;
  const Snapshots motion = recorded();
  const auto refusal = [&](const Snapshots& given, const Json& simulator) {
    write_snapshots(folder / "a.safetensors", given);
    return message_of([&] { scene_of(simulator, folder.path()); });
  };
  Snapshots broken = motion;
  broken.frames[7](3, 1) = std::nan("");
  EXPECT_TRUE(contains(refusal(broken, reduced()), "a.safetensors: snapshots: frame 7 has a number"));
  Snapshots other = motion;
  for (Points& x : other.frames) x.conservativeResize(50, 3);
  EXPECT_TRUE(contains(refusal(other, reduced()), "frames have 50 vertices"));
  EXPECT_TRUE(contains(refusal(motion, reduced("pca", 91)), "91 components of 30 frames"));
  Snapshots still = motion;
  for (Points& x : still.frames) x = scene_of({{"kind", "newton"}}, {}).bodies()[0].rest_positions;
  EXPECT_TRUE(contains(refusal(still, reduced()), "expected some deformation"));
  Snapshots projected = motion;
  projected.projections["tet_volume"].assign(30, Eigen::MatrixXf::Zero(9, 5));
  EXPECT_TRUE(contains(refusal(projected, reduced()), "5 constraints of tet_volume in the frames"));
  projected.projections["tet_volume"].assign(30, Eigen::MatrixXf::Zero(4, 5));
  EXPECT_TRUE(contains(refusal(projected, reduced()), "have 4 numbers each; expected 9"));
}

}  // namespace pliant
