#include "pliant/elasticity/shell_terms.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/base/rng.h"
#include "pliant/numerics/finite_difference.h"

namespace pliant {
namespace {

template <int N>
using Corners = Eigen::Matrix<double, 3, N>;

template <int N>
Corners<N> random_corners(Rng& rng) {
  Corners<N> x;
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = rng.uniform(-1, 1);
  return x;
}

/// How thin the thinnest triangle is: differences are only compared where they are meaningful.
double thinness(const HingePositions& x) {
  const Vector3d edge = x.col(1) - x.col(0);
  const double a = edge.cross(x.col(2) - x.col(0)).norm(), b = edge.cross(x.col(3) - x.col(0)).norm();
  return std::min({edge.norm(), a, b});
}
double thinness(const TrianglePositions& x) {
  return (x.col(1) - x.col(0)).cross(x.col(2) - x.col(0)).norm();
}
double thinness(const EdgePositions& x) { return (x.col(1) - x.col(0)).norm(); }

template <class Term, int N>
void expect_derivatives(const Term& term, const Corners<N>& x) {
  const auto unstack = [](const VectorXd& v) { return Corners<N>(Eigen::Map<const Corners<N>>(v.data())); };
  const VectorXd at = x.reshaped();
  const VectorXd g = gradient(term, x);
  const MatrixXd H = hessian(term, x);
  const double step = 2e-4;
  const VectorXd by_energy =
      finite_gradient([&](const VectorXd& v) { return energy(term, unstack(v)); }, at, step);
  const MatrixXd by_gradient =
      finite_jacobian([&](const VectorXd& v) -> VectorXd { return gradient(term, unstack(v)); }, at, step);
  EXPECT_LT((g - by_energy).norm(), 1e-7 * (1 + g.norm()));
  EXPECT_LT((H - by_gradient).norm(), 1e-7 * (1 + H.norm()));
  EXPECT_LT((H - H.transpose()).norm(), 1e-14 * (1 + H.norm()));
}

template <class Term, int N>
void expect_projection(const Term& term, const Corners<N>& x) {
  const MatrixXd H = hessian(term, x), P = projected_hessian(term, x);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(H);
  const MatrixXd nearest = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                           eigen.eigenvectors().transpose();
  EXPECT_LT((P - nearest).norm(), 1e-12 * (1 + H.norm()));
}

TEST(ShellTerms, EdgeDerivativesAndProjection) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const EdgePositions x = random_corners<2>(rng);
    const EdgeTerm term{rng.uniform(0.3, 2), rng.uniform(1, 3)};
    if (thinness(x) < 0.1) continue;
    expect_derivatives(term, x);
    expect_projection(term, x);
  }
}

TEST(ShellTerms, AreaDerivativesAndProjection) {
  Rng rng(2);
  int compressed = 0;
  for (int i = 0; i < 200; ++i) {
    const TrianglePositions x = random_corners<3>(rng);
    const AreaTerm term{rng.uniform(0.1, 2), rng.uniform(1, 3)};
    if (thinness(x) < 0.05) continue;
    compressed += thinness(x) / 2 < term.rest;
    expect_derivatives(term, x);
    expect_projection(term, x);
  }
  EXPECT_GT(compressed, 50);
  EXPECT_LT(compressed, 150);
  TrianglePositions equilateral;  // its mirrored part vanishes
  equilateral << 1, -0.5, -0.5, 0, std::sqrt(0.75), -std::sqrt(0.75), 0, 0, 0;
  for (const double rest : {0.5, 2.0}) {
    expect_derivatives(AreaTerm{rest, 1}, equilateral);
    expect_projection(AreaTerm{rest, 1}, equilateral);
  }
}

TEST(ShellTerms, HingeDerivativesAndProjection) {
  Rng rng(3);
  int folded = 0, compared = 0;
  for (int i = 0; i < 400; ++i) {
    const HingePositions x = random_corners<4>(rng);
    const HingeTerm term{rng.uniform(-2, 2), rng.uniform(1, 3), 1, 1};
    if (thinness(x) < 0.3) continue;
    double turn = std::abs(hinge_angle(x) - term.rest);
    turn = std::min(turn, 2 * M_PI - turn);
    if (turn > M_PI - 0.05) continue;  // half a turn from rest: the two ways back are equally long
    ++compared;
    folded += std::abs(hinge_angle(x)) > 2.5;
    expect_derivatives(term, x);
    expect_projection(term, x);
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(folded, 20);
}

TEST(ShellTerms, TheAngleOfAHingeIsThatBetweenItsSides) {
  for (double angle = -3.1; angle < 3.14; angle += 0.1) {
    HingePositions x;
    x.col(0) << 0, 0, 0;
    x.col(1) << 0, 0, 2;
    x.col(2) << 1, 0, 0.3;
    x.col(3) << -std::cos(angle), -std::sin(angle), 1.4;  // opposite, turned about the edge
    EXPECT_NEAR(hinge_angle(x), angle, 1e-14);
  }
}

TEST(ShellTerms, RigidMotionsNeedNoForce) {
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const HingePositions rest = random_corners<4>(rng);
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(rng.normal(), rng.normal(), rng.normal(), rng.normal()).normalized();
    const HingePositions x = (q.toRotationMatrix() * rest).colwise() + Vector3d(1, 2, 3);
    const HingeTerm hinge{hinge_angle(rest), 1, 1, 1};
    const AreaTerm area{thinness(TrianglePositions(rest.leftCols<3>())) / 2, 1};
    const EdgeTerm edge{thinness(EdgePositions(rest.leftCols<2>())), 1};
    EXPECT_LT(gradient(hinge, x).norm(), 1e-12 * (1 + 1 / thinness(rest)));
    EXPECT_LT(gradient(area, TrianglePositions(x.leftCols<3>())).norm(), 1e-13);
    EXPECT_LT(gradient(edge, EdgePositions(x.leftCols<2>())).norm(), 1e-13);
  }
}

TEST(ShellTerms, ForcesAndTorquesOfEveryTermBalance) {
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    const HingePositions x = random_corners<4>(rng);
    if (thinness(x) < 0.1) continue;
    const Vector12d g = gradient(HingeTerm{0.5, 1, 1, 1}, x);
    Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
    for (int k = 0; k < 4; ++k) {
      force += g.segment<3>(3 * k);
      torque += Vector3d(x.col(k)).cross(Vector3d(g.segment<3>(3 * k)));
    }
    EXPECT_LT(force.norm(), 1e-13 * (1 + g.norm()));
    EXPECT_LT(torque.norm(), 1e-13 * (1 + g.norm()));
  }
}

TEST(ShellTerms, DegenerateElementsGiveFiniteNumbers) {
  Rng rng(6);
  std::vector<HingePositions> states;
  states.push_back(HingePositions::Zero());            // a point
  states.push_back(HingePositions::Constant(1e-300));  // a point elsewhere
  HingePositions line = HingePositions::Zero();        // a line
  line.row(0) << 0, 1, 2, -1;
  states.push_back(line);
  HingePositions short_edge = random_corners<4>(rng);  // no edge between two triangles
  short_edge.col(1) = short_edge.col(0);
  states.push_back(short_edge);
  short_edge.col(1) += Vector3d::Constant(1e-12);
  states.push_back(short_edge);
  HingePositions needle = random_corners<4>(rng);  // one triangle without area
  needle.col(2) = 0.3 * needle.col(0) + 0.7 * needle.col(1);
  states.push_back(needle);
  needle.col(2) += Vector3d(1e-200, 0, 0);
  states.push_back(needle);
  HingePositions shut = random_corners<4>(rng);  // folded flat onto itself
  shut.col(3) = shut.col(2);
  states.push_back(shut);
  for (const HingePositions& x : states) {
    const HingeTerm hinge{0.3, 1, 1, 0.5};
    const AreaTerm area{0.5, 1};
    const EdgeTerm edge{1, 1};
    const TrianglePositions t = x.leftCols<3>();
    const EdgePositions e = x.leftCols<2>();
    EXPECT_TRUE(std::isfinite(energy(hinge, x))) << x;
    EXPECT_TRUE(gradient(hinge, x).allFinite()) << x;
    EXPECT_TRUE(hessian(hinge, x).allFinite()) << x;
    EXPECT_TRUE(projected_hessian(hinge, x).allFinite()) << x;
    EXPECT_TRUE(std::isfinite(energy(area, t)) && gradient(area, t).allFinite()) << x;
    EXPECT_TRUE(hessian(area, t).allFinite() && projected_hessian(area, t).allFinite()) << x;
    EXPECT_TRUE(std::isfinite(energy(edge, e)) && gradient(edge, e).allFinite()) << x;
    EXPECT_TRUE(hessian(edge, e).allFinite() && projected_hessian(edge, e).allFinite()) << x;
    for (const MatrixXd& P : {MatrixXd(projected_hessian(hinge, x)), MatrixXd(projected_hessian(area, t)),
                              MatrixXd(projected_hessian(edge, e))})
      EXPECT_GE(Eigen::SelfAdjointEigenSolver<MatrixXd>(P).eigenvalues()[0], -1e-12 * (1 + P.norm())) << x;
  }
}

}  // namespace
}  // namespace pliant
