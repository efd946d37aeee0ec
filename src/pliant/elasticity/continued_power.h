#pragma once
// J^p for all J: an element that is crushed or turned inside out still pushes back.
#include <cmath>

namespace pliant {

/// Below this J the power goes on as its second-order Taylor polynomial about it: twice continuously differentiable,
/// convex, growing for p < 0 as J falls, and defined at zero and below.
inline constexpr double continued_below = 0.1;

/// A power of J and its derivatives with respect to J.
struct ContinuedPower {
  double value, first, second;
};

inline ContinuedPower continued_power(double J, double p) {
  const double at = J < continued_below ? continued_below : J;
  const double value = std::pow(at, p), first = p * value / at, second = (p - 1) * first / at;
  const double step = J - at;  // zero where J is its own
  return {value + step * (first + 0.5 * step * second), first + step * second, second};
}

}  // namespace pliant
