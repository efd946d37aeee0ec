#pragma once
// Tables of numbers as .csv: energies and timings of a run, errors of a study.
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pliant/io/atomic_file.h"

namespace pliant {

struct CsvColumn {
  std::string name;
  std::string unit = {};  ///< "s", "J"; empty for a plain number. The header reads "time [s]".
};

struct CsvOptions {
  /// False: the file appears whole with finish(), and not at all without. True, for long runs: it is begun at
  /// once and every row is on its way to disk when add() returns, so that it can be watched and an
  /// interrupted run keeps what it had.
  bool live = false;
};

/// Numbers are written with as many digits as bring the same number back.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& path, std::vector<CsvColumn> columns,
            const CsvOptions& options = {});

  void add(std::span<const double> row);
  void add(std::initializer_list<double> row) { add(std::span(row.begin(), row.size())); }
  void finish();

 private:
  void write_line(const std::string& line);

  std::filesystem::path path_;
  std::size_t columns_;
  std::unique_ptr<AtomicFile> whole_;  // one of these two
  std::ofstream live_;
};

}  // namespace pliant
