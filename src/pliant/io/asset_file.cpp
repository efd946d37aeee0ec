#include "pliant/io/asset_file.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/io/file_name.h"
#include "pliant/io/input_file.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using Eigen::Matrix4d;
using JointWeights = std::vector<std::pair<int, double>>;  // ascending joints

Matrix4d matrix_of(const aiMatrix4x4& m) {
  Matrix4d matrix;
  matrix << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4, m.d1, m.d2, m.d3, m.d4;
  return matrix;
}

Matrix4d inverse_of(const Matrix4d& matrix, std::string_view what) {
  const Matrix4d inverse = matrix.inverse();
  if (!inverse.allFinite()) throw InputError(fmt::format("{} has a matrix that cannot be inverted", what));
  return inverse;
}

// === Import: everything assimp may throw or refuse becomes one sentence

// Binary glTF begins with its name, text with the brace of a JSON object; assimp does not say what it missed.
void check_gltf_start(std::string_view bytes) {
  const std::size_t start = std::min(bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf"), bytes.size());
  if (bytes.substr(0, 4) != "glTF" && bytes.substr(start, 1) != "{")
    throw InputError(
        fmt::format("byte {}: found {}; expected 'glTF' or '{{'", start, in_quotes(bytes.substr(start, 4))));
}

class ImportedScene {
 public:
  ImportedScene(const fs::path& path, std::string_view bytes) {
    const bool zipped = is_gzip_name(path);
    const std::string type = format_extension(path);
    const bool fbx = type == ".fbx";

    // One node a joint: without this, FBX joints become chains of helper nodes, one for each pivot.
    importer_.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    importer_.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    unsigned steps = aiProcess_Triangulate | aiProcess_SortByPType;
    if (fbx)
      steps |= aiProcess_GlobalScale;  // FBX counts in centimetres or says what else; this makes metres
    const auto refuse = [&](std::string_view reason) {
      std::string line(reason.substr(0, 300));
      std::replace(line.begin(), line.end(), '\n', ' ');
      throw InputError(fmt::format("cannot be read: {}; expected a whole {} file",
                                   line.empty() ? "the file is damaged" : line, fbx ? "FBX" : "glTF"));
    };
    if (bytes.empty()) throw InputError(fmt::format("the file is empty; expected {}", fbx ? "FBX" : "glTF"));
    if (!fbx) check_gltf_start(bytes);
    try {
      // A .gltf may name files beside it, which assimp finds by the path; a gzipped one must be whole in
      // itself.
      scene_ = zipped ? importer_.ReadFileFromMemory(bytes.data(), bytes.size(), steps,
                                                     type.c_str() + (type.empty() ? 0 : 1))
                      : importer_.ReadFile(path.string(), steps);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& exception) {
      refuse(exception.what());
    } catch (...) {
      refuse("");
    }
    if (!scene_ || !scene_->mRootNode) refuse(importer_.GetErrorString());
    if (scene_->mNumMeshes == 0) throw InputError("there is no triangle in it; expected a surface");
    if (fbx) root_transform_ = up_axis_to_y();
  }

  const aiScene& scene() const { return *scene_; }
  const Matrix4d& root_transform() const { return root_transform_; }

 private:
  // FBX says which axis is up; glTF always means y.
  Matrix4d up_axis_to_y() const {
    std::int32_t axis = 1, sign = 1;
    if (scene_->mMetaData) {
      scene_->mMetaData->Get("UpAxis", axis);
      scene_->mMetaData->Get("UpAxisSign", sign);
    }
    if (axis < 0 || axis > 2) axis = 1;
    const Vector3d up = (sign < 0 ? -1.0 : 1.0) * Vector3d::Unit(axis);
    Matrix4d turn = Matrix4d::Identity();
    turn.topLeftCorner<3, 3>() = Eigen::Quaterniond::FromTwoVectors(up, Vector3d::UnitY()).toRotationMatrix();
    return turn;
  }

  Assimp::Importer importer_;
  const aiScene* scene_ = nullptr;
  Matrix4d root_transform_ = Matrix4d::Identity();
};

// === From the node tree to joints and one mesh

class RigBuilder {
 public:
  explicit RigBuilder(const ImportedScene& imported) : scene_(imported.scene()) {
    find_joints();
    visit(*scene_.mRootNode, imported.root_transform(), Matrix4d::Identity(), -1, 0);
    for (const Placed& placed : placed_) add_mesh(placed);
    for (std::size_t j = 0; j < joints_.size(); ++j)
      if (!bound_[j]) joints_[j].inverse_bind = inverse_of(world_[j], joints_[j].name);
  }

  bool has_skin() const { return skinned_; }
  std::vector<RigJoint> joints() && { return std::move(joints_); }

  MeshData mesh(bool merge, SparseRows* weights) const;
  std::vector<RigAnimation> animations() const;

 private:
  struct Placed {
    const aiMesh* mesh;
    Matrix4d world;
    int joint;  // the nearest at or above its node, or -1
  };

  // Bones by name, and the animated nodes above them: those move the bones, too.
  void find_joints() {
    for (unsigned m = 0; m < scene_.mNumMeshes; ++m)
      for (unsigned b = 0; b < scene_.mMeshes[m]->mNumBones; ++b) {
        skinned_ = true;
        joint_names_.insert(scene_.mMeshes[m]->mBones[b]->mName.C_Str());
      }
    std::set<std::string> animated;
    for (unsigned a = 0; a < scene_.mNumAnimations; ++a)
      for (unsigned c = 0; c < scene_.mAnimations[a]->mNumChannels; ++c)
        animated.insert(scene_.mAnimations[a]->mChannels[c]->mNodeName.C_Str());
    const std::set<std::string> bones = joint_names_;
    for (const std::string& bone : bones) {
      const aiNode* node = scene_.mRootNode->FindNode(bone.c_str());
      if (!node) throw InputError(fmt::format("bone '{}' has no node; the skeleton is incomplete", bone));
      for (node = node->mParent; node; node = node->mParent)
        if (animated.count(node->mName.C_Str())) joint_names_.insert(node->mName.C_Str());
    }
  }

  // Parents before children; `still` gathers what lies between a joint and the joint above it.
  void visit(const aiNode& node, const Matrix4d& parent_world, Matrix4d still, int joint, int depth) {
    if (depth > 1000) throw InputError("its nodes are nested more than 1000 deep");
    const Matrix4d local = matrix_of(node.mTransformation);
    if (!local.allFinite())
      throw InputError(fmt::format("node '{}' has a broken matrix", node.mName.C_Str()));
    const Matrix4d world = parent_world * local;
    if (depth == 0) still = parent_world;
    if (joint_names_.count(node.mName.C_Str()) && !joint_ids_.count(node.mName.C_Str())) {
      joint_ids_[node.mName.C_Str()] = static_cast<int>(joints_.size());
      joints_.push_back({node.mName.C_Str(), joint, still, local, Matrix4d::Identity()});
      joint = static_cast<int>(joints_.size()) - 1;
      world_.push_back(world);
      bound_.push_back(false);
      still = Matrix4d::Identity();
    } else {
      still = still * local;
    }
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
      if (node.mMeshes[m] >= scene_.mNumMeshes) throw InputError("a node names a mesh that is not there");
      placed_.push_back({scene_.mMeshes[node.mMeshes[m]], world, joint});
    }
    for (unsigned c = 0; c < node.mNumChildren; ++c)
      visit(*node.mChildren[c], world, still, joint, depth + 1);
  }

  void add_mesh(const Placed& placed);
  Matrix4d bind(const Placed& placed, std::vector<JointWeights>& weights);

  const aiScene& scene_;
  bool skinned_ = false;
  std::set<std::string> joint_names_;
  std::map<std::string, int> joint_ids_;
  std::vector<RigJoint> joints_;
  std::vector<Matrix4d> world_;  // of each joint, at rest
  std::vector<bool> bound_;      // its inverse_bind is known
  std::vector<Placed> placed_;

  std::vector<Vector3d> vertices_;
  std::vector<JointWeights> weights_;
  std::vector<Vector3i> triangles_;
};

// Reads a mesh's weights and returns the transform that takes its vertices into the space all meshes share:
// the world as the joints at rest show it. Every mesh has matrices of its own, B_j, from its space to each
// joint's; with A that transform, inverse_bind_j = B_j A^-1 serves all meshes. A follows from the joint that
// holds most of the mesh: A = W_j B_j at rest, or, if an earlier mesh bound that joint, A = inverse_bind_j^-1
// B_j.
Matrix4d RigBuilder::bind(const Placed& placed, std::vector<JointWeights>& weights) {
  const aiMesh& mesh = *placed.mesh;
  int main_bone = 0;
  double most = -1;
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const aiBone& bone = *mesh.mBones[b];
    const int joint = joint_ids_.at(bone.mName.C_Str());
    double total = 0;
    for (unsigned w = 0; w < bone.mNumWeights; ++w) {
      const aiVertexWeight& entry = bone.mWeights[w];
      if (entry.mVertexId >= mesh.mNumVertices || !(entry.mWeight >= 0) || entry.mWeight > 1e6f)
        throw InputError(fmt::format("bone '{}' has weight {} at vertex {} of {}", bone.mName.C_Str(),
                                     entry.mWeight, entry.mVertexId, mesh.mNumVertices));
      if (entry.mWeight == 0) continue;
      weights[entry.mVertexId].emplace_back(joint, entry.mWeight);
      total += entry.mWeight;
    }
    if (total > most) {
      most = total;
      main_bone = static_cast<int>(b);
    }
  }
  for (JointWeights& row : weights) {
    std::sort(row.begin(), row.end());
    double sum = 0;
    for (const auto& [joint, weight] : row) sum += weight;
    for (auto& [joint, weight] : row) weight /= sum;
  }

  const auto offset = [&](int b) { return matrix_of(mesh.mBones[b]->mOffsetMatrix); };
  const auto main_joint = static_cast<std::size_t>(joint_ids_.at(mesh.mBones[main_bone]->mName.C_Str()));
  const Matrix4d to_world =
      (bound_[main_joint] ? inverse_of(joints_[main_joint].inverse_bind, joints_[main_joint].name)
                          : world_[main_joint]) *
      offset(main_bone);
  const Matrix4d from_world = inverse_of(to_world, fmt::format("skin of '{}'", mesh.mName.C_Str()));
  for (unsigned b = 0; b < mesh.mNumBones; ++b) {
    const auto joint = static_cast<std::size_t>(joint_ids_.at(mesh.mBones[b]->mName.C_Str()));
    if (bound_[joint]) continue;
    joints_[joint].inverse_bind = offset(static_cast<int>(b)) * from_world;
    inverse_of(joints_[joint].inverse_bind, joints_[joint].name);  // a rig needs it to be invertible
    bound_[joint] = true;
  }
  return to_world;
}

void RigBuilder::add_mesh(const Placed& placed) {
  const aiMesh& mesh = *placed.mesh;
  std::vector<JointWeights> weights(mesh.mNumVertices);
  Matrix4d transform = placed.world;
  if (mesh.mNumBones > 0) {
    transform = bind(placed, weights);
  } else if (placed.joint >= 0) {
    const auto j = static_cast<std::size_t>(placed.joint);
    if (bound_[j])
      transform = inverse_of(world_[j] * joints_[j].inverse_bind, joints_[j].name) * placed.world;
    for (JointWeights& row : weights) row = {{placed.joint, 1.0}};
  }

  const auto first = static_cast<int>(vertices_.size());
  for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
    const Vector4d homogeneous(mesh.mVertices[v].x, mesh.mVertices[v].y, mesh.mVertices[v].z, 1);
    vertices_.push_back((transform * homogeneous).head<3>());
    if (!vertices_.back().allFinite())
      throw InputError(fmt::format("vertex {} of mesh '{}' is not a finite number", v, mesh.mName.C_Str()));
  }
  std::move(weights.begin(), weights.end(), std::back_inserter(weights_));

  const bool mirrored = transform.topLeftCorner<3, 3>().determinant() < 0;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;
    Vector3i triangle;
    for (int corner = 0; corner < 3; ++corner) {
      const unsigned id = face.mIndices[corner];
      if (id >= mesh.mNumVertices)
        throw InputError(fmt::format("triangle {} of mesh '{}' names vertex {} of {}", f, mesh.mName.C_Str(),
                                     id, mesh.mNumVertices));
      triangle[corner] = first + static_cast<int>(id);
    }
    if (mirrored) std::swap(triangle[1], triangle[2]);
    triangles_.push_back(triangle);
  }
}

MeshData RigBuilder::mesh(bool merge, SparseRows* weights) const {
  // === Which vertices stay: the first of those with the same place and weights
  std::vector<int> merged(vertices_.size()), kept;
  std::unordered_multimap<std::uint64_t, int> by_place;  // hash of the place -> kept vertex
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    int same = -1;
    if (merge) {
      const Vector3d place = vertices_[v] + Vector3d::Zero();  // makes +0 of -0
      const std::uint64_t hash = hash_bytes(place.data(), sizeof(Vector3d));
      for (auto [it, end] = by_place.equal_range(hash); it != end && same < 0; ++it) {
        const auto other = static_cast<std::size_t>(kept[static_cast<std::size_t>(it->second)]);
        if (vertices_[other] == vertices_[v] && weights_[other] == weights_[v]) same = it->second;
      }
      if (same < 0) by_place.emplace(hash, static_cast<int>(kept.size()));
    }
    if (same < 0) {
      same = static_cast<int>(kept.size());
      kept.push_back(static_cast<int>(v));
    }
    merged[v] = same;
  }

  MeshData result;
  result.vertices.resize(static_cast<Index>(kept.size()), 3);
  result.triangles.resize(static_cast<Index>(triangles_.size()), 3);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto v = static_cast<std::size_t>(kept[i]);
    result.vertices.row(static_cast<Index>(i)) = vertices_[v].transpose();
    for (const auto& [joint, weight] : weights_[v]) entries.emplace_back(static_cast<int>(i), joint, weight);
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (int corner = 0; corner < 3; ++corner)
      result.triangles(static_cast<Index>(t), corner) =
          merged[static_cast<std::size_t>(triangles_[t][corner])];
  if (weights) {
    weights->resize(result.vertices.rows(), static_cast<Index>(joints_.size()));
    weights->setFromTriplets(entries.begin(), entries.end());
  }
  return result;
}

template <class Key>
VectorXd key_times(const Key* keys, unsigned count, double ticks_per_second) {
  VectorXd times(count);
  for (unsigned k = 0; k < count; ++k) {
    times[k] = keys[k].mTime / ticks_per_second;
    if (!std::isfinite(times[k]) || (k > 0 && times[k] < times[k - 1]))
      throw InputError(
          fmt::format("an animation's key {} is at {} s; expected ascending times", k, times[k]));
  }
  return times;
}

Points key_vectors(const aiVectorKey* keys, unsigned count) {
  Points values(count, 3);
  for (unsigned k = 0; k < count; ++k) values.row(k) << keys[k].mValue.x, keys[k].mValue.y, keys[k].mValue.z;
  if (!values.allFinite()) throw InputError("an animation has a key that is not a finite number");
  return values;
}

std::vector<RigAnimation> RigBuilder::animations() const {
  std::vector<RigAnimation> result;
  for (unsigned a = 0; a < scene_.mNumAnimations; ++a) {
    const aiAnimation& animation = *scene_.mAnimations[a];
    const double ticks =
        animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : 25;  // assimp's own default
    RigAnimation read{.name = animation.mName.C_Str(), .duration = animation.mDuration / ticks, .tracks = {}};
    for (unsigned c = 0; c < animation.mNumChannels; ++c) {
      const aiNodeAnim& channel = *animation.mChannels[c];
      const auto joint = joint_ids_.find(channel.mNodeName.C_Str());
      if (joint == joint_ids_.end()) continue;
      RigTrack track;
      track.joint = joint->second;
      track.translation_times = key_times(channel.mPositionKeys, channel.mNumPositionKeys, ticks);
      track.rotation_times = key_times(channel.mRotationKeys, channel.mNumRotationKeys, ticks);
      track.scale_times = key_times(channel.mScalingKeys, channel.mNumScalingKeys, ticks);
      if (!track.translation_times.size() || !track.rotation_times.size() || !track.scale_times.size())
        throw InputError(fmt::format("animation '{}' has a channel without keys", read.name));
      track.translations = key_vectors(channel.mPositionKeys, channel.mNumPositionKeys);
      track.scales = key_vectors(channel.mScalingKeys, channel.mNumScalingKeys);
      track.rotations.resize(channel.mNumRotationKeys, 4);
      for (unsigned k = 0; k < channel.mNumRotationKeys; ++k) {
        const aiQuaternion& q = channel.mRotationKeys[k].mValue;
        const Vector4d unit = Vector4d(q.x, q.y, q.z, q.w).normalized();
        if (!unit.allFinite() || unit.norm() < 0.5)
          throw InputError(fmt::format("animation '{}' has a key that is not a rotation", read.name));
        track.rotations.row(k) = unit.transpose();
      }
      read.tracks.push_back(std::move(track));
    }
    result.push_back(std::move(read));
  }
  return result;
}

// Where `time` lies between the keys: key i, key i + 1, and how far from the first to the second.
struct Between {
  Index first, second;
  double fraction;
};
Between find_keys(const VectorXd& times, double time) {
  const Index after = std::upper_bound(times.data(), times.data() + times.size(), time) - times.data();
  if (after == 0) return {0, 0, 0};
  if (after == times.size()) return {after - 1, after - 1, 0};
  return {after - 1, after, (time - times[after - 1]) / (times[after] - times[after - 1])};
}

Vector3d vector_at(const VectorXd& times, const Points& values, double time) {
  const Between keys = find_keys(times, time);
  return (1 - keys.fraction) * values.row(keys.first) + keys.fraction * values.row(keys.second);
}

}  // namespace

MeshData read_asset(const fs::path& path, const AssetOptions& options) {
  const InputFile file(path);
  return with_context(path.string(), [&] {
    const ImportedScene imported(path, file.bytes());
    return RigBuilder(imported).mesh(options.merge_vertices, nullptr);
  });
}

RigFile read_rig(const fs::path& path, const AssetOptions& options) {
  const InputFile file(path);
  return with_context(path.string(), [&] {
    const ImportedScene imported(path, file.bytes());
    RigBuilder builder(imported);
    if (!builder.has_skin())
      throw InputError(
          "no surface in it has a skin; expected a rigged character (read_asset reads surfaces)");
    RigFile rig;
    rig.mesh = builder.mesh(options.merge_vertices, &rig.weights);
    rig.animations = builder.animations();
    rig.joints = std::move(builder).joints();
    return rig;
  });
}

std::vector<Matrix4d> rest_transforms(const std::vector<RigJoint>& joints) {
  std::vector<Matrix4d> world;
  for (const RigJoint& joint : joints) {
    const Matrix4d local = joint.parent_offset * joint.rest_local;
    world.push_back(joint.parent < 0 ? local
                                     : Matrix4d(world[static_cast<std::size_t>(joint.parent)] * local));
  }
  return world;
}

std::vector<Matrix4d> animated_transforms(const RigFile& rig, const RigAnimation& animation, double time) {
  std::vector<RigJoint> posed = rig.joints;
  for (const RigTrack& track : animation.tracks) {
    const Between keys = find_keys(track.rotation_times, time);
    const Eigen::Quaterniond first(Vector4d(track.rotations.row(keys.first))),
        second(Vector4d(track.rotations.row(keys.second)));
    Matrix4d local = Matrix4d::Identity();
    local.topLeftCorner<3, 3>() = first.slerp(keys.fraction, second).toRotationMatrix() *
                                  vector_at(track.scale_times, track.scales, time).asDiagonal();
    local.topRightCorner<3, 1>() = vector_at(track.translation_times, track.translations, time);
    posed[static_cast<std::size_t>(track.joint)].rest_local = local;
  }
  return rest_transforms(posed);
}

}  // namespace pliant
