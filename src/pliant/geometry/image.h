#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pliant {

/// A picture: rows from top to bottom, 8 bits a channel, sRGB.
struct Image {
  int width = 0, height = 0;
  int channels = 3;                  ///< 3: RGB; 4: RGBA, opacity not premultiplied
  std::vector<std::uint8_t> pixels;  ///< height x width x channels

  const std::uint8_t* pixel(int x, int y) const {
    return pixels.data() +
           static_cast<std::size_t>(channels) *
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
  std::uint8_t* pixel(int x, int y) { return const_cast<std::uint8_t*>(std::as_const(*this).pixel(x, y)); }
};

}  // namespace pliant
