#include "pliant/io/frame_sequence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pliant/base/error.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/point_cache.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::message_of;
using testing_support::TemporaryFolder;

/// An array of numpy as bytes.
template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values,
                const std::string& order = "False") {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() % 256);
  out += static_cast<char>(header.size() / 256);
  out += header;
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return out;
}

MeshData square(double lifted) {
  MeshData mesh;
  mesh.vertices.resize(4, 3);
  mesh.vertices << 0, 0, 0, 1, 0, 0, 1, 1, lifted, 0, 1, 0;
  mesh.triangles.resize(2, 3);
  mesh.triangles << 0, 1, 2, 0, 2, 3;
  return mesh;
}

}  // namespace

TEST(FrameSequence, ArraysOfNumpyAreRead) {
  std::vector<float> single(24);
  for (std::size_t i = 0; i < single.size(); ++i) single[i] = 0.5f * static_cast<float>(i);
  const std::vector<double> twice(single.begin(), single.end());
  const std::vector<Points> a = read_npy_frames(npy("<f4", "(2, 4, 3)", single)),
                            b = read_npy_frames(npy("<f8", "(2, 4, 3)", twice));
  ASSERT_EQ(a.size(), 2u);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[1](3, 2), 11.5);
  EXPECT_EQ(read_npy_frames(npy("<f4", "(8, 3)", single)).size(), 1u);
}

TEST(FrameSequence, WrongArraysGetASentence) {
  const std::vector<float> some(12);
  const auto refusal = [](const std::string& bytes) { return message_of([&] { read_npy_frames(bytes); }); };
  EXPECT_TRUE(contains(refusal("hello, array"), "does not begin as an array of numpy"));
  EXPECT_TRUE(contains(refusal(npy("<i4", "(1, 4, 3)", some)), "'<i4'"));
  EXPECT_TRUE(contains(refusal(npy("<f4", "(1, 4, 3)", some, "True")), "order of Fortran"));
  EXPECT_TRUE(contains(refusal(npy("<f4", "(3, 4)", some)), "expected (frames, points, 3)"));
  EXPECT_TRUE(contains(refusal(npy("<f4", "(2, 4, 3)", some)), "numbers of a frame"));
  EXPECT_TRUE(contains(refusal(npy("<f4", "(99999999999, 4, 3)", some)), "larger than any mesh"));
}

TEST(FrameSequence, MeshesPointCachesAndRecordedFramesAllCome) {
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> meshes;
  Snapshots recorded;
  PointCacheWriter cache(folder / "a.pc2", 4);
  for (int f = 0; f < 3; ++f) {
    const MeshData mesh = square(0.25 * f);
    meshes.push_back(folder / ("frame" + std::to_string(f) + ".obj"));
    write_mesh(meshes.back(), mesh);
    cache.add(mesh.vertices);
    recorded.frames.push_back(mesh.vertices);
  }
  cache.finish();
  recorded.times = VectorXd::LinSpaced(3, 0, 2);
  recorded.projections["tet_strain"].assign(3, Eigen::MatrixXf::Constant(9, 2, 0.5f));
  write_snapshots(folder / "a.safetensors", recorded);
  EXPECT_EQ(read_snapshots(folder / "a.safetensors").projections, recorded.projections);
  const SnapshotFile mapped(folder / "a.safetensors");
  double some[6];
  mapped.read(2, 1, 2, some);
  EXPECT_EQ(some[5], recorded.frames[2](2, 2));
  EXPECT_EQ(mapped.constraints("tet_strain"), 2);
  double one[9];
  mapped.read_projections("tet_strain", 1, 1, 1, one);
  EXPECT_EQ(one[8], 0.5);
  for (const auto& files : {meshes, {folder / "a.pc2"}, {folder / "a.safetensors"}}) {
    const Snapshots read = read_frame_sequence(files);
    EXPECT_EQ(read.frames, recorded.frames);
    EXPECT_EQ(read.times, recorded.times);
  }
}

TEST(FrameSequence, TheFrameThatDiffersIsNamed) {
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  for (int f = 0; f < 3; ++f) {
    MeshData mesh = square(0.1 * f);
    if (f == 2) mesh.triangles.row(1) << 0, 1, 3;
    files.push_back(folder / ("frame" + std::to_string(f) + ".obj"));
    write_mesh(files.back(), mesh);
  }
  EXPECT_TRUE(contains(message_of([&] { read_frame_sequence(files); }), "frame 2 has another connectivity"));
  MeshData less = square(0);
  less.vertices.conservativeResize(3, 3);
  less.triangles.conservativeResize(1, 3);
  write_mesh(files[1], less);
  EXPECT_TRUE(contains(message_of([&] { read_frame_sequence(files); }), "frame 1 has 3 vertices"));
  std::vector<float> broken(24, 1);
  broken[13] = std::nanf("");
  std::ofstream(folder / "a.npy", std::ios::binary) << npy("<f4", "(2, 4, 3)", broken);
  EXPECT_TRUE(contains(message_of([&] { read_frame_sequence({folder / "a.npy"}); }), "frame 1 has a number"));
}

}  // namespace pliant
