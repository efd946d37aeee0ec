#include "pliant/numerics/thin_product.h"

#include <gtest/gtest.h>

#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/types.h"

namespace pliant {
namespace {

template <class T>
void check(Index rows, Index columns, bool interleaved, double bound) {
  const Index stride = rows + 8;
  AlignedVector<T> matrix(static_cast<std::size_t>(stride * columns + 8)),
      x(static_cast<std::size_t>(3 * columns + 3)), out(static_cast<std::size_t>(3 * stride));
  const auto fill = [](AlignedVector<T>& v, double speed) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = static_cast<T>(std::sin(speed * static_cast<double>(i)));
  };
  fill(matrix, 1.3), fill(x, 0.7), fill(out, 2.1);
  const AlignedVector<T> before = out;
  const ThinProduct<T> product{.matrix = matrix.data(),
                               .stride = stride,
                               .rows = rows,
                               .columns = columns,
                               .x = x.data(),
                               .next = interleaved ? 3 : 1,
                               .apart = interleaved ? 1 : columns,
                               .out = out.data(),
                               .out_apart = stride};
  add_product(product);
  for (Index c = 0; c < 3; ++c)
    for (Index r = 0; r < stride; ++r) {
      auto sum = static_cast<double>(before[static_cast<std::size_t>(c * stride + r)]);
      for (Index j = 0; j < columns && r < rows; ++j)
        sum += static_cast<double>(matrix[static_cast<std::size_t>(j * stride + r)]) *
               static_cast<double>(x[static_cast<std::size_t>(j * product.next + c * product.apart)]);
      EXPECT_NEAR(static_cast<double>(out[static_cast<std::size_t>(c * stride + r)]), sum, bound);
    }
}

TEST(ThinProduct, IsThatOfTheMatrix) {
  for (const Index rows : {8, 16, 24, 32, 40, 96})
    for (const Index columns : {0, 1, 5, 64})
      for (const bool interleaved : {false, true}) {
        check<float>(rows, columns, interleaved, 1e-5);
        check<double>(rows, columns, interleaved, 1e-13);
      }
}

}  // namespace
}  // namespace pliant
