#pragma once
// Forces of contacts that feel each other, brought into Coulomb's cones: projected Gauss-Seidel.
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {

/// Forces f that leave no gap g, (C + D) f = g, but where that takes more than a cone gives: one point after the other asks what is
/// left of its gap,
///     f_i <- cone_i(f_i + (g - (C + D) f)_i / (C + D)_ii),
/// and what it changes by is told to all others at once, so that each finds what is left of its own. Plain arrays: of a point number
/// i of a row, rows of three coordinates `stride` numbers apart, which is `count` rounded up to whole vectors of eight.
struct ConeSweeps {
  static constexpr double absent =
      -1;  ///< as friction: a point that takes no part: no force, and none is told to it
  Index count = 0, stride = 0;
  AlignedVector<double> forces, normals,
      beyond;                      ///< beyond: how far forces move the point beyond its gap, (C + D) f - g
  AlignedVector<double> friction;  ///< Coulomb's coefficient, or absent

  void reserve(Index points);
  void resize(Index points);
};

/// `cones.forces` and `.beyond` being set.
/// @param matrix   C + D, its columns `apart` numbers from each other, aligned to eight numbers
/// @param largest  of the forces, N: changes of `settled` of that end it, and those of `unchanged` are not told to others
/// @param sweeps   so many at the most
/// @return those that were made
int sweep_cones(const double* matrix, Index apart, double largest, double settled, double unchanged,
                int sweeps, ConeSweeps& cones);

}  // namespace pliant
