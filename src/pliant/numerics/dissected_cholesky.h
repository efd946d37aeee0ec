#pragma once
// Symmetric positive definite systems of some hundred unknowns whose graph falls apart (dissection.h).
#include <span>
#include <vector>

#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/dissection.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// A = L Lᵀ with a dense front for every part of a dissection. Unknowns get places in the order of the parts; those of a part
/// begin at a multiple of eight, and places in between are filled with the identity. With that, L and its inverse are zero but
/// where the row belongs to the same part as the column, or to one above it.
class DissectedCholesky {
 public:
  struct Part {
    Index first = 0, size = 0;  ///< places
    Index below = 0;            ///< the first place of all that is below it, and before it
    Index rows = 0;             ///< its own places and those of all parts above it
    int parent = -1;
  };
  DissectedCholesky() = default;
  /// @param pattern   of blocks of `block` unknowns each
  /// @param left_out  unknowns whose rows and columns are those of the identity
  DissectedCholesky(const Dissection& pattern, int block, const std::vector<char>& left_out);

  /// The matrices that A is a sum of, size() x size(). Their numbers are copied into the order in which fronts read them: gathering them
  /// at every factorisation would take longer than the factorisation.
  void set_terms(std::span<const MatrixXd* const> matrices);
  /// A is the sum of factors times terms, with `added` on its diagonal. False where it is not positive definite, or not finite; there
  /// is nothing to solve with then.
  bool factorize(std::span<const double> factors, double added = 0);

  /// x <- A⁻¹ x, for `count` columns of size() numbers each, one after the other. Zero at unknowns that are left out.
  /// @param workspace  as many numbers as workspace(count) says, aligned to 64 bytes
  void solve(double* x, int count, double* workspace) const;
  Index workspace(int count) const { return 2 * count * places(); }
  /// The same in parallel.
  void solve(MatrixXd& x) const;

  /// Columns first to last - 1 of L⁻¹, of a part: its own rows, then those of all parts above it, rows() numbers each.
  void inverse_columns(Index part, Index first, Index last, double* out) const;

  Index size() const { return static_cast<Index>(place_.size()); }
  Index places() const { return static_cast<Index>(unknown_.size()); }
  std::span<const Part> parts() const { return parts_; }
  std::span<const int> place() const { return place_; }  ///< of every unknown
  std::span<const int> unknown() const {
    return unknown_;
  }  ///< at every place; -1: none, or one that is left out
  std::size_t memory_bytes() const;

 private:
  void gather(Index part, const MatrixXd& matrix, AlignedVector<double>& out) const;
  bool factorize_part(Index part, std::span<const double> factors, double added, bool parallel);

  std::vector<Part> parts_;
  std::vector<std::vector<int>> children_, by_depth_;  // depth: deepest first
  std::vector<int> place_, unknown_;
  std::vector<char> left_out_;
  std::vector<AlignedVector<double>> panels_, rests_, strips_;  // of parts
  std::vector<std::vector<AlignedVector<double>>> terms_;       // as panels: of parts, of every matrix
};

}  // namespace pliant
