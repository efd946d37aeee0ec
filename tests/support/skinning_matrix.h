#pragma once
// A sparse subspace the slow, obvious way.
#include "pliant/subspace/skinning.h"

namespace pliant::testing_support {

/// U as a matrix, n x 4k.
inline MatrixXd dense(const SkinningBasis& basis) {
  MatrixXd U = MatrixXd::Zero(basis.vertex_count(), basis.columns());
  for (Index i = 0; i < basis.vertex_count(); ++i)
    for (Index e = basis.weights.first[static_cast<std::size_t>(i)];
         e < basis.weights.first[static_cast<std::size_t>(i) + 1]; ++e)
      U.block<1, 4>(i, 4 * basis.weights.handle[static_cast<std::size_t>(e)]) =
          columns_of(basis, i, e).transpose();
  return U;
}

}  // namespace pliant::testing_support
