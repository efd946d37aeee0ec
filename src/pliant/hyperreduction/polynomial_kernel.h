#pragma once
// Products of PolynomialForces in SIMD. Rows are padded to whole groups of four.
#include "pliant/base/parallel.h"

namespace pliant::detail {

inline constexpr Index polynomial_group = 4;

struct PolynomialJob {
  Index size;    // of y: d + 1
  Index padded;  // a multiple of polynomial_group
  const double* matrices;
  const double* y;    // padded with zeros
  double* gradient;   // dE/dy, padded
  double* stiffness;  // d2E/dy2, padded x padded, or null; its upper and lower halves are to be added
  double* product;    // scratch, padded
};
/// Returns the energy.
double evaluate_polynomial(const PolynomialJob& job);

}  // namespace pliant::detail
