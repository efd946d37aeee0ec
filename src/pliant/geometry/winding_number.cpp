#include "pliant/geometry/winding_number.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/geometry/triangle_bvh.h"

namespace pliant {
namespace {

constexpr int triangles_a_leaf = 4;  // at most
constexpr double four_pi = 4 * std::numbers::pi;

// Moments of a piece of surface about a centre c, with d = x - c and the normal n:
//     dipole = int n dA,   first = sym int d n^T dA,   second = sym int d d n dA.
struct Moments {
  Vector3d dipole = Vector3d::Zero();
  Matrix3d first = Matrix3d::Zero();
  double second[10] = {};  // in the order of `triples`
};
constexpr int triples[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                {0, 1, 1}, {1, 1, 2}, {0, 2, 2}, {1, 2, 2}, {0, 1, 2}};

// Adds sym(A_ij v_k) for a symmetric A, one third of each of the three places v can take.
void add_symmetric(double (&second)[10], const Matrix3d& A, const Vector3d& v) {
  for (int n = 0; n < 10; ++n) {
    const auto [i, j, k] = std::tuple(triples[n][0], triples[n][1], triples[n][2]);
    second[n] += (A(i, j) * v[k] + A(i, k) * v[j] + A(j, k) * v[i]) / 3;
  }
}

Matrix3d symmetric(const Vector3d& a, const Vector3d& b) {
  return 0.5 * (a * b.transpose() + b * a.transpose());
}

// Moments of a child about its own centre, moved to a centre from which it lies at `shift`.
void add_shifted(Moments& parent, const Moments& child, const Vector3d& shift) {
  parent.dipole += child.dipole;
  parent.first += child.first + symmetric(shift, child.dipole);
  for (int n = 0; n < 10; ++n) parent.second[n] += child.second[n];
  add_symmetric(parent.second, 2 * child.first, shift);
  add_symmetric(parent.second, shift * shift.transpose(), child.dipole);
}

Moments triangle_moments(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& centroid) {
  Moments m;
  m.dipole = 0.5 * (b - a).cross(c - a);
  // About the centroid the first moment vanishes, and the second is the area times the covariance.
  const Vector3d da = a - centroid, db = b - centroid, dc = c - centroid;
  add_symmetric(m.second, (da * da.transpose() + db * db.transpose() + dc * dc.transpose()) / 12, m.dipole);
  return m;
}

}  // namespace

double triangle_winding(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d u = a - p, v = b - p, w = c - p;
  const double lu = u.norm(), lv = v.norm(), lw = w.norm();
  const double numerator = u.dot(v.cross(w));
  const double denominator = lu * lv * lw + u.dot(v) * lw + v.dot(w) * lu + w.dot(u) * lv;
  if (numerator == 0) return 0;
  return std::atan2(numerator, denominator) / (2 * std::numbers::pi);
}

WindingNumber::WindingNumber(const TriMesh& mesh, const WindingNumberOptions& options) {
  require_triangles("winding_number", mesh);
  if (!(options.accuracy >= 1))
    throw InputError(fmt::format("winding_number: accuracy is {}; expected 1 or more", options.accuracy));
  const int count = static_cast<int>(mesh.triangle_count());
  std::vector<Vector3d> centroids(static_cast<std::size_t>(count));
  std::vector<double> areas(static_cast<std::size_t>(count));
  const auto corner = [&](Index t, int k) -> Vector3d { return mesh.vertices.row(mesh.triangles(t, k)); };
  parallel_for(count, 4096, [&](Index t) {
    const Vector3d a = corner(t, 0), b = corner(t, 1), c = corner(t, 2);
    centroids[static_cast<std::size_t>(t)] = (a + b + c) / 3;
    areas[static_cast<std::size_t>(t)] = 0.5 * (b - a).cross(c - a).norm();
  });

  // === A complete binary tree: every node's triangles are halved at the median of the longest axis
  levels_ = 1;
  while ((count + (1 << (levels_ - 1)) - 1) >> (levels_ - 1) > triangles_a_leaf) ++levels_;
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto bound = [&](int level, int node) {  // first triangle of the node-th node of a level
    return static_cast<int>(static_cast<std::int64_t>(count) * node >> level);
  };
  for (int level = 0; level + 1 < levels_; ++level)
    parallel_for(Index{1} << level, 1, [&](Index node_index) {
      const int node = static_cast<int>(node_index);
      const auto begin = order.begin() + bound(level, node), end = order.begin() + bound(level, node + 1);
      Eigen::AlignedBox3d box;
      for (auto t = begin; t != end; ++t) box.extend(centroids[static_cast<std::size_t>(*t)]);
      int axis = 0;
      box.sizes().maxCoeff(&axis);
      std::nth_element(begin, order.begin() + bound(level + 1, 2 * node + 1), end, [&](int s, int t) {
        const double xs = centroids[static_cast<std::size_t>(s)][axis],
                     xt = centroids[static_cast<std::size_t>(t)][axis];
        return xs != xt ? xs < xt : s < t;
      });
    });

  triangles_.resize(static_cast<std::size_t>(count));
  parallel_for(count, 4096, [&](Index i) {
    const int t = order[static_cast<std::size_t>(i)];
    triangles_[static_cast<std::size_t>(i)] = {corner(t, 0), corner(t, 1), corner(t, 2)};
  });
  const int leaves = 1 << (levels_ - 1);
  leaf_begin_.resize(static_cast<std::size_t>(leaves + 1));
  for (int leaf = 0; leaf <= leaves; ++leaf)
    leaf_begin_[static_cast<std::size_t>(leaf)] = bound(levels_ - 1, leaf);

  // === Moments, from the leaves up
  clusters_.resize(static_cast<std::size_t>(2 * leaves - 1));
  std::vector<Moments> moments(clusters_.size());
  std::vector<double> area_of(clusters_.size(), 0.0);
  for (int level = levels_ - 1; level >= 0; --level)
    parallel_for(Index{1} << level, 16, [&](Index node_index) {
      const int node = static_cast<int>(node_index);
      const auto id = static_cast<std::size_t>((1 << level) - 1 + node);
      const int begin = bound(level, node), end = bound(level, node + 1);
      Cluster& cluster = clusters_[id];
      Moments& m = moments[id];
      const std::size_t children[2] = {2 * id + 1, 2 * id + 2};
      const bool is_leaf = level == levels_ - 1;

      // Expand about the centroid of the area.
      Vector3d sum = Vector3d::Zero(), plain_sum = Vector3d::Zero();
      if (is_leaf) {
        for (int i = begin; i < end; ++i) {
          const auto t = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
          sum += areas[t] * centroids[t];
          plain_sum += centroids[t];
          area_of[id] += areas[t];
        }
        plain_sum /= std::max(1, end - begin);
      } else {
        for (const std::size_t child : children) {
          sum += area_of[child] * clusters_[child].centre;
          plain_sum += 0.5 * clusters_[child].centre;
          area_of[id] += area_of[child];
        }
      }
      cluster.centre = area_of[id] > 0 ? Vector3d(sum / area_of[id]) : plain_sum;

      if (is_leaf) {
        for (int i = begin; i < end; ++i) {
          const auto t = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
          const Corners& x = triangles_[static_cast<std::size_t>(i)];
          add_shifted(m, triangle_moments(x.a, x.b, x.c, centroids[t]), centroids[t] - cluster.centre);
        }
      } else {
        for (const std::size_t child : children)
          add_shifted(m, moments[child], clusters_[child].centre - cluster.centre);
      }

      double radius2 = 0;
      for (int i = begin; i < end; ++i) {
        const Corners& x = triangles_[static_cast<std::size_t>(i)];
        radius2 = std::max({radius2, (x.a - cluster.centre).squaredNorm(),
                            (x.b - cluster.centre).squaredNorm(), (x.c - cluster.centre).squaredNorm()});
      }
      cluster.far2 = options.accuracy * options.accuracy * radius2;
      if (std::isnan(cluster.far2)) cluster.far2 = 0;  // infinite accuracy, a cluster of no extent

      // The field is harmonic: traces of the moments do not show in it, and without them it is one product a
      // moment.
      cluster.dipole = m.dipole / four_pi;
      const Matrix3d q = (m.first - m.first.trace() / 3 * Matrix3d::Identity()) / four_pi;
      const double quadrupole[6] = {q(0, 0), q(1, 1), q(2, 2), q(0, 1), q(0, 2), q(1, 2)};
      std::copy(std::begin(quadrupole), std::end(quadrupole), cluster.quadrupole);
      const double* s = m.second;
      // Trace vector t_k = S_iik; the trace-free part is S - 3/5 sym(I t).
      const Vector3d trace(s[0] + s[5] + s[7], s[3] + s[1] + s[8], s[4] + s[6] + s[2]);
      double octupole[10];
      std::copy(s, s + 10, octupole);
      add_symmetric(octupole, -0.6 * Matrix3d::Identity(), trace);
      for (int n = 0; n < 10; ++n) cluster.octupole[n] = octupole[n] / four_pi;
    });
}

double WindingNumber::operator()(const Vector3d& p) const {
  if (!p.allFinite())
    throw InputError(
        fmt::format("winding_number: nothing winds around ({}, {}, {}); expected finite "
                    "coordinates",
                    p.x(), p.y(), p.z()));
  const std::size_t first_leaf = (std::size_t{1} << (levels_ - 1)) - 1;
  double winding = 0;
  std::size_t stack[64];  // at most one entry a level, and 31 levels
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const std::size_t id = stack[--top];
    const Cluster& cluster = clusters_[id];
    const Vector3d r = cluster.centre - p;
    const double R2 = r.squaredNorm();
    if (R2 > cluster.far2) {
      const double x = r.x(), y = r.y(), z = r.z();
      const double *q = cluster.quadrupole, *o = cluster.octupole;
      const double dipole = cluster.dipole.dot(r);
      const double quadrupole =
          x * (q[0] * x + 2 * (q[3] * y + q[4] * z)) + y * (q[1] * y + 2 * q[5] * z) + z * z * q[2];
      const double octupole = x * (x * (o[0] * x + 3 * (o[3] * y + o[4] * z)) + 6 * o[9] * y * z) +
                              y * (y * (o[1] * y + 3 * (o[5] * x + o[6] * z))) +
                              z * (z * (o[2] * z + 3 * (o[7] * x + o[8] * y)));
      const double inverse2 = 1 / R2, inverse3 = inverse2 * std::sqrt(inverse2);
      winding += inverse3 * (dipole + inverse2 * (-3 * quadrupole + 7.5 * inverse2 * octupole));
    } else if (id >= first_leaf) {
      const std::size_t leaf = id - first_leaf;
      for (int i = leaf_begin_[leaf]; i < leaf_begin_[leaf + 1]; ++i) {
        const Corners& x = triangles_[static_cast<std::size_t>(i)];
        winding += triangle_winding(p, x.a, x.b, x.c);
      }
    } else {
      stack[top++] = 2 * id + 2;
      stack[top++] = 2 * id + 1;
    }
  }
  return winding;
}

VectorXd WindingNumber::evaluate(const Points& points) const {
  VectorXd result(points.rows());
  parallel_for(points.rows(), 256, [&](Index i) { result[i] = (*this)(Vector3d(points.row(i))); });
  return result;
}

}  // namespace pliant
