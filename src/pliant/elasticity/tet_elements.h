#pragma once
// Linear tetrahedra in SIMD batches: energy, gradient and stiffness of a tile of elements at a time.
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/elasticity/assembly.h"
#include "pliant/elasticity/density_parameters.h"

namespace pliant {

/// Eight elements of one kind of material, side by side: what a kernel needs of them, in the order it is read.
struct alignas(64) TetPack {
  static constexpr int width = 8;
  static constexpr int parameter_count = density_parameter_count;
  double gradient[9][width];                  ///< of the shape functions 1 to 3, entry (3 (a-1) + coordinate)
  double volume[width];                       ///< m³; zero for the places that a last pack leaves free
  double parameters[parameter_count][width];  ///< of the density, as its kernel reads them
  std::int32_t offset[4][width];              ///< 3 times the vertex: where its coordinates begin
};

struct TetEvaluation {
  bool gradient = true;    ///< otherwise energy alone
  bool stiffness = false;  ///< also blocks
  bool projected = false;  ///< each element's stiffness made positive semi-definite
};

/// The tetrahedra of a body, sorted by kind of material and then along a space-filling curve, so that a tile's elements
/// are neighbours.
class TetElements {
 public:
  static constexpr int tile_size = 128;

  /// The material of tet t is materials[material_of_tet[t]]. Rest volumes are positive.
  TetElements(const Points& rest_positions, const Tets& tets, std::span<const Material> materials,
              std::span<const int> material_of_tet);

  Index count() const { return static_cast<Index>(volumes_.size()); }
  Index tile_count() const { return static_cast<Index>(tiles_.size()); }
  const std::vector<double>& volumes() const { return volumes_; }  ///< of the tets as they were given
  void add_stencils(Stencils& stencils) const;

  /// Sums of tile `tile` at stacked positions x. Its elements are those of `assembly` from `first_element` on, its
  /// tile the one numbered `first_tile` + tile there.
  void evaluate(const double* x, const TetEvaluation& what, const Assembly& assembly, Index first_element,
                Index first_tile, Index tile, AssemblyBuffers& buffers) const;

  std::size_t memory_bytes() const;

 private:
  struct Tile {
    int kind;                      // index into the variant
    int first_pack, first, count;  // its packs; its elements in sorted order
  };
  std::vector<TetPack> packs_;
  std::vector<Tile> tiles_;
  std::vector<double> volumes_;
};

namespace detail {

/// One call of a kernel.
struct TetJob {
  const double* x;
  int kind;  // index into the variant of materials
  const TetPack* packs;
  int count;  // elements
  TetEvaluation what;
  const std::uint16_t* vertex_slots;   // 4 an element
  const std::uint16_t* block_slots;    // 10 an element
  double *energy, *gradient, *blocks;  // the tile's sums, set to zero before
};
void evaluate_tets(const TetJob& job);

}  // namespace detail
}  // namespace pliant
