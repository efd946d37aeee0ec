#pragma once
// Finite elements made small [von Tycowicz et al. 2013]: a dense subspace, weighted elements in place of all, and what
// the online stage asks beside them. This is what a model file of this method holds.
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pliant/elasticity/body.h"
#include "pliant/geometry/embedding.h"
#include "pliant/hyperreduction/polynomial_forces.h"
#include "pliant/hyperreduction/reduced_elements.h"
#include "pliant/io/mesh_file.h"
#include "pliant/io/safetensors.h"

namespace pliant {

/// A surface that is carried by the tets: the mesh a user brought.
struct CarriedSurface {
  TriMesh mesh;
  Embedding embedding;
};

/// Positions x = rest + U q. U is orthonormal for the masses, so that the reduced mass is the identity, and diagonalises
/// the stiffness at rest. Plain data: nothing of the body's physics is needed beside it.
struct ReducedFem {
  // === The mesh, as it is shown
  Points rest_positions;                  ///< n x 3, metres
  Tets tets;                              ///< of a solid, none in a shell
  Triangles triangles;                    ///< the surface of a solid, or the shell
  std::optional<CarriedSurface> carried;  ///< what is shown in its place, if anything

  // === The subspace
  std::string basis;        ///< "extended_modes", ...
  RowMajorMatrix<float> U;  ///< 3n x d, in kg^-1/2; zero at fixed vertices
  VectorXd eigenvalues;     ///< d, 1/s²: the reduced stiffness at rest

  // === Forces
  ReducedElements elements;                    ///< weighted; none beside a polynomial
  std::optional<PolynomialForces> polynomial;  ///< exact, of stvk in a small subspace
  Rayleigh damping;

  // === What is done to vertices
  VectorXd masses;                    ///< n, kg
  VectorXd local_stiffness;           ///< n, N/m: what each vertex alone resists at rest
  std::vector<int> fixed;             ///< ascending; the subspace does not move them
  std::vector<int> contact_vertices;  ///< ascending: those that feel obstacles

  /// Errors and times measured while it was made, by name; times in seconds, errors relative.
  std::map<std::string, double> measured;

  Index vertex_count() const { return rest_positions.rows(); }
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

/// What a person sees where the vertices are at these positions: the carried surface, or else the tets or the shell.
MeshData shown(const ReducedFem& model, const Points& positions);

/// Refuses, with a sentence, what does not fit together.
void check(const ReducedFem& model);

void write_reduced_fem(const ReducedFem& model, const std::filesystem::path& file);
/// Everything is checked: a file cut short, of another kind, of a newer format.
ReducedFem read_reduced_fem(const SafetensorsFile& file);
ReducedFem read_reduced_fem(const std::filesystem::path& file);

}  // namespace pliant
