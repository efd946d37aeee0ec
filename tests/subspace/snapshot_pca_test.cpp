#include "pliant/subspace/snapshot_pca.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/elasticity/projective_constraints.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/structured_grid.h"
#include "pliant/subspace/splocs.h"

namespace pliant {
namespace {

/// A bar that flies, turns, bends, and has bumps that come and go.
struct Motion {
  TetMesh mesh;
  VectorXd masses;
  std::vector<Points> frames;
};

Motion motion(int count = 20) {
  Motion m;
  m.mesh = structured_grid(Vector3d(0, 0, 0), Vector3d(4, 1, 1), Vector3i(12, 3, 3));
  m.masses = vertex_masses(m.mesh.vertices, m.mesh.tets, 1000);
  const Points& X = m.mesh.vertices;
  for (int f = 0; f < count; ++f) {
    const double t = f / static_cast<double>(count);
    Points x = X;
    for (Index i = 0; i < X.rows(); ++i) {
      x(i, 1) += 0.2 * std::sin(6 * t) * X(i, 0) * X(i, 0) / 4;
      for (int bump = 0; bump < 4; ++bump)
        x(i, 2) += 0.15 * std::sin((3 + bump) * t * 5 + bump) * std::exp(-4 * std::pow(X(i, 0) - bump, 2));
    }
    const Matrix3d turn = Eigen::AngleAxisd(2 * t, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
    x = (x * turn.transpose()).rowwise() + Eigen::RowVector3d(t, -t * t, 0.3 * t);
    m.frames.push_back(x);
  }
  return m;
}

constexpr SnapshotCoordinates kinds[] = {SnapshotCoordinates::shared, SnapshotCoordinates::separate,
                                         SnapshotCoordinates::joint};

double missed(const SnapshotBasis& basis, const Motion& m) {
  const SnapshotProjector project(basis, m.masses);
  double sum = 0;
  for (const Points& x : m.frames)
    sum += m.masses.dot((x - positions(basis, project(x))).rowwise().squaredNorm());
  return sum;
}

}  // namespace

TEST(SnapshotPca, WhatIsMissedAreTheSingularValuesLeftOut) {
  const Motion m = motion();
  for (const SnapshotCoordinates kind : kinds)
    for (const AppendedMotions appended : {AppendedMotions::none, AppendedMotions::affine}) {
      const SnapshotBasis basis = snapshot_pca(frames_of(m.frames), m.mesh.vertices, m.masses,
                                               {.components = 4, .coordinates = kind, .appended = appended});
      double left = 0;
      const Index part = basis.singular_values.size() / static_cast<Index>(basis.U.size());
      for (std::size_t p = 0; p < basis.U.size(); ++p)
        left += basis.singular_values.segment(static_cast<Index>(p) * part + 4, part - 4).squaredNorm();
      EXPECT_GT(left, 1e-6);
      EXPECT_NEAR(missed(basis, m), left, 1e-8 * left) << name(kind);
      VectorXd rows(basis.U[0].rows());
      for (Index r = 0; r < rows.size(); ++r) rows[r] = m.masses[r * m.masses.size() / rows.size()];
      for (const MatrixXd& U : basis.U) {
        const MatrixXd products = U.transpose() * rows.asDiagonal() * U;
        EXPECT_LT((products - MatrixXd::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff(), 1e-9);
      }
    }
}

TEST(SnapshotPca, AFrameIsReproducedToTheToleranceAskedFor) {
  const Motion m = motion();
  for (const SnapshotCoordinates kind : kinds) {
    const SnapshotBasis basis = snapshot_pca(
        frames_of(m.frames), m.mesh.vertices, m.masses,
        {.components = 20, .coordinates = kind, .appended = AppendedMotions::none, .tolerance = 1e-3});
    EXPECT_LE(projection_error(basis, m.masses, frames_of(m.frames)), 1e-3);
    if (kind != SnapshotCoordinates::shared) continue;
    EXPECT_LT(basis.columns(), 20);  // and no more than needed
  }
}

TEST(SnapshotPca, EitherGramMatrixGivesTheSame) {
  const Motion many = motion(100);  // 300 observations of 208 vertices
  const Motion few = {many.mesh, many.masses, {many.frames.begin(), many.frames.begin() + 60}};
  for (const Motion* m : {&many, &few}) {
    const SnapshotBasis basis =
        snapshot_pca(frames_of(m->frames), m->mesh.vertices, m->masses, {.components = 5});
    MatrixXd Y(m->mesh.vertex_count(), 3 * static_cast<Index>(m->frames.size()));
    for (std::size_t f = 0; f < m->frames.size(); ++f)
      Y.middleCols(3 * static_cast<Index>(f), 3) =
          m->masses.cwiseSqrt().asDiagonal() * (m->frames[f] - m->mesh.vertices);
    const MatrixXd A = m->masses.cwiseSqrt().asDiagonal() * basis.U[0].leftCols(basis.appended);
    Y -= A * (A.transpose() * Y).eval();
    const VectorXd values = Y.jacobiSvd().singularValues();
    for (int k = 0; k < 5; ++k) EXPECT_NEAR(basis.singular_values[k], values[k], 1e-9 * values[0]);
  }
}

TEST(SnapshotPca, ColumnsTurnWithTheBodyWhereTheyAreShared) {
  const Motion m = motion();
  const Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(3, 1, -2).normalized()).toRotationMatrix();
  std::vector<Points> turned;
  for (const Points& x : m.frames) turned.push_back(x * turn.transpose());
  const SnapshotPcaOptions options{.components = 5};
  const SnapshotBasis a = snapshot_pca(frames_of(m.frames), m.mesh.vertices, m.masses, options);
  const SnapshotBasis b =
      snapshot_pca(frames_of(turned), m.mesh.vertices * turn.transpose(), m.masses, options);
  EXPECT_LT((a.singular_values.head(5) - b.singular_values.head(5)).cwiseAbs().maxCoeff(), 1e-9);
  const MatrixXd products = a.U[0].rightCols(5).transpose() * m.masses.asDiagonal() * b.U[0].rightCols(5);
  EXPECT_LT((products.cwiseAbs() - MatrixXd::Identity(5, 5)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(SnapshotPca, AppendedMotionsAreInTheSpan) {
  const Motion m = motion();
  const Points& X = m.mesh.vertices;
  const Points squeezed =
      (X * Eigen::DiagonalMatrix<double, 3>(1, 0.5, 2)).rowwise() + Eigen::RowVector3d(1, 2, 3);
  for (const SnapshotCoordinates kind : kinds) {
    const SnapshotBasis basis =
        snapshot_pca(frames_of(m.frames), X, m.masses, {.components = 2, .coordinates = kind});
    const SnapshotProjector project(basis, m.masses);
    EXPECT_LT((positions(basis, project(squeezed)) - squeezed).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(SnapshotPca, AlignedFramesAreWhatIsLeftOfThemWithoutTurning) {
  const Motion m = motion();
  const Points& X = m.mesh.vertices;
  const SnapshotFrames recorded = frames_of(m.frames), aligned = aligned_frames(recorded, X, m.masses);
  const Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3d(3, 1, -2).normalized()).toRotationMatrix();
  std::vector<Points> turned;
  for (const Points& x : m.frames)
    turned.push_back((x * turn.transpose()).rowwise() + Eigen::RowVector3d(3, -1, 2));
  const SnapshotFrames others = frames_of(turned), also = aligned_frames(others, X, m.masses);
  Points a(X.rows(), 3), b(X.rows(), 3);
  for (Index f = 0; f < recorded.count; ++f) {
    aligned.read(f, 0, X.rows(), a.data());
    also.read(f, 0, X.rows(), b.data());
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9);  // wherever it flew
    const Points& x = m.frames[static_cast<std::size_t>(f)];
    EXPECT_LE((a - X).rowwise().squaredNorm().dot(m.masses), (x - X).rowwise().squaredNorm().dot(m.masses));
    EXPECT_NEAR((a.row(0) - a.row(100)).norm(), (x.row(0) - x.row(100)).norm(), 1e-9);
    // A stretch of vertices is that part of all.
    Points some(7, 3);
    aligned.read(f, 20, 7, some.data());
    EXPECT_EQ(some, a.middleRows(20, 7));
  }
  // Nothing is left of a body that only flies and turns.
  std::vector<Points> rigid;
  for (const double angle : {0.1, 1.0, 3.0})
    rigid.push_back((X * Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix()).rowwise() +
                    Eigen::RowVector3d(angle, 0, 2));
  const SnapshotFrames flying = frames_of(rigid);
  const SnapshotPcaOptions options{.components = 3, .appended = AppendedMotions::none};
  EXPECT_EQ(snapshot_pca(flying, X, m.masses, options).columns(), 3);
  EXPECT_THROW(snapshot_pca(aligned_frames(flying, X, m.masses), X, m.masses, options), InputError);
}

TEST(LocalizedPca, ColumnsStayInsideTheirSupport) {
  const Motion m = motion();
  GeodesicSolver solver(m.mesh);
  const SupportOptions supports{.inner = 0.05, .outer = 0.2};
  const double outer = supports.outer * bounding_box(m.mesh.vertices).diagonal();
  for (const SnapshotCoordinates kind : kinds) {
    const SnapshotBasis basis = localized_pca(frames_of(m.frames), m.mesh.vertices, m.masses, solver,
                                              {.components = 12, .coordinates = kind}, supports);
    ASSERT_EQ(static_cast<Index>(basis.centers.size()), basis.columns());
    Index inside = 0;
    for (Index k = basis.appended; k < basis.columns(); ++k) {
      const int center = basis.centers[static_cast<std::size_t>(k)];
      const VectorXd distance = solver.distance_from(std::span(&center, 1)).distance;
      const Index per = basis.U[0].rows() / m.masses.size();
      for (Index r = 0; r < basis.U[0].rows(); ++r) {
        if (distance[r / per] >= outer) {
          EXPECT_EQ(basis.U[0](r, k), 0) << "column " << k;
        }
        inside += basis.U[0](r, k) != 0;
      }
    }
    EXPECT_GT(inside, 12);
  }
}

TEST(LocalizedPca, EveryColumnLessIsMissedUntilNothingIs) {
  const Motion m = motion(8);
  GeodesicSolver solver(m.mesh);
  double before = 1e300;
  for (const int count : {1, 4, 12, 24}) {
    const SnapshotBasis basis =
        localized_pca(frames_of(m.frames), m.mesh.vertices, m.masses, solver, {.components = count});
    const double now = missed(basis, m);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_LT(before, 0.02 * missed(appended_basis(m.mesh.vertices, m.masses, SnapshotCoordinates::shared,
                                                 AppendedMotions::affine),
                                  m));
}

TEST(LocalizedPca, RegionsMayBeGiven) {
  const Motion m = motion();
  GeodesicSolver solver(m.mesh);
  std::vector<int> regions;
  for (Index i = 0; i < m.mesh.vertex_count(); ++i) regions.push_back(m.mesh.vertices(i, 0) > 0.01);
  const SnapshotBasis basis = localized_pca(frames_of(m.frames), m.mesh.vertices, m.masses, solver,
                                            {.components = 6}, {.regions = regions});
  for (Index k = basis.appended; k < basis.columns(); ++k) {
    const int own = regions[static_cast<std::size_t>(basis.centers[static_cast<std::size_t>(k)])];
    for (Index i = 0; i < m.mesh.vertex_count(); ++i)
      if (regions[static_cast<std::size_t>(i)] != own) {
        EXPECT_EQ(basis.U[0](i, k), 0);
      }
  }
}

TEST(Splocs, TheObjectiveNeverRisesAndColumnsAreSparse) {
  const Motion m = motion();
  GeodesicSolver solver(m.mesh);
  for (const SnapshotCoordinates kind : kinds) {
    std::vector<double> objective;
    SplocsOptions sparse;
    sparse.iteration_done = [&](int iteration, double value) {
      if (iteration == 0) objective.clear();
      if (!objective.empty()) {
        EXPECT_LE(value, objective.back() * (1 + 1e-9));
      }
      objective.push_back(value);
    };
    const SnapshotPcaOptions options{.components = 10, .coordinates = kind};
    const SnapshotBasis basis =
        splocs(frames_of(m.frames), m.mesh.vertices, m.masses, solver, options, {}, sparse);
    EXPECT_GT(objective.size(), 2u);
    EXPECT_LT(objective.back(), 0.95 * objective.front());  // and falls
    const auto columns = basis.U[0].rightCols(basis.columns() - basis.appended);
    EXPECT_GT((columns.array() == 0).count(), columns.size() / 3) << name(kind);
    EXPECT_TRUE(columns.allFinite());
    EXPECT_LT(missed(basis, m),
              missed(appended_basis(m.mesh.vertices, m.masses, kind, AppendedMotions::affine), m));
  }
}

TEST(Splocs, LeavesFewerVerticesMovingThanWhereItStarts) {
  const Motion m = motion();
  GeodesicSolver solver(m.mesh);
  const SnapshotPcaOptions options{
      .components = 24};  // so many depend on each other nearly: turns of ADMM alone do not do
  const auto zeros = [](const SnapshotBasis& basis) {
    return (basis.U[0].rightCols(basis.columns() - basis.appended).array() == 0).count();
  };
  const SnapshotBasis start = localized_pca(frames_of(m.frames), m.mesh.vertices, m.masses, solver, options);
  const SnapshotBasis sparse = splocs(frames_of(m.frames), m.mesh.vertices, m.masses, solver, options);
  EXPECT_GT(zeros(sparse), zeros(start) * 5 / 4);
}

TEST(Splocs, IsSafeWhereNothingMoves) {
  Motion m = motion(6);
  for (Points& x : m.frames) {
    const Points moved = x;
    x = m.mesh.vertices;
    for (Index i = 0; i < x.rows(); ++i)
      if (x(i, 0) > 3) x(i, 1) += 0.1 * moved(i, 1);
  }
  GeodesicSolver solver(m.mesh);
  const SnapshotBasis basis = splocs(frames_of(m.frames), m.mesh.vertices, m.masses, solver,
                                     {.components = 18, .appended = AppendedMotions::none});
  EXPECT_TRUE(basis.U[0].allFinite());
}

TEST(SnapshotPca, RefusesWhatCannotBe) {
  Motion m = motion(5);
  GeodesicSolver solver(m.mesh);
  const Points& X = m.mesh.vertices;
  EXPECT_THROW(snapshot_pca(frames_of(m.frames), X, m.masses, {.components = 16}), InputError);
  EXPECT_THROW(snapshot_pca(frames_of(m.frames), X, m.masses, {.components = 0}), InputError);
  EXPECT_THROW(snapshot_pca(frames_of(m.frames), X.topRows(10), m.masses.head(10), {}), InputError);
  EXPECT_THROW(
      localized_pca(frames_of(m.frames), X, m.masses, solver, {.components = 3}, {.inner = 2, .outer = 1}),
      InputError);
  EXPECT_THROW(localized_pca(frames_of(m.frames), X, m.masses, solver, {.components = 3, .memory_gb = 1e-6}),
               InputError);
  const std::vector<Points> still(5, X);
  EXPECT_THROW(snapshot_pca(frames_of(still), X, m.masses, {.components = 3}), InputError);
  EXPECT_THROW(splocs(frames_of(still), X, m.masses, solver, {.components = 3}), InputError);
  const auto message = [](auto&& act) -> std::string {
    try {
      act();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  m.frames[3](7, 1) = std::nan("");
  EXPECT_NE(message([&] { frames_of(m.frames); }).find("frame 3"), std::string::npos);
  m.frames[2].conservativeResize(7, 3);
  EXPECT_NE(message([&] { frames_of(m.frames); }).find("frame 2"), std::string::npos);
}

TEST(SnapshotParallel, SameBitsOnAnyNumberOfThreads) {
  const Motion m = motion();
  MatrixXd global, local, sparse;
  for (const int threads : {1, 2, 5}) {
    const ScopedThreadCount scope(threads);
    GeodesicSolver solver(m.mesh);
    const SnapshotPcaOptions options{.components = 5};
    const SnapshotBasis a = snapshot_pca(frames_of(m.frames), m.mesh.vertices, m.masses, options);
    const SnapshotBasis b = localized_pca(frames_of(m.frames), m.mesh.vertices, m.masses, solver, options);
    const SnapshotBasis c = splocs(frames_of(m.frames), m.mesh.vertices, m.masses, solver, options);
    if (threads == 1) global = a.U[0], local = b.U[0], sparse = c.U[0];
    EXPECT_EQ(a.U[0], global);
    EXPECT_EQ(b.U[0], local);
    EXPECT_EQ(c.U[0], sparse);
  }
}

}  // namespace pliant
