#pragma once
// Finite elements made small [von Tycowicz et al. 2013]: a dense subspace, weighted elements in place of all, and what
// the online stage asks beside them. This is what a model file of this method holds.
#include <filesystem>
#include <optional>
#include <string>

#include "pliant/elasticity/body.h"
#include "pliant/hyperreduction/polynomial_forces.h"
#include "pliant/hyperreduction/reduced_elements.h"
#include "pliant/reduced/model_body.h"

namespace pliant {

/// Positions x = rest + U q. U is orthonormal for the masses, so that the reduced mass is the identity, and diagonalises
/// the stiffness at rest. Plain data: nothing of the body's physics is needed beside it.
struct ReducedFem : ModelBody {
  Points rest_positions;  ///< n x 3, metres

  // === The subspace
  std::string basis;        ///< "extended_modes", ...
  RowMajorMatrix<float> U;  ///< 3n x d, in kg^-1/2; zero at fixed vertices
  VectorXd eigenvalues;     ///< d, 1/s²: the reduced stiffness at rest

  // === Forces
  ReducedElements elements;                    ///< weighted; none beside a polynomial
  std::optional<PolynomialForces> polynomial;  ///< exact, of stvk in a small subspace
  Rayleigh damping;

  Index dimension() const { return U.cols(); }
};

/// Memory of evaluations of elastic forces; grows on first use.
struct ReducedForceWorkspace {
  ReducedElements::Workspace elements;
  PolynomialForces::Workspace polynomial;
};

/// Elastic energy at q, of whichever kind the model's forces are; with -dE/dq; with d2E/dq2 too.
double elastic_energy(const ReducedFem& model, const VectorXd& q, ReducedForceWorkspace& work);
double elastic_force(const ReducedFem& model, const VectorXd& q, VectorXd& force,
                     ReducedForceWorkspace& work);
double elastic_stiffness(const ReducedFem& model, const VectorXd& q, MatrixXd& K, VectorXd& force,
                         ReducedForceWorkspace& work, Projection projection = Projection::none);

/// x = rest + U q, n x 3. The products are in single precision, as U is.
void positions(const ReducedFem& model, const VectorXd& q, Points& out);
Points positions(const ReducedFem& model, const VectorXd& q);

/// Refuses, with a sentence, what does not fit together.
void check(const ReducedFem& model);

inline constexpr const char* reduced_fem_format = "pliant-reduced-fem";

void write_reduced_fem(const ReducedFem& model, const std::filesystem::path& file);
/// Everything is checked: a file cut short, of another kind, of a newer format.
ReducedFem read_reduced_fem(const SafetensorsFile& file);
ReducedFem read_reduced_fem(const std::filesystem::path& file);

}  // namespace pliant
