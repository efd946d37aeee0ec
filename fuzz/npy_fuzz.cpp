#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pliant/base/error.h"
#include "pliant/io/frame_sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pliant::read_npy_frames(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const pliant::InputError&) {
  }
  return 0;
}
