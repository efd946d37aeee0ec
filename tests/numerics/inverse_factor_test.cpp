#include "pliant/numerics/inverse_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A matrix of 4 x 4 blocks on a strip of some vertices, in two terms, with unknowns that are left out.
struct Strip {
  static constexpr int vertices = 60, block = 4;
  MatrixXd mass, stiffness, A;
  std::vector<char> left_out = std::vector<char>(vertices * block, 0);
  DissectedCholesky factor;

  Strip() {
    Rng rng(5);
    const Index n = vertices * block;
    std::vector<std::vector<int>> joined(vertices);
    stiffness = MatrixXd::Zero(n, n);
    // In an order that tells nothing of the strip.
    const auto vertex = [](int i) { return i * 37 % vertices; };
    for (int i = 0; i < vertices; ++i)
      for (int j = std::max(0, i - 3); j <= i; ++j) {
        const MatrixXd random = MatrixXd::NullaryExpr(block, 2 * block, [&] { return rng.normal(); });
        MatrixXd both = MatrixXd::Zero(n, block);
        both.middleRows(vertex(i) * block, block) = random.leftCols(block);
        both.middleRows(vertex(j) * block, block) += random.rightCols(block);
        stiffness += both * both.transpose();
        joined[at(vertex(i))].push_back(vertex(j));
        joined[at(vertex(j))].push_back(vertex(i));
      }
    mass = MatrixXd::Identity(n, n);
    for (const Index i : {3, 57, 58, 200}) left_out[at(i)] = 1;
    A = 2 * mass + 0.5 * stiffness;
    factor = DissectedCholesky(dissect(joined, 3), block, left_out);
    const MatrixXd* const terms[] = {&mass, &stiffness};
    factor.set_terms(terms);
  }
  bool factorize(double stiffness_factor = 0.5, double added = 0) {
    const double factors[] = {2, stiffness_factor};
    return factor.factorize(factors, added);
  }
  /// The slow and obvious way.
  MatrixXd solved(const MatrixXd& B) const {
    std::vector<Index> kept;
    for (Index i = 0; i < A.rows(); ++i)
      if (!left_out[at(i)]) kept.push_back(i);
    MatrixXd out = MatrixXd::Zero(B.rows(), B.cols());
    const MatrixXd of_kept = A(kept, kept), right = B(kept, Eigen::all);
    const MatrixXd found = of_kept.inverse() * right;
    out(kept, Eigen::all) = found;
    return out;
  }
};

TEST(DissectedCholesky, SolvesAsADenseOneDoes) {
  Strip strip;
  ASSERT_GT(strip.factor.parts().size(), 3u);
  ASSERT_TRUE(strip.factorize());
  const MatrixXd B = MatrixXd::Random(strip.A.rows(), 21), expected = strip.solved(B);
  MatrixXd X = B;
  strip.factor.solve(X);
  EXPECT_LT((X - expected).norm(), 1e-11 * expected.norm());
  AlignedVector<double> workspace(at(strip.factor.workspace(2)));
  X = B.leftCols(2);
  strip.factor.solve(X.data(), 2, workspace.data());
  EXPECT_LT((X - expected.leftCols(2)).norm(), 1e-11 * expected.norm());
}

TEST(DissectedCholesky, SaysWhereAMatrixIsNotPositiveDefinite) {
  Strip strip;
  EXPECT_FALSE(strip.factorize(-0.5));
  EXPECT_TRUE(strip.factorize(-0.5, 1e4));  // but with that on the diagonal
  EXPECT_FALSE(strip.factorize(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(strip.factorize());
}

TEST(DissectedCholesky, FactorsAreTheSameBitsOnAnyNumberOfThreads_Parallel) {
  const auto solution = [](int threads) {
    const ScopedThreadCount scope(threads);
    Strip strip;
    EXPECT_TRUE(strip.factorize());
    MatrixXd x = MatrixXd::Ones(strip.A.rows(), 40);
    strip.factor.solve(x);
    return x;
  };
  EXPECT_EQ(solution(1), solution(2));
  EXPECT_EQ(solution(1), solution(8));
}

template <class T>
MatrixXd applied(InverseFactor<T>& inverse, const DissectedCholesky& factor, const MatrixXd& B) {
  AlignedVector<T> x(at(3 * factor.places()), T(0)), out(at(3 * factor.places()), T(7));
  for (Index i = 0; i < B.rows(); ++i)
    for (Index c = 0; c < 3; ++c) x[at(3 * factor.place()[at(i)] + c)] = static_cast<T>(B(i, c));
  Team team;
  inverse.apply(team, x.data(), out.data());
  MatrixXd X(B.rows(), 3);
  for (Index i = 0; i < B.rows(); ++i)
    for (Index c = 0; c < 3; ++c)
      X(i, c) = static_cast<double>(out[at(c * factor.places() + factor.place()[at(i)])]);
  return X;
}

TEST(InverseFactor, MultipliesWithTheInverse) {
  Strip strip;
  InverseFactor<float> single;
  InverseFactor<double> twice;
  const MatrixXd B = MatrixXd::Random(strip.A.rows(), 3);
  for (const double factor : {0.1, 0.5}) {
    ASSERT_TRUE(strip.factorize(factor));
    strip.A = 2 * strip.mass + factor * strip.stiffness;
    const MatrixXd expected = strip.solved(B);
    single.assign(strip.factor);
    twice.assign(strip.factor);
    EXPECT_LT((applied(twice, strip.factor, B) - expected).norm(), 1e-11 * expected.norm());
    EXPECT_LT((applied(single, strip.factor, B) - expected).norm(), 1e-5 * expected.norm());
  }
  // Of fewer numbers than A⁻¹ has.
  const auto dense = static_cast<std::size_t>(strip.A.size()) * sizeof(float);
  EXPECT_LT(single.memory_bytes(), 7 * dense / 10);
}

TEST(InverseFactor, SameBitsOnAnyNumberOfThreads_Parallel) {
  Strip strip;
  ASSERT_TRUE(strip.factorize());
  InverseFactor<float> inverse;
  inverse.assign(strip.factor);
  const MatrixXd B = MatrixXd::Random(strip.A.rows(), 3);
  const auto on = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return applied(inverse, strip.factor, B);
  };
  const MatrixXd alone = on(1);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(on(2), alone);
}

}  // namespace
}  // namespace pliant
