#include "pliant/io/point_cache.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pliant/base/error.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::file_bytes;
using testing_support::message_of;
using testing_support::TemporaryFolder;

std::string sample(const TemporaryFolder& folder, Index points, int frames) {
  PointCacheWriter writer(folder / "sample.pc2", points);
  for (int f = 0; f < frames; ++f) writer.add(Points::Constant(points, 3, f + 0.25));
  writer.finish();
  return file_bytes(folder / "sample.pc2");
}

}  // namespace

TEST(PointCache, ComesBackInSinglePrecision) {
  const TemporaryFolder folder;
  std::vector<Points> frames;
  PointCacheWriter writer(folder / "a.pc2", 7);
  for (int f = 0; f < 5; ++f) {
    frames.push_back(Points::Random(7, 3));
    writer.add(frames.back());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pc2"));  // not before the end
  writer.finish();
  const PointCache cache = read_pc2_file(folder / "a.pc2");
  ASSERT_EQ(cache.frames.size(), 5u);
  for (std::size_t f = 0; f < 5; ++f) EXPECT_EQ(cache.frames[f], frames[f].cast<float>().cast<double>());
  EXPECT_EQ(cache.start, 0);
  EXPECT_EQ(cache.rate, 1);
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(PointCache, HasTheHeaderOtherProgramsExpect) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder, 4, 3);
  EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
  const auto number = [&](std::size_t offset) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, 4);
    return value;
  };
  EXPECT_EQ(number(12), 1);
  EXPECT_EQ(number(16), 4);
  EXPECT_EQ(number(28), 3);
  EXPECT_EQ(bytes.size(), 32u + 3 * 4 * 12);
}

TEST(PointCache, WithoutAnEndNothingRemains) {
  const TemporaryFolder folder;
  const std::string before = sample(folder, 4, 3);
  {
    PointCacheWriter writer(folder / "sample.pc2", 4);
    writer.add(Points::Zero(4, 3));
  }
  EXPECT_EQ(file_bytes(folder / "sample.pc2"), before);
  EXPECT_EQ(folder.file_count(), 1);
}

TEST(PointCache, EveryPrefixAndEveryTailIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = sample(folder, 4, 3);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read_pc2(bytes.substr(0, size)), InputError);
  EXPECT_THROW(read_pc2(bytes + "x"), InputError);
}

TEST(PointCache, AHeaderCannotAskForMoreThanTheFileHolds) {
  const TemporaryFolder folder;
  const std::string good = sample(folder, 4, 3);
  const auto with = [&](std::size_t offset, std::int32_t value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + offset, &value, 4);
    return message_of([&] { read_pc2(bytes); });
  };
  EXPECT_TRUE(contains(with(0, 0), "POINTCACHE2"));
  EXPECT_TRUE(contains(with(12, 2), "version 2"));
  EXPECT_TRUE(contains(with(16, 2147483647), "144 bytes follow"));
  EXPECT_TRUE(contains(with(28, 2147483647), "144 bytes follow"));
  EXPECT_TRUE(contains(with(16, -4), "negative"));
  std::string none = good.substr(0, 32);
  const std::int32_t many = 2147483647, zero = 0;
  std::memcpy(none.data() + 16, &zero, 4);
  std::memcpy(none.data() + 28, &many, 4);
  EXPECT_THROW(read_pc2(none), InputError);
  std::memcpy(none.data() + 16, &many, 4);
  std::memcpy(none.data() + 28, &zero, 4);
  EXPECT_TRUE(read_pc2(none).frames.empty());  // no frame of many points: nothing to hold
}

TEST(PointCache, WrongFramesAreSentences) {
  const TemporaryFolder folder;
  PointCacheWriter writer(folder / "a.pc2", 4);
  EXPECT_TRUE(
      contains(message_of([&] { writer.add(Points::Zero(3, 3)); }), "a frame of 3 points; expected 4"));
  EXPECT_TRUE(contains(message_of([&] { PointCacheWriter(folder / "a.pc2.gz", 4); }), "leave out .gz"));
}

}  // namespace pliant
