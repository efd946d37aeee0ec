#include "pliant/io/frame_sequence.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>

#include "pliant/base/error.h"
#include "pliant/io/byte_reader.h"
#include "pliant/io/file_name.h"
#include "pliant/io/input_file.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/point_cache.h"

namespace pliant {
namespace {

/// What stands behind 'key': in the header, which is the text of a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t place = header.find(quoted);
  if (place == std::string_view::npos)
    throw InputError(fmt::format("the header of the array has no {}; expected one of numpy", key));
  std::string_view rest = header.substr(place + quoted.size());
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::vector<Index> shape_of_header(std::string_view header) {
  std::string_view text = value_of(header, "shape");
  std::vector<Index> shape;
  for (std::size_t i = 0; i < text.size() && text[i] != ')';) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    Index value = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
      value = 10 * value + (text[i] - '0');
      if (value > std::numeric_limits<std::int32_t>::max())
        throw InputError("the shape of the array is larger than any mesh; expected (frames, points, 3)");
    }
    shape.push_back(value);
  }
  return shape;
}

}  // namespace

std::vector<Points> read_npy_frames(std::string_view bytes) {
  constexpr std::string_view magic = "\x93NUMPY";
  ByteReader reader(bytes);
  if (reader.take(magic.size(), "an array of numpy") != magic)
    throw InputError("the file does not begin as an array of numpy (.npy)");
  const auto version = reader.read<std::uint8_t>("a version");
  reader.read<std::uint8_t>("a version");
  const std::size_t length = version == 1 ? reader.read<std::uint16_t>("the length of the header")
                                          : reader.read<std::uint32_t>("the length of the header");
  const std::string_view header = reader.take(length, "the header");
  const std::string_view type = value_of(header, "descr").substr(0, 5);
  const bool single = type == "'<f4'", twice = type == "'<f8'";
  if (!single && !twice)
    throw InputError(fmt::format("the array holds {}; expected 32- or 64-bit floats, '<f4' or '<f8'", type));
  if (value_of(header, "fortran_order").substr(0, 5) != "False")
    throw InputError("the array is in the order of Fortran; expected that of C (numpy.ascontiguousarray)");
  std::vector<Index> shape = shape_of_header(header);
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3 || shape[2] != 3 || shape[1] == 0)
    throw InputError(fmt::format("the array has {} axes; expected (frames, points, 3)", shape.size()));
  const auto points = static_cast<std::size_t>(shape[1]);
  const std::size_t each = 3 * points * (single ? 4 : 8);
  std::vector<Points> frames;
  for (Index f = 0; f < shape[0]; ++f) {
    const std::string_view values = reader.take(each, "numbers of a frame");
    Points x(shape[1], 3);
    for (Index i = 0; i < x.size(); ++i)
      x.data()[i] = single ? static_cast<double>(load<float>(values.data() + 4 * i, false))
                           : load<double>(values.data() + 8 * i, false);
    frames.push_back(std::move(x));
  }
  return frames;
}

Snapshots read_frame_sequence(const std::vector<std::filesystem::path>& files, const Progress& progress) {
  Snapshots out;
  std::optional<MeshData> first;
  for (std::size_t i = 0; i < files.size(); ++i) {
    report(progress, "reading", static_cast<double>(i) / static_cast<double>(files.size()));
    const std::filesystem::path& file = files[i];
    const std::string extension = without_gz(file).extension().string();
    std::vector<Points> here;
    if (extension == ".pc2") {
      here = read_pc2_file(file).frames;
    } else if (extension == ".npy") {
      here = with_context(file.string(), [&] { return read_npy_frames(InputFile(file).bytes()); });
    } else if (extension == ".safetensors") {
      here = read_snapshots(file).frames;
    } else {
      MeshData mesh = read_mesh(file);
      here.push_back(mesh.vertices);
      if (!first) {
        first = std::move(mesh);
      } else if (mesh.vertices.rows() == first->vertices.rows() &&
                 (mesh.triangles.rows() != first->triangles.rows() ||
                  mesh.tets.rows() != first->tets.rows() || mesh.triangles != first->triangles ||
                  mesh.tets != first->tets)) {
        throw InputError(
            fmt::format("{}: frame {} has another connectivity than frame 0; expected the same mesh",
                        file.string(), out.frames.size()));
      }
    }
    for (Points& x : here) {
      const std::size_t frame = out.frames.size();
      if (!out.frames.empty() && x.rows() != out.frames.front().rows())
        throw InputError(fmt::format("{}: frame {} has {} vertices; expected the {} of frame 0",
                                     file.string(), frame, x.rows(), out.frames.front().rows()));
      if (!x.allFinite())
        throw InputError(fmt::format("{}: frame {} has a number that is not finite", file.string(), frame));
      out.frames.push_back(std::move(x));
    }
  }
  const Index count = static_cast<Index>(out.frames.size());
  out.times = VectorXd::LinSpaced(count, 0, static_cast<double>(count) - 1);
  return out;
}

}  // namespace pliant
