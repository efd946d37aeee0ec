#include "pliant/numerics/polar3.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cstring>

#include "numerics/matrix_families.h"

namespace pliant {
namespace {

using namespace testing_support;

template <class T>
class Polar3Batch : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Polar3Batch, Scalars);

struct NearestRotation {
  Matrix3d R;
  double gap;  ///< sum of the two smallest stretches, the last one negative where F mirrors
};

/// By Eigen: the product of the singular vectors, the last one turned over where it would be a reflection.
NearestRotation nearest_rotation(const Matrix3d& F) {
  const Eigen::JacobiSVD<Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector3d& sigma = svd.singularValues();
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant() < 0 ? -1 : 1;
  return {svd.matrixU() * Vector3d(1, 1, sign).asDiagonal() * svd.matrixV().transpose(),
          sigma[1] + sign * sigma[2]};
}

}  // namespace

TYPED_TEST(Polar3Batch, RotationTimesStretchIsTheMatrix) {
  const double eps = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  constexpr Index count = 10007;
  for (const MatrixFamily& family : matrix_families<TypeParam>()) {
    SCOPED_TRACE(family.name);
    const std::vector<TypeParam> F = draw_batch<TypeParam>(family, count, 1);
    std::vector<TypeParam> R(9 * count), S(9 * count);
    polar3(count, F.data(), count, R.data(), S.data());
    double orthonormality = 0, properness = 0, product = 0, rotation = 0, asymmetry = 0;
    const auto note = [](double& worst, double error) { worst = error <= worst ? worst : error; };
    for (Index i = 0; i < count; ++i) {
      const int exponent = exponent_to_one(F, count, i);
      const double last_bit =
          std::ldexp(static_cast<double>(std::numeric_limits<TypeParam>::denorm_min()), exponent);
      const Matrix3d M = take_matrix(F, count, i, exponent);
      const Matrix3d r = take_matrix(R, count, i), s = take_matrix(S, count, i, exponent);
      note(orthonormality, (r.transpose() * r - Matrix3d::Identity()).cwiseAbs().maxCoeff() / eps);
      note(properness, std::abs(r.determinant() - 1) / eps);
      const double size = std::max(M.norm(), 1e-300);
      note(product, std::max((r * s - M).norm() - 4 * last_bit, 0.0) / (eps * size));
      note(asymmetry, (s - s.transpose()).cwiseAbs().maxCoeff());
      // The rotation is as well determined as the sum of the two smallest stretches is large.
      const NearestRotation nearest = nearest_rotation(M);
      note(rotation, std::min(1.0, nearest.gap / size) * (r - nearest.R).norm() / eps);
    }
    EXPECT_LT(orthonormality, 20);
    EXPECT_LT(properness, 20);
    EXPECT_LT(product, 20);
    EXPECT_LT(rotation, 40);
    EXPECT_EQ(asymmetry, 0);
  }
}

TYPED_TEST(Polar3Batch, NoOtherRotationIsNearer) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const Matrix3d F = random_matrix(rng);
    const auto polar = polar3(Eigen::Matrix<TypeParam, 3, 3>(F.cast<TypeParam>()));
    const Matrix3d R = polar.R.template cast<double>();
    const double distance = (F - R).norm();
    for (int k = 0; k < 50; ++k) {
      const Eigen::AngleAxisd turn(std::pow(10.0, rng.uniform(-2, 0.5)),
                                   random_matrix(rng).col(0).normalized());
      EXPECT_GT((F - turn * R).norm(), distance - 1e-5);
    }
    EXPECT_GT((F - random_rotation(rng)).norm(), distance - 1e-5);
  }
}

TYPED_TEST(Polar3Batch, RotationsAloneAreTheSameBits) {
  constexpr Index count = 53;
  const std::vector<TypeParam> F = draw_batch<TypeParam>(matrix_families<TypeParam>()[0], count, 3);
  std::vector<TypeParam> R(9 * count), S(9 * count), alone(9 * count);
  polar3(count, F.data(), count, R.data(), S.data());
  polar3(count, F.data(), count, alone.data(), nullptr);
  EXPECT_EQ(std::memcmp(R.data(), alone.data(), R.size() * sizeof(TypeParam)), 0);
  const auto single =
      polar3(Eigen::Matrix<TypeParam, 3, 3>(take_matrix(F, count, 50).template cast<TypeParam>()));
  for (Index c = 0; c < 9; ++c) {
    EXPECT_EQ(single.R.data()[c], R[static_cast<std::size_t>(c * count + 50)]);
    EXPECT_EQ(single.S.data()[c], S[static_cast<std::size_t>(c * count + 50)]);
  }
}

}  // namespace pliant
