#pragma once
// Signed distance to any triangle soup: holes, overlaps, duplicated and wrongly facing triangles do not
// matter.
#include "pliant/geometry/clean_soup.h"
#include "pliant/geometry/triangle_bvh.h"
#include "pliant/geometry/winding_number.h"

namespace pliant {

struct SignedDistanceOptions {
  double winding = 0.5;   ///< a point is inside where the winding number exceeds this
  double accuracy = 1.5;  ///< of the winding number (WindingNumberOptions); the sign needs little
  bool clean = true;      ///< see clean_soup; otherwise triangles count as they come, as often as they come
};

/// The distance to the closest triangle, negative inside. Built once; queries are const and may run on many
/// threads.
///
/// Inside is where the generalized winding number of the cleaned soup exceeds 1/2: closed parts that overlap
/// wind twice and stay inside, a hole shifts the number a little, and an open sheet has no inside.
class SignedDistance {
 public:
  explicit SignedDistance(const TriMesh& soup, const SignedDistanceOptions& options = {});

  double operator()(const Vector3d& p) const;
  VectorXd evaluate(const Points& points) const;  ///< row i answers points.row(i); in parallel

  bool inside(const Vector3d& p) const;
  ClosestPoint closest(const Vector3d& p) const { return bvh_.closest(p); }

  const TriangleBvh& bvh() const { return bvh_; }            ///< of the soup as it came
  const WindingNumber& winding() const { return winding_; }  ///< of the cleaned soup
  const CleanSoup& soup() const { return soup_; }

 private:
  double level_;
  CleanSoup soup_;
  TriangleBvh bvh_;
  WindingNumber winding_;
};

}  // namespace pliant
