#pragma once
// The inverse of a matrix as two products: A⁻¹ = Wᵀ W, W = L⁻¹.
#include <vector>

#include "pliant/base/team.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/dissected_cholesky.h"

namespace pliant {

/// Where the graph of A falls apart, A⁻¹ is full, but W is not: its rows reach from what is below a part to the part itself. A solve
/// is two products with no order among their rows, for as many threads as there are, and of fewer numbers than A⁻¹ has. Numbers
/// lie in panels of up to 32 rows in the order in which they are read.
template <class T>
class InverseFactor {
 public:
  /// Takes over a factor. Memory is taken once for factors of the same parts.
  void assign(const DissectedCholesky& factor);

  /// out (three rows of places()) = A⁻¹ x, x with three numbers a place. Zero where there is no unknown.
  void apply(Team& team, const T* x, T* out);

  Index places() const { return places_; }
  std::size_t memory_bytes() const {
    return (down_numbers_.size() + up_numbers_.size() + between_.size()) * sizeof(T);
  }

 private:
  /// A few columns that follow each other.
  struct Run {
    Index first, count;
  };
  struct Panel {
    Index row, height;         ///< places
    Index offset;              ///< of its numbers
    Index first_run, end_run;  ///< of its columns
  };
  /// Panels that one thread multiplies with.
  struct Task {
    Index first, end;
  };
  struct Product {
    std::vector<Panel> panels;
    std::vector<Run> runs;
    std::vector<Task> tasks;
  };
  void arrange(const DissectedCholesky& factor);
  static void multiply(const Product& product, Index task, const T* numbers, const T* x, Index next,
                       Index apart, T* out, Index places);

  Index places_ = 0;
  Product down_, up_;  // y = W x, and Wᵀ y
  AlignedVector<T> down_numbers_, up_numbers_;
  AlignedVector<T> between_;                  // y
  std::vector<Index> down_panel_, up_panel_;  // the first of every part
};

}  // namespace pliant
