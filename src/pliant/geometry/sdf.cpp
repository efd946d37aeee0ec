#include "pliant/geometry/sdf.h"

#include <Eigen/Geometry>

namespace pliant::sdf {

double round_cone(const Vector3d& p, const Vector3d& a, double radius_a, const Vector3d& b, double radius_b) {
  const Vector3d axis = b - a, pa = p - a;
  const double length = axis.norm(), drop = radius_a - radius_b;
  if (length <= std::abs(drop))  // one sphere holds the other
    return drop > 0 ? pa.norm() - radius_a : (p - b).norm() - radius_b;

  // In the half plane through the axis: x along it, y away from it. The cone's flank has the normal (s, c);
  // t tells where along the flank the foot of p lies.
  const double s = drop / length, c = std::sqrt(1 - s * s);
  const double x = pa.dot(axis) / length, y = std::sqrt(std::max(pa.squaredNorm() - x * x, 0.0));
  const double t = c * x - s * y;
  if (t <= 0) return pa.norm() - radius_a;
  if (t >= c * length) return (p - b).norm() - radius_b;
  return s * x + c * y - radius_a;
}

double thick_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c,
                      double radius) {
  const Vector3d normal = (b - a).cross(c - a);
  const Vector3d* corners[3] = {&a, &b, &c};
  bool above = true;
  double nearest = std::numeric_limits<double>::max();
  for (int k = 0; k < 3; ++k) {
    const Vector3d &u = *corners[k], &v = *corners[(k + 1) % 3];
    above = above && normal.cross(v - u).dot(p - u) >= 0;
    nearest = std::min(nearest, capsule(p, u, v, 0));
  }
  return (above ? std::abs(normal.dot(p - a)) / normal.norm() : nearest) - radius;
}

Chain::Chain(std::vector<Vector3d> centres, std::vector<double> radii)
    : centres_(std::move(centres)), radii_(std::move(radii)), around_{Vector3d::Zero(), 0} {
  for (const Vector3d& c : centres_) around_.centre += c / static_cast<double>(centres_.size());
  for (std::size_t i = 0; i < centres_.size(); ++i)
    around_.radius = std::max(around_.radius, (centres_[i] - around_.centre).norm() + radii_[i]);
  for (std::size_t i = 0; i + 1 < centres_.size(); ++i)
    link_.push_back({(centres_[i] + centres_[i + 1]) / 2,
                     (centres_[i + 1] - centres_[i]).norm() / 2 + std::max(radii_[i], radii_[i + 1])});
}

double Chain::distance(const Vector3d& p, double beyond) const {
  double nearest = beyond;
  if (around_.further_than(p, nearest)) return nearest;
  for (std::size_t i = 0; i < link_.size(); ++i)
    if (!link_[i].further_than(p, nearest))
      nearest = std::min(nearest, round_cone(p, centres_[i], radii_[i], centres_[i + 1], radii_[i + 1]));
  return nearest;
}

}  // namespace pliant::sdf
