#pragma once
// What every mesh reader promises: a mesh with vertices whose indices are all in range, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pliant/base/error.h"
#include "pliant/io/mesh_file.h"

namespace pliant {

template <class Reader>
int check_reader(const std::uint8_t* data, std::size_t size, const Reader& read) {
  try {
    const MeshData mesh = read(std::string_view(reinterpret_cast<const char*>(data), size));
    if (mesh.vertices.rows() == 0) std::abort();
    const auto check = [&](const auto& cells) {
      for (Index i = 0; i < cells.size(); ++i)
        if (cells.data()[i] < 0 || cells.data()[i] >= mesh.vertices.rows()) std::abort();
    };
    check(mesh.triangles);
    check(mesh.tets);
  } catch (const InputError&) {
  }
  return 0;
}

}  // namespace pliant
