#include "pliant/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <streambuf>
#include <vector>

#include "pliant/base/error.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

// Where the bytes go: a file, or a file through gzip. Failures throw; the stream is told to let them through.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(int file, bool compress, const fs::path& name) : file_(file), name_(name), buffer_(1 << 18) {
    if (compress) {
      gzip_ = gzdopen(dup(file), "wb6");
      if (!gzip_) fail();
      gzbuffer(gzip_, 1 << 18);
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  ~FileBuffer() override {
    if (gzip_) gzclose(gzip_);
  }

  void finish() {
    drain();
    if (gzip_) {
      const int status = gzclose(gzip_);
      gzip_ = nullptr;
      if (status != Z_OK) fail();
    }
    if (fsync(file_) != 0) fail();
  }

 protected:
  int_type overflow(int_type c) override {
    drain();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    if (size > epptr() - pptr()) {
      drain();
      if (size > static_cast<std::streamsize>(buffer_.size())) {
        put(data, size);
        return size;
      }
    }
    std::memcpy(pptr(), data, static_cast<std::size_t>(size));
    pbump(static_cast<int>(size));
    return size;
  }
  int sync() override {
    drain();
    return 0;
  }

 private:
  void drain() {
    put(pbase(), pptr() - pbase());
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  void put(const char* data, std::streamsize size) {
    while (size > 0) {
      const auto part = std::min<std::streamsize>(size, 1 << 30);
      const auto written = gzip_ ? gzwrite(gzip_, data, static_cast<unsigned>(part))
                                 : write(file_, data, static_cast<std::size_t>(part));
      if (written <= 0) {
        if (!gzip_ && errno == EINTR) continue;
        fail();
      }
      data += written;
      size -= written;
    }
  }
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{}: cannot write: {}", name_.string(), std::strerror(errno)));
  }

  int file_;
  fs::path name_;
  gzFile gzip_ = nullptr;
  std::vector<char> buffer_;
};

}  // namespace

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const std::string pattern = path.string() + ".XXXXXX";
  std::vector<char> name(pattern.begin(), pattern.end());
  name.push_back('\0');
  const int file = mkstemp(name.data());
  if (file < 0)
    throw Error(fmt::format("{}: cannot create a file there: {}", path.string(), std::strerror(errno)));
  const fs::path temporary(name.data());

  try {
    {
      FileBuffer buffer(file, path.extension() == ".gz", path);
      std::ostream stream(&buffer);
      stream.exceptions(std::ios::badbit);  // lets what FileBuffer throws out again
      write(stream);
      buffer.finish();
    }
    // mkstemp makes private files; a result gets the rights any new file would have.
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
    if (close(file) != 0)
      throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
  } catch (...) {
    close(file);
    unlink(temporary.c_str());
    throw;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary.c_str());
    throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(reason)));
  }
}

}  // namespace pliant
