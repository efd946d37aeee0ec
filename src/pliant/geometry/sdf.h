#pragma once
// Signed distances of simple solids, metres, negative inside, and how to blend them.
//
// Primitives are exact distances; blends keep the slope at most 1 (their gradient is a convex combination of
// the parts' gradients). So |f(p) - f(q)| <= |p - q|: a value says how far the surface is at least.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant::sdf {

inline double sphere(const Vector3d& p, const Vector3d& centre, double radius) {
  return (p - centre).norm() - radius;
}

/// A capsule: all points within `radius` of the segment.
inline double capsule(const Vector3d& p, const Vector3d& a, const Vector3d& b, double radius) {
  const Vector3d pa = p - a, ba = b - a;
  const double t = std::clamp(pa.dot(ba) / std::max(ba.squaredNorm(), 1e-300), 0.0, 1.0);
  return (pa - t * ba).norm() - radius;
}

/// Two spheres and the cone that touches both.
double round_cone(const Vector3d& p, const Vector3d& a, double radius_a, const Vector3d& b, double radius_b);

/// A box about the origin; `rounding` takes the edges off without making it larger.
inline double box(const Vector3d& p, const Vector3d& half, double rounding = 0) {
  const Vector3d q = p.cwiseAbs() - half + Vector3d::Constant(rounding);
  return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0) - rounding;
}

/// A torus about the y axis: a tube of radius `minor` along a circle of radius `major`.
inline double torus(const Vector3d& p, double major, double minor) {
  return std::hypot(std::hypot(p.x(), p.z()) - major, p.y()) - minor;
}

/// All points within `radius` of a flat triangle.
double thick_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c,
                      double radius);

/// Zero on the ellipsoid and of slope at most 1, but elsewhere less than the distance: the unit sphere's, scaled
/// by the smallest radius.
inline double ellipsoid(const Vector3d& p, const Vector3d& centre, const Vector3d& radii) {
  return ((p - centre).cwiseQuotient(radii).norm() - 1) * radii.minCoeff();
}

/// Union and difference with edges rounded over a width `blend`: the polynomial smooth minimum [Quilez].
///     min(a, b) - h² blend / 4,   h = max(blend - |a - b|, 0) / blend
inline double smooth_union(double a, double b, double blend) {
  const double h = std::max(blend - std::abs(a - b), 0.0) / blend;
  return std::min(a, b) - h * h * blend / 4;
}
inline double smooth_intersection(double a, double b, double blend) { return -smooth_union(-a, -b, blend); }
inline double smooth_subtraction(double a, double taken_away, double blend) {
  return -smooth_union(-a, taken_away, blend);
}

/// A tapered, bent limb: the union of round cones between spheres strung on a curve.
class Chain {
 public:
  Chain(std::vector<Vector3d> centres, std::vector<double> radii);

  /// The distance, or `beyond` where that is less: what lies further off than that is not looked at.
  double distance(const Vector3d& p, double beyond = std::numeric_limits<double>::infinity()) const;

  const std::vector<Vector3d>& centres() const { return centres_; }
  const std::vector<double>& radii() const { return radii_; }

 private:
  struct Ball {
    Vector3d centre;
    double radius;
    bool further_than(const Vector3d& p, double reach) const {
      const double sum = reach + radius;
      return sum <= 0 || (p - centre).squaredNorm() >= sum * sum;
    }
  };
  std::vector<Vector3d> centres_;
  std::vector<double> radii_;
  Ball around_;             // the whole chain
  std::vector<Ball> link_;  // around every round cone
};

}  // namespace pliant::sdf
