#pragma once
// Isotropic densities through their invariants: the slow, obvious way to stress and Hessian that checks the fast one.
#include "pliant/elasticity/lame.h"

namespace pliant {

/// The derivatives of a density W(I1, I2, J), I1 = tr C, I2 = ((tr C)² - tr C²)/2, J = det F, C = FᵀF.
struct InvariantDerivatives {
  Vector3d first = Vector3d::Zero();   ///< by I1, I2, J
  Matrix3d second = Matrix3d::Zero();  ///< symmetric
};

/// I1, I2 and J of F.
Vector3d invariants(const Matrix3d& F);

/// ∂W/∂F = Σ W_a ∂I_a/∂F.
Matrix3d stress_of(const InvariantDerivatives& W, const Matrix3d& F);

/// ∂²W/∂F² = Σ W_ab ∂I_a ⊗ ∂I_b + Σ W_a ∂²I_a.
Matrix9d hessian_of(const InvariantDerivatives& W, const Matrix3d& F);

/// The nearest positive semi-definite matrix: negative eigenvalues become zero.
Matrix9d positive_part(const Matrix9d& H);

}  // namespace pliant
