#pragma once
// A whole file as bytes in memory, gzipped or not.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace pliant {

struct InputFileOptions {
  /// How much a gzipped file may grow: `largest_ratio` times its size plus `allowance` bytes. Above, it is
  /// taken for an attack (gzip itself stops at about 1030 times).
  std::size_t largest_ratio = 200;
  std::size_t allowance = std::size_t{64} << 20;
};

/// Maps a plain file; inflates a gzipped one, recognised by its first bytes whatever its name. Throws
/// InputError when it cannot be opened, its compression is broken, or it grows too much.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path, const InputFileOptions& options = {});
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  std::string inflated_;
  std::string_view bytes_;
};

/// The content of gzipped bytes, which may be several members one after the other.
std::string inflate_gzip(std::string_view bytes, const InputFileOptions& options = {});

}  // namespace pliant
