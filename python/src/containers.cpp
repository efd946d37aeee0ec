// Named arrays in safetensors files.
#include "bind.h"
#include "pliant/io/safetensors.h"

namespace pliant::python {
namespace {

template <class T>
bool add_as(SafetensorsWriter& writer, const std::string& name, const py::array& array,
            std::vector<py::array>& kept) {
  if (!py::isinstance<py::array_t<T>>(array)) return false;
  const auto rows = py::array_t<T, py::array::c_style>::ensure(array);
  std::vector<Index> shape(rows.shape(), rows.shape() + rows.ndim());
  kept.push_back(rows);  // the writer only looks
  if (shape.empty()) shape = {1};
  writer.add_view(name, std::span<const T>(rows.data(), static_cast<std::size_t>(rows.size())),
                  std::move(shape));
  return true;
}

void write_tensors(const std::filesystem::path& path, const py::dict& tensors,
                   const std::map<std::string, std::string>& metadata) {
  SafetensorsWriter writer;
  std::vector<py::array> kept;
  for (const auto& [key, value] : tensors) {
    std::string name;
    try {
      name = key.cast<std::string>();
    } catch (const py::cast_error&) {
      throw py::type_error("write_tensors: found the key " + py::repr(key).cast<std::string>() +
                           "; expected a str");
    }
    const py::array array = py::array::ensure(value);
    if (!array) throw InputError("tensor '" + name + "' is not an array");
    const bool known =
        add_as<double>(writer, name, array, kept) || add_as<float>(writer, name, array, kept) ||
        add_as<std::int32_t>(writer, name, array, kept) || add_as<std::int64_t>(writer, name, array, kept) ||
        add_as<std::uint8_t>(writer, name, array, kept) || add_as<std::uint16_t>(writer, name, array, kept) ||
        add_as<std::int8_t>(writer, name, array, kept) || add_as<std::int16_t>(writer, name, array, kept) ||
        add_as<std::uint32_t>(writer, name, array, kept) || add_as<std::uint64_t>(writer, name, array, kept);
    if (!known)
      throw InputError("tensor '" + name + "' holds " + py::str(array.dtype()).cast<std::string>() +
                       "; expected integers or floats of 8 to 64 bits");
  }
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  const py::gil_scoped_release release;
  writer.write(path);
}

py::tuple read_tensors(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  py::dict tensors;
  for (const Tensor& tensor : file.tensors()) {
    const char* code = nullptr;
    switch (tensor.dtype) {
      case Dtype::Bool:
        code = "?";
        break;
      case Dtype::U8:
        code = "u1";
        break;
      case Dtype::I8:
        code = "i1";
        break;
      case Dtype::U16:
        code = "u2";
        break;
      case Dtype::I16:
        code = "i2";
        break;
      case Dtype::F16:
        code = "f2";
        break;
      case Dtype::U32:
        code = "u4";
        break;
      case Dtype::I32:
        code = "i4";
        break;
      case Dtype::F32:
        code = "f4";
        break;
      case Dtype::U64:
        code = "u8";
        break;
      case Dtype::I64:
        code = "i8";
        break;
      case Dtype::F64:
        code = "f8";
        break;
      default:
        throw InputError(path.string() + ": tensor '" + tensor.name + "' holds " +
                         std::string(name_of(tensor.dtype)) + ", which numpy has no type for");
    }
    tensors[py::str(tensor.name)] =
        py::array(py::dtype(code), std::vector<py::ssize_t>(tensor.shape.begin(), tensor.shape.end()),
                  tensor.bytes.data());
  }
  return py::make_tuple(tensors, file.metadata());
}

}  // namespace

void bind_containers(py::module_& module) {
  module.def(
      "write_tensors", &write_tensors, py::arg("path"), py::arg("tensors"),
      py::arg("metadata") = std::map<std::string, std::string>{},
      "Writes a dict of numpy arrays, and a dict of strings, as a safetensors file (also .pliant). The file\n"
      "appears whole or not at all.");
  module.def("read_tensors", &read_tensors, py::arg("path"),
             "Reads a safetensors file (also .pliant): (dict of numpy arrays, dict of metadata strings).");
}

}  // namespace pliant::python
