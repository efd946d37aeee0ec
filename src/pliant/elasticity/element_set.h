#pragma once
// Chosen elements of a body, detached from its mesh: what hyper-reduction evaluates.
//
// The energy of an element is a function psi(z) of nine numbers that are linear in positions and do not feel
// translations. For a tet, z is the deformation gradient, column after column. For an edge flap of a shell, z holds the
// edge vectors x1 - x0, x2 - x0, x3 - x0. In either case z is three vectors, z_j = sum_a c_ja x_a over four vertices.
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/elasticity/body.h"
#include "pliant/numerics/aligned_vector.h"

namespace pliant {

/// Tets of a solid, edge flaps of a shell.
Index element_count(const Body& body);

/// How an element's z comes from positions: entry i + 3 j is the sum over a of coefficients(j, a) x_a[i].
struct ElementMap {
  Vector4i vertices;
  Eigen::Matrix<double, 3, 4> coefficients;
};
std::vector<ElementMap> element_maps(const Body& body);
std::vector<ElementMap> element_maps(const Body& body, std::span<const int> elements);

/// The elements as plain arrays, in the order of the set; what a file keeps.
struct ElementArrays {
  static constexpr int parameter_count = 11;
  VectorXi elements;  ///< s, their numbers in the body
  VectorXi kinds;     ///< s: 0 to 6 a tet of that material (as the variant Material has them), 7 an edge flap
  MatrixXd
      parameters;  ///< 11 x s. Tets: volume, then those of the density. Flaps: length at rest and its stiffness,
                   ///< the same of either area, then angle at rest, stiffness, length and area of the hinge
  MatrixXd rest;  ///< 9 x s, z at rest, or at the origin that was given
};

/// Eight elements of one kind side by side.
struct alignas(64) ElementPack {
  static constexpr int width = 8;
  double parameters[ElementArrays::parameter_count][width];
};

/// What an evaluation fills, in lanes; null where not wanted. Entry (i, slot) of an array of r rows stands at
/// (slot / 8 * r + i) * 8 + slot % 8.
struct ElementOutputs {
  double* energies = nullptr;   ///< 1 row, J
  double* gradients = nullptr;  ///< 9 rows, d psi / dz
  double* hessians = nullptr;   ///< 81 rows, d2 psi / dz2, symmetric
};

/// Elements are sorted by kind, otherwise in the order given. Each kind begins a new pack of eight, so that element k of
/// the set lies in slot slots()[k]; slots that a last pack leaves free have no energy and no derivatives. Constant once
/// made; evaluation allocates nothing and throws nothing.
class ElementSet {
 public:
  ElementSet() = default;
  explicit ElementSet(const Body& body);                        ///< all elements
  ElementSet(const Body& body, std::span<const int> elements);  ///< these, in any order
  /// The same with z at the positions `origin`, where a subspace begins, instead of those at rest.
  ElementSet(const Body& body, std::span<const int> elements, const Points& origin);
  explicit ElementSet(const ElementArrays& arrays);  ///< checked: InputError where they do not fit

  Index count() const { return static_cast<Index>(elements_.size()); }
  Index pack_count() const { return static_cast<Index>(packs_.size()); }
  Index slot_count() const { return pack_count() * ElementPack::width; }
  const std::vector<int>& elements() const {
    return elements_;
  }                                                         ///< numbers in the body, as the set has them
  const std::vector<int>& slots() const { return slots_; }  ///< ascending
  const AlignedVector<double>& rest() const {
    return rest_;
  }  ///< z at rest (or at the origin) in lanes, 9 rows; also of free slots
  ElementArrays arrays() const;

  /// Packs `first` to `first` + `count` - 1. z (9 rows) and outputs are in lanes and begin with pack `first`.
  void evaluate(Index first, Index count, const double* z, const ElementOutputs& out,
                Projection projection = Projection::none) const;

  // === The same in plain matrices, a column an element of the set; these allocate
  MatrixXd rest_z() const;                                                               ///< 9 x s
  VectorXd energies(const MatrixXd& z) const;                                            ///< s
  MatrixXd gradients(const MatrixXd& z) const;                                           ///< 9 x s
  MatrixXd hessians(const MatrixXd& z, Projection projection = Projection::none) const;  ///< 81 x s

  std::size_t memory_bytes() const;

 private:
  void pack(const ElementArrays& arrays);

  std::vector<int> elements_, slots_;
  std::vector<int> kinds_;  // of packs
  std::vector<ElementPack> packs_;
  AlignedVector<double> rest_;
};

namespace detail {

/// One call of a kernel.
struct ElementJob {
  int kind;
  const ElementPack* packs;
  Index count;
  const double* z;
  ElementOutputs out;
  bool projected;
};
void evaluate_tet_packs(const ElementJob& job);
void evaluate_flap_packs(const ElementJob& job);

}  // namespace detail
}  // namespace pliant
