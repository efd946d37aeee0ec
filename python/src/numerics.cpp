// Batched 3x3 decompositions.
#include "bind.h"
#include "pliant/numerics/polar3.h"
#include "pliant/numerics/svd3.h"

namespace pliant::python {
namespace {

template <class T>
using Matrices = py::array_t<T, py::array::c_style | py::array::forcecast>;

// numpy has a matrix's nine numbers together, row by row; the batch wants the k-th number of all matrices together,
// column by column.
template <class T>
std::vector<T> gather(const T* matrices, Index count) {
  std::vector<T> rows(static_cast<std::size_t>(9 * count));
  parallel_for(count, 4096, [&](Index i) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        rows[static_cast<std::size_t>((r + 3 * c) * count + i)] = matrices[9 * i + 3 * r + c];
  });
  return rows;
}

template <class T>
py::array_t<T> scatter(const std::vector<T>& rows, Index count) {
  py::array_t<T> result({count, Index(3), Index(3)});
  T* matrices = result.mutable_data();
  for (Index i = 0; i < count; ++i)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        matrices[9 * i + 3 * r + c] = rows[static_cast<std::size_t>((r + 3 * c) * count + i)];
  return result;
}

template <class T>
Index check(const Matrices<T>& F) {
  if (F.ndim() != 3 || F.shape(1) != 3 || F.shape(2) != 3)
    throw InputError("F must have the shape (k, 3, 3): k matrices");
  return F.shape(0);
}

template <class T>
py::tuple svd3_of(const Matrices<T>& F) {
  const Index count = check(F);
  std::vector<T> U(static_cast<std::size_t>(9 * count)), V(U.size());
  py::array_t<T> sigma({count, Index(3)});
  std::vector<T> values(static_cast<std::size_t>(3 * count));
  {
    const T* data = F.data();
    const py::gil_scoped_release release;
    const std::vector<T> rows = gather(data, count);
    parallel_for_chunks(count, 4096, [&](Index begin, Index end) {
      svd3(end - begin, rows.data() + begin, count, U.data() + begin, values.data() + begin,
           V.data() + begin);
    });
  }
  for (Index i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) sigma.mutable_at(i, k) = values[static_cast<std::size_t>(k * count + i)];
  return py::make_tuple(scatter(U, count), sigma, scatter(V, count));
}

template <class T>
py::tuple polar3_of(const Matrices<T>& F) {
  const Index count = check(F);
  std::vector<T> R(static_cast<std::size_t>(9 * count)), S(R.size());
  {
    const T* data = F.data();
    const py::gil_scoped_release release;
    const std::vector<T> rows = gather(data, count);
    parallel_for_chunks(count, 4096, [&](Index begin, Index end) {
      polar3(end - begin, rows.data() + begin, count, R.data() + begin, S.data() + begin);
    });
  }
  return py::make_tuple(scatter(R, count), scatter(S, count));
}

bool is_float32(const py::array& F) { return py::isinstance<py::array_t<float>>(F); }

}  // namespace

void bind_numerics(py::module_& module) {
  module.def(
      "svd3", [](const py::array& F) { return is_float32(F) ? svd3_of<float>(F) : svd3_of<double>(F); },
      py::arg("F"),
      R"(Singular value decompositions of many 3x3 matrices, (k, 3, 3): returns U, sigma, V.

F = U diag(sigma) V^T with U and V proper rotations (determinant +1) and sigma descending; the last is negative where
F mirrors. float32 stays float32, everything else becomes float64.
)");
  module.def(
      "polar3", [](const py::array& F) { return is_float32(F) ? polar3_of<float>(F) : polar3_of<double>(F); },
      py::arg("F"),
      "Polar decompositions of many 3x3 matrices, (k, 3, 3): returns the nearest rotations R and the "
      "symmetric S,\n"
      "F = R S. float32 stays float32, everything else becomes float64.");
}

}  // namespace pliant::python
