#include "pliant/elasticity/discrete_shells.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/elasticity/lame.h"

namespace pliant {
namespace {

template <int N, class Elements>
Eigen::Matrix<double, 3, N> corners(const Points& x, const Elements& elements, Index e) {
  Eigen::Matrix<double, 3, N> result;
  for (int k = 0; k < N; ++k) result.col(k) = x.row(elements(e, k));
  return result;
}

VectorXd rest_areas(const TriMesh& rest) {
  VectorXd areas(rest.triangle_count());
  for (Index t = 0; t < rest.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k)
      if (rest.triangles(t, k) < 0 || rest.triangles(t, k) >= rest.vertex_count())
        throw InputError(fmt::format("shell: triangle {} names vertex {}; expected 0 to {}", t,
                                     rest.triangles(t, k), rest.vertex_count() - 1));
    const TrianglePositions x = corners<3>(rest.vertices, rest.triangles, t);
    const Vector3d a = x.col(1) - x.col(0), b = x.col(2) - x.col(0);
    areas[t] = a.cross(b).norm() / 2;
    if (!std::isfinite(areas[t]))
      throw InputError(fmt::format("shell: triangle {} has a corner that is not finite", t));
    const double longest2 = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
    if (!(areas[t] > 1e-12 * longest2))
      throw InputError(
          fmt::format("shell: triangle {} has no area at rest ({} m^2, longest edge {} m); remove or "
                      "repair it",
                      t, areas[t], std::sqrt(longest2)));
  }
  return areas;
}

/// One side of a triangle, from which edges and hinges are put together.
struct Side {
  std::int32_t low, high, triangle, from, to, apex;
};

}  // namespace

ShellMaterial ShellMaterial::from_young(double young, double poisson, double thickness, double density) {
  lame_constants(young, poisson);  // refuses what is out of range
  if (!(thickness > 0 && std::isfinite(thickness)))
    throw InputError(fmt::format("shell material: thickness is {}; expected metres, above 0", thickness));
  if (!(density >= 0 && std::isfinite(density)))
    throw InputError(fmt::format("shell material: density is {}; expected kg/m^3, at least 0", density));
  const double membrane = std::max(poisson, 1.0 / 3);
  return {.stretch = 2 * young * thickness / (1 + membrane),
          .area = std::max(0.0, young * thickness * (3 * membrane - 1) / (4 * (1 - membrane * membrane))),
          .bending = young * thickness * thickness * thickness / (72 * (1 - poisson * poisson)),
          .density = density * thickness};
}

void check(const ShellMaterial& material) {
  const std::pair<const char*, double> fields[] = {{"stretch", material.stretch},
                                                   {"area", material.area},
                                                   {"bending", material.bending},
                                                   {"density", material.density}};
  for (const auto& [field, value] : fields)
    if (!(value >= 0 && std::isfinite(value)))
      throw InputError(fmt::format("shell material: {} is {}; expected at least 0", field, value));
  if (!(material.stretch > 0))
    throw InputError(
        "shell material: stretch is 0; expected N/m above 0, or the edges hold nothing together");
}

DiscreteShell make_discrete_shell(const TriMesh& rest, const ShellMaterial& material) {
  check(material);
  const VectorXd areas = rest_areas(rest);
  DiscreteShell shell;
  shell.triangles = rest.triangles;
  for (Index t = 0; t < rest.triangle_count(); ++t)
    // A area (1 - a/A)^2 = (2 area / A) / 2 (a - A)^2
    shell.area_terms.push_back({areas[t], 2 * material.area / areas[t]});

  // === Sides that share their two vertices make an edge
  std::vector<Side> sides;
  for (Index t = 0; t < rest.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const std::int32_t from = rest.triangles(t, k), to = rest.triangles(t, (k + 1) % 3);
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<std::int32_t>(t), from, to,
                       rest.triangles(t, (k + 2) % 3)});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });

  std::vector<Eigen::Vector2i> edges;
  std::vector<Vector4i> hinges;
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
    const Side& first = sides[begin];
    double around = 0;  // of the triangles here
    for (end = begin; end < sides.size() && sides[end].low == first.low && sides[end].high == first.high;
         ++end)
      around += areas[sides[end].triangle];
    const double length = (rest.vertices.row(first.low) - rest.vertices.row(first.high)).norm();
    edges.emplace_back(first.low, first.high);
    // A_e stretch (1 - l/L)^2, A_e a third of `around`
    shell.edge_terms.push_back({length, 2 * material.stretch * around / (3 * length * length)});
    for (std::size_t s = begin + 1; s < end; ++s) {
      const Side& other = sides[s];
      const double pair = areas[first.triangle] + areas[other.triangle];
      hinges.emplace_back(first.from, first.to, first.apex, other.apex);
      HingePositions x;
      for (int k = 0; k < 4; ++k) x.col(k) = rest.vertices.row(hinges.back()[k]);
      shell.hinge_terms.push_back({hinge_angle(x), 2 * material.bending * 3 * length * length / pair, length,
                                   std::min(areas[first.triangle], areas[other.triangle])});
    }
  }
  shell.edges.resize(static_cast<Index>(edges.size()), 2);
  for (std::size_t e = 0; e < edges.size(); ++e) shell.edges.row(static_cast<Index>(e)) = edges[e];
  shell.hinges.resize(static_cast<Index>(hinges.size()), 4);
  for (std::size_t h = 0; h < hinges.size(); ++h) shell.hinges.row(static_cast<Index>(h)) = hinges[h];
  return shell;
}

double energy(const DiscreteShell& shell, const Points& x) {
  double sum = 0;
  for (Index e = 0; e < shell.edges.rows(); ++e)
    sum += energy(shell.edge_terms[static_cast<std::size_t>(e)], corners<2>(x, shell.edges, e));
  for (Index t = 0; t < shell.triangles.rows(); ++t)
    sum += energy(shell.area_terms[static_cast<std::size_t>(t)], corners<3>(x, shell.triangles, t));
  for (Index h = 0; h < shell.hinges.rows(); ++h)
    sum += energy(shell.hinge_terms[static_cast<std::size_t>(h)], corners<4>(x, shell.hinges, h));
  return sum;
}

Points gradient(const DiscreteShell& shell, const Points& x) {
  Points sum = Points::Zero(x.rows(), 3);
  const auto add = [&](const auto& elements, Index e, const auto& g) {
    for (Index k = 0; k < elements.cols(); ++k)
      sum.row(elements(e, k)) += g.template segment<3>(3 * k).transpose();
  };
  for (Index e = 0; e < shell.edges.rows(); ++e)
    add(shell.edges, e,
        gradient(shell.edge_terms[static_cast<std::size_t>(e)], corners<2>(x, shell.edges, e)));
  for (Index t = 0; t < shell.triangles.rows(); ++t)
    add(shell.triangles, t,
        gradient(shell.area_terms[static_cast<std::size_t>(t)], corners<3>(x, shell.triangles, t)));
  for (Index h = 0; h < shell.hinges.rows(); ++h)
    add(shell.hinges, h,
        gradient(shell.hinge_terms[static_cast<std::size_t>(h)], corners<4>(x, shell.hinges, h)));
  return sum;
}

}  // namespace pliant
