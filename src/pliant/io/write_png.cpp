#include "pliant/io/write_png.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "pliant/base/error.h"
#include "pliant/io/atomic_file.h"

namespace pliant {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_number(Bytes& bytes, std::uint32_t number) {
  for (int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(number >> shift));
}

/// Length, type, data, and the checksum of type and data.
void append_chunk(Bytes& file, const char (&type)[5], const Bytes& data) {
  append_number(file, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = file.size();
  file.insert(file.end(), type, type + 4);
  file.insert(file.end(), data.begin(), data.end());
  append_number(file, static_cast<std::uint32_t>(
                          crc32(0, file.data() + start, static_cast<uInt>(file.size() - start))));
}

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int dl = std::abs(guess - left), da = std::abs(guess - above), dc = std::abs(guess - corner);
  return dl <= da && dl <= dc ? left : da <= dc ? above : corner;
}

/// The row minus what the filter predicts from its left, upper and upper left neighbours.
void filter_row(int filter, const std::uint8_t* row, const std::uint8_t* above, std::size_t size,
                std::size_t pixel_size, Bytes& out) {
  out.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const int left = i >= pixel_size ? row[i - pixel_size] : 0, up = above ? above[i] : 0;
    const int corner = above && i >= pixel_size ? above[i - pixel_size] : 0;
    const int predicted[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
    out[i] = static_cast<std::uint8_t>(row[i] - predicted[filter]);
  }
}

/// Every row behind the number of its filter: the one whose bytes, as signed numbers, are smallest in sum,
/// which is what the PNG specification proposes.
Bytes filtered_rows(const Image& image) {
  const std::size_t pixel_size = static_cast<std::size_t>(image.channels);
  const std::size_t size = static_cast<std::size_t>(image.width) * pixel_size;
  Bytes result, candidate, best;
  result.reserve((size + 1) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.pixel(0, y);
    const std::uint8_t* above = y > 0 ? image.pixel(0, y - 1) : nullptr;
    std::size_t least = SIZE_MAX;
    int chosen = 0;
    for (int filter = 0; filter < 5; ++filter) {
      filter_row(filter, row, above, size, pixel_size, candidate);
      std::size_t sum = 0;
      for (std::uint8_t byte : candidate)
        sum += static_cast<std::size_t>(std::abs(static_cast<std::int8_t>(byte)));
      if (sum < least) {
        least = sum;
        chosen = filter;
        best.swap(candidate);
      }
    }
    result.push_back(static_cast<std::uint8_t>(chosen));
    result.insert(result.end(), best.begin(), best.end());
  }
  return result;
}

}  // namespace

void write_png(const std::filesystem::path& path, const Image& image) {
  const auto expected = static_cast<std::size_t>(std::max(image.width, 0)) *
                        static_cast<std::size_t>(std::max(image.height, 0)) *
                        static_cast<std::size_t>(std::max(image.channels, 0));
  if (image.width < 1 || image.height < 1 || (image.channels != 3 && image.channels != 4) ||
      image.pixels.size() != expected)
    throw InputError(
        fmt::format("{}: the image is {} x {} with {} channels and {} bytes; expected at least 1 x 1, 3 "
                    "or 4 channels and width x height x channels bytes",
                    path.string(), image.width, image.height, image.channels, image.pixels.size()));
  const Bytes rows = filtered_rows(image);
  uLongf packed_size = compressBound(static_cast<uLong>(rows.size()));
  Bytes packed(packed_size);
  if (compress2(packed.data(), &packed_size, rows.data(), static_cast<uLong>(rows.size()), 9) != Z_OK)
    throw Error(fmt::format("{}: zlib cannot compress the image", path.string()));
  packed.resize(packed_size);

  Bytes header;
  append_number(header, static_cast<std::uint32_t>(image.width));
  append_number(header, static_cast<std::uint32_t>(image.height));
  const std::uint8_t color_type = image.channels == 3 ? 2 : 6;
  header.insert(header.end(),
                {8, color_type, 0, 0, 0});  // bits, colours, deflate, filters by row, not interlaced

  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  append_chunk(file, "IHDR", header);
  append_chunk(file, "sRGB", {0});
  append_chunk(file, "IDAT", packed);
  append_chunk(file, "IEND", {});
  write_atomically(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  });
}

}  // namespace pliant
