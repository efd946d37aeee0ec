#pragma once
// What the binding files share: arrays in and out, progress, and the parts of the module.
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "pliant/base/error.h"
#include "pliant/base/progress.h"
#include "pliant/geometry/tet_mesh.h"
#include "pliant/geometry/tri_mesh.h"
#include "pliant/io/mesh_file.h"
#include "pliant/simulation/simulator.h"

namespace pliant::python {

namespace py = pybind11;

// One file a group of functions; each adds itself to the module.
void bind_meshes(py::module_& module);
void bind_geometry(py::module_& module);
void bind_shapes(py::module_& module);
void bind_numerics(py::module_& module);
void bind_containers(py::module_& module);
void bind_rigs(py::module_& module);
void bind_pictures(py::module_& module);
void bind_materials(py::module_& module);
void bind_bodies(py::module_& module);
void bind_subspaces(py::module_& module);
void bind_hyperreduction(py::module_& module);
void bind_simulators(py::module_& module);
void bind_fullspace(py::module_& module);
void bind_editing(py::module_& module);
void bind_hrpd(py::module_& module);
void bind_reduced(py::module_& module);
void bind_scenes(py::module_& module);
void bind_snapshots(py::module_& module);
void bind_view(py::module_& module);

/// A TetMesh where there are tets, otherwise a TriMesh.
py::object to_mesh(MeshData&& data);

/// Numbers of any kind, in an array or in lists, as float64 rows of three. `who` names the argument in the error.
Points to_points(const py::object& numbers, const char* who);

/// Whole numbers of any width as int32 rows of `Columns`; refuses floats and ids that do not fit.
template <int Columns>
Eigen::Matrix<std::int32_t, Eigen::Dynamic, Columns, Eigen::RowMajor> to_ids(const py::object& numbers,
                                                                             const char* who);
std::vector<int> to_id_list(const py::object& ids, const char* who);

/// Calls `callback(phase, fraction)` if there is one, and lets Ctrl-C end the call. For calls that released the GIL.
Progress to_progress(const py::object& callback);

/// Every id of `ids` lies in [0, count); InputError otherwise.
void check_ids(const std::vector<int>& ids, Index count, const char* who);

/// States as bytes.
py::bytes from_state(const State& state);
State to_state(const std::string& bytes);

using ReleaseGil = py::call_guard<py::gil_scoped_release>;

/// Simulators that a call uses with the GIL released: other threads come, and hear that it is one thread at a time. Made and left with the
/// GIL held.
class InUse {
 public:
  explicit InUse(std::vector<const Simulator*> simulators);  ///< throws where one of them is in use
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  std::vector<const Simulator*> simulators_;
};

/// RuntimeError where another thread is in a call of this simulator.
void check_free(const Simulator& simulator);

/// A method with the GIL released, in which the simulator is in use.
template <class R, class T>
auto in_use(R (T::*method)()) {
  return [method](T& simulator) -> R {
    const InUse guard({&simulator});
    const py::gil_scoped_release release;
    return (simulator.*method)();
  };
}
/// A method that waits for nothing, of a simulator that is not in use.
template <class R, class T, class... Args>
auto while_free(R (T::*method)(Args...)) {
  return [method](T& simulator, Args... args) -> R {
    check_free(simulator);
    return (simulator.*method)(std::forward<Args>(args)...);
  };
}

}  // namespace pliant::python
