#include "pliant/geometry/embedding.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/geometry/surface.h"
#include "pliant/geometry/triangle_bvh.h"

namespace pliant {
namespace {

// Rounding in the weights of a point on a face; such a point counts as inside.
constexpr double on_the_face = 1e-13;

void check(const TetMesh& mesh, const Points& points) {
  if (mesh.tet_count() == 0 && points.rows() > 0)
    throw InputError("embed: the mesh has no tets; expected at least one to carry the points");
  for (Index t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k)
      if (mesh.tets(t, k) < 0 || mesh.tets(t, k) >= mesh.vertex_count())
        throw InputError(fmt::format("embed: tet {} names vertex {}; expected 0 to {}", t, mesh.tets(t, k),
                                     mesh.vertex_count() - 1));
  for (Index t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < k; ++j)
        if (mesh.tets(t, j) == mesh.tets(t, k))
          throw InputError(
              fmt::format("embed: tet {} names vertex {} twice; expected four; repair the mesh first", t,
                          mesh.tets(t, k)));
  if (!mesh.vertices.allFinite())
    throw InputError("embed: the mesh has a vertex that is not finite; repair the mesh first");
  for (Index i = 0; i < points.rows(); ++i)
    if (!points.row(i).allFinite())
      throw InputError(fmt::format("embed: point {} is ({}, {}, {}); expected finite coordinates", i,
                                   points(i, 0), points(i, 1), points(i, 2)));
}

// Barycentric coordinates of p, whatever the sign of the tet's volume; NaN for a tet without volume, or so
// little that rounding decides its sign.
Vector4d weights_in(const TetMesh& mesh, Index t, const Vector3d& p) {
  const Vector3d a = mesh.vertices.row(mesh.tets(t, 0)), b = mesh.vertices.row(mesh.tets(t, 1)),
                 c = mesh.vertices.row(mesh.tets(t, 2)), d = mesh.vertices.row(mesh.tets(t, 3));
  const Vector3d ab = b - a, ac = c - a, ad = d - a, ap = p - a;
  const Vector3d n = ac.cross(ad);
  const double volume = ab.dot(n);
  if (!(std::abs(volume) > 1e-14 * ab.norm() * ac.norm() * ad.norm()))
    return Vector4d::Constant(std::numeric_limits<double>::quiet_NaN());
  const double wb = ap.dot(n) / volume, wc = ab.dot(ap.cross(ad)) / volume,
               wd = ab.dot(ac.cross(ap)) / volume;
  return {1 - wb - wc - wd, wb, wc, wd};
}

// The points in a regular grid of about one point a cell. Tets look for points, not points for tets: binning
// 10^5 points takes less than a tree over 10^6 tets.
struct PointGrid {
  Eigen::AlignedBox3d box;
  Vector3d cells_a_metre;
  Eigen::Array3i size;
  std::vector<std::int32_t> begin, order;  // the points of cell i are order[begin[i]] ... order[begin[i+1]-1]

  explicit PointGrid(const Points& points) {
    for (Index i = 0; i < points.rows(); ++i) box.extend(Vector3d(points.row(i)));
    const double longest = box.sizes().maxCoeff();
    size.setOnes();
    cells_a_metre.setZero();
    if (longest > 0) {
      const Vector3d extent = (box.sizes() / longest).cwiseMax(1e-6);
      const double cell = std::cbrt(extent.prod() / static_cast<double>(points.rows()));
      for (int k = 0; k < 3; ++k) size[k] = static_cast<int>(std::clamp(extent[k] / cell, 1.0, 256.0));
      cells_a_metre = size.cast<double>() / extent.array() / longest;
    }
    begin.assign(static_cast<std::size_t>(size.prod()) + 1, 0);
    std::vector<std::int32_t> cell_of(static_cast<std::size_t>(points.rows()));
    for (Index i = 0; i < points.rows(); ++i) {
      const Eigen::Array3i c = cell_at(points.row(i));
      const int id = (c.z() * size.y() + c.y()) * size.x() + c.x();
      cell_of[static_cast<std::size_t>(i)] = id;
      ++begin[static_cast<std::size_t>(id) + 1];
    }
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    order.resize(cell_of.size());
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < cell_of.size(); ++i)
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(cell_of[i])]++)] =
          static_cast<std::int32_t>(i);
  }

  Eigen::Array3i cell_at(const Vector3d& p) const {
    const Vector3d at = (p - box.min()).cwiseProduct(cells_a_metre);
    Eigen::Array3i c;
    for (int k = 0; k < 3; ++k)
      c[k] = static_cast<int>(std::clamp(at[k], 0.0, static_cast<double>(size[k] - 1)));
    return c;
  }
};

// The lowest tet that holds each point, or -1.
std::vector<int> containing_tets(const TetMesh& mesh, const Points& points) {
  const PointGrid grid(points);
  const int nobody = std::numeric_limits<int>::max();
  std::vector<std::atomic<int>> holder(static_cast<std::size_t>(points.rows()));
  for (auto& h : holder) h.store(nobody, std::memory_order_relaxed);

  parallel_for(mesh.tet_count(), 2048, [&](Index t) {
    Eigen::AlignedBox3d box;
    for (int k = 0; k < 4; ++k) box.extend(Vector3d(mesh.vertices.row(mesh.tets(t, k))));
    const double margin = 1e-12 * box.sizes().maxCoeff();
    box.min().array() -= margin;
    box.max().array() += margin;
    if (!box.intersects(grid.box)) return;
    const Eigen::Array3i low = grid.cell_at(box.min()), high = grid.cell_at(box.max());
    for (int z = low.z(); z <= high.z(); ++z)
      for (int y = low.y(); y <= high.y(); ++y) {
        // Cells along x lie together: one run of points a row.
        const auto row = static_cast<std::size_t>((z * grid.size.y() + y) * grid.size.x());
        const std::int32_t first = grid.begin[row + static_cast<std::size_t>(low.x())],
                           last = grid.begin[row + static_cast<std::size_t>(high.x()) + 1];
        for (std::int32_t i = first; i < last; ++i) {
          const std::int32_t point = grid.order[static_cast<std::size_t>(i)];
          const Vector3d p = points.row(point);
          if (!box.contains(p)) continue;
          std::atomic<int>& best = holder[static_cast<std::size_t>(point)];
          const int tet = static_cast<int>(t);
          int before = best.load(std::memory_order_relaxed);
          if (before <= tet || !(weights_in(mesh, t, p).minCoeff() >= -on_the_face)) continue;
          // The lowest index wins, in whatever order the threads come.
          while (tet < before && !best.compare_exchange_weak(before, tet, std::memory_order_relaxed)) {
          }
        }
      }
  });
  std::vector<int> result(holder.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const int tet = holder[i].load(std::memory_order_relaxed);
    result[i] = tet == nobody ? -1 : tet;
  }
  return result;
}

}  // namespace

Embedding embed(const TetMesh& mesh, const Points& points) {
  check(mesh, points);
  Embedding result;
  const Index count = points.rows();
  result.vertex_count = mesh.vertex_count();
  result.vertices.resize(count, 4);
  result.weights.resize(count, 4);
  result.distance = VectorXd::Zero(count);
  result.tets.resize(count);
  if (count == 0) return result;

  const std::vector<int> holder = containing_tets(mesh, points);
  std::vector<Index> outside;
  for (Index i = 0; i < count; ++i)
    if (holder[static_cast<std::size_t>(i)] < 0) outside.push_back(i);

  // === Inside: clear the rounding of points that lie on a face
  parallel_for(count, 1024, [&](Index i) {
    const int t = holder[static_cast<std::size_t>(i)];
    if (t < 0) return;
    const Vector4d w = weights_in(mesh, t, points.row(i)).cwiseMax(0.0);
    result.tets[i] = t;
    result.vertices.row(i) = mesh.tets.row(t);
    result.weights.row(i) = w / w.sum();
  });
  if (outside.empty()) return result;

  // === Outside: the tet behind the nearest boundary triangle, which is the nearest tet
  const Boundary boundary = boundary_faces(mesh.tets);
  if (boundary.triangles.rows() == 0)
    throw InputError(
        fmt::format("embed: {} points lie in no tet, and the mesh has no boundary; repair the "
                    "mesh first",
                    outside.size()));
  const Surface skin = compact_surface(mesh.vertices, boundary.triangles);
  const TriangleBvh bvh(skin.mesh);
  parallel_for(static_cast<Index>(outside.size()), 256, [&](Index n) {
    const Index i = outside[static_cast<std::size_t>(n)];
    const ClosestPoint closest = bvh.closest(Vector3d(points.row(i)));
    const int t = boundary.tets[closest.triangle];
    Vector4d w = weights_in(mesh, t, points.row(i));
    if (!w.allFinite()) {
      // A tet without volume has no coordinates to extend: hold on to the closest point of its face.
      const Eigen::RowVector3i face = boundary.triangles.row(closest.triangle);
      const Vector3d a = mesh.vertices.row(face[0]), b = mesh.vertices.row(face[1]),
                     c = mesh.vertices.row(face[2]);
      Eigen::Matrix<double, 3, 2> sides;
      sides << b - a, c - a;
      const Eigen::Vector2d uv = sides.completeOrthogonalDecomposition().solve(closest.point - a);
      const double of_face[3] = {1 - uv.sum(), uv[0], uv[1]};
      w.setZero();
      for (int k = 0; k < 4; ++k)
        for (int f = 0; f < 3; ++f)
          if (mesh.tets(t, k) == face[f]) w[k] = of_face[f];
    }
    result.tets[i] = t;
    result.vertices.row(i) = mesh.tets.row(t);
    result.weights.row(i) = w;
    result.distance[i] = closest.distance;
  });
  return result;
}

SparseRows Embedding::matrix() const {
  SparseRows matrix(point_count(), vertex_count);
  if (point_count() == 0) return matrix;  // Eigen reads past the end when it compresses no rows
  matrix.reserve(Eigen::VectorXi::Constant(point_count(), 4));
  for (Index i = 0; i < point_count(); ++i) {
    int order[4] = {0, 1, 2, 3};
    std::sort(order, order + 4, [&](int a, int b) { return vertices(i, a) < vertices(i, b); });
    for (const int k : order) matrix.coeffRef(i, vertices(i, k)) += weights(i, k);
  }
  matrix.makeCompressed();
  return matrix;
}

Points Embedding::positions(const Points& tet_vertices) const {
  if (tet_vertices.rows() != vertex_count)
    throw InputError(fmt::format("embedding: {} vertices came; expected the {} of the tet mesh",
                                 tet_vertices.rows(), vertex_count));
  Points result(point_count(), 3);
  parallel_for(point_count(), 1024, [&](Index i) {
    result.row(i) = weights(i, 0) * tet_vertices.row(vertices(i, 0));
    for (int k = 1; k < 4; ++k) result.row(i) += weights(i, k) * tet_vertices.row(vertices(i, k));
  });
  return result;
}

}  // namespace pliant
