// The three files stand in one input, with a NUL between them.
#include "mesh_property.h"
#include "pliant/io/tetgen.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pliant::check_reader(data, size, [](std::string_view bytes) {
    pliant::TetgenBytes files;
    const std::size_t first = bytes.find('\0');
    files.node = bytes.substr(0, first);
    if (first != std::string_view::npos) {
      const std::string_view rest = bytes.substr(first + 1);
      const std::size_t second = rest.find('\0');
      files.ele = rest.substr(0, second);
      if (second != std::string_view::npos) files.face = rest.substr(second + 1);
    }
    return pliant::read_tetgen(files);
  });
}
