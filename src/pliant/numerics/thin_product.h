#pragma once
// A matrix times three columns, in SIMD: what a step of projective dynamics does most.
#include "pliant/base/parallel.h"

namespace pliant {

/// out[c][r] += Σ_j matrix[j][r] x[c][j] for rows r = 0 to rows - 1, columns j and c = 0, 1, 2.
template <class T>
struct ThinProduct {
  const T* matrix;  ///< column after column
  Index stride;     ///< from one to the next, a multiple of eight
  Index rows;       ///< a multiple of eight
  Index columns;
  const T* x;
  Index next, apart;  ///< from one j to the next, and from one c to the next
  T* out;             ///< aligned, as the matrix, to eight numbers
  Index out_apart;
};
void add_product(const ThinProduct<float>& product);
void add_product(const ThinProduct<double>& product);

}  // namespace pliant
