#include "pliant/io/point_cache.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/io/file_name.h"
#include "pliant/io/input_file.h"

namespace pliant {
namespace {

struct Header {
  char signature[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
  std::int32_t version = 1;
  std::int32_t points = 0;
  float start = 0;
  float rate = 1;
  std::int32_t samples = 0;
};
static_assert(sizeof(Header) == 32);
constexpr Index kMost = std::numeric_limits<std::int32_t>::max();

using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

}  // namespace

PointCache read_pc2(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header)
    throw InputError(
        fmt::format("the file ends after {} bytes; expected a header of {}", bytes.size(), sizeof header));
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.signature, Header().signature, sizeof header.signature) != 0)
    throw InputError("the file does not begin with POINTCACHE2; it is no point cache");
  if (header.version != 1) throw InputError(fmt::format("byte 12: version {}; expected 1", header.version));
  if (header.points < 0 || header.samples < 0)
    throw InputError(fmt::format("byte 16: {} points in {} samples; expected no negative counts",
                                 header.points, header.samples));
  const std::size_t frame_bytes = 3 * sizeof(float) * static_cast<std::size_t>(header.points);
  const std::size_t left = bytes.size() - sizeof header, samples = static_cast<std::size_t>(header.samples);
  // A cache of no points has nothing to count its samples by: then only as many as bytes would be believed.
  if (frame_bytes == 0 ? (left != 0 || samples > bytes.size())
                       : (left % frame_bytes || left / frame_bytes != samples))
    throw InputError(
        fmt::format("{} bytes follow the header; expected {} samples of {} points, 12 bytes each", left,
                    header.samples, header.points));

  PointCache cache{header.start, header.rate, {}};
  FloatRows frame(samples == 0 ? 0 : header.points, 3);  // without samples, the count is a mere claim
  for (std::size_t f = 0; f < samples; ++f) {
    if (frame_bytes) std::memcpy(frame.data(), bytes.data() + sizeof header + f * frame_bytes, frame_bytes);
    cache.frames.push_back(frame.cast<double>());
  }
  return cache;
}

PointCache read_pc2_file(const std::filesystem::path& path) {
  const InputFile file(path);
  return with_context(path.string(), [&] { return read_pc2(file.bytes()); });
}

PointCacheWriter::PointCacheWriter(const std::filesystem::path& path, Index point_count)
    : file_(path), points_(point_count) {
  if (is_gzip_name(path))
    throw InputError(
        fmt::format("{}: a point cache cannot grow inside a compressed file; leave out .gz", path.string()));
  if (point_count < 0 || point_count > kMost)
    throw InputError(fmt::format("{}: {} points; expected 0 to {}", path.string(), point_count, kMost));
  Header header;
  header.points = static_cast<std::int32_t>(point_count);
  file_.stream().write(reinterpret_cast<const char*>(&header), sizeof header);
}

void PointCacheWriter::add(const Points& positions) {
  if (positions.rows() != points_)
    throw InputError(fmt::format("a frame of {} points; expected {}", positions.rows(), points_));
  if (frames_ == kMost) throw InputError(fmt::format("a point cache holds at most {} frames", kMost));
  const FloatRows rows = positions.cast<float>();
  file_.stream().write(reinterpret_cast<const char*>(rows.data()),
                       static_cast<std::streamsize>(static_cast<std::size_t>(rows.size()) * sizeof(float)));
  ++frames_;
}

void PointCacheWriter::finish() {
  const auto samples = static_cast<std::int32_t>(frames_);
  file_.overwrite(offsetof(Header, samples), {reinterpret_cast<const char*>(&samples), sizeof samples});
  file_.commit();
}

}  // namespace pliant
