#include "pliant/io/gltf_writer.h"

#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <Eigen/Geometry>
#include <cstring>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/io/morph_fit.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::file_bytes;
using testing_support::message_of;
using testing_support::TemporaryFolder;

// A wavy square sheet of (cells + 1)^2 vertices.
TriMesh sheet(int cells) {
  TriMesh mesh{Points((cells + 1) * (cells + 1), 3), Triangles(2 * cells * cells, 3)};
  const auto id = [&](int i, int j) { return i * (cells + 1) + j; };
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) {
      const double u = double(i) / cells, v = double(j) / cells;
      mesh.vertices.row(id(i, j)) << u, 0.1 * std::sin(5 * u) * std::cos(4 * v), -v;
    }
  for (int i = 0, t = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j, t += 2) {
      mesh.triangles.row(t) << id(i, j), id(i + 1, j), id(i + 1, j + 1);
      mesh.triangles.row(t + 1) << id(i, j), id(i + 1, j + 1), id(i, j + 1);
    }
  return mesh;
}

Points smooth_field(Index n, const Points& x, Rng& rng) {
  Points field(n, 3);
  Matrix3d frequency, phase;
  for (int i = 0; i < 9; ++i) {
    frequency(i / 3, i % 3) = rng.uniform(-6, 6);
    phase(i / 3, i % 3) = rng.uniform(0, 6);
  }
  for (Index i = 0; i < n; ++i) {
    const Vector3d angle = frequency * x.row(i).transpose() + phase.col(0);
    field.row(i) = 0.1 * angle.array().sin().matrix().transpose();
  }
  return field;
}

// === A file as a viewer sees it

struct Played {
  tinygltf::Model model;

  explicit Played(const std::filesystem::path& path) {
    tinygltf::TinyGLTF reader;
    std::string error, warning;
    const bool read = path.extension() == ".glb"
                          ? reader.LoadBinaryFromFile(&model, &error, &warning, path.string())
                          : reader.LoadASCIIFromFile(&model, &error, &warning, path.string());
    EXPECT_TRUE(read) << error;
    EXPECT_EQ(error + warning, "");
  }

  template <class T>
  std::vector<T> array(int id, int component) const {
    const tinygltf::Accessor& accessor = model.accessors.at(static_cast<std::size_t>(id));
    const tinygltf::BufferView& view = model.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
    EXPECT_EQ(accessor.componentType, component);
    EXPECT_EQ(view.byteOffset % sizeof(T), 0u);
    const std::size_t count = accessor.count * (accessor.type == TINYGLTF_TYPE_VEC3 ? 3u : 1u);
    EXPECT_EQ(view.byteLength, count * sizeof(T));
    std::vector<T> values(count);
    std::memcpy(values.data(), &model.buffers[0].data.at(view.byteOffset), count * sizeof(T));
    return values;
  }
  Points vectors(int id) const {
    const std::vector<float> values = array<float>(id, TINYGLTF_COMPONENT_TYPE_FLOAT);
    const auto rows = static_cast<Index>(values.size() / 3);
    const Points points =
        Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>>(values.data(), rows, 3)
            .cast<double>();
    const tinygltf::Accessor& accessor = model.accessors.at(static_cast<std::size_t>(id));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(accessor.minValues.at(axis), points.col(static_cast<Index>(axis)).minCoeff());
      EXPECT_EQ(accessor.maxValues.at(axis), points.col(static_cast<Index>(axis)).maxCoeff());
    }
    return points;
  }
  const tinygltf::Primitive& primitive() const { return model.meshes.at(0).primitives.at(0); }
  Points rest() const { return vectors(primitive().attributes.at("POSITION")); }
  Triangles triangles() const {
    const auto ids = array<std::uint32_t>(primitive().indices, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT);
    Triangles result(static_cast<Index>(ids.size() / 3), 3);
    for (std::size_t i = 0; i < ids.size(); ++i) result.data()[i] = static_cast<std::int32_t>(ids[i]);
    return result;
  }
  const tinygltf::AnimationSampler& sampler() const { return model.animations.at(0).samplers.at(0); }
  std::vector<float> times() const { return array<float>(sampler().input, TINYGLTF_COMPONENT_TYPE_FLOAT); }

  // rest + sum of weights x targets, at frame f.
  Points frame(Index f, const std::string& attribute = "POSITION") const {
    const auto weights = array<float>(sampler().output, TINYGLTF_COMPONENT_TYPE_FLOAT);
    const auto& targets = primitive().targets;
    Points x = vectors(primitive().attributes.at(attribute));
    for (std::size_t i = 0; i < targets.size(); ++i)
      x += double(weights.at(static_cast<std::size_t>(f) * targets.size() + i)) *
           vectors(targets[i].at(attribute));
    return x;
  }
};

struct Motion {
  TriMesh surface = sheet(12);
  MorphMotion motion;
  explicit Motion(int targets, int frames) {
    Rng rng(3);
    for (int i = 0; i < targets; ++i)
      motion.targets.push_back(smooth_field(surface.vertex_count(), surface.vertices, rng));
    motion.times = VectorXd::LinSpaced(frames, 0, (frames - 1) / 30.0);
    motion.weights.resize(frames, targets);
    for (Index f = 0; f < frames; ++f)
      for (Index i = 0; i < targets; ++i)
        motion.weights(f, i) = std::sin(0.3 * double(f + 1) * double(i + 1)) / double(i + 1);
  }
  Points frame(Index f) const {
    Points x = surface.vertices;
    for (std::size_t i = 0; i < motion.targets.size(); ++i)
      x += motion.weights(f, static_cast<Index>(i)) * motion.targets[i];
    return x;
  }
};

}  // namespace

TEST(GltfWriter, ASurfaceIsReadBackAsWritten) {
  const TemporaryFolder folder;
  const TriMesh surface = sheet(9);
  for (const char* name : {"a.glb", "a.gltf"}) {
    write_glb(folder / name, surface, {.colour = {0.1, 0.2, 0.3, 1}});
    const Played file(folder / name);
    EXPECT_EQ(file.rest(), surface.vertices.cast<float>().cast<double>());
    EXPECT_EQ(file.triangles(), surface.triangles);
    EXPECT_EQ(file.model.asset.version, "2.0");
    const auto& material = file.model.materials.at(static_cast<std::size_t>(file.primitive().material));
    EXPECT_EQ(material.pbrMetallicRoughness.baseColorFactor, (std::vector<double>{0.1, 0.2, 0.3, 1}));
    EXPECT_EQ(material.pbrMetallicRoughness.metallicFactor, 0);
    EXPECT_TRUE(material.doubleSided);
    EXPECT_EQ(file.model.nodes.at(0).mesh, 0);
    EXPECT_EQ(file.model.scenes.at(0).nodes, std::vector<int>{0});
  }
  EXPECT_EQ(file_bytes(folder / "a.glb").substr(0, 4), "glTF");
  EXPECT_EQ(file_bytes(folder / "a.gltf").substr(0, 1), "{");
  EXPECT_EQ(folder.file_count(), 2);
}

TEST(GltfWriter, NormalsAreUnitAndPointOutward) {
  const TemporaryFolder folder;
  write_glb(folder / "a.glb", sheet(9));
  const Played file(folder / "a.glb");
  const Points normals = file.vectors(file.primitive().attributes.at("NORMAL"));
  for (Index i = 0; i < normals.rows(); ++i) {
    EXPECT_NEAR(normals.row(i).norm(), 1, 1e-6);
    EXPECT_GT(normals(i, 1), 0.5);  // a nearly flat sheet whose triangles look up
  }
  write_glb(folder / "flat.glb", sheet(9), {.normals = false});
  EXPECT_EQ(Played(folder / "flat.glb").primitive().attributes.count("NORMAL"), 0u);
}

TEST(GltfWriter, ALinearSubspaceIsPlayedExactly) {
  const TemporaryFolder folder;
  for (const int targets : {1, 5, kMostMorphTargets}) {
    const Motion given(targets, 20);
    write_glb_morph(folder / "a.glb", given.surface, given.motion);
    const Played file(folder / "a.glb");
    ASSERT_EQ(file.times().size(), 20u);
    EXPECT_EQ(file.model.accessors.at(static_cast<std::size_t>(file.sampler().input)).maxValues.at(0),
              file.times().back());
    EXPECT_EQ(file.model.animations[0].channels.at(0).target_path, "weights");
    EXPECT_EQ(file.model.meshes[0].weights.size(), static_cast<std::size_t>(targets));
    for (Index f = 0; f < 20; ++f) {
      EXPECT_FLOAT_EQ(file.times()[static_cast<std::size_t>(f)], float(given.motion.times[f]));
      EXPECT_LT((file.frame(f) - given.frame(f)).cwiseAbs().maxCoeff(), 1e-6)
          << targets << " targets, frame " << f;
    }
  }
}

TEST(GltfWriter, MovingNormalsAreCloserToTheTruthThanStillOnes) {
  const TemporaryFolder folder;
  const Motion given(6, 30);
  write_glb_morph(folder / "a.glb", given.surface, given.motion);
  const Played file(folder / "a.glb");
  const Points still = smooth_normals(given.surface.vertices, given.surface.triangles);
  double moving_error = 0, still_error = 0;
  for (Index f = 0; f < 30; ++f) {
    const Points truth = smooth_normals(given.frame(f), given.surface.triangles);
    moving_error += (file.frame(f, "NORMAL") - truth).squaredNorm();
    still_error += (still - truth).squaredNorm();
  }
  EXPECT_LT(std::sqrt(moving_error), 0.5 * std::sqrt(still_error));
}

TEST(GltfWriter, RecordedMotionOfLowRankIsReproduced) {
  const TemporaryFolder folder;
  const Motion given(4, 90);
  std::vector<Points> frames;
  for (Index f = 0; f < 90; ++f) frames.push_back(given.frame(f));
  const SequenceError error = write_glb_sequence(folder / "a.glb", given.surface, frames, given.motion.times);
  EXPECT_EQ(error.targets, 4);
  EXPECT_LT(error.largest, 1e-6);
  const Played file(folder / "a.glb");
  for (std::size_t f = 0; f < frames.size(); ++f)
    EXPECT_LT((file.frame(static_cast<Index>(f)) - frames[f]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(GltfWriter, TheErrorOfASequenceIsStatedAndIsTheErrorOfTheFile) {
  // A sheet that turns a whole circle and ripples: of higher rank than the targets allowed.
  const TemporaryFolder folder;
  const TriMesh surface = sheet(12);
  std::vector<Points> frames;
  for (int f = 0; f < 50; ++f) {
    Points x = surface.vertices;
    for (Index i = 0; i < x.rows(); ++i) x(i, 1) += 0.05 * std::sin(20 * x(i, 0) - 0.37 * f * (1 + x(i, 2)));
    frames.push_back(x * Eigen::AngleAxisd(0.12 * f, Vector3d::UnitZ()).toRotationMatrix());
  }
  const VectorXd times = VectorXd::LinSpaced(50, 0, 2);
  double last_rms = 1;
  for (const int targets : {2, 4, 8, 50}) {
    const SequenceError error =
        write_glb_sequence(folder / "a.glb", surface, frames, times, {.targets = targets});
    const Played file(folder / "a.glb");
    double largest = 0, squares = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const Points missing = file.frame(static_cast<Index>(f)) - frames[f];
      largest = std::max(largest, missing.rowwise().norm().maxCoeff());
      squares += missing.squaredNorm();
    }
    const double box = (surface.vertices.colwise().maxCoeff() - surface.vertices.colwise().minCoeff()).norm();
    EXPECT_NEAR(error.largest, largest / box, 1e-3 * error.largest);
    EXPECT_NEAR(error.rms, std::sqrt(squares / double(surface.vertex_count() * 50)) / box, 1e-3 * error.rms);
    EXPECT_LT(error.rms, last_rms);
    last_rms = error.rms;
    const auto stated = file.model.meshes[0].extras.Get("pliant");
    EXPECT_NEAR(stated.Get("largest_error_of_box").GetNumberAsDouble(), error.largest, 1e-12);
    EXPECT_NEAR(stated.Get("rms_error_of_box").GetNumberAsDouble(), error.rms, 1e-12);
    for (const float weight : file.array<float>(file.sampler().output, TINYGLTF_COMPONENT_TYPE_FLOAT))
      EXPECT_LE(std::abs(weight), 1.0f);
  }
  EXPECT_LT(last_rms, 1e-6);  // as many targets as frames
}

TEST(GltfWriter, TargetsFromAPartOfTheFramesPlayAllOfThem) {
  const Motion given(5, 200);
  std::vector<Points> frames;
  for (Index f = 0; f < 200; ++f) frames.push_back(given.frame(f));
  const MorphFit fit = fit_morph_targets(given.surface.vertices, frames, {.targets = 8, .fitted_frames = 40});
  EXPECT_EQ(fit.weights.rows(), 200);
  EXPECT_LT(fit.largest_error, 1e-6);  // 40 frames span the five fields as well as 200 do
}

TEST(GltfWriter, WeightedVerticesAreFittedBetter) {
  const TriMesh surface = sheet(10);
  std::vector<Points> frames;
  for (int f = 0; f < 30; ++f) {
    Points x = surface.vertices;
    for (Index i = 0; i < x.rows(); ++i)  // a small motion in front, a large one of high rank behind
      x(i, 1) += i < x.rows() / 4 ? 0.01 * std::sin(9 * x(i, 2) + 1.7 * f)
                                  : 0.1 * std::sin(9 * x(i, 0) + 0.4 * f * (1 + x(i, 2)));
    frames.push_back(x);
  }
  VectorXd importance = VectorXd::Ones(surface.vertex_count());
  importance.head(surface.vertex_count() / 4).setConstant(1000);
  const auto error_in_front = [&](const VectorXd& weights) {
    const MorphFit fit =
        fit_morph_targets(surface.vertices, frames, {.targets = 3, .vertex_weights = weights});
    double squares = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      Points missing = frames[f] - surface.vertices;
      for (std::size_t i = 0; i < fit.targets.size(); ++i)
        missing -= fit.weights(static_cast<Index>(f), static_cast<Index>(i)) * fit.targets[i];
      squares += missing.topRows(surface.vertex_count() / 4).squaredNorm();
    }
    return squares;
  };
  EXPECT_LT(error_in_front(importance), 0.1 * error_in_front({}));
}

TEST(GltfWriter, ParallelFitGivesTheSameBitsOnAnyNumberOfThreads) {
  const Motion given(5, 20);
  std::vector<Points> frames;
  for (Index f = 0; f < 20; ++f) frames.push_back(given.frame(f));
  std::vector<MorphFit> fits;
  for (const int threads : {1, 2, 8}) {
    const ScopedThreadCount scope(threads);
    fits.push_back(fit_morph_targets(given.surface.vertices, frames));
  }
  for (const MorphFit& fit : fits) {
    EXPECT_EQ(fit.weights, fits[0].weights);
    EXPECT_EQ(fit.rms_error, fits[0].rms_error);
    for (std::size_t i = 0; i < fit.targets.size(); ++i) EXPECT_EQ(fit.targets[i], fits[0].targets[i]);
  }
}

TEST(GltfWriter, ASurfaceThatDoesNotMoveIsFine) {
  const TemporaryFolder folder;
  const TriMesh surface = sheet(3);
  const SequenceError error = write_glb_sequence(
      folder / "a.glb", surface, {surface.vertices, surface.vertices}, VectorXd::LinSpaced(2, 0, 1));
  EXPECT_LT(error.largest, 1e-7);
  EXPECT_LT((Played(folder / "a.glb").frame(1) - surface.vertices).norm(), 1e-6);
}

TEST(GltfWriter, BadInputIsASentenceAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto path = folder / "a.glb";
  TriMesh surface = sheet(3);
  EXPECT_TRUE(contains(message_of([&] { write_glb(path, {}); }), "a.glb: a glTF surface needs triangles"));
  surface.triangles(0, 0) = 99;
  EXPECT_TRUE(contains(message_of([&] { write_glb(path, surface); }), "outside 0 to 15"));
  surface = sheet(3);
  surface.vertices(0, 0) = NAN;
  EXPECT_TRUE(contains(message_of([&] { write_glb(path, surface); }), "finite"));
  surface = sheet(3);
  surface.vertices(2, 1) = -1e39;  // infinite in single precision
  EXPECT_TRUE(contains(message_of([&] { write_glb(path, surface); }), "as large as 1e+39"));
  Motion given(2, 3);
  given.motion.times[2] = given.motion.times[1];
  EXPECT_TRUE(contains(message_of([&] { write_glb_morph(path, given.surface, given.motion); }), "ascending"));
  given = Motion(2, 3);
  given.motion.weights.conservativeResize(3, 1);
  EXPECT_TRUE(
      contains(message_of([&] { write_glb_morph(path, given.surface, given.motion); }), "weights are 3 x 1"));
  given = Motion(kMostMorphTargets + 1, 3);
  EXPECT_TRUE(
      contains(message_of([&] { write_glb_morph(path, given.surface, given.motion); }), "65 morph targets"));
  EXPECT_TRUE(contains(
      message_of([&] { write_glb_sequence(path, sheet(3), {Points::Zero(3, 3)}, VectorXd::Zero(1)); }),
      "a frame has 3 rows"));
  EXPECT_EQ(folder.file_count(), 0);
}

}  // namespace pliant
