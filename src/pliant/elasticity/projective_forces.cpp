#include "pliant/elasticity/projective_forces.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "pliant/numerics/aligned_vector.h"

namespace pliant {
namespace {

constexpr Index tile_size = projective_tile;

/// Interleaves the lowest 21 bits of three numbers: order along a Z-shaped curve through space.
std::uint64_t morton(const Vector3d& unit) {
  std::uint64_t code = 0;
  for (int c = 0; c < 3; ++c) {
    auto bits = static_cast<std::uint64_t>(std::clamp(unit[c], 0.0, 1.0) * ((1 << 21) - 1));
    for (int b = 0; b < 21; ++b) code |= ((bits >> b) & 1) << (3 * b + c);
  }
  return code;
}

/// The constraints of a group along the curve; ties by index.
std::vector<int> ordered(const ProjectiveConstraints& constraints, const ProjectiveGroup& group) {
  const Vector3d low = constraints.rest.colwise().minCoeff(), high = constraints.rest.colwise().maxCoeff();
  const double extent = std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::pair<std::uint64_t, int>> codes;
  for (Index c = 0; c < group.size(); ++c) {
    Vector3d centre = Vector3d::Zero();
    for (int v : group.vertices_of(c)) centre += constraints.rest.row(v).transpose();
    centre /= static_cast<double>(group.vertices_of(c).size());
    codes.emplace_back(morton((centre - low) / extent), static_cast<int>(c));
  }
  std::sort(codes.begin(), codes.end());
  std::vector<int> order;
  for (const auto& [code, c] : codes) order.push_back(c);
  return order;
}

template <int corners, class T>
void gather_edges(const int* vertices, Index count, const double* q, T* inputs) {
  for (Index i = 0; i < count; ++i) {
    const double* origin = q + 3 * static_cast<Index>(vertices[corners * i]);
    for (int k = 1; k < corners; ++k) {
      const double* end = q + 3 * static_cast<Index>(vertices[corners * i + k]);
      for (int r = 0; r < 3; ++r)
        inputs[(r + 3 * (k - 1)) * tile_size + i] = static_cast<T>(end[r] - origin[r]);
    }
  }
}

template <int corners, class T>
void scatter_edges(const std::uint16_t* slots, Index count, const T* forces, double* sums) {
  for (Index i = 0; i < count; ++i) {
    double total[3] = {0, 0, 0};
    for (int k = 1; k < corners; ++k) {
      double* end = sums + 3 * slots[corners * i + k];
      for (int r = 0; r < 3; ++r) {
        const double f = static_cast<double>(forces[(r + 3 * (k - 1)) * tile_size + i]);
        end[r] += f;
        total[r] += f;
      }
    }
    double* origin = sums + 3 * slots[corners * i];
    for (int r = 0; r < 3; ++r) origin[r] -= total[r];
  }
}

/// The curvature vector and the normal beside it.
template <class T>
void gather_bending(std::span<const int> ring, const double* weights, const std::array<int, 3>& side,
                    const double* q, T* inputs) {
  const auto at = [q](int v) { return Eigen::Map<const Vector3d>(q + 3 * static_cast<Index>(v)); };
  Vector3d curvature = Vector3d::Zero();
  const Vector3d centre = at(ring[0]);
  for (std::size_t j = 1; j < ring.size(); ++j) curvature += weights[j] * (centre - at(ring[j]));
  const Vector3d normal = (at(side[1]) - at(side[0])).cross(at(side[2]) - at(side[0]));
  for (int r = 0; r < 3; ++r) {
    inputs[r * tile_size] = static_cast<T>(curvature[r]);
    inputs[(r + 3) * tile_size] = static_cast<T>(normal[r]);
  }
}

}  // namespace

template <class T>
void pack_parameters(const ProjectiveGroup& group, std::span<const int> constraints, T* parameters) {
  const int rows = shape_of(group.kind).parameters;
  std::fill(parameters, parameters + rows * tile_size, T(0));
  for (std::size_t i = 0; i < constraints.size(); ++i)
    for (int r = 0; r < rows; ++r)
      parameters[r * tile_size + static_cast<Index>(i)] = static_cast<T>(group.parameters(r, constraints[i]));
}

template <class T>
void gather_inputs(const ProjectiveGroup& group, std::span<const int> constraints, const double* q,
                   T* inputs) {
  std::fill(inputs, inputs + shape_of(group.kind).inputs * tile_size, T(0));
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto c = static_cast<std::size_t>(constraints[i]);
    const auto ids = group.vertices_of(constraints[i]);
    T* column = inputs + i;
    if (group.kind == ProjectiveKind::bending)
      gather_bending(ids, group.weights.data() + group.first[c], group.sides[c], q, column);
    else if (ids.size() == 4)
      gather_edges<4>(ids.data(), 1, q, column);
    else if (ids.size() == 3)
      gather_edges<3>(ids.data(), 1, q, column);
    else
      gather_edges<2>(ids.data(), 1, q, column);
  }
}

template void pack_parameters(const ProjectiveGroup&, std::span<const int>, float*);
template void pack_parameters(const ProjectiveGroup&, std::span<const int>, double*);
template void gather_inputs(const ProjectiveGroup&, std::span<const int>, const double*, float*);
template void gather_inputs(const ProjectiveGroup&, std::span<const int>, const double*, double*);

template <class T>
struct ProjectiveForces<T>::Data {
  /// Some tiles of one kind that lie close together, and the sums of their forces.
  struct Chunk {
    ProjectiveKind kind = ProjectiveKind::tet_strain;
    Index count = 0;
    std::vector<int> vertices;         // of every constraint in turn, body's numbers
    std::vector<std::uint16_t> slots;  // the same in the chunk's numbers
    AlignedVector<T> parameters;       // tile after tile
    // Bending only, beside `vertices`.
    std::vector<int> first;
    std::vector<double> weights;
    std::vector<std::array<int, 3>> sides;

    Index first_sum = 0;  // in `sums`, in vertices
    Index vertex_count = 0;
    double energy = 0;
  };
  std::vector<Chunk> chunks;
  AlignedVector<double> sums;       // xyz of every vertex of every chunk
  std::vector<int> first, sums_of;  // those of vertex v: sums_of[first[v]] to sums_of[first[v + 1] - 1]

  void add_chunk(const ProjectiveGroup& group, std::span<const int> order, std::vector<int>& numbers,
                 std::vector<int>& chunk_vertices);
  void run(Chunk& chunk, const double* q, double volume, bool with_energies);
};

template <class T>
void ProjectiveForces<T>::Data::add_chunk(const ProjectiveGroup& group, std::span<const int> order,
                                          std::vector<int>& numbers, std::vector<int>& chunk_vertices) {
  Chunk chunk;
  chunk.kind = group.kind;
  chunk.count = static_cast<Index>(order.size());
  chunk.first.push_back(0);
  const auto begin = static_cast<Index>(chunk_vertices.size());
  for (int c : order) {
    for (int v : group.vertices_of(c)) {
      int& number = numbers[static_cast<std::size_t>(v)];
      if (number < 0) {
        number = static_cast<int>(static_cast<Index>(chunk_vertices.size()) - begin);
        chunk_vertices.push_back(v);
      }
      chunk.vertices.push_back(v);
      chunk.slots.push_back(static_cast<std::uint16_t>(number));
    }
    if (group.kind == ProjectiveKind::bending) {
      const auto at = static_cast<std::size_t>(c);
      chunk.first.push_back(static_cast<int>(chunk.vertices.size()));
      chunk.weights.insert(chunk.weights.end(), group.weights.begin() + group.first[at],
                           group.weights.begin() + group.first[at + 1]);
      chunk.sides.push_back(group.sides[at]);
    }
  }
  chunk.first_sum = begin;
  chunk.vertex_count = static_cast<Index>(chunk_vertices.size()) - begin;
  for (Index i = begin; i < static_cast<Index>(chunk_vertices.size()); ++i)
    numbers[static_cast<std::size_t>(chunk_vertices[static_cast<std::size_t>(i)])] = -1;
  const Index rows = shape_of(group.kind).parameters, tiles = (chunk.count + tile_size - 1) / tile_size;
  chunk.parameters.resize(static_cast<std::size_t>(tiles * rows * tile_size));
  for (Index t = 0; t < tiles; ++t) {
    const auto at = static_cast<std::size_t>(t * tile_size);
    pack_parameters(group, order.subspan(at, std::min<std::size_t>(tile_size, order.size() - at)),
                    chunk.parameters.data() + t * rows * tile_size);
  }
  chunks.push_back(std::move(chunk));
}

template <class T>
ProjectiveForces<T>::ProjectiveForces(const ProjectiveConstraints& constraints)
    : data_(std::make_unique<Data>()) {
  Data& d = *data_;
  const Index n = constraints.rest.rows();
  std::vector<int> numbers(static_cast<std::size_t>(n), -1), chunk_vertices;
  for (const ProjectiveGroup& group : constraints.groups) {
    const std::vector<int> order = ordered(constraints, group);
    // Enough chunks for many threads, each within reach of 16-bit numbers and of the first cache.
    const Index tiles = (group.size() + tile_size - 1) / tile_size;
    const Index size = tile_size * std::clamp<Index>(tiles / 32, 1, 16);
    for (Index begin = 0; begin < group.size(); begin += size)
      d.add_chunk(group,
                  std::span(order).subspan(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(std::min(size, group.size() - begin))),
                  numbers, chunk_vertices);
  }
  d.sums.assign(3 * chunk_vertices.size(), 0);
  d.first.assign(static_cast<std::size_t>(n) + 1, 0);
  for (int v : chunk_vertices) ++d.first[static_cast<std::size_t>(v) + 1];
  std::partial_sum(d.first.begin(), d.first.end(), d.first.begin());
  d.sums_of.resize(chunk_vertices.size());
  std::vector<int> next(d.first.begin(), d.first.end() - 1);
  for (std::size_t i = 0; i < chunk_vertices.size(); ++i)
    d.sums_of[static_cast<std::size_t>(next[static_cast<std::size_t>(chunk_vertices[i])]++)] =
        static_cast<int>(i);
}

template <class T>
ProjectiveForces<T>::~ProjectiveForces() = default;
template <class T>
ProjectiveForces<T>::ProjectiveForces(ProjectiveForces&&) noexcept = default;
template <class T>
ProjectiveForces<T>& ProjectiveForces<T>::operator=(ProjectiveForces&&) noexcept = default;

template <class T>
void ProjectiveForces<T>::Data::run(Chunk& chunk, const double* q, double volume, bool with_energies) {
  alignas(64) T inputs[9 * tile_size], forces[9 * tile_size], energies[tile_size];
  const ProjectiveShape shape = shape_of(chunk.kind);
  double* out = sums.data() + 3 * chunk.first_sum;
  std::fill(out, out + 3 * chunk.vertex_count, 0.0);
  chunk.energy = 0;
  for (Index begin = 0; begin < chunk.count; begin += tile_size) {
    const Index used = std::min(tile_size, chunk.count - begin);
    if (used < tile_size) std::fill(inputs, inputs + shape.inputs * tile_size, T(0));
    const ProjectiveTile<T> tile{.inputs = inputs,
                                 .parameters = chunk.parameters.data() + begin * shape.parameters,
                                 .forces = forces,
                                 .energies = with_energies ? energies : nullptr};
    if (chunk.kind == ProjectiveKind::bending) {
      for (Index i = 0; i < used; ++i) {
        const auto c = static_cast<std::size_t>(begin + i);
        const std::span ring(chunk.vertices.data() + chunk.first[c],
                             static_cast<std::size_t>(chunk.first[c + 1] - chunk.first[c]));
        gather_bending(ring, chunk.weights.data() + chunk.first[c], chunk.sides[c], q, inputs + i);
      }
      project_tile(chunk.kind, tile, volume);
      for (Index i = 0; i < used; ++i) {
        const auto c = static_cast<std::size_t>(begin + i);
        const Vector3d f(forces[i], forces[tile_size + i], forces[2 * tile_size + i]);
        Vector3d total = Vector3d::Zero();
        for (auto j = static_cast<std::size_t>(chunk.first[c]) + 1;
             j < static_cast<std::size_t>(chunk.first[c + 1]); ++j) {
          const Vector3d part = chunk.weights[j] * f;
          Eigen::Map<Vector3d>(out + 3 * chunk.slots[j]) -= part;
          total += part;
        }
        Eigen::Map<Vector3d>(out + 3 * chunk.slots[static_cast<std::size_t>(chunk.first[c])]) += total;
      }
    } else {
      const int* vertices = chunk.vertices.data() + begin * shape.vertices;
      const std::uint16_t* slots = chunk.slots.data() + begin * shape.vertices;
      if (shape.vertices == 4) gather_edges<4>(vertices, used, q, inputs);
      if (shape.vertices == 3) gather_edges<3>(vertices, used, q, inputs);
      if (shape.vertices == 2) gather_edges<2>(vertices, used, q, inputs);
      project_tile(chunk.kind, tile, volume);
      if (shape.vertices == 4) scatter_edges<4>(slots, used, forces, out);
      if (shape.vertices == 3) scatter_edges<3>(slots, used, forces, out);
      if (shape.vertices == 2) scatter_edges<2>(slots, used, forces, out);
    }
    if (with_energies)
      for (Index i = 0; i < used; ++i) chunk.energy += static_cast<double>(energies[i]);
  }
}

template <class T>
void ProjectiveForces<T>::project(const Points& q, double volume, bool with_energies) {
  Data& d = *data_;
  parallel_for(static_cast<Index>(d.chunks.size()), 1, [&](Index c) {
    d.run(d.chunks[static_cast<std::size_t>(c)], q.data(), volume, with_energies);
  });
}

template <class T>
Vector3d ProjectiveForces<T>::force(Index vertex) const {
  const Data& d = *data_;
  Vector3d sum = Vector3d::Zero();
  const auto v = static_cast<std::size_t>(vertex);
  for (auto i = static_cast<std::size_t>(d.first[v]); i < static_cast<std::size_t>(d.first[v + 1]); ++i)
    sum += Eigen::Map<const Vector3d>(d.sums.data() + 3 * static_cast<Index>(d.sums_of[i]));
  return sum;
}

template <class T>
double ProjectiveForces<T>::energy() const {
  double sum = 0;
  for (const auto& chunk : data_->chunks) sum += chunk.energy;
  return sum;
}

template <class T>
std::size_t ProjectiveForces<T>::memory_bytes() const {
  const Data& d = *data_;
  std::size_t bytes = d.sums.size() * sizeof(double) + (d.first.size() + d.sums_of.size()) * sizeof(int);
  for (const auto& c : d.chunks)
    bytes += c.vertices.size() * (sizeof(int) + sizeof(std::uint16_t)) + c.parameters.size() * sizeof(T) +
             c.weights.size() * sizeof(double) + c.sides.size() * sizeof(c.sides[0]) +
             c.first.size() * sizeof(int);
  return bytes;
}

template class ProjectiveForces<float>;
template class ProjectiveForces<double>;

}  // namespace pliant
