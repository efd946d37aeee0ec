#pragma once
// The edges, triangles and hinges of a shell in tiles, evaluated as tetrahedra are: sums of a tile at a time.
#include "pliant/elasticity/assembly.h"
#include "pliant/elasticity/discrete_shells.h"
#include "pliant/elasticity/tet_elements.h"

namespace pliant {

/// What a shell adds to a body. Terms without stiffness are left out.
class ShellElements {
 public:
  static constexpr int tile_size = 128;

  explicit ShellElements(DiscreteShell shell);

  Index tile_count() const { return static_cast<Index>(tiles_.size()); }
  const DiscreteShell& shell() const { return shell_; }
  void add_stencils(Stencils& stencils) const;

  /// Sums of tile `tile` at stacked positions x. Its elements are those of `assembly` from `first_element` on, its
  /// tile the one numbered `first_tile` + tile there.
  void evaluate(const double* x, const TetEvaluation& what, const Assembly& assembly, Index first_element,
                Index first_tile, Index tile, AssemblyBuffers& buffers) const;

  std::size_t memory_bytes() const;

 private:
  enum class Kind { edge, area, hinge };
  struct Tile {
    Kind kind;
    Index first, count;   // in the shell's list of this kind
    Index first_element;  // in the order of the stencils
  };
  void add_tiles(Kind kind, Index count);

  DiscreteShell shell_;
  std::vector<Tile> tiles_;
  Index element_count_ = 0;
};

/// A third of every triangle's mass at each of its corners: n masses, kg.
VectorXd lumped_shell_masses(const DiscreteShell& shell, Index vertex_count, double density);

/// The integral of density N_a N_b = m/12 (1 + d_ab) for a triangle of mass m: 3n x 3n, both triangles.
SparseMatrix consistent_shell_mass(const DiscreteShell& shell, Index vertex_count, double density);

}  // namespace pliant
