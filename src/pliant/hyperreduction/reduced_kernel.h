#pragma once
// The products of ReducedElements in SIMD. A block is four slots; its part of G is d x 9 x 4 floats, so that the slots
// lie side by side as their z and gradients do, and a block of a 135-dimensional subspace fits the first cache.
#include "pliant/base/parallel.h"

namespace pliant::detail {

inline constexpr Index block_slots = 4;

/// z = rest + G q for one block. rest and z point at the block's first lane of a pack: row i at 8 i.
void block_z(const float* G, Index dimension, const double* q, const double* rest, double* z);

/// sums (d x 4) += G (weights * gradient), lane by lane. gradient as z above.
void block_force(const float* G, Index dimension, const double* weights, const double* gradient,
                 double* sums);

/// out[k] = the sum of the four lanes of sums (d x 4), times `factor`.
void sum_lanes(const double* sums, Index dimension, double factor, double* out);

// === Stiffness: K_ij = sum_r A_ir B_jr with A = G and B = weights H G, r over rows of several blocks

inline constexpr Index stiffness_rows = 144;  // four blocks of 36 rows
inline constexpr Index tile_rows = 4, tile_columns = 3;

/// Rows `row` to row + 35 of A and B (each entry k at k * stiffness_rows) from one block. H: its 81 rows, as z above.
void block_products(const float* G, Index dimension, const double* weights, const double* H, double* A,
                    double* B);

/// K (column-major, `dimension` rows) += A B^T over stiffness_rows, in tiles that reach the lower triangle. `dimension`
/// is a multiple of 12.
void add_lower_products(const double* A, const double* B, Index dimension, double* K);

}  // namespace pliant::detail
