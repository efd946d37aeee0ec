#include <cstring>

#include "bind.h"
#include "pliant/base/parallel.h"

namespace pliant::python {
namespace {

py::array as_array(const py::object& numbers) {
  return py::module_::import("numpy").attr("asarray")(numbers);
}

std::string shape_of(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += (i ? ", " : "") + std::to_string(array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

}  // namespace

Points to_points(const py::object& numbers, const char* who) {
  const py::array array = as_array(numbers);
  if (array.ndim() != 2 || array.shape(1) != 3)
    throw InputError(std::string(who) + " has shape " + shape_of(array) + "; expected (n, 3)");
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u')
    throw InputError(std::string(who) + " holds " + py::str(array.dtype()).cast<std::string>() +
                     "; expected numbers");
  const auto rows = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  return Eigen::Map<const Points>(rows.data(), rows.shape(0), 3);
}

template <int Columns>
Eigen::Matrix<std::int32_t, Eigen::Dynamic, Columns, Eigen::RowMajor> to_ids(const py::object& numbers,
                                                                             const char* who) {
  const py::array array = as_array(numbers);
  using Ids = Eigen::Matrix<std::int32_t, Eigen::Dynamic, Columns, Eigen::RowMajor>;
  if (array.size() == 0) return Ids(0, Columns);
  if (array.ndim() != 2 || array.shape(1) != Columns)
    throw InputError(std::string(who) + " has shape " + shape_of(array) + "; expected (m, " +
                     std::to_string(Columns) + ")");
  const char kind = array.dtype().kind();
  if (kind != 'i' && kind != 'u')
    throw InputError(std::string(who) + " holds " + py::str(array.dtype()).cast<std::string>() +
                     "; expected integers");
  const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  Ids ids(wide.shape(0), Columns);
  for (Index i = 0; i < ids.size(); ++i) {
    const std::int64_t id = wide.data()[i];
    if (id < INT32_MIN || id > INT32_MAX)
      throw InputError(std::string(who) + " holds " + std::to_string(id) + "; expected ids below 2^31");
    ids.data()[i] = static_cast<std::int32_t>(id);
  }
  return ids;
}
template Edges to_ids<2>(const py::object&, const char*);
template Triangles to_ids<3>(const py::object&, const char*);
template Tets to_ids<4>(const py::object&, const char*);

std::vector<int> to_id_list(const py::object& ids, const char* who) {
  const py::array array = py::array::ensure(py::module_::import("numpy").attr("atleast_1d")(ids));
  if (array.size() == 0) return {};
  const char kind = array.dtype().kind();
  if (array.ndim() != 1 || (kind != 'i' && kind != 'u'))
    throw InputError(std::string(who) + " must be an integer or a list of integers");
  const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  std::vector<int> list(static_cast<std::size_t>(wide.size()));
  for (py::ssize_t i = 0; i < wide.size(); ++i) {
    if (wide.data()[i] < INT32_MIN || wide.data()[i] > INT32_MAX)
      throw InputError(std::string(who) + " holds " + std::to_string(wide.data()[i]) +
                       "; expected ids below 2^31");
    list[static_cast<std::size_t>(i)] = static_cast<int>(wide.data()[i]);
  }
  return list;
}

void check_ids(const std::vector<int>& ids, Index count, const char* who) {
  for (int id : ids)
    if (id < 0 || id >= count)
      throw InputError(std::string(who) + " holds " + std::to_string(id) + "; expected 0 to " +
                       std::to_string(count - 1));
}

py::bytes from_state(const State& state) {
  return py::bytes(reinterpret_cast<const char*>(state.bytes.data()), state.bytes.size());
}

State to_state(const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return State{{data, data + bytes.size()}};
}

Progress to_progress(const py::object& callback) {
  // Owns its reference under the GIL, wherever it is destroyed.
  auto held = std::shared_ptr<py::object>(new py::object(callback), [](py::object* object) {
    const py::gil_scoped_acquire gil;
    delete object;
  });
  return [held](std::string_view phase, double fraction) {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!held->is_none()) (*held)(std::string(phase), fraction);
  };
}

}  // namespace pliant::python

PYBIND11_MODULE(_pliant, module) {
  namespace py = pybind11;
  using namespace pliant;
  module.attr("__version__") = PLIANT_VERSION;
  module.doc() = "Pliant: turns a mesh into a deformable object that runs in real time.";

  // InputError is both ours and a ValueError, so that either kind of caller catches it.
  static py::exception<Error> error(module, "Error", PyExc_RuntimeError);
  static py::exception<InputError> input_error(module, "InputError",
                                               py::make_tuple(error, py::handle(PyExc_ValueError)));
  error.attr("__doc__") = "Something could not be done; the message says what.";
  input_error.attr("__doc__") = "The input is at fault; the message says what came and what was expected.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    // A message may quote a file name that is no UTF-8; its bytes then show as \xff.
    const auto raise = [](const py::handle& type, const Error& e) {
      const auto text = py::reinterpret_steal<py::object>(
          PyUnicode_DecodeUTF8(e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "backslashreplace"));
      if (text) PyErr_SetObject(type.ptr(), text.ptr());
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& e) {
      raise(input_error, e);
    } catch (const Error& e) {
      raise(error, e);
    }
  });

  module.def(
      "set_thread_count", &set_thread_count, py::arg("count"),
      "Threads that parallel loops may use; 0 (the default) uses every core. Results do not depend on it.");
  module.def("thread_count", &thread_count, "Threads that parallel loops use now.");
  python::bind_meshes(module);
  python::bind_geometry(module);
  python::bind_shapes(module);
  python::bind_numerics(module);
  python::bind_containers(module);
  python::bind_rigs(module);
  python::bind_pictures(module);
  python::bind_materials(module);
  python::bind_bodies(module);
  python::bind_subspaces(module);
  python::bind_snapshots(module);
  python::bind_hyperreduction(module);
  python::bind_simulators(module);
  python::bind_fullspace(module);
  python::bind_reduced(module);
  python::bind_editing(module);
  python::bind_scenes(module);
  python::bind_view(module);
}
