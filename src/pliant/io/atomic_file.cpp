#include "pliant/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <streambuf>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/io/file_name.h"

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
    if (size == 0) return 0;  // an empty array may have no address
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

struct AtomicFile::State {
  fs::path path, temporary;
  int file = -1;
  std::unique_ptr<FileBuffer> buffer;
  std::unique_ptr<std::ostream> stream;
};

AtomicFile::AtomicFile(const fs::path& path) : state_(std::make_unique<State>()) {
  const std::string pattern = path.string() + ".XXXXXX";
  std::vector<char> name(pattern.begin(), pattern.end());
  name.push_back('\0');
  state_->path = path;
  state_->file = mkstemp(name.data());
  if (state_->file < 0)
    throw Error(fmt::format("{}: cannot create a file there: {}", path.string(), std::strerror(errno)));
  state_->temporary = name.data();
  try {
    state_->buffer = std::make_unique<FileBuffer>(state_->file, is_gzip_name(path), path);
    state_->stream = std::make_unique<std::ostream>(state_->buffer.get());
  } catch (...) {
    discard();
    throw;
  }
  state_->stream->exceptions(std::ios::badbit);  // lets what FileBuffer throws out again
}

AtomicFile::~AtomicFile() {
  if (state_->file >= 0) discard();
}

void AtomicFile::discard() {
  state_->stream.reset();
  state_->buffer.reset();
  close(state_->file);
  state_->file = -1;
  unlink(state_->temporary.c_str());
}

std::ostream& AtomicFile::stream() { return *state_->stream; }

void AtomicFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  state_->stream->flush();
  const auto written = pwrite(state_->file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written != static_cast<ssize_t>(bytes.size()))
    throw Error(fmt::format("{}: cannot write: {}", state_->path.string(), std::strerror(errno)));
}

void AtomicFile::commit() {
  const std::string name = state_->path.string();
  state_->buffer->finish();
  state_->stream.reset();
  state_->buffer.reset();
  // mkstemp makes private files; a result gets the rights any new file would have.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(state_->file, 0666 & ~mask);
  const bool closed = close(state_->file) == 0;
  const int close_reason = errno;
  state_->file = -1;
  if (!closed || rename(state_->temporary.c_str(), state_->path.c_str()) != 0) {
    const int reason = closed ? errno : close_reason;
    unlink(state_->temporary.c_str());
    throw Error(fmt::format("{}: cannot write: {}", name, std::strerror(reason)));
  }
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
}

}  // namespace pliant
