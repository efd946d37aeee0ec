#include "pliant/io/csv_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/base/error.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::file_bytes;
using testing_support::TemporaryFolder;

}  // namespace

TEST(CsvWriter, NamesColumnsWithTheirUnitsAndKeepsEveryDigit) {
  const TemporaryFolder folder;
  CsvWriter table(folder / "a.csv", {{"time", "s"}, {"energy, \"total\"", "J"}, {"iterations"}});
  table.add({0.1, 1.0 / 3.0, 7});
  table.add({std::numeric_limits<double>::min(), -1e300, 0});
  EXPECT_EQ(folder.file_count(), 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.csv"));
  table.finish();
  EXPECT_EQ(file_bytes(folder / "a.csv"),
            "time [s],\"energy, \"\"total\"\" [J]\",iterations\n"
            "0.1,0.3333333333333333,7\n"
            "2.2250738585072014e-308,-1e+300,0\n");
}

TEST(CsvWriter, WithoutAnEndNothingRemains) {
  const TemporaryFolder folder;
  { CsvWriter(folder / "a.csv", {{"time", "s"}}).add({1.0}); }
  EXPECT_EQ(folder.file_count(), 0);
}

TEST(CsvWriter, ALiveTableIsReadableAllAlong) {
  const TemporaryFolder folder;
  {
    CsvWriter table(folder / "a.csv", {{"time", "s"}}, {.live = true});
    EXPECT_EQ(file_bytes(folder / "a.csv"), "time [s]\n");
    table.add({1.5});
    EXPECT_EQ(file_bytes(folder / "a.csv"), "time [s]\n1.5\n");
  }
  EXPECT_EQ(file_bytes(folder / "a.csv"), "time [s]\n1.5\n");  // an interrupted run keeps it
}

TEST(CsvWriter, WrongRowsAndPathsAreErrors) {
  const TemporaryFolder folder;
  CsvWriter table(folder / "a.csv", {{"time", "s"}, {"x", "m"}});
  EXPECT_THROW(table.add({1.0}), InputError);
  EXPECT_THROW(CsvWriter(folder / "b.csv", {}), InputError);
  EXPECT_THROW(CsvWriter(folder / "no" / "b.csv", {{"x"}}), Error);
  EXPECT_THROW(CsvWriter(folder / "no" / "b.csv", {{"x"}}, {.live = true}), Error);
}

}  // namespace pliant
