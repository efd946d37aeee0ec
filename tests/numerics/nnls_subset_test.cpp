#include "pliant/numerics/nnls_subset.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "pliant/numerics/nnls.h"

namespace pliant {
namespace {

/// Columns that resemble each other, and a sum of all of them: as elements of a body and their common force.
struct Problem {
  MatrixXd A;
  VectorXd b;
  MatrixXd AtA() const { return A.transpose() * A; }
  VectorXd Atb() const { return A.transpose() * b; }
};

Problem make_problem(Index rows, Index columns, std::uint64_t seed) {
  Rng rng(seed);
  const auto normal = [&] { return rng.normal(); };
  const MatrixXd shared = MatrixXd::NullaryExpr(rows, 4, normal);
  const MatrixXd A = shared * MatrixXd::NullaryExpr(4, columns, normal).cwiseAbs() +
                     0.5 * MatrixXd::NullaryExpr(rows, columns, normal);
  return {A, A.rowwise().sum()};
}

double best_objective(const Problem& p, const std::vector<int>& places) {
  const MatrixXd part = p.A(Eigen::all, places);
  const VectorXd x = nnls(part.transpose() * part, part.transpose() * p.b).x;
  return (part * x - p.b).squaredNorm() - p.b.squaredNorm();
}

void expect_consistent(const Problem& p, const NnlsSubset& found, Index count) {
  ASSERT_LE(static_cast<Index>(found.places.size()), count);
  EXPECT_TRUE(std::is_sorted(found.places.begin(), found.places.end()));
  EXPECT_GT(found.x.minCoeff(), 0);
  const double direct = (p.A(Eigen::all, found.places) * found.x - p.b).squaredNorm() - p.b.squaredNorm();
  EXPECT_NEAR(found.objective, direct, 1e-9 * p.b.squaredNorm());
  EXPECT_NEAR(found.objective, best_objective(p, found.places), 1e-9 * p.b.squaredNorm());
}

/// Of unknowns from `first` on none improves it in place of another, all being positive.
void expect_no_exchange_improves(const Problem& p, const NnlsSubset& found, int first) {
  const double tolerance = 1e-9 * p.b.squaredNorm();
  for (std::size_t out = 0; out < found.places.size(); ++out)
    for (int in = first; in < static_cast<int>(p.A.cols()); ++in) {
      std::vector<int> places = found.places;
      if (std::find(places.begin(), places.end(), in) != places.end()) continue;
      places[out] = in;
      const MatrixXd part = p.A(Eigen::all, places);
      const VectorXd x = part.colPivHouseholderQr().solve(p.b);
      if (x.minCoeff() <= 0) continue;
      EXPECT_GE((part * x - p.b).squaredNorm() - p.b.squaredNorm(), found.objective - tolerance);
    }
}

TEST(NnlsSubset, IsCloseToTheBestOfAllSubsets) {
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p = make_problem(30, 12, seed);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < (1u << 12); ++set) {
      std::vector<int> places;
      for (int i = 0; i < 12; ++i)
        if (set >> i & 1u) places.push_back(i);
      if (places.size() == 4) best = std::min(best, best_objective(p, places));
    }
    const NnlsSubset found = nnls_eliminate(p.AtA(), p.Atb(), 4);
    expect_consistent(p, found, 4);
    const double b2 = p.b.squaredNorm();
    EXPECT_GE(found.objective, best - 1e-9 * b2);
    const double ratio = std::sqrt((found.objective + b2) / (best + b2));
    EXPECT_LT(ratio, 1.4) << seed;
    mean += ratio / 20;
  }
  EXPECT_LT(mean, 1.05);
}

TEST(NnlsSubset, NoExchangeThatKeepsAllPositiveImprovesIt) {
  const Problem p = make_problem(60, 24, 3);
  VectorXd start = VectorXd::Zero(24);
  start.head(8).setOnes();
  const double before = best_objective(p, {0, 1, 2, 3, 4, 5, 6, 7});
  const NnlsSubset found = nnls_exchange(p.AtA(), p.Atb(), 8, start);
  expect_consistent(p, found, 8);
  EXPECT_GT(found.exchanges, 0);
  EXPECT_LT(found.objective, before);
  expect_no_exchange_improves(p, found, 0);
}

/// Unknowns from `inside` on are candidates, whose products are told one by one.
NnlsSubset exchange_with_candidates(const Problem& p, Index inside, Index count, int* asked = nullptr) {
  const Index N = p.A.cols() - inside;
  const MatrixXd I = p.A.leftCols(inside), O = p.A.rightCols(N);
  return nnls_exchange(I.transpose() * I, I.transpose() * p.b, count, VectorXd::Ones(inside),
                       {I.transpose() * O, O.colwise().squaredNorm(), O.transpose() * p.b, [&](Index o) {
                          if (asked) ++*asked;
                          return VectorXd(O.transpose() * O.col(o));
                        }});
}

TEST(NnlsSubset, NoExchangeWithACandidateImprovesIt) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Problem p = make_problem(60, 40, seed);
    int asked = 0;
    const NnlsSubset found = exchange_with_candidates(p, 8, 8, &asked);
    expect_consistent(p, found, 8);
    EXPECT_EQ(asked, found.exchanges);
    EXPECT_GT(found.exchanges, 2);
    EXPECT_LT(found.objective, best_objective(p, {0, 1, 2, 3, 4, 5, 6, 7}));
    // Those that left (the first eight) are not candidates again.
    expect_no_exchange_improves(p, found, 8);
  }
}

TEST(NnlsSubset, CandidatesFillUpWhereThereIsRoom) {
  const Problem p = make_problem(40, 10, 5);
  const NnlsSubset found = exchange_with_candidates(p, 4, 10);
  ASSERT_EQ(found.places.size(), 10u);
  EXPECT_LT((found.x - VectorXd::Ones(10)).norm(), 1e-8);
}

TEST(NnlsSubset, DependentCandidatesDoNotMatter) {
  Problem p = make_problem(40, 20, 6);
  p.A.col(7) = 2 * p.A.col(3);
  p.A.col(11) = p.A.col(9);
  p.A.col(15).setZero();
  expect_consistent(p, exchange_with_candidates(p, 5, 5), 5);
}

TEST(NnlsSubset, FillsUpWhereThereIsRoom) {
  const Problem p = make_problem(40, 10, 5);
  // Every column is needed: the right side is their sum.
  const NnlsSubset found = nnls_exchange(p.AtA(), p.Atb(), 10);
  ASSERT_EQ(found.places.size(), 10u);
  EXPECT_LT((found.x - VectorXd::Ones(10)).norm(), 1e-8);
}

TEST(NnlsSubset, DependentColumnsDoNotMatter) {
  Problem p = make_problem(40, 20, 6);
  p.A.col(7) = 2 * p.A.col(3);
  p.A.col(11) = p.A.col(3);
  p.A.col(15).setZero();
  expect_consistent(p, nnls_eliminate(p.AtA(), p.Atb(), 5), 5);
}

TEST(NnlsSubset, BadInputGetsASentence) {
  const Problem p = make_problem(10, 4, 7);
  EXPECT_THROW(nnls_eliminate(p.AtA(), p.Atb(), 0), InputError);
  EXPECT_THROW(nnls_exchange(p.AtA(), p.Atb(), 2, VectorXd::Ones(4)), InputError);
  EXPECT_THROW(nnls_exchange(p.AtA(), p.Atb(), 2, VectorXd::Ones(3)), InputError);
  EXPECT_THROW(
      nnls_exchange(p.AtA(), p.Atb(), 4, VectorXd::Ones(4), {MatrixXd(3, 2), VectorXd(2), VectorXd(2), {}}),
      InputError);
}

}  // namespace
}  // namespace pliant
