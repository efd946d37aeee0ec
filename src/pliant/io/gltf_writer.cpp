#include "pliant/io/gltf_writer.h"

#include <fmt/format.h>
#include <tiny_gltf.h>

#include <Eigen/Dense>
#include <cstring>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/file_name.h"
#include "pliant/io/morph_fit.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

// Puts arrays into the one buffer of a model; an accessor is how glTF names a typed array.
class ModelBuilder {
 public:
  tinygltf::Model model;

  ModelBuilder() { model.buffers.emplace_back(); }

  int add_vectors(const FloatRows& rows) {
    const int id = add(rows.data(), static_cast<std::size_t>(rows.size()) * sizeof(float), rows.rows(),
                       TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3, TINYGLTF_TARGET_ARRAY_BUFFER);
    for (int axis = 0; axis < 3; ++axis) {
      model.accessors.back().minValues.push_back(rows.col(axis).minCoeff());
      model.accessors.back().maxValues.push_back(rows.col(axis).maxCoeff());
    }
    return id;
  }
  int add_scalars(const std::vector<float>& values, bool bounds) {
    const int id = add(values.data(), values.size() * sizeof(float), static_cast<Index>(values.size()),
                       TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_SCALAR, 0);
    if (bounds) {
      model.accessors.back().minValues = {*std::min_element(values.begin(), values.end())};
      model.accessors.back().maxValues = {*std::max_element(values.begin(), values.end())};
    }
    return id;
  }
  int add_indices(const Triangles& triangles) {
    return add(triangles.data(), static_cast<std::size_t>(triangles.size()) * sizeof(std::int32_t),
               triangles.size(), TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR,
               TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  }

 private:
  int add(const void* data, std::size_t size, Index count, int component, int type, int target) {
    std::vector<unsigned char>& buffer = model.buffers[0].data;
    // The whole of a .glb is measured by a 32-bit length; 1 MB is kept for its JSON.
    if (size > std::numeric_limits<std::uint32_t>::max() - (1u << 20) - buffer.size())
      throw InputError(
          "the surface and its motion exceed the 4 GB of a glTF file; write fewer targets or frames");
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = buffer.size();
    view.byteLength = size;
    view.target = target;
    buffer.resize(buffer.size() + size);
    std::memcpy(buffer.data() + view.byteOffset, data, size);
    model.bufferViews.push_back(view);

    tinygltf::Accessor accessor;
    accessor.bufferView = static_cast<int>(model.bufferViews.size()) - 1;
    accessor.componentType = component;
    accessor.count = static_cast<std::size_t>(count);
    accessor.type = type;
    model.accessors.push_back(accessor);
    return static_cast<int>(model.accessors.size()) - 1;
  }
};

void check(const TriMesh& surface) {
  const Index n = surface.vertex_count();
  if (n == 0 || surface.triangle_count() == 0)
    throw InputError(
        fmt::format("a glTF surface needs triangles, but this one has {} vertices and {} triangles", n,
                    surface.triangle_count()));
  if (!surface.vertices.allFinite()) throw InputError("a vertex is not a finite number; glTF cannot hold it");
  if (const double largest = surface.vertices.cwiseAbs().maxCoeff();
      largest > std::numeric_limits<float>::max())
    throw InputError(fmt::format("a coordinate is as large as {}; glTF holds at most 3.4e38", largest));
  if (surface.triangles.minCoeff() < 0 || surface.triangles.maxCoeff() >= n)
    throw InputError(fmt::format("a triangle names a vertex outside 0 to {}", n - 1));
}

// One mesh at one node, with its material.
ModelBuilder still_model(const TriMesh& surface, const GltfOptions& options) {
  check(surface);
  ModelBuilder builder;
  tinygltf::Model& model = builder.model;
  model.asset.version = "2.0";
  model.asset.generator = "Pliant";

  tinygltf::Material material;
  material.name = options.name;
  material.pbrMetallicRoughness.baseColorFactor.assign(options.colour.begin(), options.colour.end());
  material.pbrMetallicRoughness.metallicFactor = 0;
  material.pbrMetallicRoughness.roughnessFactor = options.roughness;
  material.doubleSided = options.double_sided;
  if (options.colour[3] < 1) material.alphaMode = "BLEND";
  model.materials.push_back(material);

  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.material = 0;
  primitive.attributes["POSITION"] = builder.add_vectors(surface.vertices.cast<float>());
  if (options.normals)
    primitive.attributes["NORMAL"] =
        builder.add_vectors(smooth_normals(surface.vertices, surface.triangles).cast<float>());
  primitive.indices = builder.add_indices(surface.triangles);

  tinygltf::Mesh mesh;
  mesh.name = options.name;
  mesh.primitives.push_back(primitive);
  model.meshes.push_back(mesh);

  tinygltf::Node node;
  node.name = options.name;
  node.mesh = 0;
  model.nodes.push_back(node);
  tinygltf::Scene scene;
  scene.nodes = {0};
  model.scenes.push_back(scene);
  model.defaultScene = 0;
  return builder;
}

ModelBuilder morph_model(const TriMesh& surface, const MorphMotion& motion, const GltfOptions& options) {
  const Index frames = motion.times.size(), count = static_cast<Index>(motion.targets.size());
  if (count < 1 || count > kMostMorphTargets)
    throw InputError(fmt::format("{} morph targets; expected 1 to {}; write_glb_sequence finds the best {}",
                                 count, kMostMorphTargets, kMostMorphTargets));
  if (motion.weights.rows() != frames || motion.weights.cols() != count || frames == 0)
    throw InputError(fmt::format("weights are {} x {}; expected {} times x {} targets", motion.weights.rows(),
                                 motion.weights.cols(), frames, count));
  if (!motion.weights.allFinite() || !motion.times.allFinite())
    throw InputError("a time or a weight is not a finite number");
  std::vector<float> times(motion.times.data(), motion.times.data() + frames);
  for (std::size_t f = 0; f < times.size(); ++f)
    if (times[f] < 0 || (f > 0 && times[f] <= times[f - 1]))
      throw InputError(fmt::format("time {} is {} s; expected ascending times from 0 on", f, times[f]));
  for (const Points& target : motion.targets)
    if (target.rows() != surface.vertex_count() || !target.allFinite())
      throw InputError(fmt::format("a target has {} rows; expected one finite row for each of {} vertices",
                                   target.rows(), surface.vertex_count()));

  ModelBuilder builder = still_model(surface, options);
  tinygltf::Model& model = builder.model;
  tinygltf::Mesh& mesh = model.meshes[0];
  const std::vector<Points> normals =
      options.normals ? fit_normal_targets(surface, motion.targets, motion.weights) : std::vector<Points>();
  tinygltf::Value::Array names;
  for (Index i = 0; i < count; ++i) {
    const auto id = static_cast<std::size_t>(i);
    std::map<std::string, int> target;
    target["POSITION"] = builder.add_vectors(motion.targets[id].cast<float>());
    if (options.normals) target["NORMAL"] = builder.add_vectors(normals[id].cast<float>());
    mesh.primitives[0].targets.push_back(target);
    names.emplace_back(fmt::format("q{}", i));
  }
  mesh.weights.assign(static_cast<std::size_t>(count), 0.0);
  mesh.extras = tinygltf::Value(tinygltf::Value::Object{{"targetNames", tinygltf::Value(std::move(names))}});

  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(frames * count));
  for (Index f = 0; f < frames; ++f)
    for (Index i = 0; i < count; ++i) weights.push_back(static_cast<float>(motion.weights(f, i)));

  tinygltf::AnimationSampler sampler;
  sampler.input = builder.add_scalars(times, true);
  sampler.output = builder.add_scalars(weights, false);
  sampler.interpolation = "LINEAR";
  tinygltf::AnimationChannel channel;
  channel.sampler = 0;
  channel.target_node = 0;
  channel.target_path = "weights";
  tinygltf::Animation animation;
  animation.name = "motion";
  animation.samplers.push_back(sampler);
  animation.channels.push_back(channel);
  model.animations.push_back(animation);
  return builder;
}

void write(const fs::path& path, const tinygltf::Model& model) {
  const bool text = format_extension(path) == ".gltf";
  write_atomically(path, [&](std::ostream& stream) {
    tinygltf::TinyGLTF writer;
    if (!writer.WriteGltfSceneToStream(&model, stream, false, !text))
      throw Error(fmt::format("{}: cannot write", path.string()));
  });
}

}  // namespace

void write_glb(const fs::path& path, const TriMesh& surface, const GltfOptions& options) {
  write(path, with_context(path.string(), [&] { return still_model(surface, options); }).model);
}

void write_glb_morph(const fs::path& path, const TriMesh& surface, const MorphMotion& motion,
                     const GltfOptions& options) {
  write(path, with_context(path.string(), [&] { return morph_model(surface, motion, options); }).model);
}

SequenceError write_glb_sequence(const fs::path& path, const TriMesh& surface,
                                 const std::vector<Points>& frames, const VectorXd& times,
                                 const GltfSequenceOptions& options) {
  return with_context(path.string(), [&] {
    check(surface);
    if (static_cast<Index>(frames.size()) != times.size() || frames.empty())
      throw InputError(
          fmt::format("{} frames but {} times; expected as many, at least one", frames.size(), times.size()));
    for (const Points& frame : frames)
      if (frame.rows() != surface.vertex_count() || !frame.allFinite())
        throw InputError(fmt::format("a frame has {} rows; expected one finite row for each of {} vertices",
                                     frame.rows(), surface.vertex_count()));
    if (options.targets < 1 || options.targets > kMostMorphTargets)
      throw InputError(
          fmt::format("{} targets asked for; expected 1 to {}", options.targets, kMostMorphTargets));

    const MorphFit fit = fit_morph_targets(surface.vertices, frames,
                                           {.targets = options.targets,
                                            .fitted_frames = options.fitted_frames,
                                            .vertex_weights = options.vertex_weights});
    ModelBuilder builder = morph_model(surface, {fit.targets, times, fit.weights}, options.look);
    const SequenceError error{static_cast<int>(fit.targets.size()), fit.largest_error, fit.rms_error};

    tinygltf::Value::Object extras = builder.model.meshes[0].extras.Get<tinygltf::Value::Object>();
    extras["pliant"] = tinygltf::Value(tinygltf::Value::Object{
        {"targets", tinygltf::Value(error.targets)},
        {"frames", tinygltf::Value(static_cast<int>(frames.size()))},
        {"largest_error_of_box", tinygltf::Value(error.largest)},
        {"rms_error_of_box", tinygltf::Value(error.rms)},
    });
    builder.model.meshes[0].extras = tinygltf::Value(std::move(extras));
    write(path, builder.model);
    return error;
  });
}

}  // namespace pliant
