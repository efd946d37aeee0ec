#include "pliant/elasticity/mass.h"

#include <vector>

namespace pliant {

VectorXd lumped_masses(const TetMesh& mesh, std::span<const double> volumes,
                       std::span<const double> densities) {
  return masses_in_equal_parts(mesh.vertex_count(), mesh.tets, [&](Index t) {
    return densities[static_cast<std::size_t>(t)] * volumes[static_cast<std::size_t>(t)];
  });
}

SparseMatrix consistent_mass(const TetMesh& mesh, std::span<const double> volumes,
                             std::span<const double> densities) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(48 * mesh.tet_count()));
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    const double share = densities[static_cast<std::size_t>(t)] * volumes[static_cast<std::size_t>(t)] / 20;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        for (int k = 0; k < 3; ++k)
          entries.emplace_back(3 * mesh.tets(t, a) + k, 3 * mesh.tets(t, b) + k, a == b ? 2 * share : share);
  }
  SparseMatrix M(3 * mesh.vertex_count(), 3 * mesh.vertex_count());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

}  // namespace pliant
