#include "pliant/geometry/measures.h"

#include <gtest/gtest.h>

#include <numbers>

#include "pliant/geometry/adjacency.h"
#include "support/simple_meshes.h"

namespace pliant {
namespace {

using testing_support::box_tets;
using testing_support::icosphere;
using testing_support::uv_sphere;

TetMesh one_tet(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  TetMesh mesh{Points(4, 3), Tets(1, 4)};
  mesh.vertices << a.transpose(), b.transpose(), c.transpose(), d.transpose();
  mesh.tets << 0, 1, 2, 3;
  return mesh;
}

TEST(Measures, JitteredBoxHasTheVolumeAreaAndCentroidOfTheBox) {
  Rng rng(3);
  TetMesh box = box_tets(6, 4, 5, 0.5, 0.2, &rng);
  box.vertices.rowwise() += Eigen::RowVector3d(1000, -2000, 500);
  EXPECT_NEAR(total_volume(box), 3.0 * 2.0 * 2.5, 1e-9);
  EXPECT_NEAR(tet_volumes(box).sum(), total_volume(box), 1e-9);
  EXPECT_GT(tet_volumes(box).minCoeff(), 0);
  EXPECT_LT((centroid(box) - Vector3d(1001.5, -1999, 501.25)).norm(), 1e-9);
  const TriMesh surface = extract_surface(box).mesh;
  EXPECT_NEAR(total_area(surface), 2 * (3 * 2 + 2 * 2.5 + 3 * 2.5), 1e-9);
  EXPECT_NEAR(enclosed_volume(surface), total_volume(box), 1e-9);
  EXPECT_LT((centroid(surface) - centroid(box)).norm(), 1e-9);
  EXPECT_LT((bounding_box(box.vertices).size() - Vector3d(3, 2, 2.5)).norm(), 1e-12);
}

TEST(Measures, SphereAreaConvergesQuadratically) {
  const double exact = 4 * std::numbers::pi;
  const double coarse = exact - total_area(icosphere(2)), fine = exact - total_area(icosphere(3));
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(coarse / fine, 4, 0.2);
  EXPECT_NEAR(triangle_areas(icosphere(3)).sum(), exact - fine, 1e-10);
  EXPECT_NEAR(enclosed_volume(uv_sphere(60, 120)), exact / 3, 0.01);
}

TEST(Measures, RegularTetHasQualityOneAndItsDihedral) {
  const TetMesh tet = one_tet({1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1});
  ASSERT_GT(total_volume(tet), 0);
  EXPECT_NEAR(radius_ratios(tet)[0], 1, 1e-14);
  EXPECT_NEAR(dihedral_angles(tet)(0, 0), std::acos(1.0 / 3) * 180 / std::numbers::pi, 1e-12);
  EXPECT_NEAR(dihedral_angles(tet)(0, 1), std::acos(1.0 / 3) * 180 / std::numbers::pi, 1e-12);
  TetMesh mirrored = tet;
  std::swap(mirrored.tets(0, 0), mirrored.tets(0, 1));
  EXPECT_NEAR(radius_ratios(mirrored)[0], -1, 1e-14);
}

TEST(Measures, KuhnTetsHaveDihedralsOf45And90Degrees) {
  const TetQuality quality = tet_quality(box_tets(3, 3, 3, 0.1));
  EXPECT_NEAR(quality.min_dihedral, 45, 1e-10);
  EXPECT_NEAR(quality.max_dihedral, 90, 1e-10);
  EXPECT_NEAR(quality.min_volume, 1e-3 / 6, 1e-15);
  EXPECT_NEAR(quality.max_volume, 1e-3 / 6, 1e-15);
  EXPECT_NEAR(quality.min_edge, 0.1, 1e-15);
  EXPECT_NEAR(quality.max_edge, 0.1 * std::sqrt(3), 1e-15);
  // Circumradius half the cube's diagonal, inradius 3V / S with S = h^2 (1 + sqrt 2).
  EXPECT_NEAR(quality.mean_radius_ratio, 3 * (0.5 / (1 + std::sqrt(2))) / (std::sqrt(3) / 2), 1e-10);
  EXPECT_NEAR(quality.mean_radius_ratio, quality.min_radius_ratio, 1e-10);
}

TEST(Measures, QualitySummaryFindsTheWorstTet) {
  TetMesh box = box_tets(3, 3, 3, 1);
  const int center = testing_support::vertex_at(box.vertices, {1, 1, 1});
  box.vertices.row(center) += Eigen::RowVector3d(0.6, 0.1, 0.2);
  const VectorXd ratios = radius_ratios(box);
  Index worst = 0;
  const double lowest = ratios.minCoeff(&worst);
  const TetQuality quality = tet_quality(box);
  EXPECT_EQ(quality.worst_tet, worst);
  EXPECT_DOUBLE_EQ(quality.min_radius_ratio, lowest);
  EXPECT_NEAR(quality.mean_radius_ratio, ratios.mean(), 1e-12);
  EXPECT_NEAR(quality.min_dihedral, dihedral_angles(box).col(0).minCoeff(), 1e-12);
}

TEST(Measures, FlatElementsAreWorthNothingButFinite) {
  const TetMesh flat = one_tet({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0});
  EXPECT_EQ(radius_ratios(flat)[0], 0);
  EXPECT_TRUE(dihedral_angles(flat).allFinite());
  const TetMesh point = one_tet({1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(radius_ratios(point)[0], 0);
  EXPECT_LT((centroid(point) - Vector3d(1, 1, 1)).norm(), 1e-15);
}

TEST(Measures, TriangleQualityOfTheEquilateralAndTheRightTriangle) {
  TriMesh mesh{Points(3, 3), Triangles(1, 3)};
  mesh.triangles << 0, 1, 2;
  mesh.vertices << 0, 0, 0, 1, 0, 0, 0.5, std::sqrt(3) / 2, 0;
  EXPECT_NEAR(triangle_quality(mesh).min_radius_ratio, 1, 1e-14);
  EXPECT_NEAR(triangle_quality(mesh).max_angle, 60, 1e-12);
  mesh.vertices << 0, 0, 0, 1, 0, 0, 0, 1, 0;
  EXPECT_NEAR(triangle_quality(mesh).min_angle, 45, 1e-12);
  EXPECT_NEAR(triangle_quality(mesh).max_angle, 90, 1e-12);
  EXPECT_NEAR(triangle_quality(mesh).mean_radius_ratio, 2 * (1 - std::sqrt(2) / 2) / (std::sqrt(2) / 2),
              1e-12);
}

TEST(Measures, EdgeLengthsOfAUnitCube) {
  const TetMesh box = box_tets(1, 1, 1, 1);
  const VectorXd lengths = edge_lengths(box.vertices, unique_edges(box.tets, 8));
  EXPECT_EQ(lengths.size(), 19);  // 12 sides, 6 face diagonals, 1 space diagonal
  EXPECT_NEAR(lengths.sum(), 12 + 6 * std::sqrt(2) + std::sqrt(3), 1e-12);
}

TEST(Measures, OfNothingAreZero) {
  EXPECT_EQ(total_volume({Points(0, 3), Tets(0, 4)}), 0);
  EXPECT_EQ(tet_quality({Points(0, 3), Tets(0, 4)}).worst_tet, -1);
  EXPECT_EQ(bounding_box(Points(0, 3)).diagonal(), 0);
  EXPECT_EQ(centroid(TriMesh{Points(0, 3), Triangles(0, 3)}), Vector3d::Zero());
}

TEST(Measures, ParallelSumsHaveTheSameBits) {
  Rng rng(5);
  const TetMesh box = box_tets(24, 20, 22, 0.1, 0.2, &rng);
  const ScopedThreadCount one(1);
  const double volume = total_volume(box);
  const Vector3d center = centroid(box);
  const ScopedThreadCount four(4);
  EXPECT_EQ(volume, total_volume(box));
  EXPECT_EQ(center, centroid(box));
}

}  // namespace
}  // namespace pliant
