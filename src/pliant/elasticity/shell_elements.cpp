#include "pliant/elasticity/shell_elements.h"

#include <algorithm>

#include "pliant/elasticity/mass.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <int N, class Elements>
void add_element(const Elements& elements, Index e, Stencils& stencils) {
  int vertices[N];
  for (int k = 0; k < N; ++k) vertices[k] = elements(e, k);
  stencils.add_element(vertices);
}

/// Where a tile's sums go.
struct Sums {
  double* energy;
  double* gradient;
  double* blocks;
};

template <int N, class Term, class Elements>
void add_terms(const double* x, const TetEvaluation& what, const std::vector<Term>& terms,
               const Elements& elements, Index first, Index count, const Assembly& assembly,
               Index first_element, const Sums& sums) {
  for (Index i = 0; i < count; ++i) {
    const Term& term = terms[at(first + i)];
    Eigen::Matrix<double, 3, N> corners;
    for (int k = 0; k < N; ++k)
      corners.col(k) = Eigen::Map<const Vector3d>(x + 3 * static_cast<Index>(elements(first + i, k)));
    *sums.energy += energy(term, corners);
    if (what.gradient) {
      const Eigen::Matrix<double, 3 * N, 1> g = gradient(term, corners);
      const std::uint16_t* slot = assembly.vertex_slot(first_element + i);
      for (int k = 0; k < N; ++k)
        Eigen::Map<Vector3d>(sums.gradient + 3 * slot[k]) += g.template segment<3>(3 * k);
    }
    if (what.stiffness) {
      const Eigen::Matrix<double, 3 * N, 3 * N> H =
          what.projected ? projected_hessian(term, corners) : hessian(term, corners);
      const std::uint16_t* slot = assembly.block_slot(first_element + i);
      for (int a = 0, pair = 0; a < N; ++a)
        for (int b = a; b < N; ++b, ++pair) {
          Eigen::Map<Matrix3d> block(sums.blocks + 9 * slot[pair]);
          // The row is the vertex of the higher number.
          if (elements(first + i, a) >= elements(first + i, b))
            block += H.template block<3, 3>(3 * a, 3 * b);
          else
            block += H.template block<3, 3>(3 * b, 3 * a);
        }
    }
  }
}

}  // namespace

ShellElements::ShellElements(DiscreteShell shell) : shell_(std::move(shell)) {
  const auto stiff = [](const auto& terms) {
    return std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term.stiffness > 0; });
  };
  add_tiles(Kind::edge, shell_.edges.rows());
  if (stiff(shell_.area_terms)) add_tiles(Kind::area, shell_.triangles.rows());
  if (stiff(shell_.hinge_terms)) add_tiles(Kind::hinge, shell_.hinges.rows());
}

void ShellElements::add_tiles(Kind kind, Index count) {
  for (Index first = 0; first < count; first += tile_size) {
    const Index size = std::min<Index>(tile_size, count - first);
    tiles_.push_back({kind, first, size, element_count_});
    element_count_ += size;
  }
}

void ShellElements::add_stencils(Stencils& stencils) const {
  for (const Tile& tile : tiles_) {
    for (Index e = tile.first; e < tile.first + tile.count; ++e) switch (tile.kind) {
        case Kind::edge:
          add_element<2>(shell_.edges, e, stencils);
          break;
        case Kind::area:
          add_element<3>(shell_.triangles, e, stencils);
          break;
        case Kind::hinge:
          add_element<4>(shell_.hinges, e, stencils);
          break;
      }
    stencils.end_tile();
  }
}

void ShellElements::evaluate(const double* x, const TetEvaluation& what, const Assembly& assembly,
                             Index first_element, Index first_tile, Index tile_index,
                             AssemblyBuffers& buffers) const {
  const Tile& tile = tiles_[at(tile_index)];
  const Index at_tile = first_tile + tile_index, element = first_element + tile.first_element;
  const Sums sums{&buffers.energies[at(at_tile)], assembly.tile_gradient(buffers, at_tile),
                  what.stiffness ? assembly.tile_blocks(buffers, at_tile) : nullptr};
  *sums.energy = 0;
  if (what.gradient) std::fill_n(sums.gradient, 3 * assembly.tile_vertex_count(at_tile), 0.0);
  if (what.stiffness) std::fill_n(sums.blocks, 9 * assembly.tile_block_count(at_tile), 0.0);
  switch (tile.kind) {
    case Kind::edge:
      add_terms<2>(x, what, shell_.edge_terms, shell_.edges, tile.first, tile.count, assembly, element, sums);
      break;
    case Kind::area:
      add_terms<3>(x, what, shell_.area_terms, shell_.triangles, tile.first, tile.count, assembly, element,
                   sums);
      break;
    case Kind::hinge:
      add_terms<4>(x, what, shell_.hinge_terms, shell_.hinges, tile.first, tile.count, assembly, element,
                   sums);
      break;
  }
}

std::size_t ShellElements::memory_bytes() const {
  return shell_.edge_terms.size() * (sizeof(EdgeTerm) + 2 * sizeof(int)) +
         shell_.area_terms.size() * (sizeof(AreaTerm) + 3 * sizeof(int)) +
         shell_.hinge_terms.size() * (sizeof(HingeTerm) + 4 * sizeof(int));
}

VectorXd lumped_shell_masses(const DiscreteShell& shell, Index vertex_count, double density) {
  return masses_in_equal_parts(vertex_count, shell.triangles,
                               [&](Index t) { return density * shell.area_terms[at(t)].rest; });
}

SparseMatrix consistent_shell_mass(const DiscreteShell& shell, Index vertex_count, double density) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(at(27 * shell.triangles.rows()));
  for (Index t = 0; t < shell.triangles.rows(); ++t) {
    const double share = density * shell.area_terms[at(t)].rest / 12;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int k = 0; k < 3; ++k)
          entries.emplace_back(3 * shell.triangles(t, a) + k, 3 * shell.triangles(t, b) + k,
                               a == b ? 2 * share : share);
  }
  SparseMatrix M(3 * vertex_count, 3 * vertex_count);
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

}  // namespace pliant
