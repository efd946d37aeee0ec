#include "pliant/elasticity/tet_elements.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/elasticity/density_parameters.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// 10 bits a coordinate, interleaved: the place along a curve that visits neighbours close to each other.
std::uint32_t morton_code(const Vector3d& unit) {
  std::uint32_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto bits = static_cast<std::uint32_t>(std::clamp(unit[axis], 0.0, 1.0) * 1023);
    for (int i = 0; i < 10; ++i) code |= ((bits >> i) & 1u) << (3 * i + axis);
  }
  return code;
}

}  // namespace

TetElements::TetElements(const Points& rest_positions, const Tets& tets, std::span<const Material> materials,
                         std::span<const int> material_of_tet) {
  const Index count = tets.rows();
  const auto kind = [&](Index t) { return static_cast<int>(materials[at(material_of_tet[at(t)])].index()); };

  // === By kind, then along the curve
  const Vector3d low = rest_positions.colwise().minCoeff(), high = rest_positions.colwise().maxCoeff();
  const double size = std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::uint32_t> code(at(count));
  for (Index t = 0; t < count; ++t) {
    Vector3d centre = Vector3d::Zero();
    for (int a = 0; a < 4; ++a) centre += rest_positions.row(tets(t, a)).transpose() / 4;
    code[at(t)] = morton_code((centre - low) / size);
  }
  std::vector<int> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(kind(a), code[at(a)], a) < std::tuple(kind(b), code[at(b)], b);
  });

  // === Tiles of one kind, packs within them
  volumes_.resize(at(count));
  for (Index first = 0; first < count;) {
    Index end = first;
    while (end < count && end - first < tile_size && kind(order[at(end)]) == kind(order[at(first)])) ++end;
    tiles_.push_back({kind(order[at(first)]), static_cast<int>(packs_.size()), static_cast<int>(first),
                      static_cast<int>(end - first)});
    for (Index p = first; p < end; ++p) {
      const int lane = static_cast<int>((p - first) % TetPack::width);
      if (lane == 0) packs_.push_back({});
      TetPack& pack = packs_.back();
      const Index t = order[at(p)];
      // Vertices by falling number: then every block of a pair lies below the diagonal of the matrix.
      std::array<int, 4> corner = {0, 1, 2, 3};
      for (const auto& [a, b] : {std::pair(0, 1), {2, 3}, {0, 2}, {1, 3}, {1, 2}})  // a sorting network
        if (tets(t, corner[at(a)]) < tets(t, corner[at(b)])) std::swap(corner[at(a)], corner[at(b)]);
      const auto vertex = [&](int a) { return tets(t, corner[at(a)]); };
      Matrix3d edges;
      for (int a = 0; a < 3; ++a)
        edges.col(a) = (rest_positions.row(vertex(a + 1)) - rest_positions.row(vertex(0))).transpose();
      const Matrix3d gradient = edges.inverse();  // row a-1 is the gradient of shape function a
      const double volume = std::abs(edges.determinant()) / 6;
      volumes_[at(t)] = volume;
      for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i) pack.gradient[3 * a + i][lane] = gradient(a, i);
      pack.volume[lane] = volume;
      for (int a = 0; a < 4; ++a) pack.offset[a][lane] = 3 * vertex(a);
      const auto parameters = density_parameters(materials[at(material_of_tet[at(t)])]);
      for (int k = 0; k < TetPack::parameter_count; ++k) pack.parameters[k][lane] = parameters[at(k)];
    }
    first = end;
  }
}

void TetElements::add_stencils(Stencils& stencils) const {
  for (const Tile& tile : tiles_) {
    for (int e = 0; e < tile.count; ++e) {
      const TetPack& pack = packs_[at(tile.first_pack + e / TetPack::width)];
      int vertices[4];
      for (int a = 0; a < 4; ++a) vertices[a] = pack.offset[a][e % TetPack::width] / 3;
      stencils.add_element(vertices);
    }
    stencils.end_tile();
  }
}

void TetElements::evaluate(const double* x, const TetEvaluation& what, const Assembly& assembly,
                           Index first_element, Index first_tile, Index tile_index,
                           AssemblyBuffers& buffers) const {
  const Tile& tile = tiles_[at(tile_index)];
  const Index sums = first_tile + tile_index, element = first_element + tile.first;
  detail::TetJob job;
  job.x = x;
  job.kind = tile.kind;
  job.packs = packs_.data() + tile.first_pack;
  job.count = tile.count;
  job.what = what;
  job.vertex_slots = assembly.vertex_slot(element);
  job.block_slots = assembly.block_slot(element);
  job.energy = &buffers.energies[at(sums)];
  job.gradient = assembly.tile_gradient(buffers, sums);
  job.blocks = what.stiffness ? assembly.tile_blocks(buffers, sums) : nullptr;
  if (what.gradient) std::fill_n(job.gradient, 3 * assembly.tile_vertex_count(sums), 0.0);
  if (what.stiffness) std::fill_n(job.blocks, 9 * assembly.tile_block_count(sums), 0.0);
  detail::evaluate_tets(job);
}

std::size_t TetElements::memory_bytes() const {
  return packs_.size() * sizeof(TetPack) + volumes_.size() * sizeof(double);
}

}  // namespace pliant
