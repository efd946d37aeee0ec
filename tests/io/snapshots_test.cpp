#include "pliant/io/snapshots.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/io/input_file.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/point_cache.h"
#include "pliant/io/safetensors.h"
#include "support/meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::message_of;
using testing_support::TemporaryFolder;

// numpy's .npy, version 1, of float32 with three axes.
std::vector<Points> frames_of_npy(const std::filesystem::path& path) {
  const InputFile file(path);
  const std::string_view bytes = file.bytes();
  const std::size_t start = 10 + std::size_t{static_cast<unsigned char>(bytes[8])} +
                            256 * std::size_t{static_cast<unsigned char>(bytes[9])};
  const std::string header(bytes.substr(10, start - 10));
  EXPECT_TRUE(contains(header, "'<f4'") && contains(header, "'fortran_order': False")) << header;
  Index frames = 0, points = 0;
  EXPECT_EQ(std::sscanf(header.c_str() + header.find('('), "(%td, %td, 3)", &frames, &points), 2) << header;
  const auto* numbers = reinterpret_cast<const float*>(bytes.data() + start);
  EXPECT_EQ(bytes.size() - start, sizeof(float) * static_cast<std::size_t>(3 * frames * points));
  std::vector<Points> result;
  for (Index f = 0; f < frames; ++f)
    result.emplace_back(
        Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>, Eigen::Unaligned>(
            numbers + 3 * points * f, points, 3)
            .cast<double>());
  return result;
}

}  // namespace

TEST(Snapshots, ComeBackBitForBit) {
  const TemporaryFolder folder;
  const Snapshots written{{Points::Random(5, 3), Points::Random(5, 3), Points::Random(5, 3)},
                          VectorXd::LinSpaced(3, 0.5, 2)};
  write_snapshots(folder / "a.safetensors", written);
  const Snapshots read = read_snapshots(folder / "a.safetensors");
  EXPECT_EQ(read.frames, written.frames);
  EXPECT_EQ(read.times, written.times);
}

TEST(Snapshots, SinglePrecisionWithoutTimesIsTaken) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.add("positions", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3});
  writer.write(folder / "a.safetensors");
  const Snapshots read = read_snapshots(folder / "a.safetensors");
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.frames[1](1, 2), 12);
  EXPECT_EQ(read.times[1], 1);
}

TEST(Snapshots, WrongShapesAreSentences) {
  const TemporaryFolder folder;
  const auto path = folder / "a.safetensors";
  const auto refusal = [&](const std::vector<Index>& shape) {
    SafetensorsWriter writer;
    writer.add("positions", std::vector<double>(12), shape);
    writer.add("times", std::vector<double>(5));
    writer.write(path);
    return message_of([&] { read_snapshots(path); });
  };
  EXPECT_TRUE(contains(refusal({4, 3}), "shape [4, 3]; expected [frames, points, 3]"));
  EXPECT_TRUE(contains(refusal({3, 2, 2}), "shape [3, 2, 2]; expected [frames, points, 3]"));
  EXPECT_TRUE(contains(refusal({2, 2, 3}), "2 snapshots but 5 times"));
  EXPECT_THROW(write_snapshots(path, {{Points::Zero(2, 3), Points::Zero(3, 3)}, VectorXd::Zero(2)}),
               InputError);
  EXPECT_THROW(write_snapshots(path, {{Points::Zero(2, 3)}, VectorXd::Zero(2)}), InputError);
}

// Recorded motion on a real surface: the counts that its list states, there and back.
TEST(Snapshots, RealSequencesHaveTheirCountsAndComeBack) {
  const auto meshes = testing_support::real_meshes();
  if (!meshes) GTEST_SKIP() << "no folder of real meshes";
  struct Known {
    const char *sequence, *surface;
    std::size_t frames;
    Index points;
  };
  for (const Known& known : {Known{"seq/cheb_walk_38x6669.npy.gz", "rig/cheb_surface.off.gz", 38, 6669},
                             Known{"seq/horse_11x8431.npy.gz", "seq/horse_reference.off.gz", 11, 8431}}) {
    SCOPED_TRACE(known.sequence);
    const MeshData surface = read_mesh(*meshes / known.surface);
    EXPECT_EQ(surface.vertices.rows(), known.points);
    const Snapshots walk{frames_of_npy(*meshes / known.sequence),
                         VectorXd::LinSpaced(static_cast<Index>(known.frames), 0, 1)};
    ASSERT_EQ(walk.frames.size(), known.frames);
    ASSERT_EQ(walk.frames[0].rows(), known.points);
    const TemporaryFolder folder;
    write_snapshots(folder / "walk.safetensors", walk);
    EXPECT_EQ(read_snapshots(folder / "walk.safetensors").frames, walk.frames);
    PointCacheWriter writer(folder / "walk.pc2", known.points);
    for (const Points& frame : walk.frames) writer.add(frame);
    writer.finish();
    EXPECT_EQ(read_pc2_file(folder / "walk.pc2").frames, walk.frames);
  }
}

}  // namespace pliant
