#pragma once
// The lattice that isosurface stuffing cuts: sampled, refined at the surface, coarse inside.
#include <array>
#include <cstdint>
#include <vector>

#include "pliant/geometry/stuffing.h"
#include "pliant/geometry/stuffing_octree.h"

namespace pliant::detail {

/// The solid as the lattice sees it: the function cut at the box, over the cube of the octree's root.
class Field {
 public:
  Field(const DistanceFunction& distance, const Vector3d& lower, const Vector3d& upper,
        const StuffingOptions& options);

  int depth() const {
    return depth_;
  }  ///< of the finest cubes; more than max_depth is more than can be numbered
  double operator()(const Vector3d& point) const;
  Vector3d position(const Vector3i& half_cells) const {
    return origin_ + half_cell_ * half_cells.cast<double>();
  }

 private:
  const DistanceFunction& distance_;
  Vector3d lower_, upper_;
  double half_cell_;
  int depth_ = 0;
  Vector3d origin_ = Vector3d::Zero();
};

/// A zero counts as outside: its cut point is then the point itself.
inline bool is_inside(double value) { return value < 0; }

/// Lattice points along the Z curve, with the field there, and all tets that have a point inside.
struct Background {
  std::vector<std::uint64_t> points;              ///< see lattice_coordinates
  std::vector<double> values;                     ///< a point
  std::vector<std::uint8_t> crossing;             ///< a point: 1 at the ends of edges that cross the surface
  std::vector<std::array<std::int32_t, 4>> tets;  ///< positive; those at crossing points are finest BCC tets,
                                                  ///< with 0-1 and 2-3 their long edges
};

Background build_background(const Field& field, const StuffingOptions& options);

}  // namespace pliant::detail
