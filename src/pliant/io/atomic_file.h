#pragma once
// Files that appear whole or not at all.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string_view>

namespace pliant {

/// Writes to a temporary file beside `path`, flushes it to disk and renames it over `path`. If `write`
/// throws, or the disk is full, `path` is as it was before and no temporary file remains. A path that ends in
/// .gz is compressed.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// The same, open for longer: for files that grow while something runs. Without commit() nothing remains.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream();

  /// Replaces bytes already written, such as a count in a header. Not for compressed files.
  void overwrite(std::uint64_t offset, std::string_view bytes);

  /// Flushes the file to disk and renames it into place. Nothing may be written afterwards.
  void commit();

 private:
  void discard();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pliant
