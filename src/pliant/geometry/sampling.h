#pragma once
// Points spread evenly over a mesh: every new one where the others are furthest away.
#include <span>
#include <vector>

#include "pliant/base/progress.h"
#include "pliant/geometry/geodesics.h"

namespace pliant {

struct FurthestPointOptions {
  int count = 100;  ///< samples returned, the given ones among them: no fewer than these
  std::span<const int> start =
      {};          ///< ids already chosen, kept first; none given: one in the middle of the mesh
  int window = 8;  ///< see GeodesicOptions
  Progress progress = {};
};

/// Every connected component gets a sample before any gets its second. If `count` is too small for that, the
/// components with most vertices (or elements) are served, and the others have distance infinity.
struct FurthestPoints {
  std::vector<int> ids;  ///< vertices or elements in the order chosen; fewer than asked if there are no more
  std::vector<double> radius;  ///< m, after each sample: the largest distance to the samples so far
  VectorXd distance;           ///< n, metres: every vertex to the nearest sample
  VectorXi nearest;            ///< n, index into ids; -1 where no sample can be reached
  int components = 0;
  int components_without = 0;  ///< how many got no sample
};

/// Furthest-point sampling [Gonzalez 1985; Eldar et al. 1997] by geodesic distance, updated only where a new
/// sample lowers it. No set of as many vertices covers the mesh with less than half the radius. Vertices of
/// no element are never chosen.
FurthestPoints furthest_point_vertices(GeodesicSolver& solver, const FurthestPointOptions& options = {});
FurthestPoints furthest_point_vertices(const TriMesh& mesh, const FurthestPointOptions& options = {});
FurthestPoints furthest_point_vertices(const TetMesh& mesh, const FurthestPointOptions& options = {});

/// The same for elements. An element is as far as its corners are on average; a chosen one is at distance
/// zero with all its corners.
FurthestPoints furthest_point_elements(GeodesicSolver& solver, const Triangles& triangles,
                                       const FurthestPointOptions& options = {});
FurthestPoints furthest_point_elements(GeodesicSolver& solver, const Tets& tets,
                                       const FurthestPointOptions& options = {});
FurthestPoints furthest_point_elements(const TriMesh& mesh, const FurthestPointOptions& options = {});
FurthestPoints furthest_point_elements(const TetMesh& mesh, const FurthestPointOptions& options = {});

/// Vertices spread over a surface that is part of a larger mesh, by distance along the surface; ascending. All of the
/// surface's if there are no more than `count`.
std::vector<int> spread_over_surface(const Points& vertices, const Triangles& surface, int count);

}  // namespace pliant
