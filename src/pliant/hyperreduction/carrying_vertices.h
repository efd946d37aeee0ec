#pragma once
// Which few vertices can carry a body that lies on a floor?
//
// A body without stiffness is carried by its contacts alone. Those of a subspace must balance Uᵀ m, the weight as the subspace feels it,
// and can only push: where no λ >= 0 at the contact vertices has Uᵀ λ = Uᵀ m, some motion of the subspace falls between them for ever.
// All vertices carry it, λ = m. By the theorem of Carathéodory as many vertices as U has columns do, too.
#include <vector>

#include "pliant/subspace/skinning.h"

namespace pliant {

struct CarryingOptions {
  /// Of parts of the body that touch more columns no vertices are spared together: time goes with the third power of it, and
  /// vertices are more than there are columns in larger bodies.
  int most_columns = 1000;
};

/// Vertices that carry a body; ascending. About as many as the subspace has columns, of 1000 or fewer.
/// @param masses  n, kg
std::vector<int> carrying_vertices(const SkinningBasis& basis, const VectorXd& masses,
                                   const CarryingOptions& options = {});

}  // namespace pliant
