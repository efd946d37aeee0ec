#include "pliant/io/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

// Ends zlib's state on every way out.
struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw Error("gzip: no memory to start decompression");
  }
  ~Inflater() { inflateEnd(&stream); }
};

}  // namespace

std::string inflate_gzip(std::string_view bytes, const InputFileOptions& options) {
  const std::size_t limit = bytes.size() * options.largest_ratio + options.allowance;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::string result(std::min(limit, std::max<std::size_t>(4096, 4 * bytes.size())), '\0');
  std::size_t used = 0, consumed = 0;
  while (true) {
    if (used == result.size()) {
      if (used == limit)
        throw InputError(
            fmt::format("gzip: {} bytes grow to more than {}; expected at most {} times and {} MiB",
                        bytes.size(), limit, options.largest_ratio, options.allowance >> 20));
      result.resize(std::min(limit, 2 * used));
    }
    constexpr std::size_t piece = std::numeric_limits<uInt>::max();
    const std::size_t in = std::min(piece, bytes.size() - consumed),
                      out = std::min(piece, result.size() - used);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + used);
    stream.avail_out = static_cast<uInt>(out);
    const int status = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    used += out - stream.avail_out;
    if (status == Z_STREAM_END) {
      // Another member may follow; anything else after the end is padding, as gzip itself has it.
      if (!is_gzip(bytes.substr(consumed))) break;
      inflateReset(&stream);
    } else if (status == Z_BUF_ERROR ||
               (status == Z_OK && consumed == bytes.size() && stream.avail_out > 0)) {
      throw InputError(fmt::format("gzip: byte {}: the compressed data ends early; expected more", consumed));
    } else if (status != Z_OK) {
      throw InputError(fmt::format("gzip: byte {}: {}; expected compressed data", consumed,
                                   stream.msg ? stream.msg : "broken data"));
    }
  }
  result.resize(used);
  return result;
}

InputFile::InputFile(const std::filesystem::path& path, const InputFileOptions& options) {
  const auto fail = [&](int reason) {
    throw InputError(fmt::format("{}: cannot read: {}", path.string(), std::strerror(reason)));
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(errno);
  struct stat status {};
  int reason = 0;
  if (fstat(file, &status) != 0) {
    reason = errno;
  } else if (S_ISDIR(status.st_mode)) {
    reason = EISDIR;
  } else if (!S_ISREG(status.st_mode)) {
    reason = EINVAL;
  } else if (status.st_size > 0) {
    mapped_size_ = static_cast<std::size_t>(status.st_size);
    mapped_ = mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped_ == MAP_FAILED) {
      reason = errno;
      mapped_ = nullptr;
    }
  }
  close(file);
  if (reason != 0) fail(reason);
  if (!mapped_) return;
  madvise(mapped_, mapped_size_, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const char*>(mapped_), mapped_size_};
  if (is_gzip(bytes_)) {
    try {
      inflated_ = with_context(path.string(), [&] { return inflate_gzip(bytes_, options); });
    } catch (...) {
      munmap(mapped_, mapped_size_);
      throw;
    }
    bytes_ = inflated_;
    munmap(mapped_, mapped_size_);
    mapped_ = nullptr;
  }
}

InputFile::~InputFile() {
  if (mapped_) munmap(mapped_, mapped_size_);
}

}  // namespace pliant
