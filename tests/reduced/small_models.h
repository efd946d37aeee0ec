#pragma once
// Reduced bodies small enough for exact statements.
#include "pliant/geometry/structured_grid.h"
#include "pliant/reduced/reduce_fem.h"
#include "pliant/subspace/extended_modes.h"

namespace pliant::testing_support {

inline TetMesh small_bar(int cells = 6) {
  return structured_grid(Vector3d(0, 0, 0), Vector3d(1, 0.2, 0.2), Vector3i(cells, 2, 2));
}

inline std::vector<int> left_end(const Points& vertices) {
  std::vector<int> out;
  for (Index i = 0; i < vertices.rows(); ++i)
    if (vertices(i, 0) < 1e-9) out.push_back(static_cast<int>(i));
  return out;
}

inline Body bar_body(const Material& material, bool held, const Rayleigh& damping = {}, int cells = 6) {
  const TetMesh mesh = small_bar(cells);
  BodyOptions options{.damping = damping};
  if (held) options.fixed = left_end(mesh.vertices);
  return Body(mesh, SolidMaterial{material, 1000}, options);
}

/// Every motion of the free vertices: the subspace that leaves nothing out.
inline DenseBasis whole_space(const Body& body) {
  std::vector<char> held(static_cast<std::size_t>(body.vertex_count()), 0);
  for (int v : body.fixed()) held[static_cast<std::size_t>(v)] = 1;
  const Index free = body.vertex_count() - static_cast<Index>(body.fixed().size());
  MatrixXd U = MatrixXd::Zero(3 * body.vertex_count(), 3 * free);
  Index column = 0;
  for (Index i = 0; i < body.vertex_count(); ++i)
    if (!held[static_cast<std::size_t>(i)])
      for (int c = 0; c < 3; ++c) U(3 * i + c, column++) = 1 / std::sqrt(body.masses()[i]);
  return dense_basis("whole_space", body, body.rest_positions(), std::move(U),
                     MatrixXd(3 * body.vertex_count(), 0));
}

inline DenseBasis extended(const Body& body, int modes) {
  return extended_modes(body, linear_modes(body, {.count = modes}));
}

}  // namespace pliant::testing_support
