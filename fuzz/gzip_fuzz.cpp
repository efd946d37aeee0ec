#include <cstdint>

#include "pliant/base/error.h"
#include "pliant/io/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    pliant::inflate_gzip({reinterpret_cast<const char*>(data), size},
                         {.largest_ratio = 200, .allowance = 1 << 20});
  } catch (const pliant::InputError&) {
  }
  return 0;
}
