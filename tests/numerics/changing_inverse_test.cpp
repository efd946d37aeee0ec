#include "pliant/numerics/changing_inverse.h"

#include <Eigen/Dense>

#include <limits>
#include <vector>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

MatrixXd random_definite(Rng& rng, Index count, double shift) {
  MatrixXd A(count, count);
  for (double& a : A.reshaped()) a = rng.normal();
  return A * A.transpose() / static_cast<double>(count) + shift * MatrixXd::Identity(count, count);
}

/// Rows of a large matrix that are in the inverse, in its order.
struct Members {
  MatrixXd all;
  std::vector<Index> rows;
  ChangingInverse inverse;

  bool add(Index row) {
    std::vector<double> entries;
    rows.push_back(row);
    for (const Index other : rows) entries.push_back(all(row, other));
    return inverse.add(entries.data());
  }
  void remove(Index place) {
    inverse.remove(place);
    rows[static_cast<std::size_t>(place)] = rows.back();
    rows.pop_back();
  }
  /// How far X (M b) is from b.
  double error(Rng& rng) {
    const Index count = inverse.size();
    MatrixXd b(count, 3), x(count, 3);
    for (double& e : b.reshaped()) e = rng.normal();
    const MatrixXd Mb = all(rows, rows) * b;
    inverse.multiply(Mb.data(), count, x.data(), count);
    return (x - b).cwiseAbs().maxCoeff();
  }
};

}  // namespace

TEST(ChangingInverse, IsThatOfTheRowsThatAreThere) {
  Rng rng(5);
  for (const Index count : {1, 2, 7, 8, 9, 31, 32, 33, 100, 256}) {
    Members m{random_definite(rng, count, 0.1), {}, {}};
    for (Index row = 0; row < count; ++row) ASSERT_TRUE(m.add(row));
    EXPECT_EQ(m.inverse.size(), count);
    EXPECT_LT(m.error(rng), 1e-11) << count;
  }
}

TEST(ChangingInverse, FollowsRowsThatComeAndGo) {
  Rng rng(7);
  const Index all = 120;
  Members m{random_definite(rng, all, 0.1), {}, {}};
  for (int change = 0; change < 2000; ++change) {
    std::vector<Index> others;
    for (Index row = 0; row < all; ++row)
      if (std::find(m.rows.begin(), m.rows.end(), row) == m.rows.end()) others.push_back(row);
    const bool grows = m.rows.empty() || (!others.empty() && rng.uniform(0, 1) < 0.52);
    if (grows)
      ASSERT_TRUE(m.add(
          others[static_cast<std::size_t>(rng.uniform(0, 0.999) * static_cast<double>(others.size()))]));
    else
      m.remove(static_cast<Index>(rng.uniform(0, 0.999) * static_cast<double>(m.rows.size())));
    if (change % 50 == 0 && !m.rows.empty()) {
      ASSERT_LT(m.error(rng), 1e-9) << change;
    }
  }
}

TEST(ChangingInverse, RowsThatDependOnOthersAreAsIfTheyDidNotQuite) {
  ChangingInverse inverse;
  const double first[] = {2}, same[] = {2, 2};
  ASSERT_TRUE(inverse.add(first));
  ASSERT_TRUE(inverse.add(same));
  const double x[] = {1, 1, 0, 0, 0, 0};
  double out[6];
  inverse.multiply(x, 2, out, 2);
  EXPECT_NEAR(out[0] + out[1], 0.5, 1e-5);  // both together move by one with half a newton
}

TEST(ChangingInverse, RefusesWhatIsNotFiniteAndStaysAsItWas) {
  Rng rng(9);
  Members m{random_definite(rng, 4, 1), {}, {}};
  for (Index row = 0; row < 3; ++row) ASSERT_TRUE(m.add(row));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& row :
       {std::vector<double>{0, nan, 0, 1}, {0, 0, 0, nan}, {0, 0, 0, 0}, {0, 0, 0, -1}})
    EXPECT_FALSE(m.inverse.add(row.data()));
  EXPECT_EQ(m.inverse.size(), 3);
  EXPECT_LT(m.error(rng), 1e-12);
}

}  // namespace pliant
