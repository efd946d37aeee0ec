#include "pliant/geometry/line_of_sight.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::detail {
namespace {

constexpr double graze = 0.05;  // of an element's height
constexpr int max_steps = 512;  // a window crosses far fewer elements; a degenerate walk must end

struct Barycentric {
  std::array<double, 4> of_start, of_end;
  bool valid;
};

// Where both ends of a segment lie in a tet; coordinate i is 0 on the face opposite corner i.
Barycentric locate(const Points& x, const Tets& tets, Index t, const Vector3d& start, const Vector3d& end) {
  const Vector3d o = x.row(tets(t, 0)), a = x.row(tets(t, 1)).transpose() - o,
                 b = x.row(tets(t, 2)).transpose() - o, c = x.row(tets(t, 3)).transpose() - o;
  const Vector3d bc = b.cross(c), ca = c.cross(a), ab = a.cross(b);
  const double volume = a.dot(bc);
  Barycentric result;
  result.valid = std::abs(volume) > 1e-300;
  const auto fill = [&](const Vector3d& p, std::array<double, 4>& l) {
    l[1] = p.dot(bc) / volume;
    l[2] = p.dot(ca) / volume;
    l[3] = p.dot(ab) / volume;
    l[0] = 1 - l[1] - l[2] - l[3];
  };
  fill(start - o, result.of_start);
  fill(end - o, result.of_end);
  return result;
}

}  // namespace

std::vector<std::int32_t> notches(const Points& vertices, const Tets& tets, const Tets& across, double bend) {
  // === The boundary, every face outward: away from the fourth corner of its tet
  std::vector<Vector3i> faces;
  for (Index t = 0; t < tets.rows(); ++t)
    for (int i = 0; i < 4; ++i) {
      if (across(t, i) >= 0) continue;
      Vector3i face(tets(t, (i + 1) % 4), tets(t, (i + 2) % 4), tets(t, (i + 3) % 4));
      const Vector3d a = vertices.row(face[0]), b = vertices.row(face[1]), c = vertices.row(face[2]),
                     inside = vertices.row(tets(t, i));
      if ((b - a).cross(c - a).dot(inside - a) > 0) std::swap(face[1], face[2]);
      faces.push_back(face);
    }
  Triangles boundary(static_cast<Index>(faces.size()), 3);
  for (std::size_t f = 0; f < faces.size(); ++f) boundary.row(static_cast<Index>(f)) = faces[f];

  // === Edges where the neighbouring face rises above the plane of this one
  const Triangles beside = triangle_neighbors(boundary, vertices.rows());
  std::vector<std::uint8_t> marked(static_cast<std::size_t>(vertices.rows()), 0);
  for (Index f = 0; f < boundary.rows(); ++f)
    for (int i = 0; i < 3; ++i) {
      const std::int32_t a = boundary(f, (i + 1) % 3), b = boundary(f, (i + 2) % 3);
      bool reflex = beside(f, i) == many_neighbors;
      if (beside(f, i) >= 0) {
        const Index g = beside(f, i);
        const std::int32_t d = boundary(g, 0) + boundary(g, 1) + boundary(g, 2) - a - b;
        const Vector3d xa = vertices.row(a), edge = (vertices.row(b).transpose() - xa).normalized();
        const Vector3d normal = edge.cross(vertices.row(boundary(f, i)).transpose() - xa).normalized();
        const Vector3d rise = vertices.row(d).transpose() - xa;
        reflex = normal.dot(rise) > std::sin(bend) * (rise - edge * edge.dot(rise)).norm();
      }
      if (reflex) marked[static_cast<std::size_t>(a)] = marked[static_cast<std::size_t>(b)] = 1;
    }
  std::vector<std::int32_t> result;
  for (std::size_t v = 0; v < marked.size(); ++v)
    if (marked[v]) result.push_back(static_cast<std::int32_t>(v));
  return result;
}

std::vector<std::uint8_t> steps_from(const Adjacency& edges, const std::vector<std::int32_t>& starts) {
  std::vector<std::uint8_t> steps(static_cast<std::size_t>(edges.rows()), 255);
  std::vector<std::int32_t> ring = starts, next;
  for (const std::int32_t v : ring) steps[static_cast<std::size_t>(v)] = 0;
  for (std::uint8_t step = 1; step < 255 && !ring.empty(); ++step) {
    next.clear();
    for (const std::int32_t v : ring)
      for (const std::int32_t w : edges.row(v))
        if (steps[static_cast<std::size_t>(w)] == 255) {
          steps[static_cast<std::size_t>(w)] = step;
          next.push_back(w);
        }
    ring.swap(next);
  }
  return steps;
}

bool SolidSight::sees(const Points& vertices, std::int32_t p, std::int32_t v) const {
  const Vector3d start = vertices.row(p), end = vertices.row(v);

  // === The tet at p that the segment enters: the one whose three faces at p have it most inside
  const Vector3d way = end - start;
  std::int32_t tet = -1;
  double best = -graze;
  int corner = 0;
  for (const std::int32_t t : at_vertex.row(p)) {
    const int own = tets(t, 0) == p ? 0 : tets(t, 1) == p ? 1 : tets(t, 2) == p ? 2 : 3;
    const Vector3d a = vertices.row(tets(t, (own + 1) % 4)).transpose() - start,
                   b = vertices.row(tets(t, (own + 2) % 4)).transpose() - start,
                   c = vertices.row(tets(t, (own + 3) % 4)).transpose() - start;
    const Vector3d bc = b.cross(c);
    const double volume = a.dot(bc), at_a = way.dot(bc) / volume;
    if (!(at_a > best)) continue;  // most tets end here; so do those without volume
    const double at_b = way.dot(c.cross(a)) / volume, at_c = way.dot(a.cross(b)) / volume;
    const double lowest = std::min({at_a, at_b, at_c});
    if (!(lowest > best)) continue;
    if (at_a + at_b + at_c <= 1 + graze) return true;  // v lies in this tet
    best = lowest;
    tet = t;
    corner = own;
    if (lowest >= 0) break;
  }
  if (tet < 0) return false;

  // === From face to face
  std::int32_t from = tet;
  tet = across(tet, corner);
  for (int step = 0; step < max_steps; ++step) {
    if (tet < 0) return false;
    const Barycentric at = locate(vertices, tets, tet, start, end);
    if (!at.valid) return false;
    int exit = -1;
    double first = 1e300;
    for (int i = 0; i < 4; ++i) {
      const double s = at.of_start[static_cast<std::size_t>(i)], e = at.of_end[static_cast<std::size_t>(i)];
      if (e >= -graze || across(tet, i) == from) continue;
      const double t = s / (s - e);
      if (t < first) first = t, exit = i;
    }
    if (exit < 0) return true;
    from = tet;
    tet = across(tet, exit);
  }
  return false;
}

bool SurfaceSight::clear(const Points& vertices, std::int32_t triangle, std::int32_t p, std::int32_t a,
                         double part, double length) const {
  using Plane = Eigen::Vector2d;
  const auto third = [&](std::int32_t t, std::int32_t i, std::int32_t j) {
    return triangles(t, 0) + triangles(t, 1) + triangles(t, 2) - i - j;
  };
  // Where a triangle's apex lies beyond its edge (i, j): along the edge, and away from it.
  const auto beyond = [&](std::int32_t i, std::int32_t j, std::int32_t apex) {
    const Vector3d edge = vertices.row(j) - vertices.row(i), side = vertices.row(apex) - vertices.row(i);
    const double l = std::max(edge.norm(), 1e-300);
    return Plane(edge.dot(side) / l, edge.cross(side).norm() / l);
  };

  // === The first triangle, p at the origin and a on the x axis
  std::int32_t right = a, left = third(triangle, p, a);
  Plane at_right((vertices.row(a) - vertices.row(p)).norm(), 0), at_left = beyond(p, a, left);
  const double angle = part * std::atan2(at_left.y(), at_left.x());
  const Plane target = length * Plane(std::cos(angle), std::sin(angle));
  std::int32_t behind = p;
  for (int step = 0; step < max_steps; ++step) {
    // Is the target on this side of the edge from right to left?
    const Plane edge = at_left - at_right, along = edge / std::max(edge.norm(), 1e-300);
    const Plane outward(along.y(), -along.x());
    if (outward.dot(target - at_right) <= graze * edge.norm()) return true;
    const int corner = triangles(triangle, 0) == behind ? 0 : triangles(triangle, 1) == behind ? 1 : 2;
    triangle = across(triangle, corner);
    if (triangle < 0) return false;
    // === Unfold the triangle beyond, and go on left or right of its apex
    const std::int32_t apex = third(triangle, right, left);
    const Plane place = beyond(right, left, apex);
    const Plane at_apex = at_right + place.x() * along + place.y() * outward;
    if (target.x() * at_apex.y() - target.y() * at_apex.x() > 0) {
      behind = left, left = apex, at_left = at_apex;
    } else {
      behind = right, right = apex, at_right = at_apex;
    }
  }
  return false;
}

}  // namespace pliant::detail
