#include "pliant/fullspace/vertex_motion.h"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "pliant/base/error.h"

namespace pliant {

void rows_of(std::string_view who, const Points& all, std::span<const int> vertices, Points& out) {
  for (const int v : vertices)
    if (v < 0 || v >= all.rows())
      throw InputError(fmt::format("{}: vertex {} given; expected 0 to {}", who, v, all.rows() - 1));
  out.resize(static_cast<Index>(vertices.size()), 3);
  for (std::size_t i = 0; i < vertices.size(); ++i) out.row(static_cast<Index>(i)) = all.row(vertices[i]);
}

Measures measures_of_motion(const VectorXd& masses, const Points& positions, const Points& velocities,
                            const Vector3d& gravity) {
  Measures sum;
  for (Index i = 0; i < masses.size(); ++i) {
    const Vector3d x = positions.row(i), v = velocities.row(i), p = masses[i] * v;
    sum.kinetic += 0.5 * p.dot(v);
    sum.gravitational -= masses[i] * gravity.dot(x);
    sum.momentum += p;
    sum.angular_momentum += x.cross(p);
  }
  return sum;
}

}  // namespace pliant
