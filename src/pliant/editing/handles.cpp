#include "pliant/editing/handles.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

/// Furthest points by plain distance, from the vertex nearest to the middle on; ties by index.
std::vector<int> spread(const Points& rest, const std::vector<int>& region, std::size_t count) {
  if (region.size() <= count) return region;
  Vector3d middle = Vector3d::Zero();
  for (int v : region) middle += rest.row(v).transpose() / static_cast<double>(region.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < region.size(); ++i)
    if ((rest.row(region[i]).transpose() - middle).squaredNorm() <
        (rest.row(region[next]).transpose() - middle).squaredNorm())
      next = i;
  std::vector<double> distance(region.size(), std::numeric_limits<double>::max());
  std::vector<int> chosen;
  while (chosen.size() < count) {
    chosen.push_back(region[next]);
    const Vector3d p = rest.row(region[next]).transpose();
    std::size_t furthest = 0;
    for (std::size_t i = 0; i < region.size(); ++i) {
      distance[i] = std::min(distance[i], (rest.row(region[i]).transpose() - p).squaredNorm());
      if (distance[i] > distance[furthest]) furthest = i;
    }
    next = furthest;
  }
  return chosen;
}

}  // namespace

HandleSprings sample_handles(const Points& rest, const std::vector<Handle>& handles,
                             const HandleOptions& options) {
  if (options.samples < 1)
    throw InputError(fmt::format("handles: samples is {}; expected 1 or more", options.samples));
  HandleSprings springs;
  std::vector<double> stiffness;
  for (std::size_t j = 0; j < handles.size(); ++j) {
    const Handle& handle = handles[j];
    if (handle.vertices.empty())
      throw InputError(
          fmt::format("handles: handle {} selects no vertex; choose a region that the body reaches", j));
    std::vector<int> region = handle.vertices;
    std::sort(region.begin(), region.end());
    region.erase(std::unique(region.begin(), region.end()), region.end());
    if (region.front() < 0 || region.back() >= rest.rows())
      throw InputError(fmt::format("handles: handle {} names vertex {}; expected 0 to {}", j,
                                   region.front() < 0 ? region.front() : region.back(), rest.rows() - 1));
    const double total = handle.stiffness > 0 ? handle.stiffness : options.stiffness;
    if (!(total > 0) || !std::isfinite(total))
      throw InputError(fmt::format("handles: stiffness of handle {} is {}; expected above 0", j, total));
    const std::vector<int> chosen = spread(rest, region, static_cast<std::size_t>(options.samples));
    for (int v : chosen) {
      springs.vertices.push_back(v);
      springs.handle.push_back(static_cast<int>(j));
      stiffness.push_back(total / static_cast<double>(chosen.size()));
    }
  }
  springs.stiffness = Eigen::Map<const VectorXd>(stiffness.data(), static_cast<Index>(stiffness.size()));
  springs.rest.resize(springs.count(), 3);
  for (Index i = 0; i < springs.count(); ++i)
    springs.rest.row(i) = rest.row(springs.vertices[static_cast<std::size_t>(i)]);
  return springs;
}

Points handle_targets(const HandleSprings& springs, const std::vector<Handle>& handles, double part) {
  std::vector<Vector3d> middle(handles.size(), Vector3d::Zero());
  std::vector<double> count(handles.size(), 0);
  for (Index i = 0; i < springs.count(); ++i) {
    const auto j = static_cast<std::size_t>(springs.handle[static_cast<std::size_t>(i)]);
    middle[j] += springs.rest.row(i).transpose();
    count[j] += 1;
  }
  Points targets(springs.count(), 3);
  for (Index i = 0; i < springs.count(); ++i) {
    const auto j = static_cast<std::size_t>(springs.handle[static_cast<std::size_t>(i)]);
    const Handle& handle = handles[j];
    const Vector3d centre = handle.centre.value_or(middle[j] / count[j]);
    const double angle = handle.rotation.norm();
    const Vector3d axis = angle > 0 ? Vector3d(handle.rotation / angle) : Vector3d::UnitX();
    targets.row(i) = centre +
                     Eigen::AngleAxisd(part * angle, axis) * (springs.rest.row(i).transpose() - centre) +
                     part * handle.translation;
  }
  return targets;
}

}  // namespace pliant
