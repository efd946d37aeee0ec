#pragma once
// Extended modes: every linear map of R³ applied to the vectors of every mode [von Tycowicz et al. 2013,
// Algorithm 2], so that the subspace can turn what linear modes only shear.
#include "pliant/subspace/dense_basis.h"
#include "pliant/subspace/linear_modes.h"

namespace pliant {

struct ExtendedModesOptions {
  /// Directions are left out whose singular value is below this part of the largest (flat shells make some):
  /// 1e-7 to 1.
  double tolerance = 1e-5;
};

/// At most nine vectors a mode, and for the six rigid motions of a free body the twelve that span all affine
/// maps: d = 9 r held, 9 r + 12 free, for r elastic modes. (Where rigid modes are counted, as in the paper,
/// the 15 modes of a free body have r = 9 and d = 93.) Rigid motions that fixed vertices leave are extended
/// like modes.
DenseBasis extended_modes(const Body& body, const LinearModes& modes,
                          const ExtendedModesOptions& options = {});

}  // namespace pliant
