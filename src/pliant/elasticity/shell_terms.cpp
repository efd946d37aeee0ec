#include "pliant/elasticity/shell_terms.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>

namespace pliant {
namespace {

using Vector9d = Eigen::Matrix<double, 9, 1>;
using Matrix9d = Eigen::Matrix<double, 9, 9>;

// Parts of the size at rest below which lengths and areas count as this large where something divides by them.
constexpr double least_length = 1e-6;
constexpr double least_area = 1e-6;
constexpr double least_hinge = 1e-4;  // hinge forces grow as 1/height, their derivatives as its square

Matrix3d cross_matrix(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// ---- Edges. With u the direction: d l = u (and -u), d2 l = (I - u u^T) / l

struct EdgeState {
  double length;
  Vector3d direction;
};

EdgeState state_of(const EdgePositions& x) {
  const Vector3d edge = x.col(1) - x.col(0);
  const double length = edge.norm();
  return {length, length > 0 ? Vector3d(edge / length) : Vector3d::Zero()};
}

Matrix6d edge_hessian(const EdgeTerm& term, const EdgePositions& x, bool projected) {
  const auto [length, u] = state_of(x);
  double across = (length - term.rest) / std::max(length, least_length * term.rest);
  if (projected) across = std::max(across, 0.0);
  const Matrix3d block = term.stiffness * (across * Matrix3d::Identity() + (1 - across) * u * u.transpose());
  Matrix6d result;
  result << block, -block, -block, block;
  return result;
}

// ---- Triangles

struct TriangleState {
  double area;
  Vector3d normal;  // unit, or zero
  Matrix3d edges;   // column i lies opposite corner i
  Vector9d area_gradient;
};

TriangleState state_of(const TrianglePositions& x) {
  TriangleState s;
  for (int i = 0; i < 3; ++i) s.edges.col(i) = x.col((i + 2) % 3) - x.col((i + 1) % 3);
  const Vector3d n = s.edges.col(0).cross(s.edges.col(1));
  const double length = n.norm();
  s.area = length / 2;
  s.normal = length > 0 ? Vector3d(n / length) : Vector3d::Zero();
  for (int i = 0; i < 3; ++i) s.area_gradient.segment<3>(3 * i) = s.normal.cross(s.edges.col(i)) / 2;
  return s;
}

/// The second derivative of the area out of the plane: e_i . e_j / (4 A) n n^T, the Laplacian of cotangents.
void add_out_of_plane(const AreaTerm& term, const TriangleState& s, double factor, Matrix9d& H) {
  const double divisor = 4 * std::max(s.area, least_area * term.rest);
  const Matrix3d nn = s.normal * s.normal.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      H.block<3, 3>(3 * i, 3 * j) += factor * (s.edges.col(i).dot(s.edges.col(j)) / divisor) * nn;
}

// ---- Hinges

struct HingeState {
  double length;        // of the edge, not below the least
  double c[2];          // where the foot of x2 and of x3 lies on the edge: 1 at x0, 0 at x1
  Vector3d edge;        // x1 - x0
  Vector3d normals[2];  // not normalized: twice the area long
  double squares[2];    // of their lengths, not below the least
  Eigen::Matrix<double, 3, 4> angle_gradient;
};

HingeState state_of(const HingeTerm& term, const HingePositions& x) {
  HingeState s;
  s.edge = x.col(1) - x.col(0);
  s.length = std::max(s.edge.norm(), least_hinge * term.length);
  const double least = 2 * least_hinge * term.area;
  for (int k = 0; k < 2; ++k) {
    const Vector3d apex = x.col(2 + k);
    s.normals[k] = (k == 0 ? 1.0 : -1.0) * s.edge.cross(apex - x.col(0));
    s.squares[k] = std::max(s.normals[k].squaredNorm(), least * least);
    s.c[k] = (x.col(1) - apex).dot(s.edge) / (s.length * s.length);
    // An apex that rises along its normal closes the angle by 1/height; the ends of the edge sink in proportion.
    s.angle_gradient.col(2 + k) = -s.length / s.squares[k] * s.normals[k];
  }
  s.angle_gradient.col(0) = -s.c[0] * s.angle_gradient.col(2) - s.c[1] * s.angle_gradient.col(3);
  s.angle_gradient.col(1) = -(1 - s.c[0]) * s.angle_gradient.col(2) - (1 - s.c[1]) * s.angle_gradient.col(3);
  return s;
}

Matrix12d angle_hessian(const HingePositions& x, const HingeState& s) {
  using Row = Eigen::Matrix<double, 1, 12>;
  using Rows = Eigen::Matrix<double, 3, 12>;
  const Vector3d direction = s.edge / s.length;
  const double length2 = s.length * s.length;
  Rows d_edge = Rows::Zero();
  d_edge.block<3, 3>(0, 0) = -Matrix3d::Identity();
  d_edge.block<3, 3>(0, 3) = Matrix3d::Identity();
  const Row d_length = direction.transpose() * d_edge;

  Matrix12d H = Matrix12d::Zero();
  for (int k = 0; k < 2; ++k) {
    const Vector3d apex = x.col(2 + k), g = s.angle_gradient.col(2 + k);
    const double sign = k == 0 ? 1 : -1;
    // n = +-(x1 - x0) x (apex - x0), of which each corner moves the opposite edge's part.
    Rows d_normal = Rows::Zero();
    d_normal.block<3, 3>(0, 0) = sign * cross_matrix(apex - x.col(1));
    d_normal.block<3, 3>(0, 3) = sign * cross_matrix(x.col(0) - apex);
    d_normal.block<3, 3>(0, 6 + 3 * k) = sign * cross_matrix(s.edge);
    // g = -length n / |n|^2
    const Vector3d m = s.normals[k] / s.squares[k];
    const Rows d_m = d_normal / s.squares[k] - (2 / s.squares[k]) * s.normals[k] * (m.transpose() * d_normal);
    const Rows d_g = -m * d_length - s.length * d_m;
    // c = (x1 - apex) . edge / length^2
    Row d_c = ((x.col(1) - apex).transpose() * d_edge - 2 * s.c[k] * s.length * d_length) / length2;
    d_c.segment<3>(3) += s.edge.transpose() / length2;
    d_c.segment<3>(6 + 3 * k) -= s.edge.transpose() / length2;

    H.block<3, 12>(6 + 3 * k, 0) += d_g;
    H.block<3, 12>(0, 0) -= s.c[k] * d_g + g * d_c;
    H.block<3, 12>(3, 0) -= (1 - s.c[k]) * d_g - g * d_c;
  }
  return (H + H.transpose()) / 2;
}

double angle_difference(double angle, double rest) {
  const double difference = angle - rest;
  if (difference > M_PI) return difference - 2 * M_PI;
  if (difference < -M_PI) return difference + 2 * M_PI;
  return difference;
}

}  // namespace

double energy(const EdgeTerm& term, const EdgePositions& x) {
  const double stretch = state_of(x).length - term.rest;
  return term.stiffness / 2 * stretch * stretch;
}

Vector6d gradient(const EdgeTerm& term, const EdgePositions& x) {
  const auto [length, u] = state_of(x);
  const Vector3d pull = term.stiffness * (length - term.rest) * u;
  Vector6d result;
  result << -pull, pull;
  return result;
}

Matrix6d hessian(const EdgeTerm& term, const EdgePositions& x) { return edge_hessian(term, x, false); }

Matrix6d projected_hessian(const EdgeTerm& term, const EdgePositions& x) {
  return edge_hessian(term, x, true);
}

double energy(const AreaTerm& term, const TrianglePositions& x) {
  const double growth = state_of(x).area - term.rest;
  return term.stiffness / 2 * growth * growth;
}

Vector9d gradient(const AreaTerm& term, const TrianglePositions& x) {
  const TriangleState s = state_of(x);
  return term.stiffness * (s.area - term.rest) * s.area_gradient;
}

Matrix9d hessian(const AreaTerm& term, const TrianglePositions& x) {
  // In the plane the area is a quadratic form: d2A = 1/2 [n]x between a corner and the next, and its transpose.
  const TriangleState s = state_of(x);
  const double growth = s.area - term.rest;
  Matrix9d H = s.area_gradient * s.area_gradient.transpose();
  const Matrix3d turn = growth / 2 * cross_matrix(s.normal);
  for (int i = 0; i < 3; ++i) {
    H.block<3, 3>(3 * i, 3 * ((i + 2) % 3)) += turn;
    H.block<3, 3>(3 * i, 3 * ((i + 1) % 3)) -= turn;
  }
  add_out_of_plane(term, s, growth, H);
  return term.stiffness * H;
}

Matrix9d projected_hessian(const AreaTerm& term, const TrianglePositions& x) {
  // === Out of the plane: the Laplacian of cotangents is never negative
  const TriangleState s = state_of(x);
  const double growth = s.area - term.rest;
  Matrix9d H = Matrix9d::Zero();
  add_out_of_plane(term, s, std::max(growth, 0.0), H);
  if (!(s.area > 0)) return term.stiffness * H;

  // === In the plane: with complex corners z_j the area is 1/2 z^T S z. S has the eigenvalue sqrt(3)/2 on the
  //     equilateral triangles c w^j, w = exp(2 pi i/3), and -sqrt(3)/2 on those that turn the other way, c w^-j. The
  //     gradient is S z, so  g g^T + growth S  falls into the span of the two parts of z and one vector beside each.
  const Vector3d e1 = s.edges.col(2).normalized(), e2 = s.normal.cross(e1);
  const std::complex<double> w(-0.5, std::sqrt(3.0) / 2);
  const std::complex<double> powers[3] = {1.0, w, std::conj(w)};
  std::complex<double> plus = 0, minus = 0;  // z_j = mean + plus w^j + minus w^-j
  for (int j = 0; j < 3; ++j) {
    const Vector3d p = x.col(j) - x.col(0);
    const std::complex<double> z(e1.dot(p), e2.dot(p));
    plus += z * std::conj(powers[j]) / 3.0;
    minus += z * powers[j] / 3.0;
  }
  const auto basis_vector = [&](std::complex<double> c, bool forward) {
    Vector9d v;
    for (int j = 0; j < 3; ++j) {
      const std::complex<double> z = c * (forward ? powers[j] : std::conj(powers[j])) / std::sqrt(3.0);
      v.segment<3>(3 * j) = z.real() * e1 + z.imag() * e2;
    }
    return v;
  };
  const auto unit = [](std::complex<double> c) { return std::abs(c) > 0 ? c / std::abs(c) : 1.0; };
  const std::complex<double> i(0, 1);
  const double sigma = std::sqrt(3.0) / 2, p = std::sqrt(3.0) * std::abs(plus),
               m = std::sqrt(3.0) * std::abs(minus);
  const Vector9d beside =
      growth > 0 ? basis_vector(i * unit(plus), true) : basis_vector(i * unit(minus), false);
  H += std::abs(growth) * sigma * beside * beside.transpose();

  Eigen::Matrix2d pair;  // on the unit vectors along the two parts
  pair << sigma * sigma * p * p + growth * sigma, -sigma * sigma * p * m, -sigma * sigma * p * m,
      sigma * sigma * m * m - growth * sigma;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(pair);
  Eigen::Matrix<double, 9, 2> parts;
  parts << basis_vector(unit(plus), true), basis_vector(unit(minus), false);
  for (int k = 0; k < 2; ++k) {
    const Vector9d v = parts * eigen.eigenvectors().col(k);
    H += std::max(eigen.eigenvalues()[k], 0.0) * v * v.transpose();
  }
  return term.stiffness * H;
}

double hinge_angle(const HingePositions& x) {
  const Vector3d edge = x.col(1) - x.col(0);
  const Vector3d n1 = edge.cross(x.col(2) - x.col(0)), n2 = (x.col(3) - x.col(0)).cross(edge);
  const double length = edge.norm();
  // edge . (n1 x n2) has one more length than n1 . n2.
  return std::atan2(edge.dot(n1.cross(n2)), length * n1.dot(n2));
}

double energy(const HingeTerm& term, const HingePositions& x) {
  const double turn = angle_difference(hinge_angle(x), term.rest);
  return term.stiffness / 2 * turn * turn;
}

Vector12d gradient(const HingeTerm& term, const HingePositions& x) {
  const HingeState s = state_of(term, x);
  const double turn = angle_difference(hinge_angle(x), term.rest);
  return term.stiffness * turn * Eigen::Map<const Vector12d>(s.angle_gradient.data());
}

Matrix12d hessian(const HingeTerm& term, const HingePositions& x) {
  const HingeState s = state_of(term, x);
  const double turn = angle_difference(hinge_angle(x), term.rest);
  const Eigen::Map<const Vector12d> g(s.angle_gradient.data());
  return term.stiffness * (g * g.transpose() + turn * angle_hessian(x, s));
}

Matrix12d projected_hessian(const HingeTerm& term, const HingePositions& x) {
  const HingeState s = state_of(term, x);
  const double turn = angle_difference(hinge_angle(x), term.rest);
  const Eigen::Map<const Vector12d> g(s.angle_gradient.data());
  Matrix12d H = g * g.transpose();
  if (turn == 0) return term.stiffness * H;
  H += turn * angle_hessian(x, s);
  // Translations change nothing: what is left is 9 x 9, in three combinations of the corners that are orthonormal and
  // sum to zero.
  constexpr double combinations[3][4] = {
      {0.5, 0.5, -0.5, -0.5}, {0.5, -0.5, 0.5, -0.5}, {0.5, -0.5, -0.5, 0.5}};
  Matrix9d left;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      Matrix3d block = Matrix3d::Zero();
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          block += combinations[a][i] * combinations[b][j] * H.block<3, 3>(3 * i, 3 * j);
      left.block<3, 3>(3 * a, 3 * b) = block;
    }
  const Eigen::SelfAdjointEigenSolver<Matrix9d> eigen(left);
  H.setZero();  // taking the negative part away would leave its rounding
  for (int k = 8; k >= 0 && eigen.eigenvalues()[k] > 0; --k) {
    Vector12d v = Vector12d::Zero();
    for (int i = 0; i < 4; ++i)
      for (int a = 0; a < 3; ++a)
        v.segment<3>(3 * i) += combinations[a][i] * eigen.eigenvectors().col(k).segment<3>(3 * a);
    H += eigen.eigenvalues()[k] * v * v.transpose();
  }
  return term.stiffness * H;
}

}  // namespace pliant
