#include "mesh_property.h"
#include "pliant/io/medit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pliant::check_reader(data, size, [](std::string_view bytes) { return pliant::read_medit(bytes); });
}
