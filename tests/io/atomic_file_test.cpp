#include "pliant/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "pliant/base/error.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

struct AtomicFiles : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("pliant_atomic_" + std::to_string(getpid()));
  AtomicFiles() { fs::create_directories(folder); }
  ~AtomicFiles() override { fs::remove_all(folder); }
  static std::string text(const fs::path& path) {
    std::stringstream stream;
    stream << std::ifstream(path).rdbuf();
    return stream.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

}  // namespace

TEST_F(AtomicFiles, ReplacesWhatWasThere) {
  const fs::path path = folder / "a.txt";
  write_atomically(path, [](std::ostream& out) { out << "old"; });
  write_atomically(path, [](std::ostream& out) { out << "new " << std::string(1 << 20, 'x'); });
  EXPECT_EQ(text(path).size(), 4u + (1 << 20));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AFailureLeavesTheOldFileAndNothingElse) {
  const fs::path path = folder / "a.txt";
  write_atomically(path, [](std::ostream& out) { out << "old"; });
  EXPECT_THROW(write_atomically(path,
                                [](std::ostream& out) {
                                  out << std::string(1 << 20, 'x');
                                  throw InputError("half way");
                                }),
               InputError);
  EXPECT_EQ(text(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AMissingFolderIsASentence) {
  try {
    write_atomically(folder / "no" / "a.txt", [](std::ostream&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

TEST_F(AtomicFiles, GzMeansCompressed) {
  const fs::path path = folder / "a.txt.gz";
  write_atomically(path, [](std::ostream& out) { out << std::string(100000, 'x'); });
  const std::string bytes = text(path);
  EXPECT_LT(bytes.size(), 1000u);
  EXPECT_EQ(bytes.substr(0, 2), "\x1f\x8b");
}

TEST_F(AtomicFiles, AFullDiskIsAnErrorNotAShortFile) {
  // A limit on file size makes write() fail as a full disk does.
  const fs::path path = folder / "a.txt";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_atomically(path, [](std::ostream& out) { out << std::string(1 << 20, 'x'); }), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFiles, AnOpenFileGrowsIsPatchedAndAppearsWithCommit) {
  const fs::path path = folder / "a.bin";
  {
    AtomicFile file(path);
    file.stream() << "count ? " << std::string(1 << 20, 'x');
    file.overwrite(6, "7");
    EXPECT_FALSE(fs::exists(path));
    file.stream() << "end";
    file.commit();
  }
  EXPECT_EQ(text(path), "count 7 " + std::string(1 << 20, 'x') + "end");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AnOpenFileWithoutCommitLeavesNothing) {
  { AtomicFile(folder / "a.bin").stream() << "half"; }
  EXPECT_EQ(files(), 0u);
}

}  // namespace pliant
