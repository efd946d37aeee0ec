#include "pliant/contact/cone_sweeps.h"

#include <Eigen/Dense>

#include "pliant/base/rng.h"

namespace pliant {
namespace {

/// The same, one point after the other with all that it feels summed up each time.
MatrixXd slow_sweeps(const MatrixXd& M, const MatrixXd& gap, const MatrixXd& normals,
                     const VectorXd& friction, MatrixXd f, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index i = 0; i < M.rows(); ++i) {
      if (friction[i] == ConeSweeps::absent) continue;
      Vector3d force = f.row(i) + (gap.row(i) - M.row(i) * f) / M(i, i);
      const Vector3d n = normals.row(i);
      const double push = force.dot(n);
      const Vector3d along = force - push * n;
      if (push <= 0)
        force.setZero();
      else if (along.norm() > friction[i] * push)
        force = push * n + along.normalized() * friction[i] * push;
      f.row(i) = force.transpose();
    }
  return f;
}

}  // namespace

TEST(ConeSweeps, AreThoseOfTheSlowWay) {
  Rng rng(3);
  for (const Index count : {1, 5, 8, 13, 40}) {
    MatrixXd A(count, count + 3), gap(count, 3), normals(count, 3), f = MatrixXd::Zero(count, 3);
    for (MatrixXd* m : {&A, &gap, &normals})
      for (double& x : m->reshaped()) x = rng.normal();
    normals.rowwise().normalize();
    const MatrixXd M =
        A * A.transpose() / static_cast<double>(count) + 0.1 * MatrixXd::Identity(count, count);
    VectorXd friction = VectorXd::Constant(count, 0.4);
    if (count > 3) friction[3] = ConeSweeps::absent, friction[2] = std::numeric_limits<double>::infinity();

    ConeSweeps cones;
    cones.resize(count);
    const Index apart = cones.stride + 8;
    AlignedVector<double> matrix(static_cast<std::size_t>(apart * count), 0.0);
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < count; ++i) matrix[static_cast<std::size_t>(j * apart + i)] = M(i, j);
      cones.friction[static_cast<std::size_t>(j)] = friction[j];
      for (Index c = 0; c < 3; ++c) {
        const auto at = static_cast<std::size_t>(c * cones.stride + j);
        cones.forces[at] = 0;
        cones.normals[at] = normals(j, c);
        cones.beyond[at] = -gap(j, c);
      }
    }
    sweep_cones(matrix.data(), apart, 1, 0, 0, 7, cones);
    const MatrixXd slow = slow_sweeps(M, gap, normals, friction, f, 7);
    const MatrixXd beyond = M * slow - gap;
    for (Index j = 0; j < count; ++j)
      for (Index c = 0; c < 3; ++c) {
        const auto at = static_cast<std::size_t>(c * cones.stride + j);
        EXPECT_NEAR(cones.forces[at], slow(j, c), 1e-10);
        EXPECT_NEAR(cones.beyond[at], beyond(j, c), 1e-10);
      }
    // Settled at last, they say so.
    EXPECT_LT(sweep_cones(matrix.data(), apart, 1, 1e-4, 1e-6, 100000, cones), 100000);
  }
}

}  // namespace pliant
