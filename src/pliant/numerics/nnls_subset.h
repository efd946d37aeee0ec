#pragma once
// Least squares with few unknowns that are not zero:  min |A x - b|,  x >= 0,  at most `count` entries above zero. The best
// such set is hard to find; this finds one that no single exchange improves.
#include <functional>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

struct NnlsSubset {
  std::vector<int> places;  ///< ascending: which unknowns are not zero
  VectorXd x;               ///< of each of them, positive
  double objective = 0;     ///< x·AᵀA x - 2 Aᵀb·x, which is |A x - b|² - |b|²
  int exchanges = 0;
};

/// Unknowns of `start` (n, at most `count` above zero) are exchanged for others: one enters, that one leaves without which the
/// objective rises least, as long as the two together gain and all stay positive. The best exchange of all comes first.
/// @param AtA  n x n, symmetric positive semi-definite
NnlsSubset nnls_exchange(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start = {});

/// All unknowns are fitted (from `start`, n or empty), those that can be spared leave one after the other, the others taking
/// over each time [Hassibi and Stork 1993]; then exchanges.
NnlsSubset nnls_eliminate(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start = {});

/// Many more unknowns, of which few will ever enter: products among them are asked for only where one does.
struct NnlsCandidates {
  MatrixXd products;                             ///< s x N, of the s unknowns of a fit with them
  VectorXd squares;                              ///< N: each with itself
  VectorXd Atb;                                  ///< N
  std::function<VectorXd(Index)> products_with;  ///< of one of them with all, N
};

/// As nnls_exchange, between the s unknowns of AtA and candidates beside them. Places from s on are candidates. Who leaves
/// does not come back. Memory and work are those of s N products, and N more an exchange, instead of N².
/// @param start  s; those that are zero are left out
NnlsSubset nnls_exchange(const MatrixXd& AtA, const VectorXd& Atb, Index count, const VectorXd& start,
                         const NnlsCandidates& candidates);

}  // namespace pliant
