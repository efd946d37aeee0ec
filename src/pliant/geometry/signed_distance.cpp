#include "pliant/geometry/signed_distance.h"

namespace pliant {
namespace {

CleanSoup prepared(const TriMesh& soup, bool clean) {
  require_triangles("signed_distance", soup);
  if (clean) {
    CleanSoup result = clean_soup(soup);
    if (result.mesh.triangle_count() > 0) return result;
  }
  CleanSoup as_it_came;
  as_it_came.mesh = soup;
  return as_it_came;
}

}  // namespace

SignedDistance::SignedDistance(const TriMesh& soup, const SignedDistanceOptions& options)
    : level_(options.winding),
      soup_(prepared(soup, options.clean)),
      bvh_(soup),
      winding_(soup_.mesh, {.accuracy = options.accuracy}) {}

bool SignedDistance::inside(const Vector3d& p) const {
  // Outside the box around the triangles nothing but an error of the expansion could exceed the level.
  if ((p.array() < bvh_.lower().array()).any() || (p.array() > bvh_.upper().array()).any()) return false;
  return winding_(p) > level_;
}

double SignedDistance::operator()(const Vector3d& p) const {
  const double distance = bvh_.closest(p).distance;
  return inside(p) ? -distance : distance;
}

VectorXd SignedDistance::evaluate(const Points& points) const {
  VectorXd result(points.rows());
  parallel_for(points.rows(), 256, [&](Index i) { result[i] = (*this)(Vector3d(points.row(i))); });
  return result;
}

}  // namespace pliant
