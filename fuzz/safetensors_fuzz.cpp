#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "pliant/base/error.h"
#include "pliant/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const pliant::SafetensorsFile file(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
    // Touch every byte a view offers: the sanitizer sees one that lies outside.
    std::size_t sum = 0;
    for (const pliant::Tensor& tensor : file.tensors())
      for (const std::byte byte : tensor.bytes) sum += std::to_integer<std::size_t>(byte);
    if (file.has("x") && file.tensor("x").dtype == pliant::Dtype::F64)
      sum += static_cast<std::size_t>(file.matrix<double>("x").size());
    volatile std::size_t keep = sum;
    (void)keep;
  } catch (const pliant::InputError&) {
  }
  return 0;
}
