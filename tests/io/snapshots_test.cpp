#include "pliant/io/snapshots.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/io/safetensors.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::message_of;
using testing_support::TemporaryFolder;

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

}  // namespace pliant
