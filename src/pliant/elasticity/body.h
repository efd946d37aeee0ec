#pragma once
// A mesh made of something: knows its mass, energy, forces and stiffness.
#include <memory>
#include <vector>

#include "pliant/elasticity/assembly.h"
#include "pliant/elasticity/material.h"
#include "pliant/elasticity/shell_elements.h"
#include "pliant/elasticity/tet_elements.h"
#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// A density of energy and one of mass.
struct SolidMaterial {
  Material material;
  double density = 1000;  ///< kg/m³
};

/// Damping forces -(mass M + stiffness K) v.
struct Rayleigh {
  double mass = 0;       ///< 1/s
  double stiffness = 0;  ///< s
};

struct BodyOptions {
  std::vector<int> material_of_tet =
      {};                       ///< into the palette, one a tet; empty: all are of the first material
  std::vector<int> fixed = {};  ///< vertices that do not move
  Rayleigh damping = {};
};

/// Memory of one evaluation, kept between them; one for each thread that evaluates.
struct BodyWorkspace {
  AssemblyBuffers buffers;
  SymmetricBlocks blocks;
};

enum class Projection {
  none,      ///< the exact second derivative
  positive,  ///< each element's made positive semi-definite, and so the sum
};

/// Constant once made; any number of threads may evaluate one body, each with a workspace of its own. Without one,
/// every call allocates. Positions are n x 3; stacked vectors and matrices have coordinate k of vertex i at 3 i + k,
/// which is how Points lie in memory. Sums have the same bits on any number of threads.
class Body {
 public:
  /// Refuses, with a sentence: tets without volume or inverted, vertices of no tet, bad parameters.
  Body(const TetMesh& mesh, const SolidMaterial& material, const BodyOptions& options = {});
  Body(const TetMesh& mesh, const std::vector<SolidMaterial>& palette, const BodyOptions& options = {});
  /// A shell: triangles instead of tets.
  Body(const TriMesh& mesh, const ShellMaterial& material, const BodyOptions& options = {});

  Index vertex_count() const { return mesh_.vertex_count(); }
  const Points& rest_positions() const { return mesh_.vertices; }
  const Tets& tets() const { return mesh_.tets; }            ///< none in a shell
  const Triangles& triangles() const { return triangles_; }  ///< of a shell; none in a solid
  bool is_shell() const { return triangles_.rows() > 0; }
  const ShellMaterial& shell_material() const { return shell_material_; }
  const DiscreteShell& shell() const { return shell_elements_->shell(); }  ///< its terms; none in a solid
  const std::vector<SolidMaterial>& palette() const { return palette_; }
  const std::vector<int>& material_of_tet() const { return material_of_tet_; }
  const std::vector<int>& fixed() const { return fixed_; }  ///< ascending, each once
  const Rayleigh& damping() const { return damping_; }
  double volume() const;  ///< at rest, m³; zero for a shell

  // === Mass
  const VectorXd& masses() const { return masses_; }  ///< lumped, n, kg
  double total_mass() const { return masses_.sum(); }
  SparseMatrix mass_matrix() const;             ///< lumped, 3n x 3n, diagonal
  SparseMatrix consistent_mass_matrix() const;  ///< 3n x 3n

  // === Energy (J) and forces (-dE/dx, N; out is resized where needed)
  double energy(const Points& x) const;
  double energy(const Points& x, BodyWorkspace& work) const;
  void forces(const Points& x, Points& out) const;
  double energy_and_forces(const Points& x, Points& out, BodyWorkspace& work) const;

  // === Stiffness (+d²E/dx², N/m)
  SparseMatrix stiffness_pattern() const;  ///< 3n x 3n zeros, both triangles
  SparseMatrix stiffness(const Points& x, Projection projection = Projection::none) const;
  /// Into a matrix that stiffness_pattern or stiffness made; allocates nothing once warm.
  void stiffness(const Points& x, SparseMatrix& K, BodyWorkspace& work,
                 Projection projection = Projection::none) const;
  /// The same as blocks, and forces and energy with it at hardly any cost. The pattern is block_pattern().
  double stiffness_blocks(const Points& x, SymmetricBlocks& K, Points& forces, BodyWorkspace& work,
                          Projection projection = Projection::none) const;
  const SymmetricBlocks& block_pattern() const { return assembly_->pattern(); }

  std::size_t memory_bytes() const;  ///< elements and assembly, without workspaces

 private:
  void take_common_options(const BodyOptions& options);
  void check_positions(const Points& x) const;
  void evaluate(const Points& x, const TetEvaluation& what, AssemblyBuffers& buffers) const;

  TetMesh mesh_;  // without tets in a shell
  Triangles triangles_;
  std::vector<SolidMaterial> palette_;
  ShellMaterial shell_material_;
  std::vector<int> material_of_tet_, fixed_;
  Rayleigh damping_;
  VectorXd masses_;
  std::shared_ptr<const TetElements> tet_elements_;  // shared: bodies are copied freely
  std::shared_ptr<const ShellElements> shell_elements_;
  std::shared_ptr<const Assembly> assembly_;
};

/// The triangles that face outside: all of a shell's.
Triangles surface_triangles(const Body& body);
std::vector<int> surface_vertices(const Body& body);  ///< their corners, ascending

/// The stiffness at x, for one use: allocates what it needs.
SymmetricBlocks stiffness_blocks(const Body& body, const Points& x);

/// What each vertex alone resists at rest: the mean of its block of the stiffness' diagonal. n, N/m.
VectorXd local_stiffness(const Body& body);

}  // namespace pliant
