#include "pliant/subspace/modal_derivatives.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/geometry/structured_grid.h"
#include "support/simple_meshes.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using namespace testing_support;

std::vector<int> left_end(const Points& x) {
  std::vector<int> ids;
  for (int v = 0; v < x.rows(); ++v)
    if (x(v, 0) < 1e-9) ids.push_back(v);
  return ids;
}

/// Where the forces at free vertices balance `load`, by Newton on the dense matrix.
Points equilibrium(const Body& body, const VectorXd& load) {
  std::vector<int> moving;
  for (int v = 0; v < body.vertex_count(); ++v)
    if (!std::binary_search(body.fixed().begin(), body.fixed().end(), v))
      moving.insert(moving.end(), {3 * v, 3 * v + 1, 3 * v + 2});
  Points x = body.rest_positions(), f;
  for (int step = 0; step < 8; ++step) {
    body.forces(x, f);
    const VectorXd missing = load + Eigen::Map<const VectorXd>(f.data(), f.size());
    const MatrixXd K = body.stiffness(x);
    const VectorXd u = MatrixXd(K(moving, moving)).ldlt().solve(missing(moving));
    Eigen::Map<VectorXd>(x.data(), x.size())(moving) += u;
  }
  return x;
}

/// How far a shape is from the subspace, in the norm of the masses.
double distance(const Points& x, const DenseBasis& basis, const Body& body) {
  const Points nearest = positions(basis, project(basis, body.masses(), x));
  return std::sqrt(body.masses().dot((x - nearest).rowwise().squaredNorm()));
}

TEST(ModalDerivatives, FollowALoadToSecondOrderInAnyMaterial) {
  const TetMesh bar = structured_grid({0, 0, 0}, {1, 0.3, 0.2}, {5, 2, 2});
  std::vector<Body> bodies;
  for (const char* name : {"stvk", "neo_hookean", "corotated", "mooney_rivlin"})
    bodies.emplace_back(bar, SolidMaterial{make_material(name, 1e6, 0.35), 1000},
                        BodyOptions{.fixed = left_end(bar.vertices)});
  TriMesh sheet = grid_plane(7, 4, 0.1);
  for (Index v = 0; v < sheet.vertices.rows(); ++v)
    sheet.vertices(v, 2) = 0.3 * std::pow(sheet.vertices(v, 0), 2);  // curved, so that bending stretches
  bodies.emplace_back(sheet, ShellMaterial::from_young(1e6, 0.4, 0.05, 1000),
                      BodyOptions{.fixed = left_end(sheet.vertices.array() - 0.1)});
  for (const Body& body : bodies) {
    const LinearModes modes = linear_modes(body, {.count = 3});
    const DenseBasis plain = modal_basis(body, modes), basis = modal_derivatives(body, modes);
    ASSERT_EQ(basis.dimension(), 3 + 6);
    // A load that pulls the body along two modes at once
    const double size = 0.04 / modes.U.col(0).cwiseAbs().maxCoeff();
    const VectorXd direction = size * (modes.U.col(0) + modes.U.col(1));
    const VectorXd load = body.stiffness(body.rest_positions()) * direction;
    double left[2], left_by_modes[2];
    for (int half = 0; half < 2; ++half) {
      VectorXd some = load * std::pow(0.5, half);
      for (int v : body.fixed()) some.segment<3>(3 * v).setZero();
      const Points x = equilibrium(body, some);
      left[half] = distance(x, basis, body);
      left_by_modes[half] = distance(x, plain, body);
    }
    EXPECT_LT(left[0], 0.25 * left_by_modes[0]);
    EXPECT_NEAR(std::log2(left_by_modes[0] / left_by_modes[1]), 2, 0.3);  // the modes alone: a quadratic rest
    EXPECT_NEAR(std::log2(left[0] / left[1]), 3, 0.5);                    // with derivatives: a cubic one
  }
}

TEST(ModalDerivatives, AFreeBodyTurnsByAnyAngle) {
  // R = 1 + sin W + (1 - cos) W^2, and the derivatives of the rotations are all W_i W_j X.
  const Body body(structured_grid({0, 0, 0}, {1, 0.3, 0.2}, {5, 3, 2}),
                  SolidMaterial{NeoHookean::from_young(1e6, 0.35), 1000});
  const LinearModes modes = linear_modes(body, {.count = 2});
  const DenseBasis basis = modal_derivatives(body, modes), plain = modal_basis(body, modes);
  EXPECT_EQ(basis.dimension(), 6 + 2 + 15);
  EXPECT_EQ(basis.frequencies.head(6), VectorXd::Zero(6));
  const Matrix3d R = Eigen::AngleAxisd(2, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const Points turned = body.rest_positions() * R.transpose();
  EXPECT_LT(distance(turned, basis, body), 1e-6 * distance(turned, plain, body));
}

TEST(ModalDerivatives, HaveThePapersDimensionsAndAreOrthonormal) {
  const TetMesh bar = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 4, 3});
  const SolidMaterial rubber{StVK::from_young(1e6, 0.3), 1100};
  const Body held(bar, rubber, {.fixed = left_end(bar.vertices)}), free(bar, rubber);
  const DenseBasis a = modal_derivatives(held, linear_modes(held, {.count = 15})),
                   b = modal_derivatives(free, linear_modes(free, {.count = 9}));
  EXPECT_EQ(a.kind, "modal_derivatives");
  EXPECT_EQ(a.dimension(), 135);
  EXPECT_EQ(b.dimension(), 93);
  for (const auto& [basis, body] : {std::pair(&a, &held), std::pair(&b, &free)}) {
    const MatrixXd mass = basis->U.transpose() * (body->mass_matrix() * basis->U);
    const Index d = basis->dimension();
    EXPECT_LT((mass - MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff(), 1e-12);
    const MatrixXd stiffness = basis->U.transpose() * (body->stiffness(basis->origin) * basis->U);
    EXPECT_LT((stiffness - MatrixXd(basis->eigenvalues.asDiagonal())).norm(), 1e-11 * stiffness.norm());
    for (int v : body->fixed()) EXPECT_EQ(basis->U.middleRows<3>(3 * v).norm(), 0);
  }
}

TEST(ModalDerivatives, TheStrongestAreChosenBesideAllModes) {
  const TetMesh bar = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 3, 2});
  const Body body(bar, SolidMaterial{StVK::from_young(1e6, 0.3), 1100}, {.fixed = left_end(bar.vertices)});
  const LinearModes modes = linear_modes(body, {.count = 6});
  const DenseBasis all = modal_derivatives(body, modes),
                   some = modal_derivatives(body, modes, {.dimension = 14});
  ASSERT_EQ(some.dimension(), 14);
  const auto outside = [&](const MatrixXd& A, const DenseBasis& basis) {
    return (A - basis.U * (basis.U.transpose() * (body.mass_matrix() * A))).norm() / A.norm();
  };
  EXPECT_LT(outside(modes.U, some), 1e-10);
  EXPECT_LT(outside(some.U, all), 1e-6);
  // The first mode bends most: its own derivative is kept.
  const DenseBasis first = modal_derivatives(body, linear_modes(body, {.count = 1}));
  EXPECT_LT(outside(first.U, some), 0.05);
  EXPECT_EQ(modal_derivatives(body, modes, {.dimension = 6}).dimension(), 6);
  EXPECT_EQ(modal_derivatives(body, modes, {.dimension = 1000}).dimension(), all.dimension());
}

TEST(ModalDerivatives, SameBitsOnAnyNumberOfThreadsParallel) {
  const TetMesh bar = structured_grid({0, 0, 0}, {1, 0.4, 0.3}, {8, 5, 4});
  const Body body(bar, SolidMaterial{StVK::from_young(1e6, 0.3), 1100}, {.fixed = left_end(bar.vertices)});
  const LinearModes modes = linear_modes(body, {.count = 3});
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return modal_derivatives(body, modes).U;
  };
  const MatrixXd one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(8));
}

TEST(ModalDerivatives, BadInputGetsASentence) {
  const Body body(structured_grid({0, 0, 0}, {1, 1, 1}, {2, 2, 2}),
                  SolidMaterial{StVK::from_young(1e6, 0.3), 1100}),
      other(structured_grid({0, 0, 0}, {1, 1, 1}, {3, 2, 2}),
            SolidMaterial{StVK::from_young(1e6, 0.3), 1100});
  const LinearModes modes = linear_modes(body, {.count = 2});
  EXPECT_TRUE(contains(message_of([&] { modal_derivatives(other, modes); }), "81 rows for 36 vertices"));
  EXPECT_TRUE(contains(message_of([&] { modal_derivatives(body, modes, {.dimension = 7}); }),
                       "dimension is 7; expected 8 or more"));
  EXPECT_TRUE(contains(message_of([&] { modal_derivatives(body, modes, {.strain = 0}); }), "strain is 0"));
}

}  // namespace
}  // namespace pliant
