// The file, then one that *INCLUDE finds whatever name it gives, with a NUL between them.
#include <algorithm>
#include <string>

#include "mesh_property.h"
#include "pliant/io/vega.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pliant::check_reader(data, size, [](std::string_view bytes) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string included(bytes.substr(std::min(end + 1, bytes.size())));
    return pliant::read_vega(bytes.substr(0, end), [&](const std::string&) { return included; });
  });
}
