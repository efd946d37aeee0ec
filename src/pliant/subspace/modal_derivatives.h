#pragma once
// Modal derivatives: how modes bend as others grow [Barbič and James 2005].
//     K Φᵢⱼ = -(H : Ψⱼ) Ψᵢ,   H = ∂K/∂u
// A body under the load p K Ψᵢ takes the shape Ψᵢ p + Φᵢᵢ p²/2 + ...: with them the subspace follows to
// second order.
#include "pliant/subspace/dense_basis.h"
#include "pliant/subspace/linear_modes.h"

namespace pliant {

struct ModalDerivativesOptions {
  /// Of the subspace: the modes, and the strongest directions of the derivatives up to this. Below 0: all of
  /// them.
  Index dimension = -1;
  double tolerance = 1e-5;  ///< directions are left out whose part beside the others is below this; 1e-7 to 1
  double strain = 1e-4;  ///< of the deformations between which the stiffness is differenced, at its largest
  Progress progress = {};
};

/// The modes, rigid motions included, and the derivatives of all pairs of them but translations, which have
/// none: for r elastic modes d = r + r (r + 1) / 2 held, and 6 + r + (r + 3) (r + 4) / 2 free (135 for 15
/// held modes, 93 for 9 free ones). For any material: the derivative of the stiffness is a central difference
/// along each mode. A free body's K is singular; the part of the load that would move the body as a whole is
/// left out, and rigid motions of the answer too.
///
/// Where fewer are wanted, they are the principal directions of the derivatives in the inner product of the
/// masses, pair (i, j) weighted by λ₁² / (λᵢ λⱼ): what moves slowly moves far [Barbič and James 2005].
/// Rotations are weighted as the first mode.
DenseBasis modal_derivatives(const Body& body, const LinearModes& modes,
                             const ModalDerivativesOptions& options = {});

}  // namespace pliant
