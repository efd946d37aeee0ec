#pragma once
// Derivatives by differences: the slow way that checks every derivative written by hand.
#include "pliant/numerics/types.h"

namespace pliant {

/// ∂f/∂x of a vector-valued f, one column a coordinate, by the central difference of fourth order:
///     f' = (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h + O(h⁴).
/// A step of 1e-3 times the size of x leaves some 1e-12 of truncation and of rounding for smooth f.
template <class Function>
MatrixXd finite_jacobian(Function&& f, const VectorXd& x, double step = 1e-3) {
  VectorXd at = x;
  const auto shifted = [&](Index i, double by) -> VectorXd {
    at[i] = x[i] + by;
    VectorXd value = f(static_cast<const VectorXd&>(at));
    at[i] = x[i];
    return value;
  };
  MatrixXd jacobian;
  for (Index i = 0; i < x.size(); ++i) {
    const VectorXd near = shifted(i, step) - shifted(i, -step);
    const VectorXd far = shifted(i, 2 * step) - shifted(i, -2 * step);
    if (i == 0) jacobian.resize(near.size(), x.size());
    jacobian.col(i) = (8 * near - far) / (12 * step);
  }
  return jacobian;
}

/// ∇f of a scalar f.
template <class Function>
VectorXd finite_gradient(Function&& f, const VectorXd& x, double step = 1e-3) {
  return finite_jacobian([&](const VectorXd& at) { return VectorXd::Constant(1, f(at)); }, x, step)
      .transpose();
}

}  // namespace pliant
