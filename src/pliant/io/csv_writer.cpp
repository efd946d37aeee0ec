#include "pliant/io/csv_writer.h"

#include <fmt/format.h>

#include "pliant/base/error.h"

namespace pliant {
namespace {

// RFC 4180: a field with a comma, a quote or a line break stands in quotes, and a quote in it is doubled.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

CsvWriter::CsvWriter(const std::filesystem::path& path, std::vector<CsvColumn> columns,
                     const CsvOptions& options)
    : path_(path), columns_(columns.size()) {
  if (columns.empty()) throw InputError(fmt::format("{}: a table needs a column", path.string()));
  if (options.live)
    live_.open(path, std::ios::binary | std::ios::trunc);
  else
    whole_ = std::make_unique<AtomicFile>(path);
  std::string line;
  for (const CsvColumn& column : columns) {
    if (!line.empty()) line += ',';
    line += field(column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit));
  }
  write_line(line);
}

void CsvWriter::add(std::span<const double> row) {
  if (row.size() != columns_)
    throw InputError(
        fmt::format("{}: a row of {} numbers; expected {}", path_.string(), row.size(), columns_));
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{}", i ? "," : "", row[i]);
  write_line(line);
}

void CsvWriter::write_line(const std::string& line) {
  if (whole_) {
    whole_->stream() << line << '\n';
    return;
  }
  live_ << line << '\n' << std::flush;
  if (!live_) throw Error(fmt::format("{}: cannot write", path_.string()));
}

void CsvWriter::finish() {
  if (whole_)
    whole_->commit();
  else
    live_.close();
}

}  // namespace pliant
