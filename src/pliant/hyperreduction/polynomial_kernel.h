#pragma once
// Loops of PolynomialForces in SIMD. With y = (1, q), n numbers, the energy is the sum over a <= b <= c <= e of
// C_abce y_a y_b y_c y_e. Pairs (c, e) stand in one row, ordered by c: those with c >= b are its end. So what belongs to
// one b is a matrix, with a row for each a <= b and a column for each of these pairs.
#include "pliant/base/parallel.h"

namespace pliant::detail {

inline constexpr Index polynomial_group = 4;  // rows of a matrix are padded to whole groups, with zeros

inline Index padded_to_group(Index count) {
  return (count + polynomial_group - 1) / polynomial_group * polynomial_group;
}
inline Index pair_count(Index size) { return size * (size + 1) / 2; }

/// Arrays of pairs have pair_count(size) entries, and a group of zeros behind them.
struct PolynomialJob {
  Index size;              // of y: n
  const double* matrices;  // b after b
  const double* y;         // with a group of zeros behind
  const double* products;  // y_c y_e, an array of pairs
  double* inner;           // of pairs (c, e): sum over a, b of C y_a y_b
  double* outer;           // of pairs (a, b), b after b, a ascending: sum over c, e of C y_c y_e
  // For second derivatives, otherwise null:
  double* crossed;  // n x (n + group): row i is dy_j-derivatives of what multiplies y_i as an a or as a b
  double* by_b;     // scratch, an array of pairs
  double* by_a;     // scratch, n arrays of pairs
};
/// `inner` and `crossed` must be zero.
void evaluate_polynomial(const PolynomialJob& job);

}  // namespace pliant::detail
