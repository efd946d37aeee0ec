#pragma once
// Young's modulus and Poisson's ratio, and the constants of Lamé that the densities are written in.
#include "pliant/numerics/types.h"

namespace pliant {

using Matrix9d = Eigen::Matrix<double, 9, 9>;
using Vector9d = Eigen::Matrix<double, 9, 1>;

struct Lame {
  double mu = 0;      ///< Pa
  double lambda = 0;  ///< Pa
  double bulk() const { return lambda + 2 * mu / 3; }
};

/// mu = young / (2 (1 + poisson)), lambda = young poisson / ((1 + poisson)(1 - 2 poisson)).
/// Young's modulus is positive (Pa), Poisson's ratio in (-1, 0.5); anything else throws InputError.
Lame lame_constants(double young, double poisson);

}  // namespace pliant
