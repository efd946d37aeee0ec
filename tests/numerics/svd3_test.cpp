#include "pliant/numerics/svd3.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/SVD>
#include <cstring>

#include "numerics/matrix_families.h"

namespace pliant {
namespace {

using namespace testing_support;

template <class T>
struct Decomposed {
  explicit Decomposed(Index count)
      : U(static_cast<std::size_t>(9 * count)),
        sigma(static_cast<std::size_t>(3 * count)),
        V(static_cast<std::size_t>(9 * count)) {}
  std::vector<T> U, sigma, V;
};

template <class T>
Decomposed<T> decompose(const std::vector<T>& F, Index count) {
  Decomposed<T> result(count);
  svd3(count, F.data(), count, result.U.data(), result.sigma.data(), result.V.data());
  return result;
}

/// The largest errors over a batch, in units of the rounding error eps.
struct Errors {
  double orthonormality = 0;  ///< of U and V
  double properness = 0;      ///< |det - 1| of U and V
  double reconstruction = 0;  ///< of U diag(sigma) Vᵀ, relative to |F|
  double sigma = 0;           ///< against Eigen's, relative to the largest
  bool ordered = true;        ///< sigma[0] >= sigma[1] >= |sigma[2]|
  bool signs = true;          ///< sigma[2] has the sign of det F, where it is above rounding
};

template <class T>
Errors errors_of(const std::vector<T>& F, const Decomposed<T>& result, Index count) {
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  Errors errors;
  // Written so that a NaN is an error too.
  const auto note = [](double& worst, double error) { worst = error <= worst ? worst : error; };
  for (Index i = 0; i < count; ++i) {
    const int exponent = exponent_to_one(F, count, i);
    const Matrix3d M = take_matrix(F, count, i, exponent);
    const Matrix3d U = take_matrix(result.U, count, i), V = take_matrix(result.V, count, i);
    Vector3d sigma;
    for (int k = 0; k < 3; ++k)
      sigma[k] =
          std::ldexp(static_cast<double>(result.sigma[static_cast<std::size_t>(k * count + i)]), exponent);
    // A denormal result cannot be finer than the last bit of a denormal number.
    const double last_bit = std::ldexp(static_cast<double>(std::numeric_limits<T>::denorm_min()), exponent);

    const Eigen::JacobiSVD<Matrix3d> reference(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double largest = std::max(reference.singularValues()[0], 1e-300);
    note(errors.orthonormality, (U.transpose() * U - Matrix3d::Identity()).cwiseAbs().maxCoeff() / eps);
    note(errors.orthonormality, (V.transpose() * V - Matrix3d::Identity()).cwiseAbs().maxCoeff() / eps);
    note(errors.properness, std::abs(U.determinant() - 1) / eps);
    note(errors.properness, std::abs(V.determinant() - 1) / eps);
    const double difference = (U * sigma.asDiagonal() * V.transpose() - M).norm();
    note(errors.reconstruction, std::max(difference - 2 * last_bit, 0.0) / (eps * largest));
    note(errors.sigma, std::isfinite(difference) ? 0.0 : difference);
    for (int k = 0; k < 3; ++k) {
      const double off = std::abs(std::abs(sigma[k]) - reference.singularValues()[k]);
      note(errors.sigma, std::max(off - last_bit, 0.0) / (eps * largest));
    }
    errors.ordered &= sigma[0] >= sigma[1] && sigma[1] >= std::abs(sigma[2]);
    if (reference.singularValues()[2] > 100 * eps * largest + last_bit) {
      const bool mirrored = reference.matrixU().determinant() * reference.matrixV().determinant() < 0;
      errors.signs &= mirrored == (sigma[2] < 0);
    }
  }
  return errors;
}

void expect_accurate(const Errors& errors) {
  EXPECT_LT(errors.orthonormality, 16);
  EXPECT_LT(errors.properness, 16);
  EXPECT_LT(errors.reconstruction, 16);
  EXPECT_LT(errors.sigma, 12);
  EXPECT_TRUE(errors.ordered);
  EXPECT_TRUE(errors.signs);
}

template <class T>
class Svd3Batch : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Svd3Batch, Scalars);

}  // namespace

TYPED_TEST(Svd3Batch, AMillionMatricesAgreeWithEigen) {
  const auto families = matrix_families<TypeParam>();
  const Index count = 1'000'000 / static_cast<Index>(families.size()) + 1;
  for (const MatrixFamily& family : families) {
    SCOPED_TRACE(family.name);
    const std::vector<TypeParam> F = draw_batch<TypeParam>(family, count, 1);
    expect_accurate(errors_of(F, decompose(F, count), count));
  }
}

// Nothing random: all matrices of entries -1, 0 and 1, among them every signed permutation.
TYPED_TEST(Svd3Batch, EveryMatrixOfSignsAndZeros) {
  constexpr Index count = 19683;  // 3^9
  std::vector<TypeParam> F(9 * count);
  for (Index i = 0, digits = 0; i < count; digits = ++i)
    for (int c = 0; c < 9; ++c, digits /= 3)
      F[static_cast<std::size_t>(c * count + i)] = static_cast<TypeParam>(digits % 3 - 1);
  expect_accurate(errors_of(F, decompose(F, count), count));
}

// Searches for a matrix whose decomposition leaves more than rounding: the worst of each generation are
// perturbed by steps of all sizes.
TYPED_TEST(Svd3Batch, ASearchForLostDigitsFindsNone) {
  constexpr Index count = 256;
  const auto families = matrix_families<TypeParam>();
  const MatrixFamily& start = families[5];  // gaps of all sizes between the largest values
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed);
    std::vector<TypeParam> F = draw_batch<TypeParam>(start, count, seed);
    for (int generation = 0; generation < 30; ++generation) {
      const Decomposed<TypeParam> result = decompose(F, count);
      std::vector<std::pair<double, Index>> worst;
      for (Index i = 0; i < count; ++i) {
        const Matrix3d U = take_matrix(result.U, count, i), V = take_matrix(result.V, count, i);
        // Off the diagonal, Uᵀ F V holds what the closed forms left.
        const Matrix3d left = U.transpose() * take_matrix(F, count, i) * V;
        const Matrix3d diagonal = left.diagonal().asDiagonal();
        worst.emplace_back(-(left - diagonal).norm() / diagonal.norm(), i);
      }
      std::sort(worst.begin(), worst.end());
      ASSERT_LT(-worst[0].first, 16 * std::numeric_limits<TypeParam>::epsilon());
      const std::vector<TypeParam> parents = F;
      for (Index i = 0; i < count; ++i) {
        const Matrix3d parent = take_matrix(parents, count, worst[static_cast<std::size_t>(i % 16)].second);
        const double size = i < 16 ? 0 : std::pow(10.0, -rng.uniform(0, 5));
        const Matrix3d child = parent + size * random_matrix(rng);
        for (int c = 0; c < 9; ++c)
          F[static_cast<std::size_t>(c * count + i)] = static_cast<TypeParam>(child.data()[c]);
      }
    }
  }
}

TYPED_TEST(Svd3Batch, EverySimdTargetIsAccurate) {
  const Index count = 2000;
  const auto all = hwy::SupportedTargets();
  for (auto remaining = all; remaining != 0; remaining &= remaining - 1) {
    hwy::SetSupportedTargetsForTest(remaining & -remaining);
    hwy::GetChosenTarget().DeInit();
    SCOPED_TRACE(hwy::TargetName(remaining & -remaining));
    for (const MatrixFamily& family : matrix_families<TypeParam>()) {
      SCOPED_TRACE(family.name);
      const std::vector<TypeParam> F = draw_batch<TypeParam>(family, count, 2);
      expect_accurate(errors_of(F, decompose(F, count), count));
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

TYPED_TEST(Svd3Batch, AMatrixGetsTheSameBitsWhereverItStands) {
  constexpr Index count = 67;
  const std::vector<TypeParam> F = draw_batch<TypeParam>(matrix_families<TypeParam>()[0], count, 3);
  const Decomposed<TypeParam> whole = decompose(F, count);
  const auto same = [](TypeParam a, TypeParam b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  for (Index first : {0, 1, 5, 33})
    for (Index part = 1; first + part <= count; part += 3) {
      Decomposed<TypeParam> piece(count);
      svd3(part, F.data() + first, count, piece.U.data(), piece.sigma.data(), piece.V.data());
      bool equal = true;
      for (Index i = 0; i < part; ++i)
        for (Index c = 0; c < 9; ++c) {
          const auto here = static_cast<std::size_t>(c * count + i),
                     there = here + static_cast<std::size_t>(first);
          equal &= same(piece.U[here], whole.U[there]) && same(piece.V[here], whole.V[there]);
          if (c < 3) equal &= same(piece.sigma[here], whole.sigma[there]);
        }
      EXPECT_TRUE(equal) << part << " matrices from " << first;
    }
  const auto single =
      svd3(Eigen::Matrix<TypeParam, 3, 3>(take_matrix(F, count, 41).template cast<TypeParam>()));
  for (Index c = 0; c < 9; ++c) {
    EXPECT_TRUE(same(single.U.data()[c], whole.U[static_cast<std::size_t>(c * count + 41)]));
    EXPECT_TRUE(same(single.V.data()[c], whole.V[static_cast<std::size_t>(c * count + 41)]));
  }
}

TYPED_TEST(Svd3Batch, WritesNothingBesideItsMatrices) {
  constexpr Index stride = 40, count = 21;
  const TypeParam untouched = -7;
  const std::vector<TypeParam> F = draw_batch<TypeParam>(matrix_families<TypeParam>()[0], stride, 4);
  Decomposed<TypeParam> result(stride);
  for (auto* rows : {&result.U, &result.sigma, &result.V}) std::fill(rows->begin(), rows->end(), untouched);
  svd3(count, F.data(), stride, result.U.data(), result.sigma.data(), result.V.data());
  for (auto* rows : {&result.U, &result.sigma, &result.V})
    EXPECT_EQ(std::count(rows->begin(), rows->end(), untouched),
              (stride - count) * static_cast<Index>(rows->size()) / stride);
}

TYPED_TEST(Svd3Batch, ABadNumberSpoilsItsOwnMatrixOnly) {
  constexpr Index count = 36;
  for (const TypeParam bad :
       {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity()}) {
    std::vector<TypeParam> F = draw_batch<TypeParam>(matrix_families<TypeParam>()[0], count, 5);
    for (int c = 0; c < 9; ++c) F[static_cast<std::size_t>(c * count + 3 + c)] = c % 2 ? bad : -bad;
    const Decomposed<TypeParam> result = decompose(F, count);
    for (Index i = 0; i < count; ++i) {
      const bool spoiled = i >= 3 && i < 12;
      for (Index c = 0; c < 9; ++c) {
        const auto at = static_cast<std::size_t>(c * count + i);
        EXPECT_EQ(std::isnan(result.U[at]), spoiled);
        EXPECT_EQ(std::isnan(result.V[at]), spoiled);
        if (c < 3) {
          EXPECT_EQ(std::isnan(result.sigma[at]), spoiled);
        }
      }
    }
  }
}

TYPED_TEST(Svd3Batch, TheZeroMatrixGivesRotationsAndZeros) {
  const auto result = svd3(Eigen::Matrix<TypeParam, 3, 3>(Eigen::Matrix<TypeParam, 3, 3>::Zero()));
  EXPECT_TRUE(result.sigma.isZero(0));
  EXPECT_TRUE(result.U.isUnitary());
  EXPECT_TRUE(result.V.isUnitary());
}

TYPED_TEST(Svd3Batch, OnlyTheSmallestValueOfAMirroredDiagonalIsNegative) {
  using Vector = Eigen::Matrix<TypeParam, 3, 1>;
  const auto result = svd3(Eigen::Matrix<TypeParam, 3, 3>(Vector(2, -5, 3).asDiagonal()));
  EXPECT_TRUE(result.sigma.isApprox(Vector(5, 3, -2)));
}

}  // namespace pliant
