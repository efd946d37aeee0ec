#include "pliant/io/input_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/io/atomic_file.h"
#include "sample_meshes.h"
#include "support/source_folder.h"

namespace pliant {
namespace {

using testing_support::TemporaryFolder;

std::string random_text(std::size_t size) {
  Rng rng(5);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + rng.integer(20));
  return text;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    const InputFile file(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(InputFile, PlainAndGzippedAreTheSameBytes) {
  TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 100, 3000000}) {
    const std::string text = random_text(size);
    for (const char* name : {"a.txt", "a.txt.gz"}) {
      write_atomically(folder.path() / name, [&](std::ostream& out) { out << text; });
      EXPECT_EQ(InputFile(folder.path() / name).bytes(), text) << name << ' ' << size;
    }
  }
}

TEST(InputFile, GzipIsKnownByItsBytesNotItsName) {
  TemporaryFolder folder;
  write_atomically(folder.path() / "a.gz", [&](std::ostream& out) { out << "text"; });
  std::filesystem::rename(folder.path() / "a.gz", folder.path() / "a.txt");
  EXPECT_EQ(InputFile(folder.path() / "a.txt").bytes(), "text");
}

TEST(InputFile, MembersFollowEachOther) {
  const InputFile file(testing_support::source_folder() / "fuzz/seeds/gzip/two_members.gz");
  EXPECT_EQ(file.bytes(), "one two");
}

TEST(InputFile, ACutFileIsASentence) {
  TemporaryFolder folder;
  const auto path = folder.path() / "a.gz";
  write_atomically(path, [&](std::ostream& out) { out << random_text(10000); });
  const auto size = std::filesystem::file_size(path);
  for (const auto cut : {size - 1, size / 2, std::uintmax_t{11}, std::uintmax_t{2}}) {
    std::filesystem::resize_file(path, cut);
    EXPECT_NE(message_of(path).find("ends early"), std::string::npos) << message_of(path);
  }
}

TEST(InputFile, ABrokenFileIsASentence) {
  TemporaryFolder folder;
  const auto path = folder.path() / "a.gz";
  write_atomically(path, [&](std::ostream& out) { out << random_text(10000); });
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(3000)
      .write("\xff\xff\xff\xff", 4);
  EXPECT_NE(message_of(path).find("gzip: byte"), std::string::npos) << message_of(path);
}

TEST(InputFile, ABombIsStopped) {
  TemporaryFolder folder;
  const auto path = folder.path() / "a.gz";
  write_atomically(path, [&](std::ostream& out) { out << std::string(10 << 20, '\0'); });
  EXPECT_NO_THROW(InputFile{path});
  EXPECT_THROW(InputFile(path, {.largest_ratio = 200, .allowance = 1 << 20}), InputError);
}

TEST(InputFile, WhatCannotBeReadIsASentence) {
  TemporaryFolder folder;
  EXPECT_NE(message_of(folder.path() / "missing").find("No such file"), std::string::npos);
  EXPECT_NE(message_of(folder.path()).find("directory"), std::string::npos);
}

}  // namespace pliant
