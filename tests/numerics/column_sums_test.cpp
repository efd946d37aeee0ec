#include "pliant/numerics/column_sums.h"

#include <gtest/gtest.h>

namespace pliant {

TEST(ColumnSums, AreThoseOfTheProduct) {
  for (const Index rows : {1, 3, 16, 37, 480, 1320})
    for (const std::size_t count : {0, 1, 3, 4, 17, 70}) {
      const Eigen::MatrixXf A = Eigen::MatrixXf::Random(rows, 30);
      const MatrixXd weights = MatrixXd::Random(80, 3);
      std::vector<Index> columns;
      MatrixXd expected = MatrixXd::Zero(rows, 3), out;
      for (std::size_t i = 0; i < count; ++i) {
        columns.push_back(static_cast<Index>(7 * i % 30));
        expected += A.col(columns.back()).cast<double>() * weights.row(static_cast<Index>(i));
      }
      Team team;
      sum_columns(team, A, columns, weights, out);
      ASSERT_EQ(out.rows(), rows);
      EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-5) << rows << " rows, " << count << " columns";
    }
}

}  // namespace pliant
