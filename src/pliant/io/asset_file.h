#pragma once
// What artists' tools export, .gltf, .glb and .fbx, read through assimp: surfaces, and rigs with their
// motion.
//
// A rig is plain data here. With W_j the transform of joint j from its own frame to the world, a skinned
// vertex is
//
//     x = sum_j weights(i, j) W_j inverse_bind_j X_i
#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "pliant/io/mesh_file.h"
#include "pliant/numerics/types.h"

namespace pliant {

struct AssetOptions {
  /// Makes one vertex of those at exactly the same place (and, in a rig, with the same weights). Such files
  /// hold a vertex once for every normal or texture coordinate it has, so that the surface is cut open at
  /// seams; merging closes it.
  bool merge_vertices = false;
};

/// All surfaces of the file in one mesh, where its nodes put them, y up, metres, polygons split into triangles.
/// Without merging, the vertices of glTF are those of the file, in its order; FBX then has one for every corner
/// of every polygon, because assimp cuts there (read_mesh() merges FBX, and leaves glTF as it is).
MeshData read_asset(const std::filesystem::path& path, const AssetOptions& options = {});

struct RigJoint {
  std::string name;
  int parent = -1;                ///< before this joint in the list; -1 for a root
  Eigen::Matrix4d parent_offset;  ///< what lies still between parent (root: the world) and joint; mostly 1
  Eigen::Matrix4d rest_local;     ///< where the file leaves the joint, relative to parent_offset
  Eigen::Matrix4d inverse_bind;   ///< from the mesh's space to the joint's, when the mesh was bound
};

/// How one joint moves: its local transform is translation x rotation x scale, each interpolated between its
/// own keys and constant outside. Each has at least one key.
struct RigTrack {
  int joint = 0;
  VectorXd translation_times, rotation_times, scale_times;              ///< seconds, ascending
  Points translations;                                                  ///< metres
  Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> rotations;  ///< unit quaternions x, y, z, w
  Points scales;
};

struct RigAnimation {
  std::string name;
  double duration = 0;           ///< seconds
  std::vector<RigTrack> tracks;  ///< joints without a track stay at rest
};

struct RigFile {
  MeshData mesh;                 ///< as bound: skinning with W_j = inverse_bind_j^-1 gives it back
  std::vector<RigJoint> joints;  ///< parents first
  SparseRows weights;            ///< n x joints; rows sum to 1, or are empty where nothing moves a vertex
  std::vector<RigAnimation> animations;
};

/// Surface, skeleton, weights and animations. Joints are those that the file's skins name, and animated nodes
/// above them. Surfaces without a skin that hang below a joint move with it. Throws InputError where the file
/// has no skin.
RigFile read_rig(const std::filesystem::path& path, const AssetOptions& options = {.merge_vertices = true});

/// W_j of every joint in the pose the file leaves them in, which need not be the one the mesh was bound in.
std::vector<Eigen::Matrix4d> rest_transforms(const std::vector<RigJoint>& joints);

/// W_j at a time of an animation, in seconds.
std::vector<Eigen::Matrix4d> animated_transforms(const RigFile& rig, const RigAnimation& animation,
                                                 double time);

}  // namespace pliant
