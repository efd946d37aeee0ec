#pragma once
// From a body to its reduced model: the offline stage of [von Tycowicz et al. 2013].
#include <cstdint>
#include <span>
#include <string_view>

#include "pliant/base/progress.h"
#include "pliant/hyperreduction/cubature_nn_htp.h"
#include "pliant/hyperreduction/training_poses.h"
#include "pliant/reduced/reduced_fem.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

/// Joins a body, a subspace and weighted elements into a model.
/// @param elements         ascending: tets of a solid or edge flaps of a shell (element_count(body) of them)
/// @param weights          one an element, not negative; all elements with weight 1 are the exact reduced forces
/// @param contact_samples  vertices spread over the surface that feel obstacles
ReducedFem make_reduced_fem(const Body& body, const DenseBasis& basis, std::span<const int> elements,
                            const VectorXd& weights, int contact_samples = 200);

/// With the cubic forces of stvk in place of elements: exact too, and as slow as d^4.
ReducedFem make_polynomial_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples = 200,
                                       const Progress& progress = {});

/// With every element: the subspace alone, exact and as slow as the mesh is large. What cubature is measured against.
ReducedFem make_exact_reduced_fem(const Body& body, const DenseBasis& basis, int contact_samples = 200);

enum class BasisKind {
  linear_modes,       ///< as they are: bends shear
  extended_modes,     ///< with their linear maps
  modal_derivatives,  ///< with their derivatives
};
std::string_view name(BasisKind kind);
BasisKind basis_kind(std::string_view name);  ///< InputError for a name we do not have

/// What gives the forces in the subspace.
enum class ForceKind {
  cubature,    ///< a few weighted elements: any material, any subspace
  polynomial,  ///< exact, of stvk; for up to about 40 coordinates
  exact,       ///< every element, at a cost that grows with the mesh: to compare with
};
std::string_view name(ForceKind kind);
ForceKind force_kind(std::string_view name);  ///< InputError for a name we do not have

struct ReduceFemOptions {
  BasisKind basis = BasisKind::extended_modes;
  int modes =
      15;  ///< elastic ones; extended modes make nine coordinates of each, and twelve of a free body's rigid ones
  int dimension = 0;  ///< of derivatives and plain modes; 0: as many as extended modes would give
  ForceKind forces = ForceKind::cubature;
  int samples = 150;  ///< elements of the cubature
  TrainingPosesOptions poses = {};
  CubatureNnHtpOptions cubature = {};
  int contact_samples = 200;
  std::uint64_t seed = 1;
  std::size_t memory = std::size_t{1} << 30;  ///< bytes that training may take
  Progress progress = {};
};

/// A subspace of a kind.
DenseBasis make_basis(const Body& body, const ReduceFemOptions& options = {});

/// The whole offline stage: modes, subspace, poses, cubature. What it measured is in the model: seconds of each stage,
/// and of a cubature `training_error`, `fresh_error` (on as many poses of another seed), `pose_scale`.
ReducedFem reduce_fem(const Body& body, const ReduceFemOptions& options = {});

/// All but the subspace, which is there already.
ReducedFem reduce_fem(const Body& body, const DenseBasis& basis, const ReduceFemOptions& options = {});

}  // namespace pliant
