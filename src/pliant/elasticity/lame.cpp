#include "pliant/elasticity/lame.h"

#include <fmt/format.h>

#include <cmath>

#include "pliant/base/error.h"

namespace pliant {

Lame lame_constants(double young, double poisson) {
  if (!(young > 0) || !std::isfinite(young))
    throw InputError(fmt::format("material: young is {}; expected a positive number, in Pa", young));
  if (!(poisson > -1 && poisson < 0.5))
    throw InputError(
        fmt::format("material: poisson is {}; expected more than -1 and less than 0.5 "
                    "(nearly incompressible: 0.49)",
                    poisson));
  return {.mu = young / (2 * (1 + poisson)), .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}  // namespace pliant
