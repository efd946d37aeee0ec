#include "pliant/geometry/measures.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant {
namespace {

constexpr Index grain = 4096;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double degrees = 180 / std::numbers::pi;

std::array<Vector3d, 4> corners(const TetMesh& mesh, Index t) {
  return {mesh.vertices.row(mesh.tets(t, 0)), mesh.vertices.row(mesh.tets(t, 1)),
          mesh.vertices.row(mesh.tets(t, 2)), mesh.vertices.row(mesh.tets(t, 3))};
}
std::array<Vector3d, 3> corners(const TriMesh& mesh, Index t) {
  return {mesh.vertices.row(mesh.triangles(t, 0)), mesh.vertices.row(mesh.triangles(t, 1)),
          mesh.vertices.row(mesh.triangles(t, 2))};
}

double volume(const std::array<Vector3d, 4>& x) {
  return (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6;
}
double area(const std::array<Vector3d, 3>& x) { return (x[1] - x[0]).cross(x[2] - x[0]).norm() / 2; }

// Face normals of a positive tet, outward, twice the face's area long; normal i is opposite corner i.
std::array<Vector3d, 4> face_normals(const std::array<Vector3d, 4>& x) {
  return {(x[2] - x[1]).cross(x[3] - x[1]), (x[3] - x[0]).cross(x[2] - x[0]),
          (x[1] - x[0]).cross(x[3] - x[0]), (x[2] - x[0]).cross(x[1] - x[0])};
}

// Smallest and largest interior angle between faces; atan2 keeps its digits near 0 and 180 degrees.
std::array<double, 2> dihedral_range(const std::array<Vector3d, 4>& x) {
  const std::array<Vector3d, 4> n = face_normals(x);
  double low = infinity, high = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const double angle = std::atan2(n[a].cross(n[b]).norm(), -n[a].dot(n[b])) * degrees;
      low = std::min(low, angle);
      high = std::max(high, angle);
    }
  return {low, high};
}

// Inradius r = 3V / sum of areas. Circumcentre from corner 0, with edges a, b, c:
//     (|a|^2 b x c + |b|^2 c x a + |c|^2 a x b) / (12 V)
double radius_ratio(const std::array<Vector3d, 4>& x) {
  const Vector3d a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
  const double v = a.cross(b).dot(c) / 6;
  double surface = 0;
  for (const Vector3d& n : face_normals(x)) surface += n.norm() / 2;
  const double center =
      (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b)).norm();
  const double below = surface * center;
  return below > 0 ? 108 * v * std::abs(v) / below : 0;  // 3 r / R = 3 (3V / S) (12 V / |center|)
}

// r = 2A / (sum of edges), R = (product of edges) / 4A.
double radius_ratio(const std::array<Vector3d, 3>& x) {
  const double a = (x[1] - x[0]).norm(), b = (x[2] - x[1]).norm(), c = (x[0] - x[2]).norm(), s = area(x);
  const double below = (a + b + c) * a * b * c;
  return below > 0 ? 16 * s * s / below : 0;
}

template <class Mesh, class F>
VectorXd of_every(const Mesh& mesh, Index count, F&& f) {
  VectorXd result(count);
  parallel_for(count, grain, [&](Index t) { result[t] = f(corners(mesh, t)); });
  return result;
}

template <class Mesh, class F>
double sum_of(const Mesh& mesh, Index count, F&& f) {
  return parallel_reduce(
      count, grain, 0.0,
      [&](Index begin, Index end) {
        double sum = 0;
        for (Index t = begin; t < end; ++t) sum += f(corners(mesh, t));
        return sum;
      },
      [](double a, double b) { return a + b; });
}

// Sum over elements of measure * centre, with the sum of measures beside it. Centres are taken from the
// first vertex, so that a body far from the origin keeps its digits.
template <class Mesh, class F>
Vector3d weighted_center(const Mesh& mesh, Index count, F&& measure) {
  if (mesh.vertex_count() == 0) return Vector3d::Zero();
  const Vector3d origin = mesh.vertices.row(0);
  const Vector4d sum = parallel_reduce(
      count, grain, Vector4d(Vector4d::Zero()),
      [&](Index begin, Index end) {
        Vector4d part = Vector4d::Zero();
        for (Index t = begin; t < end; ++t) {
          const auto x = corners(mesh, t);
          Vector3d center = Vector3d::Zero();
          for (const Vector3d& corner : x) center += corner - origin;
          const double m = measure(x);
          part.head<3>() += center * (m / static_cast<double>(x.size()));
          part[3] += m;
        }
        return part;
      },
      [](const Vector4d& a, const Vector4d& b) { return Vector4d(a + b); });
  if (sum[3] == 0) return mesh.vertices.colwise().mean();
  return origin + sum.head<3>() / sum[3];
}

}  // namespace

VectorXd tet_volumes(const TetMesh& mesh) {
  return of_every(mesh, mesh.tet_count(), [](const auto& x) { return volume(x); });
}
VectorXd triangle_areas(const TriMesh& mesh) {
  return of_every(mesh, mesh.triangle_count(), [](const auto& x) { return area(x); });
}

VectorXd edge_lengths(const Points& vertices, const Edges& edges) {
  VectorXd lengths(edges.rows());
  parallel_for(edges.rows(), grain,
               [&](Index e) { lengths[e] = (vertices.row(edges(e, 1)) - vertices.row(edges(e, 0))).norm(); });
  return lengths;
}

double total_volume(const TetMesh& mesh) {
  return sum_of(mesh, mesh.tet_count(), [](const auto& x) { return volume(x); });
}
double total_area(const TriMesh& mesh) {
  return sum_of(mesh, mesh.triangle_count(), [](const auto& x) { return area(x); });
}
double enclosed_volume(const TriMesh& mesh) {
  if (mesh.vertex_count() == 0) return 0;
  const Vector3d origin = mesh.vertices.row(0);
  return sum_of(mesh, mesh.triangle_count(),
                [&](const auto& x) { return (x[0] - origin).cross(x[1] - origin).dot(x[2] - origin) / 6; });
}

Vector3d centroid(const TetMesh& mesh) {
  return weighted_center(mesh, mesh.tet_count(), [](const auto& x) { return volume(x); });
}
Vector3d centroid(const TriMesh& mesh) {
  return weighted_center(mesh, mesh.triangle_count(), [](const auto& x) { return area(x); });
}

BoundingBox bounding_box(const Points& vertices) {
  const BoundingBox nothing{Vector3d::Constant(infinity), Vector3d::Constant(-infinity)};
  BoundingBox box = parallel_reduce(
      vertices.rows(), grain, nothing,
      [&](Index begin, Index end) {
        BoundingBox part = nothing;
        for (Index v = begin; v < end; ++v)
          for (int k = 0; k < 3; ++k) {  // comparisons with NaN are false: it changes nothing
            if (vertices(v, k) < part.low[k]) part.low[k] = vertices(v, k);
            if (vertices(v, k) > part.high[k]) part.high[k] = vertices(v, k);
          }
        return part;
      },
      [](const BoundingBox& a, const BoundingBox& b) {
        return BoundingBox{a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)};
      });
  return (box.low.array() <= box.high.array()).all() ? box : BoundingBox{};
}

Eigen::Matrix<double, Eigen::Dynamic, 2> dihedral_angles(const TetMesh& mesh) {
  Eigen::Matrix<double, Eigen::Dynamic, 2> angles(mesh.tet_count(), 2);
  parallel_for(mesh.tet_count(), grain, [&](Index t) {
    const auto [low, high] = dihedral_range(corners(mesh, t));
    angles(t, 0) = low;
    angles(t, 1) = high;
  });
  return angles;
}

VectorXd radius_ratios(const TetMesh& mesh) {
  return of_every(mesh, mesh.tet_count(), [](const auto& x) { return radius_ratio(x); });
}
VectorXd radius_ratios(const TriMesh& mesh) {
  return of_every(mesh, mesh.triangle_count(), [](const auto& x) { return radius_ratio(x); });
}

namespace {

// The extremes that both summaries need; sums become means at the end.
struct Summary {
  double min_angle = infinity, max_angle = -infinity;
  double min_ratio = infinity, ratio_sum = 0;
  double min_size = infinity, max_size = -infinity;
  double min_edge = infinity, edge_sum = 0, max_edge = 0;
  Index worst = -1;

  void add(Index element, double ratio, double size, std::array<double, 2> angles) {
    if (ratio < min_ratio) min_ratio = ratio, worst = element;
    ratio_sum += ratio;
    min_size = std::min(min_size, size);
    max_size = std::max(max_size, size);
    min_angle = std::min(min_angle, angles[0]);
    max_angle = std::max(max_angle, angles[1]);
  }
  void add_edge(double length) {
    min_edge = std::min(min_edge, length);
    max_edge = std::max(max_edge, length);
    edge_sum += length;
  }
  static Summary join(Summary a, const Summary& b) {
    if (b.min_ratio < a.min_ratio) a.min_ratio = b.min_ratio, a.worst = b.worst;
    a.ratio_sum += b.ratio_sum;
    a.edge_sum += b.edge_sum;
    a.min_size = std::min(a.min_size, b.min_size);
    a.max_size = std::max(a.max_size, b.max_size);
    a.min_angle = std::min(a.min_angle, b.min_angle);
    a.max_angle = std::max(a.max_angle, b.max_angle);
    a.min_edge = std::min(a.min_edge, b.min_edge);
    a.max_edge = std::max(a.max_edge, b.max_edge);
    return a;
  }
};

template <class Mesh, class Size, class Angles>
Summary summarize(const Mesh& mesh, Index count, Size&& size, Angles&& angles) {
  return parallel_reduce(
      count, grain, Summary{},
      [&](Index begin, Index end) {
        Summary part;
        for (Index t = begin; t < end; ++t) {
          const auto x = corners(mesh, t);
          part.add(t, radius_ratio(x), size(x), angles(x));
          for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = i + 1; j < x.size(); ++j) part.add_edge((x[j] - x[i]).norm());
        }
        return part;
      },
      Summary::join);
}

std::array<double, 2> angle_range(const std::array<Vector3d, 3>& x) {
  double low = infinity, high = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d a = x[(i + 1) % 3] - x[i], b = x[(i + 2) % 3] - x[i];
    const double angle = std::atan2(a.cross(b).norm(), a.dot(b)) * degrees;
    low = std::min(low, angle);
    high = std::max(high, angle);
  }
  return {low, high};
}

}  // namespace

TetQuality tet_quality(const TetMesh& mesh) {
  const Index count = mesh.tet_count();
  if (count == 0) return {};
  const Summary s = summarize(
      mesh, count, [](const auto& x) { return volume(x); }, [](const auto& x) { return dihedral_range(x); });
  const auto n = static_cast<double>(count);
  return {s.min_angle, s.max_angle, s.min_ratio,          s.ratio_sum / n, s.min_size,
          s.max_size,  s.min_edge,  s.edge_sum / (6 * n), s.max_edge,      s.worst};
}

TriangleQuality triangle_quality(const TriMesh& mesh) {
  const Index count = mesh.triangle_count();
  if (count == 0) return {};
  const Summary s = summarize(
      mesh, count, [](const auto& x) { return area(x); }, [](const auto& x) { return angle_range(x); });
  const auto n = static_cast<double>(count);
  return {s.min_angle, s.max_angle, s.min_ratio,          s.ratio_sum / n, s.min_size,
          s.max_size,  s.min_edge,  s.edge_sum / (3 * n), s.max_edge,      s.worst};
}

}  // namespace pliant
