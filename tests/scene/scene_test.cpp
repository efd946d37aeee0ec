#include "pliant/scene/scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "pliant/base/error.h"
#include "pliant/geometry/measures.h"
#include "pliant/io/point_cache.h"
#include "pliant/reduced/hrpd.h"
#include "pliant/reduced/hrpd_file.h"
#include "pliant/scene/lone_body.h"
#include "pliant/scene/simulate.h"
#include "support/source_folder.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using testing_support::TemporaryFolder;

std::string refusal(const std::string& text, const fs::path& folder = {}) {
  try {
    Scene::from_text(text, folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// A bar of 40 cm with a few keys more.
std::string bar(const std::string& body_keys = "", const std::string& scene_keys = "") {
  return R"({"bodies": [{"shape": {"name": "bar", "tets": 150})" +
         (body_keys.empty() ? "" : ", " + body_keys) + "}]" + (scene_keys.empty() ? "" : ", " + scene_keys) +
         "}";
}

const std::string left_end = R"({"box": {"low": [0, 0, 0], "high": [0, 1, 1]}, "relative": true})";
const std::string right_end = R"({"box": {"low": [1, 0, 0], "high": [1, 1, 1]}, "relative": true})";

std::vector<fs::path> example_scenes() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(testing_support::source_folder() / "scenes"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Scene, EveryExampleLoadsAndSteps) {
  ASSERT_GE(example_scenes().size(), 12u);
  for (const fs::path& file : example_scenes()) {
    SCOPED_TRACE(file.filename());
    Scene scene = Scene::load(file);
    EXPECT_FALSE(scene.description()["title"].get<std::string>().empty());
    for (int i = 0; i < 2; ++i) scene.step();
    EXPECT_TRUE(scene.shown_positions().allFinite());
    EXPECT_NEAR(scene.time(), 2 * scene.description()["time_step"].get<double>(), 1e-12);
  }
}

TEST(Scene, BadScenesGetASentenceWithItsPath) {
  EXPECT_EQ(refusal(bar(R"("fixed": [{"sphere": {"center": [9, 9, 9], "radius": 0.1}}])")).substr(0, 34),
            "bodies[0].fixed[0] selects no vert");
  EXPECT_NE(refusal(R"({"bodies": [{"mesh": "missing.obj"}]})").find("bodies[0].mesh: "), std::string::npos);
  EXPECT_NE(refusal(bar("", R"("script": [{"kind": "fix", "body": "ball", "where": {"all": true}}])"))
                .find("script[0].body is \"ball\"; expected one of body0"),
            std::string::npos);
  EXPECT_NE(
      refusal(bar(R"("simulator": {"kind": "newton"})", R"("script": [{"kind": "volume", "factor": 2}])"))
          .find("cannot change volume"),
      std::string::npos);
  EXPECT_NE(refusal(bar("", R"("script": [{"kind": "stiffness", "factor": 2, "time": 2, "until": 1}])"))
                .find("script[0].until is 1; expected at least its time, 2"),
            std::string::npos);
  EXPECT_NE(refusal(bar(R"("material": {"kind": "stvk", "mu": 1e5})")).find("bodies[0].material"),
            std::string::npos);
  EXPECT_NE(
      refusal(bar("", R"("obstacles": [{"kind": "box", "size": [1, 0, 1]}])")).find("obstacles[0].size"),
      std::string::npos);
  EXPECT_NE(refusal(bar("", R"("obstacles": [{"kind": "plane", "path": [{"time": 1}, {"time": 0}]}])"))
                .find("obstacles[0]"),
            std::string::npos);
}

TEST(Scene, AFlatTetIsRefusedWithThePathOfItsMesh) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "flat.mesh") << "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 "
                                                "0 0 0\n0 1 0 0\n1 1 0 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n";
  const std::string words = refusal(R"({"bodies": [{"mesh": "flat.mesh"}]})", folder.path());
  EXPECT_NE(words.find("bodies[0]"), std::string::npos) << words;
  EXPECT_NE(words.find("volume"), std::string::npos) << words;
}

TEST(Scene, PlacesScalesAndTurnsItsBodies) {
  Scene plain = Scene::from_text(bar());
  Scene placed = Scene::from_text(bar(R"("position": [1, 2, 3], "rotation": [0, 0, 90], "scale": 2)"));
  const Vector3d before = bounding_box(plain.shown_positions()).size();
  const BoundingBox after = bounding_box(placed.shown_positions());
  EXPECT_NEAR(after.size().y(), 2 * before.x(), 1e-12);
  EXPECT_NEAR(after.size().x(), 2 * before.y(), 1e-12);
  EXPECT_NEAR((after.low + after.high).z() / 2, 3, 1e-12);
}

TEST(Scene, HyperReducedBodiesRunAsTheirKeysSay) {
  Scene scene = Scene::from_text(bar(
      R"("simulator": {"kind": "hrpd", "handles": 4, "iterations": 7, "acceleration": 2, "prediction": 0.25})"));
  const auto& simulator = dynamic_cast<const Hrpd&>(*scene.bodies().front().simulator);
  EXPECT_EQ(simulator.options().iterations, 7);
  EXPECT_EQ(simulator.options().acceleration, 2);
  EXPECT_EQ(simulator.options().prediction, 0.25);
  EXPECT_NE(refusal(bar(R"("simulator": {"kind": "hrpd", "acceleration": 9})")).find("acceleration is 9"),
            std::string::npos);
}

TEST(Scene, ModelsKeepTheirTurnsUnlessTheSceneNamesOthers) {
  const TemporaryFolder folder;
  Scene made = Scene::from_text(bar(R"("simulator": {"kind": "hrpd", "handles": 4, "iterations": 7})"));
  write_hrpd(dynamic_cast<const Hrpd&>(*made.bodies().front().simulator).model(),
             folder.path() / "bar.pliant");
  const auto turns = [&](const std::string& keys) {
    Scene scene = Scene::from_text(R"({"bodies": [{"model": "bar.pliant")" + keys + "}]}", folder.path());
    return dynamic_cast<const Hrpd&>(*scene.bodies().front().simulator).options().iterations;
  };
  EXPECT_EQ(turns(""), 7);
  EXPECT_EQ(turns(R"(, "simulator": {"kind": "hrpd", "acceleration": 0})"), 7);
  EXPECT_EQ(turns(R"(, "simulator": {"kind": "hrpd", "iterations": 3})"), 3);
  Scene plain = Scene::from_text(bar(R"("simulator": {"kind": "hrpd", "handles": 4})"));
  EXPECT_EQ(dynamic_cast<const Hrpd&>(*plain.bodies().front().simulator).options().iterations, 10);
}

TEST(Script, MovesHeldVerticesByWhatItSays) {
  Scene scene = Scene::from_text(bar(
      fmt::format(R"("fixed": [{}, {}])", left_end, right_end),
      fmt::format(
          R"("gravity": [0, 0, 0], "script": [{{"kind": "move", "until": 0.2, "where": {}, "rotation_axis": )"
          R"([1, 0, 0], "rotation_degrees": 180, "translation": [0.1, 0, 0]}}])",
          right_end)));
  Simulator& simulator = *scene.bodies()[0].simulator;
  const Points rest = scene.bodies()[0].rest_positions;
  for (int i = 0; i < 15; ++i) scene.step();
  const double right = rest.col(0).maxCoeff();
  Vector3d center = Vector3d::Zero();
  int count = 0;
  for (Index i = 0; i < rest.rows(); ++i)
    if (rest(i, 0) > right - 1e-9) center += rest.row(i).transpose(), ++count;
  center /= count;
  for (Index i = 0; i < rest.rows(); ++i) {
    const Vector3d offset = rest.row(i).transpose() - center;
    const Vector3d turned = center + Vector3d(0.1, -offset.y(), -offset.z());
    if (rest(i, 0) > right - 1e-9) {
      EXPECT_LT((simulator.positions().row(i).transpose() - turned).norm(), 1e-9);
    } else if (rest(i, 0) < rest.col(0).minCoeff() + 1e-9) {
      EXPECT_LT((simulator.positions().row(i) - rest.row(i)).norm(), 1e-12);
    }
  }
}

TEST(Script, StiffnessChangesByEqualRatiosAndGravityAtItsTime) {
  Scene scene = Scene::from_text(bar("", R"("time_step": 0.1, "script": [
      {"kind": "stiffness", "time": 0.1, "until": 0.3, "factor": 100},
      {"kind": "gravity", "time": 0.2, "acceleration": [1, 0, 0]}])"));
  Simulator& simulator = *scene.bodies()[0].simulator;
  std::vector<double> stiffness, gravity;
  for (int i = 0; i < 4; ++i) {
    scene.step();
    stiffness.push_back(simulator.stiffness());
    gravity.push_back(simulator.gravity().x());
  }
  EXPECT_NEAR(stiffness[0], 1, 1e-4);
  EXPECT_NEAR(stiffness[1], 10, 1e-3);
  EXPECT_NEAR(stiffness[2], 100, 1e-9);
  EXPECT_EQ(gravity, (std::vector<double>{0, 0, 1, 1}));
}

TEST(Script, ADragPullsItsVertexAndEnds) {
  Scene scene =
      Scene::from_text(bar(fmt::format(R"("fixed": [{}])", left_end),
                           R"("gravity": [0, 0, 0], "script": [{"kind": "drag", "time": 0, "until": 0.25,
                                     "at": [0.5, 0.05, 0], "by": [0, 0.3, 0]}])"));
  Simulator& simulator = *scene.bodies()[0].simulator;
  const Points rest = scene.bodies()[0].rest_positions;
  for (int i = 0; i < 15; ++i) scene.step();
  ASSERT_EQ(simulator.drags().size(), 1u);
  const int vertex = simulator.drags()[0].vertex;
  EXPECT_GT(simulator.positions()(vertex, 1), rest(vertex, 1) + 0.05);
  scene.step(), scene.step();
  EXPECT_TRUE(simulator.drags().empty());
}

/// All that can make a run depend on more than positions and velocities.
const std::string eventful =
    R"({"time_step": 0.02, "frames": 12, "bodies": [
      {"name": "a", "shape": {"name": "bar", "tets": 150}, "simulator": {"kind": "newton", "scheme": "newmark"},
       "fixed": [{"box": {"low": [0, 0, 0], "high": [0, 1, 1]}, "relative": true}]},
      {"name": "b", "shape": {"name": "bar", "tets": 150}, "position": [0, 1, 0]}],
     "obstacles": [{"kind": "plane"}, {"kind": "sphere", "radius": 0.2, "path": [{"time": 0, "position": [0, 0.3, 0]},
       {"time": 0.2, "position": [0.1, 0.5, 0]}]}],
     "script": [
      {"kind": "fix", "time": 0.05, "body": "b", "where": {"box": {"low": [1, 0, 0], "high": [1, 1, 1]}, "relative": true}},
      {"kind": "move", "time": 0.06, "until": 0.2, "body": "b", "where": {"all": true}, "translation": [0, 0.2, 0]},
      {"kind": "drag", "time": 0.04, "until": 0.15, "body": "a", "at": [0.5, 0, 0], "by": [0, 0.2, 0], "reached": 0.1},
      {"kind": "stiffness", "time": 0.08, "until": 0.16, "factor": 10},
      {"kind": "force", "time": 0.02, "until": 0.1, "body": "a", "where": {"all": true}, "total": [0, 0, 5]}]})";

TEST(Simulate, AResumedRunEndsWithTheSameBitsAsOneThatWasNotStopped) {
  const TemporaryFolder folder;
  Scene whole = Scene::from_text(eventful);
  simulate(whole, {.outputs = {folder.path() / "whole.pc2"}, .csv = folder.path() / "whole.csv"});

  // Stopped in frame 5, resumed by a new program.
  const fs::path checkpoint = folder.path() / "run.checkpoint";
  Scene first = Scene::from_text(eventful);
  SimulateOptions stopped{
      .outputs = {folder.path() / "run.pc2"}, .checkpoint = checkpoint, .checkpoint_every = 2};
  int calls = 0;
  stopped.progress = [&](std::string_view, double) {
    if (++calls == 6) throw Interrupted();
  };
  EXPECT_THROW(simulate(first, stopped), Interrupted);
  EXPECT_FALSE(fs::exists(folder.path() / "run.pc2")) << "an interrupted run leaves no half-written result";

  Scene second = Scene::from_text(eventful);
  const SimulateReport report = simulate(second, {.outputs = {folder.path() / "run.pc2"},
                                                  .csv = folder.path() / "run.csv",
                                                  .checkpoint = checkpoint,
                                                  .resume = true});
  EXPECT_EQ(report.resumed_frame, 4);
  EXPECT_EQ(report.frames, 13);
  EXPECT_EQ(second.save(), whole.save());
  const PointCache a = read_pc2_file(folder.path() / "whole.pc2"),
                   b = read_pc2_file(folder.path() / "run.pc2");
  ASSERT_EQ(a.frames.size(), 13u);
  ASSERT_EQ(b.frames.size(), 13u);
  for (std::size_t i = 0; i < a.frames.size(); ++i) EXPECT_EQ(a.frames[i], b.frames[i]) << i;
}

TEST(Simulate, ACheckpointOfAnotherSceneIsRefused) {
  const TemporaryFolder folder;
  const fs::path checkpoint = folder.path() / "run.checkpoint";
  Scene one = Scene::from_text(bar());
  simulate(one, {.frames = 2, .checkpoint = checkpoint});
  Scene other = Scene::from_text(bar(R"("density": 500)"));
  EXPECT_THROW(simulate(other, {.frames = 3, .checkpoint = checkpoint, .resume = true}), InputError);
  Scene same = Scene::from_text(bar());
  EXPECT_EQ(simulate(same, {.frames = 4, .checkpoint = checkpoint, .resume = true}).frames, 5);
}

TEST(Scene, ParallelRunsHaveTheSameBits) {
  State states[2];
  for (const int threads : {1, 2}) {
    const ScopedThreadCount scope(threads);
    Scene scene = Scene::from_text(eventful);
    for (int i = 0; i < 10; ++i) scene.step();
    states[threads - 1] = scene.save();
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST(Scene, RestartedItRunsAsTheFirstTime) {
  Scene scene = Scene::from_text(R"({"bodies": [{"shape": {"name": "bar", "tets": 100}}],
                                     "script": [{"kind": "drag", "at": [1, 0, 0], "by": [0, 0.3, 0], "until": 0.1},
                                                {"kind": "stiffness", "factor": 2, "time": 0.05}]})");
  const std::vector<State> start = {scene.bodies()[0].simulator->save()};
  const auto run = [&] {
    for (int i = 0; i < 12; ++i) scene.step();
    return Points(scene.bodies()[0].simulator->positions());
  };
  const Points once = run();
  scene.restart(start);
  EXPECT_EQ(scene.time(), 0);
  EXPECT_EQ(run(), once);
  EXPECT_THROW(scene.restart({}), InputError);
}

TEST(Scene, ABodyByItselfFallsOnAFloorUnlessItIsHeld) {
  Json words = lone_body_words("bar", {}, 200);
  words["simulator"] = {{"kind", "projective_dynamics"}};
  Scene falls = lone_scene(words, {});
  ASSERT_EQ(falls.bodies()[0].simulator->obstacles().size(), 1u);
  EXPECT_LT(falls.bodies()[0].simulator->obstacles()[0].path.keyframes[0].position.y(), 0);
  EXPECT_TRUE(lone_scene(words, {}, /*floor=*/false).bodies()[0].simulator->obstacles().empty());
  words["fixed"] = Json::array({{{"box", {{"low", {0, 0, 0}}, {"high", {0, 1, 1}}}}, {"relative", true}}});
  EXPECT_TRUE(lone_scene(words, {}).bodies()[0].simulator->obstacles().empty());
  // As stiff as the size asks for: twice as large sags by the same part.
  const Points x = falls.bodies()[0].rest_positions;
  EXPECT_NEAR(size_free_young(2 * x, 1000), 2 * size_free_young(x, 1000), 1e-6);
}

TEST(Scene, AStateOfAnotherSceneChangesNothing) {
  Scene scene = Scene::from_text(eventful);
  for (int i = 0; i < 3; ++i) scene.step();
  const State before = scene.save();
  State broken = before;
  broken.bytes.resize(broken.bytes.size() / 2);
  EXPECT_THROW(scene.restore(broken), InputError);
  EXPECT_THROW(scene.restore(State{}), InputError);
  EXPECT_EQ(scene.save(), before);
}

}  // namespace
}  // namespace pliant
