#include "pliant/io/asset_file.h"

#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <assimp/Exporter.hpp>
#include <memory>
#include <set>

#include "pliant/base/error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/gltf_writer.h"
#include "support/meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using Eigen::Matrix4d;
using testing_support::contains;
using testing_support::file_bytes;
using testing_support::message_of;
using testing_support::real_meshes;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

TriMesh tetrahedron() {
  TriMesh mesh{Points(4, 3), Triangles(4, 3)};
  mesh.vertices << 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3;
  mesh.triangles << 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2;
  return mesh;
}

// Linear blend skinning, the definition.
Points skinned(const RigFile& rig, const std::vector<Matrix4d>& world) {
  Points result = Points::Zero(rig.mesh.vertices.rows(), 3);
  for (Index i = 0; i < rig.weights.rows(); ++i)
    for (SparseRows::InnerIterator w(rig.weights, i); w; ++w) {
      const auto j = static_cast<std::size_t>(w.col());
      const Vector4d x(rig.mesh.vertices(i, 0), rig.mesh.vertices(i, 1), rig.mesh.vertices(i, 2), 1);
      result.row(i) += w.value() * (world[j] * rig.joints[j].inverse_bind * x).head<3>().transpose();
    }
  return result;
}

double box_diagonal(const Points& points) {
  return (points.colwise().maxCoeff() - points.colwise().minCoeff()).norm();
}

void expect_sound(const RigFile& rig) {
  ASSERT_EQ(rig.weights.rows(), rig.mesh.vertices.rows());
  ASSERT_EQ(rig.weights.cols(), static_cast<Index>(rig.joints.size()));
  for (Index i = 0; i < rig.weights.rows(); ++i) EXPECT_NEAR(rig.weights.row(i).sum(), 1, 1e-6);
  for (std::size_t j = 0; j < rig.joints.size(); ++j) EXPECT_LT(rig.joints[j].parent, static_cast<int>(j));
  std::vector<Matrix4d> bind;
  for (const RigJoint& joint : rig.joints) bind.push_back(joint.inverse_bind.inverse());
  EXPECT_LT((skinned(rig, bind) - rig.mesh.vertices).cwiseAbs().maxCoeff(),
            1e-5 * box_diagonal(rig.mesh.vertices));
}

// === A rig of our own: a bar along x, two joints, the second of which turns; an armature node above them
// that lifts everything by 10, and a triangle without skin that hangs at the second joint. The bar is bound
// at any height: its skin takes it to the joints.

constexpr int kBarVertices = 8;

std::unique_ptr<aiScene> bar_scene(float height) {
  auto scene = std::make_unique<aiScene>();
  const auto node = [](const char* name, aiNode* parent, const aiVector3D& move) {
    auto* made = new aiNode(name);
    aiMatrix4x4::Translation(move, made->mTransformation);
    if (parent) parent->addChildren(1, &made);
    return made;
  };
  scene->mRootNode = node("root", nullptr, {});
  aiNode* armature = node("armature", scene->mRootNode, {0, 10, 0});
  aiNode* shoulder = node("shoulder", armature, {0, 0, 0});
  aiNode* elbow = node("elbow", shoulder, {2, 0, 0});
  aiNode* body = node("bar", scene->mRootNode, {0, 0, 0});
  aiNode* held = node("held", elbow, {2, 0, 0});

  scene->mNumMaterials = 1;
  scene->mMaterials = new aiMaterial* [1] { new aiMaterial };
  scene->mNumMeshes = 2;
  scene->mMeshes = new aiMesh* [2] { new aiMesh, new aiMesh };
  for (unsigned m = 0; m < 2; ++m) {
    aiNode* holder = m == 0 ? body : held;
    holder->mNumMeshes = 1;
    holder->mMeshes = new unsigned[1]{m};
  }

  aiMesh& bar = *scene->mMeshes[0];
  bar.mName = "bar";
  bar.mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
  bar.mNumVertices = kBarVertices;
  bar.mVertices = new aiVector3D[kBarVertices];
  bar.mNormals = new aiVector3D[kBarVertices];
  for (int i = 0; i < kBarVertices; ++i) {
    bar.mVertices[i] = aiVector3D(static_cast<float>(i / 2), height, static_cast<float>(i % 2));
    bar.mNormals[i] = aiVector3D(0, 1, 0);
  }
  bar.mNumFaces = kBarVertices - 2;
  bar.mFaces = new aiFace[bar.mNumFaces];
  for (unsigned f = 0; f < bar.mNumFaces; ++f) {
    bar.mFaces[f].mNumIndices = 3;
    bar.mFaces[f].mIndices = f % 2 ? new unsigned[3]{f + 1, f, f + 2} : new unsigned[3]{f, f + 1, f + 2};
  }
  bar.mNumBones = 2;
  bar.mBones = new aiBone* [2] { new aiBone, new aiBone };
  bar.mBones[0]->mName = "shoulder";
  bar.mBones[1]->mName = "elbow";
  aiMatrix4x4::Translation({0, -height, 0}, bar.mBones[0]->mOffsetMatrix);
  aiMatrix4x4::Translation({-2, -height, 0}, bar.mBones[1]->mOffsetMatrix);
  for (int b = 0; b < 2; ++b) {  // shoulder: x = 0, 1 and half of 2; elbow: half of 2, and 3
    bar.mBones[b]->mNumWeights = b == 0 ? 6 : 4;
    bar.mBones[b]->mWeights = new aiVertexWeight[bar.mBones[b]->mNumWeights];
    for (unsigned w = 0; w < bar.mBones[b]->mNumWeights; ++w) {
      const unsigned v = b == 0 ? w : 4 + w;
      bar.mBones[b]->mWeights[w] = aiVertexWeight(v, v / 2 == 2 ? 0.5f : 1.0f);
    }
  }

  aiMesh& box = *scene->mMeshes[1];
  box.mName = "held";
  box.mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
  box.mNumVertices = 3;
  box.mVertices = new aiVector3D[3]{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  box.mNormals = new aiVector3D[3]{{0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
  box.mNumFaces = 1;
  box.mFaces = new aiFace[1];
  box.mFaces[0].mNumIndices = 3;
  box.mFaces[0].mIndices = new unsigned[3]{0, 1, 2};

  // The elbow turns by 90 degrees about z within one second.
  scene->mNumAnimations = 1;
  scene->mAnimations = new aiAnimation* [1] { new aiAnimation };
  aiAnimation& wave = *scene->mAnimations[0];
  wave.mName = "wave";
  wave.mDuration = 1;
  wave.mTicksPerSecond = 1;
  wave.mNumChannels = 1;
  wave.mChannels = new aiNodeAnim* [1] { new aiNodeAnim };
  aiNodeAnim& channel = *wave.mChannels[0];
  channel.mNodeName = "elbow";
  channel.mNumPositionKeys = channel.mNumScalingKeys = channel.mNumRotationKeys = 2;
  channel.mPositionKeys = new aiVectorKey[2]{{0, {2, 0, 0}}, {1, {2, 0, 0}}};
  channel.mScalingKeys = new aiVectorKey[2]{{0, {1, 1, 1}}, {1, {1, 1, 1}}};
  channel.mRotationKeys = new aiQuatKey[2]{{0, aiQuaternion(1, 0, 0, 0)},
                                           {1, aiQuaternion(std::sqrt(0.5f), 0, 0, std::sqrt(0.5f))}};
  return scene;
}

std::filesystem::path exported_bar(const TemporaryFolder& folder, const std::string& format,
                                   const std::string& name, float height = 10) {
  const auto path = folder / name;
  Assimp::Exporter exporter;
  EXPECT_EQ(exporter.Export(bar_scene(height).get(), format, path.string()), aiReturn_SUCCESS)
      << exporter.GetErrorString();
  return path;
}

void expect_bar(const RigFile& rig, double scale) {
  expect_sound(rig);
  ASSERT_EQ(rig.joints.size(), 2u);
  EXPECT_EQ(rig.joints[0].name, "shoulder");
  EXPECT_EQ(rig.joints[1].name, "elbow");
  EXPECT_EQ(rig.joints[1].parent, 0);
  EXPECT_EQ(rig.mesh.vertices.rows(), kBarVertices + 3);
  EXPECT_EQ(rig.mesh.triangles.rows(), kBarVertices - 2 + 1);

  // At rest the joints show the mesh as it is: the bar at height 10, wherever it was bound.
  EXPECT_LT((skinned(rig, rest_transforms(rig.joints)) - rig.mesh.vertices).norm(), 1e-4 * scale);
  EXPECT_LT((rig.mesh.vertices.col(1).array() - 10 * scale).abs().maxCoeff(), 1e-4 * scale);

  // After a second the held triangle and the bar's end point up.
  ASSERT_EQ(rig.animations.size(), 1u);
  EXPECT_NEAR(rig.animations[0].duration, 1, 1e-3);
  const Points moved = skinned(rig, animated_transforms(rig, rig.animations[0], 1));
  const auto place_after = [&](const Vector3d& before) {
    for (Index i = 0; i < moved.rows(); ++i)
      if ((rig.mesh.vertices.row(i).transpose() - scale * before).norm() < 1e-4 * scale)
        return Vector3d(moved.row(i) / scale);
    ADD_FAILURE() << "no vertex at " << before.transpose();
    return Vector3d(0, 0, 0);
  };
  EXPECT_LT((place_after({1, 10, 0}) - Vector3d(1, 10, 0)).norm(), 1e-4);
  EXPECT_LT((place_after({3, 10, 0}) - Vector3d(2, 11, 0)).norm(), 1e-4);
  EXPECT_LT((place_after({5, 10, 0}) - Vector3d(2, 13, 0)).norm(), 1e-4);
  const Points half = skinned(rig, animated_transforms(rig, rig.animations[0], 0.5));
  EXPECT_NEAR((half - moved).norm(), (half - rig.mesh.vertices).norm(), 1e-3 * scale);  // half of the way
}

// === A binary FBX file by hand: a tree of records, each with the offset of its end

struct FbxRecord {
  std::string name;
  std::string properties = {};
  int property_count = 0;
  std::vector<FbxRecord> children = {};

  template <class T>
  static std::string raw(const T& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  FbxRecord& add(char type, const std::string& bytes) {
    properties += type + bytes;
    ++property_count;
    return *this;
  }
  FbxRecord& integer(std::int32_t value) { return add('I', raw(value)); }
  FbxRecord& id(std::int64_t value) { return add('L', raw(value)); }
  FbxRecord& number(double value) { return add('D', raw(value)); }
  FbxRecord& text(const std::string& value) {
    return add('S', raw(static_cast<std::uint32_t>(value.size())) + value);
  }
  template <class T>
  FbxRecord& list(char type, const std::vector<T>& values) {
    std::string bytes = raw(static_cast<std::uint32_t>(values.size())) + raw(std::uint32_t{0}) +
                        raw(static_cast<std::uint32_t>(values.size() * sizeof(T)));
    for (const T& value : values) bytes += raw(value);
    return add(type, bytes);
  }
  FbxRecord& with(FbxRecord child) {
    children.push_back(std::move(child));
    return *this;
  }
  std::string bytes(std::size_t offset) const {
    const std::string end(13, '\0');  // what closes a list of records
    std::string body = name + properties;
    for (const FbxRecord& child : children) body += child.bytes(offset + 13 + body.size());
    if (!children.empty()) body += end;
    return raw(static_cast<std::uint32_t>(offset + 13 + body.size())) +
           raw(static_cast<std::uint32_t>(property_count)) +
           raw(static_cast<std::uint32_t>(properties.size())) + static_cast<char>(name.size()) + body;
  }
};

// A rectangle of 100 x 200 units in the plane z = 300.
std::string binary_fbx(int up_axis, double centimetres) {
  const auto setting = [](const char* name, const char* type) {
    return FbxRecord{"P"}.text(name).text(type).text("").text("");
  };
  const std::vector<FbxRecord> top = {
      FbxRecord{"FBXHeaderExtension"}.with(FbxRecord{"FBXVersion"}.integer(7400)),
      FbxRecord{"GlobalSettings"}.with(FbxRecord{"Properties70"}
                                           .with(setting("UpAxis", "int").integer(up_axis))
                                           .with(setting("UpAxisSign", "int").integer(1))
                                           .with(setting("UnitScaleFactor", "double").number(centimetres))),
      FbxRecord{"Objects"}
          .with(FbxRecord{"Geometry"}
                    .id(10)
                    .text(std::string("sheet\0\1Geometry", 15))
                    .text("Mesh")
                    .with(FbxRecord{"Vertices"}.list<double>(
                        'd', {0, 0, 300, 100, 0, 300, 100, 200, 300, 0, 200, 300}))
                    .with(FbxRecord{"PolygonVertexIndex"}.list<std::int32_t>('i', {0, 1, 2, -4})))
          .with(FbxRecord{"Model"}
                    .id(20)
                    .text(std::string("sheet\0\1Model", 12))
                    .text("Mesh")
                    .with(FbxRecord{"Version"}.integer(232))),
      FbxRecord{"Connections"}
          .with(FbxRecord{"C"}.text("OO").id(20).id(0))
          .with(FbxRecord{"C"}.text("OO").id(10).id(20)),
  };
  std::string file = std::string("Kaydara FBX Binary  \0\x1a\0", 23) + FbxRecord::raw(std::uint32_t{7400});
  for (const FbxRecord& record : top) file += record.bytes(file.size());
  return file + std::string(13, '\0');
}

}  // namespace

TEST(AssetFile, BinaryFbxInMetresWithYUp) {
  const TemporaryFolder folder;
  Points expected(4, 3);
  expected << 0, 0, 3, 1, 0, 3, 1, 2, 3, 0, 2, 3;
  const auto read = [&](int up_axis, double centimetres) {
    write_bytes(folder / "a.fbx", binary_fbx(up_axis, centimetres));
    return read_asset(folder / "a.fbx");
  };
  EXPECT_EQ(read(1, 1).triangles.rows(), 2);
  EXPECT_LT((read(1, 1).vertices - expected).norm(), 1e-6);
  EXPECT_LT((read(1, 2.54).vertices - 2.54 * expected).norm(), 1e-6);
  // z up: (x, y, z) is (x, z, -y) here.
  Points turned(4, 3);
  turned << expected.col(0), expected.col(2), -expected.col(1);
  EXPECT_LT((read(2, 1).vertices - turned).norm(), 1e-6);
}

TEST(AssetFile, TheDoorForMeshesClosesFbxAgain) {
  const TemporaryFolder folder;  // a strip of 8 vertices and 6 triangles, and a triangle by itself
  const MeshData mesh = read_mesh(exported_bar(folder, "fbxa", "bar.fbx"));
  EXPECT_EQ(mesh.vertices.rows(), kBarVertices + 3);
  EXPECT_EQ(mesh.triangles.rows(), kBarVertices - 2 + 1);
}

TEST(AssetFile, WhatTheWriterWroteIsReadBack) {
  const TemporaryFolder folder;
  for (const char* name : {"a.glb", "a.gltf", "a.glb.gz", "a.gltf.gz"}) {
    write_glb(folder / name, tetrahedron());
    const MeshData mesh = read_asset(folder / name);
    EXPECT_EQ(mesh.vertices, tetrahedron().vertices) << name;
    EXPECT_EQ(mesh.triangles, tetrahedron().triangles) << name;
    EXPECT_FALSE(mesh.has_tets());
  }
}

TEST(AssetFile, TheDoorForMeshesOpensGltf) {
  const TemporaryFolder folder;
  for (const char* name : {"a.glb", "a.gltf", "a.GLB.gz"}) {
    write_mesh(folder / name, {tetrahedron().vertices, tetrahedron().triangles, {}});
    const MeshData mesh = read_mesh(folder / name);
    EXPECT_EQ(mesh.vertices, tetrahedron().vertices) << name;
    EXPECT_EQ(mesh.triangles, tetrahedron().triangles) << name;
  }
  EXPECT_TRUE(contains(message_of([&] { write_mesh(folder / "a.fbx", {}); }), "only read"));
}

TEST(AssetFile, MergingClosesSeamsAndKeepsTriangles) {
  const TemporaryFolder folder;
  const TriMesh closed = tetrahedron();
  TriMesh soup{Points(12, 3), Triangles(4, 3)};
  for (int i = 0; i < 12; ++i) {
    soup.vertices.row(i) = closed.vertices.row(closed.triangles(i / 3, i % 3));
    soup.triangles(i / 3, i % 3) = i;
  }
  soup.vertices(0, 0) = -0.0;  // the same place as 0
  write_glb(folder / "a.glb", soup);
  EXPECT_EQ(read_asset(folder / "a.glb").vertices.rows(), 12);
  const MeshData merged = read_asset(folder / "a.glb", {.merge_vertices = true});
  EXPECT_EQ(merged.vertices.rows(), 4);
  for (Index t = 0; t < 4; ++t)
    for (int corner = 0; corner < 3; ++corner)
      EXPECT_EQ(merged.vertices.row(merged.triangles(t, corner)),
                closed.vertices.row(closed.triangles(t, corner)));
}

TEST(AssetFile, ARigThroughGlb) {
  const TemporaryFolder folder;
  expect_bar(read_rig(exported_bar(folder, "glb2", "bar.glb")), 1);
  expect_bar(read_rig(exported_bar(folder, "glb2", "bar.glb", 0)), 1);
}

TEST(AssetFile, ARigThroughFbxInMetres) {
  const TemporaryFolder folder;  // FBX numbers are centimetres
  expect_bar(read_rig(exported_bar(folder, "fbxa", "bar.fbx")), 0.01);
}

TEST(AssetFile, ASurfaceIsWhereItsNodesPutIt) {
  const TemporaryFolder folder;
  const MeshData mesh = read_asset(exported_bar(folder, "glb2", "bar.glb"));
  EXPECT_EQ(mesh.vertices.rows(), kBarVertices + 3);
  EXPECT_NEAR(mesh.vertices.col(0).maxCoeff(), 5, 1e-5);  // held: 2 + 2 + 1
  EXPECT_NEAR(mesh.vertices.col(1).minCoeff(), 10, 1e-5);
}

TEST(AssetFile, RealRigsHaveTheirCounts) {
  const auto meshes = real_meshes();
  if (!meshes) GTEST_SKIP() << "no folder of real meshes";
  struct Expected {
    const char* name;
    Index vertices, triangles;
    std::size_t joints, animations;
  };
  for (const Expected& expected :
       {Expected{"CesiumMan.glb", 3273, 4672, 19, 1}, Expected{"Fox.glb", 1728, 576, 24, 3},
        Expected{"webxr_hand_left.glb", 1360, 2314, 25, 0}}) {
    SCOPED_TRACE(expected.name);
    const auto path = *meshes / "rig" / expected.name;
    const MeshData mesh = read_asset(path);
    EXPECT_EQ(mesh.vertices.rows(), expected.vertices);
    EXPECT_EQ(mesh.triangles.rows(), expected.triangles);
    const RigFile rig = read_rig(path);
    expect_sound(rig);
    EXPECT_EQ(rig.joints.size(), expected.joints);
    EXPECT_EQ(rig.animations.size(), expected.animations);
    EXPECT_EQ(rig.mesh.triangles.rows(), expected.triangles);
    EXPECT_LT(rig.mesh.vertices.rows(), expected.vertices);  // seams are closed
    EXPECT_EQ(read_rig(path, {.merge_vertices = false}).mesh.vertices.rows(), expected.vertices);
    const double rest = (skinned(rig, rest_transforms(rig.joints)) - rig.mesh.vertices).cwiseAbs().maxCoeff();
    const double box = box_diagonal(rig.mesh.vertices);
    EXPECT_LT(rest, 1e-6 * box);  // these three are bound as they rest
    for (const RigAnimation& animation : rig.animations)
      for (const double part : {0.0, 0.3, 1.0}) {  // they move, and stay in one piece
        const Points moved = skinned(rig, animated_transforms(rig, animation, part * animation.duration));
        EXPECT_GT((moved - rig.mesh.vertices).rowwise().norm().maxCoeff(), 0.01 * box);
        EXPECT_NEAR(box_diagonal(moved), box, 0.3 * box);
      }
  }
}

TEST(AssetFile, DamagedFilesAreSentences) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    write_bytes(folder / name, bytes);
    return message_of([&] { read_asset(folder / name); });
  };
  EXPECT_TRUE(contains(refused("a.glb", ""), "a.glb: the file is empty"));
  EXPECT_TRUE(contains(refused("a.glb", "glTF"), "a.glb: cannot be read"));
  EXPECT_TRUE(contains(refused("a.gltf", "{\"asset\": {\"version\": \"2.0\"}}"), "a.gltf: "));
  EXPECT_TRUE(contains(refused("a.fbx", "nothing of the kind"), "a.fbx: cannot be read"));
  EXPECT_TRUE(contains(message_of([&] { read_asset(folder / "none.glb"); }), "none.glb"));
  write_glb(folder / "a.glb", tetrahedron());
  EXPECT_TRUE(contains(message_of([&] { read_rig(folder / "a.glb"); }), "no surface in it has a skin"));
}

TEST(AssetFile, NoPrefixOfAFileCrashes) {
  const TemporaryFolder folder;
  for (const auto& [format, name] : {std::pair("glb2", "bar.glb"), std::pair("fbxa", "bar.fbx")}) {
    const std::string bytes = file_bytes(exported_bar(folder, format, name));
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 100) {
      write_bytes(folder / name, bytes.substr(0, size));
      try {
        read_rig(folder / name);
      } catch (const InputError& error) {
        EXPECT_TRUE(contains(error.what(), name));
      }
    }
  }
}

}  // namespace pliant
