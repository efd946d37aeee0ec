#pragma once
// From a body to its reduced model: the offline stage of [von Tycowicz et al. 2013].
#include "pliant/base/progress.h"
#include "pliant/reduced/reduced_fem.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

/// Joins a body, a subspace and weighted elements into a model.
/// @param elements         tets of a solid or edge flaps of a shell (element_count(body) of them)
/// @param weights          one an element, not negative; all elements with weight 1 are the exact reduced forces
/// @param contact_samples  vertices spread over the surface that feel obstacles
ReducedFem make_reduced_fem(const Body& body, const DenseBasis& basis, std::span<const int> elements,
                            const VectorXd& weights, int contact_samples = 200);

/// With every element: the subspace alone, exact and as slow as the mesh is large. What cubature is measured against.
ReducedFem make_exact_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples = 200);

}  // namespace pliant
