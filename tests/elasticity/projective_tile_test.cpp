#include "pliant/elasticity/projective_tile.h"

#include <gtest/gtest.h>

#include <cstring>

#include "elasticity/projective_reference.h"

namespace pliant {
namespace {

using namespace testing_support;

/// B = I and weight 1, so that inputs are F itself.
VectorXd tet_parameters(ProjectiveKind kind, double low, double high) {
  VectorXd p = VectorXd::Zero(shape_of(kind).parameters);
  p[0] = p[4] = p[8] = 1;
  p[9] = 1, p[10] = low, p[11] = high;
  return p;
}
VectorXd volume_parameters(double target) {
  VectorXd p = tet_parameters(ProjectiveKind::tet_volume, 1, 1);
  p[9] = 0, p[12] = 1, p[13] = std::cbrt(target);
  return p;
}
VectorXd example_parameters(const std::vector<Matrix3d>& stretches) {
  VectorXd p = VectorXd::Zero(34);
  p[0] = p[4] = p[8] = p[9] = 1;
  for (std::size_t k = 0; k < projective_poses; ++k) {
    const Matrix3d S = k < stretches.size() ? stretches[k] : stretches[0];
    p.segment<6>(10 + 6 * static_cast<Index>(k)) << S(0, 0), S(1, 1), S(2, 2), S(1, 2), S(2, 0), S(0, 1);
  }
  return p;
}

/// Deformations of every sort: mild, wild, inverted, flat, a point, huge.
std::vector<Matrix3d> deformations(Rng& rng) {
  std::vector<Matrix3d> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(Matrix3d::Identity() + 0.2 * random_matrix(rng));
    all.push_back(2 * random_matrix(rng));
    Vector3d s(rng.uniform(0.1, 4), rng.uniform(0.1, 4), rng.uniform(-4, 4));
    if (i % 5 == 0) s[2] = 0;
    if (i % 7 == 0) s[1] = 0;
    if (i % 11 == 0) s[1] = s[0];
    all.push_back(random_rotation(rng) * s.asDiagonal() * random_rotation(rng).transpose());
  }
  for (double k :
       {0.0, 1e-12, 1e-3, 0.5, 1.0, 1.8, 1.889, 1.89, 1.92, 1.95, 1.99, 2.0, 2.01, 3.0, 10.0, 1e3, 1e5}) {
    all.push_back(k * Matrix3d::Identity());
    all.push_back(k * random_rotation(rng));
    all.push_back(-k * Matrix3d::Identity());
  }
  return all;
}

TEST(ProjectiveTile, StrainIsTheNearestPointOfItsSet) {
  Rng rng(1);
  for (const auto& [low, high] : {std::pair(1.0, 1.0), std::pair(0.8, 1.3)}) {
    const VectorXd p = tet_parameters(ProjectiveKind::tet_strain, low, high);
    for (const Matrix3d& F : deformations(rng)) {
      const VectorXd slow = slow_projection(ProjectiveKind::tet_strain, F.reshaped(), p);
      const auto fast = run_tile<double>(ProjectiveKind::tet_strain, F.reshaped(), p);
      const double found = (fast.projection - F.reshaped()).norm();
      EXPECT_NEAR(found, (slow - F.reshaped()).norm(), 1e-12 * (1 + F.norm()));
      // It is in the set ...
      const SignedSvd svd(fast.projection.reshaped(3, 3));
      EXPECT_GT(svd.s[2], low - 1e-13 * (1 + F.norm()));
      EXPECT_LT(svd.s[0], high + 1e-13 * (1 + F.norm()));
      // ... and no other member of the set is nearer.
      for (int k = 0; k < 30; ++k) {
        const Vector3d x(rng.uniform(low, high + 1e-300), rng.uniform(low, high + 1e-300),
                         rng.uniform(low, high + 1e-300));
        const Matrix3d turn =
            k % 2 ? random_rotation(rng) : nearest_rotation(Matrix3d::Identity() + 0.1 * random_matrix(rng));
        const Matrix3d other = turn * svd.U * x.asDiagonal() * svd.V.transpose();
        EXPECT_GE((other - F).norm(), found * (1 - 1e-12) - 1e-12);
      }
    }
  }
}

TEST(ProjectiveTile, VolumeIsTheNearestPointOfItsSet) {
  Rng rng(2);
  int compared = 0;
  for (const Matrix3d& F : deformations(rng)) {
    for (double target : {1.0, 0.3, 5.0}) {
      const auto fast = run_tile<double>(ProjectiveKind::tet_volume, F.reshaped(), volume_parameters(target));
      const Matrix3d P = fast.projection.reshaped(3, 3);
      ASSERT_TRUE(P.allFinite()) << F;
      const SignedSvd svd(F);
      if (svd.s[0] > 1e4) continue;  // the determinant itself is lost to rounding
      const double rounding = 1e-13 * std::max(1.0, svd.s[0] * svd.s[1] * svd.s[0]);
      EXPECT_NEAR(P.determinant(), target, 1e-10 * target + rounding) << svd.s.transpose();
      if (++compared % 3 == 0 || (F - F(0, 0) * Matrix3d::Identity()).isZero(0)) {
        const Vector3d slow = nearest_volume_search(svd.s, target);
        const double expected = (slow - svd.s).norm(), found = (P - F).norm();
        EXPECT_LE(found, expected * (1 + 1e-9) + 1e-9) << svd.s.transpose() << " to " << target;
        EXPECT_GE(found, expected * (1 - 1e-6) - 1e-6) << svd.s.transpose() << " to " << target;
      }
    }
  }
}

TEST(ProjectiveTile, VolumeFactorMultipliesTargets) {
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const Matrix3d F = Matrix3d::Identity() + 0.3 * random_matrix(rng);
    const auto a = run_tile<double>(ProjectiveKind::tet_volume, F.reshaped(), volume_parameters(1), 2.5);
    EXPECT_NEAR(a.projection.reshaped(3, 3).determinant(), 2.5, 1e-12);
  }
}

TEST(ProjectiveTile, TrianglesAndVectorsAreNearestPoints) {
  Rng rng(4);
  for (int i = 0; i < 400; ++i) {
    VectorXd edges(6), p(7);
    for (double& e : edges) e = rng.normal();
    if (i % 5 == 0) edges.tail<3>() = -1.5 * edges.head<3>();                    // flat
    if (i % 7 == 0) edges.tail<3>() = edges.head<3>() + 1e-9 * edges.tail<3>();  // nearly
    if (i % 11 == 0) edges.head<3>().setZero();
    if (i % 77 == 0) edges.setZero();
    if (i % 13 == 0) edges *= 1e90;
    p << 1, 0.2, -0.3, 2, 3, 0.7, 1.2;
    const auto fast = run_tile<double>(ProjectiveKind::triangle_strain, edges, p);
    const VectorXd F = (edges.reshaped(3, 2) * p.head<4>().reshaped(2, 2)).reshaped();
    const VectorXd slow = slow_projection(ProjectiveKind::triangle_strain, edges, p);
    EXPECT_NEAR((fast.projection - F).norm(), (slow - F).norm(), 1e-12 * (1 + F.norm()));
    const MatrixXd P = fast.projection.reshaped(3, 2);
    const VectorXd s = Eigen::JacobiSVD<MatrixXd>(P).singularValues();
    EXPECT_LT(s[0], 1.2 + 1e-12);
    EXPECT_GT(s[1], 0.7 - 1e-12);

    VectorXd spring(3);
    spring << 2, 0.9, 1.1;
    const VectorXd edge = edges.head<3>();
    const auto pulled = run_tile<double>(ProjectiveKind::spring, edge, spring);
    EXPECT_NEAR((pulled.projection - edge).norm(), std::abs(std::clamp(edge.norm(), 0.9, 1.1) - edge.norm()),
                1e-12 * (1 + edge.norm()));
    EXPECT_NEAR(pulled.projection.norm(), std::clamp(edge.norm(), 0.9, 1.1), 1e-12);

    VectorXd bending(3);
    bending << 2, 0.8, 0;
    const auto bent = run_tile<double>(ProjectiveKind::bending, edges, bending);
    EXPECT_NEAR(bent.projection.norm(), 0.8, 1e-12);
    EXPECT_NEAR((bent.projection - edge).norm(), std::abs(0.8 - edge.norm()), 1e-12 * (1 + edge.norm()));
  }
}

TEST(ProjectiveTile, BendingKeepsItsSide) {
  VectorXd inputs(6), p(3);
  inputs << 0.1, 0, -0.5, 0, 0, 1;
  p << 1, 0.8, 1;
  EXPECT_GT(run_tile<double>(ProjectiveKind::bending, inputs, p).projection[2], 0);
  p[2] = -1;
  EXPECT_LT(run_tile<double>(ProjectiveKind::bending, inputs, p).projection[2], 0);
  inputs.head<3>().setZero();  // flat: along the normal, to the right side
  EXPECT_NEAR(run_tile<double>(ProjectiveKind::bending, inputs, p).projection[2], -0.8, 1e-15);
}

/// The distance to the nearest R S(w) by trying weights on a grid, made finer around the best.
double nearest_example_search(const Matrix3d& F, const std::vector<Matrix3d>& poses) {
  const auto distance = [&](double a, double b) {
    const Matrix3d S = (1 - a - b) * poses[0] + a * poses[1] + b * poses[2];
    return (F - nearest_rotation(F * S) * S).norm();
  };
  double best = 1e300, a0 = 0, b0 = 0;
  const auto attempt = [&](double a, double b) {
    a = std::clamp(a, 0.0, 1.0), b = std::clamp(b, 0.0, 1 - a);
    const double here = distance(a, b);
    if (here < best) best = here, a0 = a, b0 = b;
  };
  for (int i = 0; i <= 20; ++i)
    for (int j = 0; j <= 20 - i; ++j) attempt(i / 20.0, j / 20.0);
  for (double h = 0.05; h > 1e-9; h *= 0.5) {
    const double a1 = a0, b1 = b0;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) attempt(a1 + i * h / 2, b1 + j * h / 2);
  }
  return best;
}

TEST(ProjectiveTile, ExamplesAreNearestPoints) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<Matrix3d> poses = {Matrix3d::Identity()};
    for (int k = 0; k < 2; ++k) {
      const Matrix3d Q = random_rotation(rng);
      const Vector3d s(rng.uniform(0.5, 2), rng.uniform(0.5, 2), rng.uniform(0.5, 2));
      poses.push_back(Q * s.asDiagonal() * Q.transpose());
    }
    const Matrix3d F =
        i % 2 ? Matrix3d(random_rotation(rng) * (Matrix3d::Identity() + 0.3 * random_matrix(rng)))
              : Matrix3d(random_matrix(rng));
    const auto fast = run_tile<double>(ProjectiveKind::tet_example, F.reshaped(), example_parameters(poses));
    const double found = (fast.projection - F.reshaped()).norm();
    const double expected = nearest_example_search(F, poses);
    EXPECT_GE(found, expected - 1e-6);
    EXPECT_LE(found, expected * (F.determinant() > 0 ? 1.0005 : 1.02) + 1e-5) << i << "\n" << F;
  }
}

TEST(ProjectiveTile, ExamplesContainTheirPoses) {
  Rng rng(6);
  for (int i = 0; i < 30; ++i) {
    const Matrix3d Q = random_rotation(rng);
    const Matrix3d S = Q * Vector3d(0.6, 1.1, 1.7).asDiagonal() * Q.transpose();
    const double w = i % 3 / 2.0;
    const Matrix3d F = random_rotation(rng) * ((1 - w) * Matrix3d::Identity() + w * S);
    const auto fast = run_tile<double>(ProjectiveKind::tet_example, F.reshaped(),
                                       example_parameters({Matrix3d::Identity(), S}));
    EXPECT_LT(fast.energy, 1e-24);
  }
}

TEST(ProjectiveTile, ProjectingTwiceChangesNothing) {
  Rng rng(7);
  const VectorXd strain = tet_parameters(ProjectiveKind::tet_strain, 0.8, 1.3),
                 volume = volume_parameters(1.7);
  const VectorXd example = example_parameters({Matrix3d::Identity(), Vector3d(1.5, 0.8, 1).asDiagonal()});
  for (const Matrix3d& F : deformations(rng)) {
    if (F.norm() > 1e3) continue;
    for (const auto& [kind, p] :
         {std::pair(ProjectiveKind::tet_strain, strain), std::pair(ProjectiveKind::tet_volume, volume),
          std::pair(ProjectiveKind::tet_example, example)}) {
      const VectorXd once = run_tile<double>(kind, F.reshaped(), p).projection;
      const VectorXd twice = run_tile<double>(kind, once, p).projection;
      EXPECT_LT((twice - once).norm(), 1e-11 * (1 + F.norm())) << static_cast<int>(kind) << "\n" << F;
    }
  }
}

/// Forces are -dW/d(edges), found by differences of the energy.
TEST(ProjectiveTile, ForcesAreTheGradientOfTheEnergy) {
  Rng rng(8);
  for (int k = 0; k < projective_kinds; ++k) {
    const auto kind = static_cast<ProjectiveKind>(k);
    const ProjectiveShape shape = shape_of(kind);
    for (int i = 0; i < 20; ++i) {
      VectorXd inputs(shape.inputs), p = VectorXd::Zero(shape.parameters);
      for (double& x : inputs) x = rng.normal();
      if (k < 3) {
        const Matrix3d B = Matrix3d::Identity() + 0.2 * random_matrix(rng);
        if (k == 2) p = example_parameters({Matrix3d::Identity(), Vector3d(1.5, 0.8, 1).asDiagonal()});
        p.head<9>() = B.reshaped();
        p[9] = 3;
        if (k < 2) p[10] = 0.9, p[11] = 1.05;
        if (k == 1) p[12] = 5, p[13] = 1.1;
      } else if (kind == ProjectiveKind::triangle_strain) {
        p << 1, 0.2, -0.3, 2, 3, 0.9, 1.1;
      } else {
        p << 3, 0.9, kind == ProjectiveKind::bending ? 0 : 1.1;
      }
      const auto here = run_tile<double>(kind, inputs, p);
      for (int r = 0; r < shape.outputs; ++r) {
        const double h = 1e-5;
        VectorXd more = inputs, less = inputs;
        more[r] += h, less[r] -= h;
        const double slope =
            (run_tile<double>(kind, more, p).energy - run_tile<double>(kind, less, p).energy) / (2 * h);
        // Examples end their search after a fixed number of turns.
        EXPECT_NEAR(here.forces[r], -slope, (k == 2 ? 2e-2 : 2e-5) * (1 + std::abs(slope))) << k << " " << r;
      }
    }
  }
}

/// Extreme inputs, in both precisions: everything stays finite.
template <class T>
void stays_finite(double largest) {
  Rng rng(9);
  for (int k = 0; k < projective_kinds; ++k) {
    const auto kind = static_cast<ProjectiveKind>(k);
    for (int i = 0; i < 300; ++i) {
      VectorXd inputs(shape_of(kind).inputs);
      const double scale = std::pow(largest, rng.uniform(-1, 1));
      for (double& x : inputs) x = i % 2 ? scale * rng.normal() : std::pow(largest, rng.uniform(-1, 1));
      if (i % 10 == 0) inputs.setZero();
      if (i % 10 == 3 && inputs.size() == 9) inputs.tail<3>() = inputs.head<3>();
      VectorXd p;
      if (k == 0) p = tet_parameters(kind, 1, 1);
      if (k == 1) p = tet_parameters(kind, 1, 1), p[12] = 2, p[13] = 1;
      if (k == 2) p = example_parameters({Matrix3d::Identity(), Vector3d(1.5, 0.8, 1).asDiagonal()});
      if (k == 3) p.resize(7), p << 1, 0, 0, 1, 1, 1, 1;
      if (k > 3) p.resize(3), p << 1, 0.5, 1;
      const auto result = run_tile<T>(kind, inputs, p, i % 3 ? 1 : 100);
      EXPECT_TRUE(result.forces.allFinite() && result.projection.allFinite())
          << k << ": " << inputs.transpose();
    }
  }
}
TEST(ProjectiveTile, AnyInputStaysFinite) {
  stays_finite<double>(1e100);
  stays_finite<float>(1e12);
}

TEST(ProjectiveTile, FloatIsDoubleToRounding) {
  Rng rng(10);
  VectorXd p = tet_parameters(ProjectiveKind::tet_volume, 0.9, 1.1);
  p[12] = 2, p[13] = 1.05;
  for (int i = 0; i < 200; ++i) {
    const VectorXd F = (Matrix3d::Identity() + 0.3 * random_matrix(rng)).reshaped();
    const auto fine = run_tile<double>(ProjectiveKind::tet_volume, F, p);
    const auto coarse = run_tile<float>(ProjectiveKind::tet_volume, F, p);
    const SignedSvd svd(F.reshaped(3, 3));
    const double gap = svd.s[1] + svd.s[2];  // where it is small the nearest point is nearly not unique
    if (gap < 0.1) continue;
    EXPECT_LT((coarse.projection.cast<double>() - fine.projection).norm(), 2e-6 / std::min(gap, 1.0));
    EXPECT_LT((coarse.forces.cast<double>() - fine.forces).norm(), 2e-5 / std::min(gap, 1.0));
  }
}

TEST(ProjectiveTile, SameBitsWhereverAConstraintStands) {
  Rng rng(11);
  VectorXd p = tet_parameters(ProjectiveKind::tet_volume, 1, 1);
  p[12] = 2, p[13] = 1;
  for (int i = 0; i < 50; ++i) {
    const VectorXd F = (2 * random_matrix(rng)).reshaped();
    const auto a = run_tile<double>(ProjectiveKind::tet_volume, F, p, 1, 0);
    const auto b = run_tile<double>(ProjectiveKind::tet_volume, F, p, 1, 63);
    EXPECT_EQ(0, std::memcmp(a.forces.data(), b.forces.data(), 9 * sizeof(double)));
  }
}

}  // namespace
}  // namespace pliant
