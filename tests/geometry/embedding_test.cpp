#include "pliant/geometry/embedding.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "support/soups.h"

namespace pliant {
namespace {

using namespace testing_support;

// Points in and around the grid [0, cells]^3.
Points scattered(int cells, Index count, std::uint64_t seed) {
  Points points = random_points(count, 0.9 * cells, seed);
  points.array() += 0.5 * cells;
  return points;
}

Vector4d barycentric(const TetMesh& mesh, Index t, const Vector3d& p) {
  Eigen::Matrix4d A;
  for (int k = 0; k < 4; ++k) A.col(k) << mesh.vertices.row(mesh.tets(t, k)).transpose(), 1;
  return A.fullPivLu().solve(p.homogeneous());
}

}  // namespace

TEST(Embedding, EveryPointFindsTheLowestTetThatHoldsIt) {
  const TetMesh mesh = shaken_grid(3, 0.2, 41);
  const Points points = scattered(3, 3000, 42);
  const Embedding embedding = embed(mesh, points);
  int inside = 0;
  for (Index i = 0; i < points.rows(); ++i) {
    int holder = -1;
    for (Index t = 0; t < mesh.tet_count() && holder < 0; ++t)
      if (barycentric(mesh, t, points.row(i)).minCoeff() >= 0) holder = static_cast<int>(t);
    if (holder >= 0) {
      ++inside;
      EXPECT_EQ(embedding.tets[i], holder);
      EXPECT_EQ(embedding.distance[i], 0);
      EXPECT_GE(embedding.weights.row(i).minCoeff(), 0);
    } else {
      EXPECT_GT(embedding.distance[i], 0);
      EXPECT_LT(embedding.weights.row(i).minCoeff(), 0);
    }
    EXPECT_NEAR(embedding.weights.row(i).sum(), 1, 1e-13);
    EXPECT_EQ(embedding.vertices.row(i), mesh.tets.row(embedding.tets[i]));
  }
  EXPECT_GT(inside, 300);
  EXPECT_LT(inside, 2700);
}

TEST(Embedding, AffineMotionsCarryEveryPointExactlyAlsoOutside) {
  const TetMesh mesh = shaken_grid(4, 0.2, 43);
  const Points points = scattered(4, 2000, 44);
  const Embedding embedding = embed(mesh, points);
  Rng rng(45);
  Matrix3d A;
  for (Index i = 0; i < 9; ++i) A.data()[i] = rng.uniform(-2, 2);
  const Eigen::RowVector3d shift(3, -5, 1);
  const auto moved = [&](const Points& x) -> Points { return (x * A.transpose()).rowwise() + shift; };
  const Points carried = embedding.positions(moved(mesh.vertices));
  EXPECT_LT((carried - moved(points)).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LT((embedding.positions(mesh.vertices) - points).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Embedding, MatrixIsTheSameMap) {
  const TetMesh mesh = shaken_grid(3, 0.2, 46);
  const Embedding embedding = embed(mesh, scattered(3, 500, 47));
  const SparseRows matrix = embedding.matrix();
  EXPECT_EQ(matrix.rows(), 500);
  EXPECT_EQ(matrix.cols(), mesh.vertex_count());
  EXPECT_EQ(matrix.nonZeros(), 4 * 500);
  const Points deformed = mesh.vertices.array().sin();
  const Points by_matrix = matrix * deformed;
  EXPECT_LT((by_matrix - embedding.positions(deformed)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Embedding, OutsideTheNearestTetCarries) {
  const TetMesh mesh = shaken_grid(2, 0.1, 48);
  const Points points = scattered(2, 300, 49);
  const Embedding embedding = embed(mesh, points);
  for (Index i = 0; i < points.rows(); ++i) {
    if (embedding.distance[i] == 0) continue;
    // The slow way to the distance of a tet: barycentric weights, clamped by walking down the gradient.
    const auto distance_to = [&](Index t) {
      Vector4d w = Vector4d::Constant(0.25);
      Eigen::Matrix<double, 3, 4> X;
      for (int k = 0; k < 4; ++k) X.col(k) = mesh.vertices.row(mesh.tets(t, k)).transpose();
      const Vector3d p = points.row(i);
      for (int step = 0; step < 4000; ++step) {  // Frank and Wolfe with exact line search
        int corner;
        (X.transpose() * (X * w - p)).minCoeff(&corner);
        const Vector3d direction = X.col(corner) - X * w;
        const double length2 = direction.squaredNorm();
        if (length2 == 0) break;
        const double s = std::clamp(direction.dot(p - X * w) / length2, 0.0, 1.0);
        w *= 1 - s;
        w[corner] += s;
      }
      return (X * w - p).norm();
    };
    EXPECT_NEAR(distance_to(embedding.tets[i]), embedding.distance[i], 5e-3);
    if (i % 10 == 0) {
      for (Index t = 0; t < mesh.tet_count(); ++t) EXPECT_GE(distance_to(t), embedding.distance[i] - 1e-12);
    }
  }
}

TEST(Embedding, VerticesSitOnThemselves) {
  const TetMesh mesh = shaken_grid(4, 0.2, 50);
  const Embedding embedding = embed(mesh, mesh.vertices);
  EXPECT_EQ(embedding.distance.maxCoeff() < 1e-12, true);
  EXPECT_LT((embedding.positions(mesh.vertices) - mesh.vertices).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_GE(embedding.weights.minCoeff(), -1e-12);
}

TEST(Embedding, PointsInAPlaneOrAtOnePlace) {
  const TetMesh mesh = shaken_grid(3, 0.1, 51);
  Points plane = scattered(3, 400, 52);
  plane.col(1).setConstant(1.5);
  EXPECT_LT((embed(mesh, plane).positions(mesh.vertices) - plane).cwiseAbs().maxCoeff(), 1e-12);
  const Points spot = Points::Constant(50, 3, 1.2);
  EXPECT_LT((embed(mesh, spot).positions(mesh.vertices) - spot).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(embed(mesh, Points(0, 3)).matrix().rows(), 0);
}

TEST(Embedding, ATetWithoutVolumeHoldsByItsFace) {
  TetMesh flat{Points(4, 3), Tets(1, 4)};
  flat.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0;
  flat.tets << 0, 1, 2, 3;
  Points above(1, 3);
  above << 0.2, 0.3, 0.5;
  const Embedding embedding = embed(flat, above);
  EXPECT_NEAR(embedding.distance[0], 0.5, 1e-14);
  EXPECT_LT((embedding.positions(flat.vertices).row(0) - Eigen::RowVector3d(0.2, 0.3, 0)).norm(), 1e-14);
}

TEST(Embedding, ASliverThatOnlyRoundingKeepsFromBeingFlatHoldsByItsFace) {
  TetMesh sliver{Points(4, 3), Tets(1, 4)};
  sliver.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-17;
  sliver.tets << 0, 1, 2, 3;
  Points above(1, 3);
  above << 0.2, 0.3, 0.5;
  const Embedding embedding = embed(sliver, above);
  EXPECT_LT((embedding.positions(sliver.vertices).row(0) - Eigen::RowVector3d(0.2, 0.3, 0)).norm(), 1e-14);
  EXPECT_LE(embedding.weights.cwiseAbs().maxCoeff(), 1 + 1e-12) << "extended, they would be about 1e16";
}

TEST(Embedding, ATetThatRepeatsAVertexIsRefusedAndItsColumnWrittenOnce) {
  TetMesh mesh = shaken_grid(1, 0, 55);
  Embedding embedding = embed(mesh, Points::Constant(1, 3, 0.3));
  embedding.vertices.row(0) << 5, 2, 5, 2;
  embedding.weights.row(0) << 0.1, 0.2, 0.3, 0.4;
  const SparseRows matrix = embedding.matrix();
  EXPECT_EQ(matrix.nonZeros(), 2);
  EXPECT_NEAR(matrix.coeff(0, 5), 0.4, 1e-15);
  EXPECT_NEAR(matrix.coeff(0, 2), 0.6, 1e-15);

  mesh.tets(3, 1) = mesh.tets(3, 0);
  EXPECT_THROW(embed(mesh, Points::Zero(1, 3)), InputError);
}

TEST(Embedding, ParallelEmbeddingGivesTheSameBitsOnAnyNumberOfThreads) {
  const TetMesh mesh = shaken_grid(12, 0.2, 53);
  const Points points = scattered(12, 5000, 54);
  const auto run = [&](int threads) {
    const ScopedThreadCount scope(threads);
    return embed(mesh, points);
  };
  const Embedding alone = run(1);
  for (const int threads : {2, 8}) {
    const Embedding many = run(threads);
    EXPECT_EQ(many.tets, alone.tets);
    EXPECT_EQ(many.weights, alone.weights);
    EXPECT_EQ(many.distance, alone.distance);
  }
}

TEST(Embedding, RefusesWhatHasNoMeaning) {
  TetMesh mesh = shaken_grid(1, 0, 55);
  EXPECT_THROW(embed({mesh.vertices, Tets(0, 4)}, Points::Zero(1, 3)), InputError);
  EXPECT_THROW(embed(mesh, Points::Constant(1, 3, std::nan(""))), InputError);
  EXPECT_THROW(embed(mesh, Points::Zero(1, 3)).positions(Points::Zero(3, 3)), InputError);
  mesh.tets(0, 0) = 99;
  EXPECT_THROW(embed(mesh, Points::Zero(1, 3)), InputError);
}

}  // namespace pliant
