#pragma once
// Families of 3x3 matrices that are hard for a decomposition, each in its own way.
#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pliant/base/rng.h"
#include "pliant/numerics/types.h"

namespace pliant::testing_support {

inline Eigen::Matrix3d random_rotation(Rng& rng) {
  Eigen::Quaterniond q(rng.normal(), rng.normal(), rng.normal(), rng.normal());
  return q.normalized().toRotationMatrix();
}

inline Eigen::Matrix3d random_matrix(Rng& rng) {
  Eigen::Matrix3d F;
  for (double& entry : F.reshaped()) entry = rng.normal();
  return F;
}

struct MatrixFamily {
  std::string name;
  std::function<Eigen::Matrix3d(Rng&)> draw;
};

/// Families for matrices of type T. Each draws in double; the caller rounds.
template <class T>
std::vector<MatrixFamily> matrix_families() {
  using Matrix = Eigen::Matrix3d;
  using Vector = Eigen::Vector3d;
  static constexpr double digits = std::numeric_limits<T>::digits10;
  const auto with_values = [](Rng& rng, const Vector& sigma) -> Matrix {
    return random_rotation(rng) * sigma.asDiagonal() * random_rotation(rng).transpose();
  };
  const auto small = [](Rng& rng, double decades) { return std::pow(10.0, -rng.uniform(0, decades)); };
  return {
      {"random", random_matrix},
      {"inverted",
       [](Rng& rng) -> Matrix {
         const Matrix F = random_matrix(rng);
         return F.determinant() > 0 ? -F : F;
       }},
      {"near identity",
       [=](Rng& rng) -> Matrix { return Matrix::Identity() + small(rng, digits + 3) * random_matrix(rng); }},
      {"rotation or reflection",
       [](Rng& rng) -> Matrix { return (rng.integer(2) ? 1 : -1) * random_rotation(rng); }},
      {"graded",
       [=](Rng& rng) -> Matrix {
         return with_values(rng, {small(rng, 2 * digits), small(rng, 2 * digits), small(rng, 2 * digits)});
       }},
      {"nearly repeated",
       [=](Rng& rng) -> Matrix {
         return with_values(rng, {1, 1 - small(rng, digits + 3), 1 - small(rng, digits + 3)});
       }},
      {"nearly repeated small",
       [=](Rng& rng) -> Matrix {
         const double s = small(rng, 2 * digits);
         return with_values(rng, {1, s, -s * (1 - small(rng, digits + 3))});
       }},
      {"rank two",
       [](Rng& rng) -> Matrix {
         Matrix F = random_matrix(rng);
         F.col(2) = rng.normal() * F.col(0) + rng.normal() * F.col(1);
         return F;
       }},
      {"rank one", [](Rng& rng) -> Matrix { return random_matrix(rng).col(0) * random_matrix(rng).row(0); }},
      {"signs and zeros",  // diagonals, permutations, shears, ranks 0 to 3
       [](Rng& rng) -> Matrix {
         Matrix F;
         for (double& entry : F.reshaped()) entry = static_cast<double>(rng.integer(3) - 1);
         return F;
       }},
      {"diagonal",
       [=](Rng& rng) -> Matrix {
         return Vector(small(rng, 30), rng.normal(), -small(rng, 30)).asDiagonal();
       }},
      {"entries of all sizes",
       [](Rng& rng) -> Matrix {
         Matrix F;
         for (double& entry : F.reshaped())
           entry = static_cast<double>(rng.integer(3) - 1) *
                   std::exp2(static_cast<double>(rng.integer(120) - 60));
         return F;
       }},
      {"huge",
       [](Rng& rng) -> Matrix { return random_matrix(rng) * (0.02 * std::numeric_limits<T>::max()); }},
      {"tiny", [](Rng& rng) -> Matrix { return random_matrix(rng) * (8.0 * std::numeric_limits<T>::min()); }},
      {"denormal",
       [](Rng& rng) -> Matrix {
         return random_matrix(rng) * std::ldexp(static_cast<double>(std::numeric_limits<T>::denorm_min()),
                                                static_cast<int>(rng.integer(23)));
       }},
  };
}

/// `count` matrices of a family in the layout of the batch functions: entry c of matrix i at [c * count + i].
template <class T>
std::vector<T> draw_batch(const MatrixFamily& family, Index count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<T> F(static_cast<std::size_t>(9 * count));
  for (Index i = 0; i < count; ++i) {
    const Eigen::Matrix3d drawn = family.draw(rng);
    for (int c = 0; c < 9; ++c) F[static_cast<std::size_t>(c * count + i)] = static_cast<T>(drawn.data()[c]);
  }
  return F;
}

/// Matrix i of a batch, multiplied by a power of two so that it can be checked in double without overflow.
template <class T>
Eigen::Matrix3d take_matrix(const std::vector<T>& batch, Index count, Index i, int exponent = 0) {
  Eigen::Matrix3d M;
  for (int c = 0; c < 9; ++c)
    M.data()[c] = std::ldexp(static_cast<double>(batch[static_cast<std::size_t>(c * count + i)]), exponent);
  return M;
}

/// The exponent that brings matrix i of a batch to order 1; 0 for the zero matrix.
template <class T>
int exponent_to_one(const std::vector<T>& batch, Index count, Index i) {
  double largest = 0;
  for (int c = 0; c < 9; ++c)
    largest =
        std::max(largest, std::abs(static_cast<double>(batch[static_cast<std::size_t>(c * count + i)])));
  return largest > 0 ? -std::ilogb(largest) : 0;
}

}  // namespace pliant::testing_support
