#include "pliant/io/write_png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <fstream>
#include <set>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::file_bytes;
using testing_support::TemporaryFolder;

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k) number = number << 8 | static_cast<std::uint8_t>(bytes.at(at + k));
  return number;
}

/// A second reading of the specification: chunks with their checksums, inflate, and the filters undone.
struct Decoded {
  Image image;
  std::set<int> filters;  ///< those that occur
};

Decoded decode(const std::string& bytes) {
  Decoded result;
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
  std::string packed;
  std::size_t at = 8;
  bool ended = false;
  while (!ended) {
    const std::size_t size = number_at(bytes, at);
    const std::string type = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, size);
    EXPECT_EQ(number_at(bytes, at + 8 + size),
              crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), static_cast<uInt>(size + 4)));
    if (type == "IHDR") {
      result.image.width = static_cast<int>(number_at(data, 0));
      result.image.height = static_cast<int>(number_at(data, 4));
      EXPECT_EQ(data[8], 8);
      EXPECT_TRUE(data[9] == 2 || data[9] == 6);
      result.image.channels = data[9] == 2 ? 3 : 4;
      EXPECT_EQ(data.substr(10), std::string(3, '\0'));
    }
    if (type == "IDAT") packed += data;
    ended = type == "IEND";
    at += 12 + size;
  }
  EXPECT_EQ(at, bytes.size());

  Image& image = result.image;
  const auto row_size = static_cast<std::size_t>(image.width * image.channels);
  const auto height = static_cast<std::size_t>(image.height), step = static_cast<std::size_t>(image.channels);
  std::vector<std::uint8_t> raw((row_size + 1) * height);
  uLongf raw_size = static_cast<uLongf>(raw.size());
  EXPECT_EQ(uncompress(raw.data(), &raw_size, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(raw_size, raw.size());
  image.pixels.resize(row_size * height);
  for (std::size_t y = 0; y < height; ++y) {
    const int filter = raw[y * (row_size + 1)];
    result.filters.insert(filter);
    for (std::size_t i = 0; i < row_size; ++i) {
      const int a = i >= step ? image.pixels[y * row_size + i - step] : 0;
      const int b = y > 0 ? image.pixels[(y - 1) * row_size + i] : 0;
      const int c = y > 0 && i >= step ? image.pixels[(y - 1) * row_size + i - step] : 0;
      int predicted = 0;
      if (filter == 1) predicted = a;
      if (filter == 2) predicted = b;
      if (filter == 3) predicted = (a + b) / 2;
      if (filter == 4) {
        const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
        predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      }
      image.pixels[y * row_size + i] = static_cast<std::uint8_t>(raw[y * (row_size + 1) + 1 + i] + predicted);
    }
  }
  return result;
}

Image test_image(int width, int height, int channels) {
  Image image{width, height, channels, {}};
  Rng rng(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        // Bands that ask for different filters: flat, noise, ramps along x, along y, along both.
        const int kinds[] = {40 * c,        static_cast<int>(rng.integer(256)), 5 * x + c, 3 * y + 50 * c,
                             2 * x + 3 * y, (x * x + y * y * (c + 1)) / 9};
        image.pixels.push_back(static_cast<std::uint8_t>(kinds[y / 8 % 6]));
      }
  return image;
}

}  // namespace

TEST(WritePng, DecodesToTheSamePixels) {
  const TemporaryFolder folder;
  std::set<int> filters;
  for (int channels : {3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {97, 61}, {5, 200}}) {
      const Image image = test_image(width, height, channels);
      write_png(folder / "a.png", image);
      const Decoded decoded = decode(file_bytes(folder / "a.png"));
      EXPECT_EQ(decoded.image.width, width);
      EXPECT_EQ(decoded.image.height, height);
      EXPECT_EQ(decoded.image.channels, channels);
      EXPECT_EQ(decoded.image.pixels, image.pixels);
      filters.insert(decoded.filters.begin(), decoded.filters.end());
    }
  EXPECT_GE(filters.size(), 4u);  // or the test would not try them
}

TEST(WritePng, FiltersMakeASmoothPictureSmall) {
  const TemporaryFolder folder;
  Image image{256, 256, 3, {}};
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x)
      for (int c = 0; c < 3; ++c) image.pixels.push_back(static_cast<std::uint8_t>((x + y * (c + 1)) / 2));
  write_png(folder / "ramp.png", image);
  EXPECT_LT(std::filesystem::file_size(folder / "ramp.png"), image.pixels.size() / 50);
}

TEST(WritePng, RefusesSizesThatDoNotAgreeAndLeavesNoFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_png(folder / "a.png", {2, 2, 3, std::vector<std::uint8_t>(11)}), InputError);
  EXPECT_THROW(write_png(folder / "a.png", {0, 2, 3, {}}), InputError);
  EXPECT_THROW(write_png(folder / "a.png", {1, 1, 2, std::vector<std::uint8_t>(2)}), InputError);
  EXPECT_EQ(folder.file_count(), 0);
}

}  // namespace pliant
