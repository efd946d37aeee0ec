#include "pliant/numerics/column_sums.h"

#include <gtest/gtest.h>

namespace pliant {

TEST(ColumnSums, AreThoseOfTheProduct) {
  for (const Index rows : {1, 3, 16, 37, 480})
    for (const std::size_t count : {0, 1, 3, 4, 5, 17}) {
      const MatrixXd A = MatrixXd::Random(rows, 30), weights = MatrixXd::Random(20, 3);
      std::vector<Index> columns;
      MatrixXd expected = MatrixXd::Zero(rows, 3), out;
      for (std::size_t i = 0; i < count; ++i) {
        columns.push_back(static_cast<Index>(7 * i % 30));
        expected += A.col(columns.back()) * weights.row(static_cast<Index>(i));
      }
      sum_columns(A, columns, weights, out);
      ASSERT_EQ(out.rows(), rows);
      EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-13) << rows << " rows, " << count << " columns";
    }
}

}  // namespace pliant
