#include "pliant/elasticity/projective_constraints.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/elasticity/lame.h"
#include "pliant/elasticity/mass.h"
#include "pliant/numerics/polar3.h"

namespace pliant {
namespace {

void check_vertices(std::string_view who, const auto& elements, Index vertex_count) {
  for (Index e = 0; e < elements.rows(); ++e)
    for (Index k = 0; k < elements.cols(); ++k)
      if (elements(e, k) < 0 || elements(e, k) >= vertex_count)
        throw InputError(fmt::format("{}: element {} has vertex {}; expected 0 to {}", who, e, elements(e, k),
                                     vertex_count - 1));
}

void check_stiffness(std::string_view who, double stiffness) {
  if (!(stiffness >= 0 && std::isfinite(stiffness)))
    throw InputError(fmt::format("{}: stiffness {} given; expected 0 or more", who, stiffness));
}

void check_limits(std::string_view who, double low, double high) {
  if (!(low >= 0 && low <= high && std::isfinite(high)))
    throw InputError(
        fmt::format("{}: stretch limits {} to {} given; expected 0 <= min <= max", who, low, high));
}

Matrix3d edges_of(const Points& x, const Tets& tets, Index t) {
  Matrix3d D;
  for (int k = 0; k < 3; ++k) D.col(k) = (x.row(tets(t, k + 1)) - x.row(tets(t, 0))).transpose();
  return D;
}

/// Before anything is added: what is refused leaves no trace.
void check_tets(std::string_view who, const Points& x, const Tets& tets) {
  for (Index t = 0; t < tets.rows(); ++t) {
    const Matrix3d D = edges_of(x, tets, t);
    const double determinant = D.determinant(), size = D.colwise().norm().maxCoeff();
    if (!(determinant > 1e-12 * size * size * size))
      throw InputError(
          fmt::format("{}: tet {} has volume {:g}; expected more than zero: repair the mesh first", who, t,
                      determinant / 6));
  }
}

/// A triangle in its own plane: edges (1, 0) x length and the other.
Eigen::Matrix2d triangle_edges(std::string_view who, const Points& x, const Triangles& triangles, Index t) {
  const Vector3d a = (x.row(triangles(t, 1)) - x.row(triangles(t, 0))).transpose();
  const Vector3d b = (x.row(triangles(t, 2)) - x.row(triangles(t, 0))).transpose();
  const double length = a.norm(), height = length > 0 ? a.cross(b).norm() / length : 0;
  const double size = std::max(length, b.norm());
  if (!(height > 1e-9 * size))
    throw InputError(
        fmt::format("{}: triangle {} has area {:g}; expected more than zero: repair the mesh first", who, t,
                    0.5 * length * height));
  Eigen::Matrix2d D;
  D << length, a.dot(b) / length, 0, height;
  return D;
}

/// Makes room for `count` more constraints; returns the first of them.
Index grow(ProjectiveGroup& group, Index count) {
  const Index before = group.size();
  group.parameters.conservativeResize(shape_of(group.kind).parameters, before + count);
  return before;
}

void push_vertices(ProjectiveGroup& group, const auto& row) {
  for (Index k = 0; k < row.size(); ++k) group.vertices.push_back(row[k]);
  group.first.push_back(static_cast<int>(group.vertices.size()));
}

/// The rows that all tets share: B and λ; returns the rest volume.
double put_tet(ProjectiveGroup& group, Index at, const Matrix3d& edges, double stiffness) {
  const double volume = edges.determinant() / 6;
  const Matrix3d B = edges.inverse();
  group.parameters.col(at).head<9>() = B.reshaped();
  group.parameters(9, at) = stiffness * volume;
  return volume;
}

}  // namespace

ProjectiveConstraints::ProjectiveConstraints(Points rest_positions) : rest(std::move(rest_positions)) {
  if (rest.rows() == 0) throw InputError("projective constraints: no vertices; expected at least one");
  if (!rest.allFinite())
    throw InputError("projective constraints: a rest position is not finite; expected finite ones");
  for (int k = 0; k < projective_kinds; ++k)
    groups[static_cast<std::size_t>(k)].kind = static_cast<ProjectiveKind>(k);
}

Index ProjectiveConstraints::size() const {
  Index sum = 0;
  for (const ProjectiveGroup& g : groups) sum += g.size();
  return sum;
}

bool ProjectiveConstraints::can_change_volume() const { return group(ProjectiveKind::tet_volume).size() > 0; }

void add_tet_strain(ProjectiveConstraints& constraints, const Tets& tets, const TetStrain& options) {
  check_vertices("add_tet_strain", tets, constraints.rest.rows());
  check_stiffness("add_tet_strain", options.stiffness);
  check_limits("add_tet_strain", options.min_stretch, options.max_stretch);
  check_tets("add_tet_strain", constraints.rest, tets);
  ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_strain);
  const Index before = grow(group, tets.rows());
  for (Index t = 0; t < tets.rows(); ++t) {
    put_tet(group, before + t, edges_of(constraints.rest, tets, t), options.stiffness);
    group.parameters.col(before + t).tail<2>() << options.min_stretch, options.max_stretch;
    push_vertices(group, tets.row(t));
  }
}

TetVolume TetVolume::from_young(double young, double poisson) {
  if (!(poisson >= 0 && poisson < 0.5))
    throw InputError(fmt::format("tet_volume: poisson {} given; expected 0 to below 0.5", poisson));
  const Lame lame = lame_constants(young, poisson);
  return {.strain = 2 * lame.mu, .volume = 3 * lame.lambda};
}

void add_tet_volume(ProjectiveConstraints& constraints, const Tets& tets, const TetVolume& options) {
  check_vertices("add_tet_volume", tets, constraints.rest.rows());
  check_stiffness("add_tet_volume", options.strain);
  check_stiffness("add_tet_volume", options.volume);
  check_limits("add_tet_volume", options.min_stretch, options.max_stretch);
  if (!(options.target > 0 && std::isfinite(options.target)))
    throw InputError(
        fmt::format("add_tet_volume: target {} given; expected more than 0 rest volumes", options.target));
  check_tets("add_tet_volume", constraints.rest, tets);
  ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_volume);
  const Index before = grow(group, tets.rows());
  for (Index t = 0; t < tets.rows(); ++t) {
    const double volume = put_tet(group, before + t, edges_of(constraints.rest, tets, t), options.strain);
    group.parameters.col(before + t).tail<4>() << options.min_stretch, options.max_stretch,
        options.volume * volume, std::cbrt(options.target);
    push_vertices(group, tets.row(t));
  }
}

void add_tet_examples(ProjectiveConstraints& constraints, const Tets& tets, std::span<const Points> poses,
                      const TetExamples& options) {
  check_vertices("add_tet_examples", tets, constraints.rest.rows());
  check_stiffness("add_tet_examples", options.stiffness);
  if (poses.empty() || poses.size() >= projective_poses)
    throw InputError(fmt::format("add_tet_examples: {} poses given; expected 1 to {} beside the rest shape",
                                 poses.size(), projective_poses - 1));
  for (const Points& pose : poses)
    if (pose.rows() != constraints.rest.rows() || !pose.allFinite())
      throw InputError(
          fmt::format("add_tet_examples: a pose of {} positions; expected {} finite ones, as at rest",
                      pose.rows(), constraints.rest.rows()));
  check_tets("add_tet_examples", constraints.rest, tets);
  for (const Points& pose : poses) check_tets("add_tet_examples: pose", pose, tets);
  ProjectiveGroup& group = constraints.group(ProjectiveKind::tet_example);
  const Index before = grow(group, tets.rows());
  for (Index t = 0; t < tets.rows(); ++t) {
    const Matrix3d rest = edges_of(constraints.rest, tets, t);
    put_tet(group, before + t, rest, options.stiffness);
    for (std::size_t p = 0; p < projective_poses; ++p) {
      Matrix3d S = Matrix3d::Identity();  // places not needed repeat the rest shape
      if (p > 0 && p <= poses.size())
        S = polar3(Matrix3d(edges_of(poses[p - 1], tets, t) * rest.inverse())).S;
      group.parameters.col(before + t).segment<6>(10 + 6 * static_cast<Index>(p)) << S(0, 0), S(1, 1),
          S(2, 2), S(1, 2), S(2, 0), S(0, 1);
    }
    push_vertices(group, tets.row(t));
  }
}

void add_triangle_strain(ProjectiveConstraints& constraints, const Triangles& triangles,
                         const TriangleStrain& options) {
  check_vertices("add_triangle_strain", triangles, constraints.rest.rows());
  check_stiffness("add_triangle_strain", options.stiffness);
  check_limits("add_triangle_strain", options.min_stretch, options.max_stretch);
  for (Index t = 0; t < triangles.rows(); ++t)
    triangle_edges("add_triangle_strain", constraints.rest, triangles, t);
  ProjectiveGroup& group = constraints.group(ProjectiveKind::triangle_strain);
  const Index before = grow(group, triangles.rows());
  for (Index t = 0; t < triangles.rows(); ++t) {
    const Eigen::Matrix2d D = triangle_edges("add_triangle_strain", constraints.rest, triangles, t);
    const Eigen::Matrix2d B = D.inverse();
    group.parameters.col(before + t) << B(0, 0), B(1, 0), B(0, 1), B(1, 1),
        options.stiffness * D.determinant() / 2, options.min_stretch, options.max_stretch;
    push_vertices(group, triangles.row(t));
  }
}

double Bending::rigidity(double young, double poisson, double thickness) {
  if (!(young > 0 && thickness > 0 && poisson > -1 && poisson <= 0.5))
    throw InputError(
        fmt::format("bending: young {}, poisson {}, thickness {} given; expected positive ones, poisson "
                    "in (-1, 0.5]",
                    young, poisson, thickness));
  return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

void add_bending(ProjectiveConstraints& constraints, const Triangles& triangles, const Bending& options) {
  check_vertices("add_bending", triangles, constraints.rest.rows());
  check_stiffness("add_bending", options.stiffness);
  const Points& x = constraints.rest;
  const Index n = x.rows();

  // === Cotangents of the two angles that see each edge, a third of the areas around each vertex, one triangle each
  struct EdgeSum {
    double cotangents = 0;
    int triangles = 0;
  };
  std::map<std::pair<int, int>, EdgeSum> edges;
  VectorXd area = VectorXd::Zero(n);
  std::vector<int> side(static_cast<std::size_t>(n), -1);
  for (Index t = 0; t < triangles.rows(); ++t) {
    const double twice_area = triangle_edges("add_bending", x, triangles, t).determinant();
    for (int k = 0; k < 3; ++k) {
      const int a = triangles(t, k), b = triangles(t, (k + 1) % 3), c = triangles(t, (k + 2) % 3);
      EdgeSum& sum = edges[std::minmax(b, c)];
      sum.cotangents += (x.row(b) - x.row(a)).dot(x.row(c) - x.row(a)) / twice_area;
      ++sum.triangles;
      area[a] += twice_area / 6;
      if (side[static_cast<std::size_t>(a)] < 0) side[static_cast<std::size_t>(a)] = static_cast<int>(t);
    }
  }
  std::vector<std::vector<std::pair<int, double>>> rings(static_cast<std::size_t>(n));
  std::vector<bool> inside(static_cast<std::size_t>(n), true);
  for (const auto& [edge, sum] : edges) {
    const auto a = static_cast<std::size_t>(edge.first), b = static_cast<std::size_t>(edge.second);
    rings[a].emplace_back(edge.second, sum.cotangents);
    rings[b].emplace_back(edge.first, sum.cotangents);
    if (sum.triangles != 2) inside[a] = inside[b] = false;
  }

  // === One constraint a vertex inside: 2 H n = Σ (cot + cot) / (2 area) (q - q_j)
  ProjectiveGroup& group = constraints.group(ProjectiveKind::bending);
  Index count = 0;
  for (std::size_t v = 0; v < rings.size(); ++v) count += inside[v] && !rings[v].empty();
  Index at = grow(group, count);
  for (std::size_t v = 0; v < rings.size(); ++v) {
    if (!inside[v] || rings[v].empty()) continue;
    const Index row = static_cast<Index>(v);
    group.vertices.push_back(static_cast<int>(v));
    group.weights.push_back(0);
    Vector3d curvature = Vector3d::Zero();
    for (const auto& [j, cotangents] : rings[v]) {
      const double w = cotangents / (2 * area[row]);
      group.vertices.push_back(j);
      group.weights.push_back(w);
      curvature += w * (x.row(row) - x.row(j)).transpose();
    }
    group.first.push_back(static_cast<int>(group.vertices.size()));
    const Index t = side[v];
    group.sides.push_back({triangles(t, 0), triangles(t, 1), triangles(t, 2)});
    const Vector3d a = x.row(triangles(t, 0)), b = x.row(triangles(t, 1)), c = x.row(triangles(t, 2));
    const double height = curvature.dot((b - a).cross(c - a));
    group.parameters.col(at++) << options.stiffness * area[row], curvature.norm(),
        options.keep_side ? std::copysign(1.0, height) : 0.0;
  }
}

void add_springs(ProjectiveConstraints& constraints, const Edges& edges, const Springs& options) {
  check_vertices("add_springs", edges, constraints.rest.rows());
  check_stiffness("add_springs", options.stiffness);
  check_limits("add_springs", options.min_stretch, options.max_stretch);
  for (Index e = 0; e < edges.rows(); ++e)
    if (edges(e, 0) == edges(e, 1))
      throw InputError(fmt::format("add_springs: edge {} joins vertex {} to itself; expected two vertices", e,
                                   edges(e, 0)));
  ProjectiveGroup& group = constraints.group(ProjectiveKind::spring);
  const Index before = grow(group, edges.rows());
  for (Index e = 0; e < edges.rows(); ++e) {
    const double length = (constraints.rest.row(edges(e, 1)) - constraints.rest.row(edges(e, 0))).norm();
    group.parameters.col(before + e) << options.stiffness, options.min_stretch * length,
        options.max_stretch * length;
    push_vertices(group, edges.row(e));
  }
}

double constraint_rows(const ProjectiveGroup& group, Index c, MatrixXd& S) {
  const auto p = group.parameters.col(c);
  const Index k = static_cast<Index>(group.vertices_of(c).size());
  double weight = 0;
  switch (group.kind) {
    case ProjectiveKind::tet_strain:
    case ProjectiveKind::tet_volume:
    case ProjectiveKind::tet_example:
      S.resize(3, 4);
      S.rightCols(3) = p.head<9>().reshaped(3, 3).transpose();
      weight = p[9] + (group.kind == ProjectiveKind::tet_volume ? p[12] : 0);
      break;
    case ProjectiveKind::triangle_strain:
      S.resize(2, 3);
      S.rightCols(2) = p.head<4>().reshaped(2, 2).transpose();
      weight = p[4];
      break;
    case ProjectiveKind::bending:
      S.resize(1, k);
      for (Index j = 1; j < k; ++j)
        S(0, j) = -group.weights[static_cast<std::size_t>(group.first[static_cast<std::size_t>(c)] + j)];
      weight = p[0];
      break;
    case ProjectiveKind::spring:
      S.setOnes(1, 2);
      weight = p[0];
      break;
  }
  S.col(0) = -S.rightCols(k - 1).rowwise().sum();
  return weight;
}

SparseMatrix projective_matrix(const ProjectiveGroup& group, Index vertices) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index v = 0; v < vertices; ++v) entries.emplace_back(v, v, 0.0);
  MatrixXd S, block;
  for (Index c = 0; c < group.size(); ++c) {
    const auto ids = group.vertices_of(c);
    const double weight = constraint_rows(group, c, S);
    block.noalias() = weight * S.transpose() * S;
    for (Index b = 0; b < S.cols(); ++b)
      for (Index a = 0; a < S.cols(); ++a)
        entries.emplace_back(ids[static_cast<std::size_t>(a)], ids[static_cast<std::size_t>(b)], block(a, b));
  }
  SparseMatrix result(vertices, vertices);
  result.setFromTriplets(entries.begin(), entries.end());
  result.makeCompressed();
  return result;
}

SparseMatrix projective_matrix(const ProjectiveConstraints& constraints) {
  const Index n = constraints.rest.rows();
  SparseMatrix sum(n, n);
  for (const ProjectiveGroup& group : constraints.groups)
    if (group.size() > 0)
      sum =
          sum.nonZeros() == 0 ? projective_matrix(group, n) : SparseMatrix(sum + projective_matrix(group, n));
  if (sum.nonZeros() == 0) sum = projective_matrix(ProjectiveGroup{}, n);
  return sum;
}

VectorXd vertex_masses(const Points& rest, const Tets& tets, double density) {
  check_vertices("vertex_masses", tets, rest.rows());
  if (!(density > 0 && std::isfinite(density)))
    throw InputError(fmt::format("vertex_masses: density {} given; expected more than 0 kg/m^3", density));
  return masses_in_equal_parts(rest.rows(), tets,
                               [&](Index t) { return density * edges_of(rest, tets, t).determinant() / 6; });
}

VectorXd vertex_masses(const Points& rest, const Triangles& triangles, double density) {
  check_vertices("vertex_masses", triangles, rest.rows());
  if (!(density > 0 && std::isfinite(density)))
    throw InputError(fmt::format("vertex_masses: density {} given; expected more than 0 kg/m^2", density));
  return masses_in_equal_parts(rest.rows(), triangles, [&](Index t) {
    return density * triangle_edges("vertex_masses", rest, triangles, t).determinant() / 2;
  });
}

}  // namespace pliant
