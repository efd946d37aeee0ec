#include "pliant/base/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {

TEST(Rng, SameSeedSameNumbersOtherSeedOthers) {
  Rng a(7), b(7), c(8);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const auto bits = a.bits();
    EXPECT_EQ(bits, b.bits());
    equal += bits == c.bits();
  }
  EXPECT_EQ(equal, 0);
}

TEST(Rng, UniformHasTheMomentsOfTheUniformDistribution) {
  Rng rng(1);
  const int n = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
}

TEST(Rng, NormalHasMeanZeroVarianceOneKurtosisThree) {
  Rng rng(2);
  const int n = 200000;
  double m1 = 0, m2 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    m1 += x / n;
    m2 += x * x / n;
    m4 += x * x * x * x / n;
  }
  EXPECT_NEAR(m1, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(m2, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m4, 3, 4 * std::sqrt(96.0 / n));
}

TEST(Rng, IntegersAreEquallyLikely) {
  Rng rng(3);
  const int n = 70000;
  int counts[7] = {};
  for (int i = 0; i < n; ++i) ++counts[rng.integer(7)];
  for (int count : counts) EXPECT_NEAR(count, n / 7.0, 5 * std::sqrt(n / 7.0));
}

TEST(Rng, ASplitGeneratorIsAnother) {
  Rng a(5);
  Rng b = a.split();
  EXPECT_NE(a.bits(), b.bits());
}

}  // namespace pliant
