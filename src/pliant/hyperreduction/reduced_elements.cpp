#include "pliant/hyperreduction/reduced_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/hyperreduction/reduced_kernel.h"

namespace pliant {
namespace {

using detail::block_slots;
using detail::stiffness_rows;
constexpr Index width = ElementPack::width;
constexpr Index packs_at_once = 2;  // of a stiffness: their rows make stiffness_rows
static_assert(packs_at_once * width * 9 == stiffness_rows);

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// A multiple of 12: whole tiles of the stiffness, whole vectors.
Index padded(Index dimension) { return (dimension + 11) / 12 * 12; }

/// Where an evaluation's arrays lie in its workspace.
struct Layout {
  Index z = 0, gradient, energy, sums, hessian, A, B, K, size;
  explicit Layout(Index dimension, bool stiffness) {
    const Index d = padded(dimension);
    gradient = z + packs_at_once * 9 * width;
    energy = gradient + packs_at_once * 9 * width;
    sums = energy + packs_at_once * width;
    size = hessian = sums + block_slots * d;
    if (!stiffness) return;
    A = hessian + packs_at_once * 81 * width;
    B = A + d * stiffness_rows;
    K = B + d * stiffness_rows;
    size = K + d * d;
  }
};

double* fitted(ReducedElements::Workspace& work, Index size) {
  if (work.buffer.size() < at(size)) work.buffer.resize(at(size));
  return work.buffer.data();
}

}  // namespace

ReducedElements::ReducedElements(const Body& body, const MatrixXd& U, ElementSet set, const VectorXd& weights)
    : set_(std::move(set)), dimension_(U.cols()) {
  if (U.rows() != 3 * body.vertex_count())
    throw InputError(fmt::format("reduced elements: U has {} rows for {} vertices; expected three a vertex",
                                 U.rows(), body.vertex_count()));
  Eigen::MatrixXf G(9 * set_.count(), dimension_);
  const auto maps = element_maps(body, set_.elements());
  for (Index e = 0; e < set_.count(); ++e) {
    const ElementMap& map = maps[at(e)];
    for (int j = 0; j < 3; ++j) {
      MatrixXd rows = MatrixXd::Zero(3, dimension_);
      for (int a = 0; a < 4; ++a) rows += map.coefficients(j, a) * U.middleRows<3>(3 * map.vertices[a]);
      G.middleRows<3>(9 * e + 3 * j) = rows.cast<float>();
    }
  }
  pack(G, weights);
}

ReducedElements::ReducedElements(ElementSet set, const VectorXd& weights, const Eigen::MatrixXf& G)
    : set_(std::move(set)), dimension_(G.cols()) {
  if (G.rows() != 9 * set_.count())
    throw InputError(fmt::format("reduced elements: G has {} rows for {} elements; expected nine an element",
                                 G.rows(), set_.count()));
  pack(G, weights);
}

void ReducedElements::pack(const Eigen::MatrixXf& G, const VectorXd& weights) {
  if (weights.size() != set_.count())
    throw InputError(fmt::format("reduced elements: {} weights for {} elements; expected one an element",
                                 weights.size(), set_.count()));
  for (Index e = 0; e < weights.size(); ++e)
    if (!(weights[e] >= 0) || !std::isfinite(weights[e]))
      throw InputError(fmt::format("reduced elements: weight {} is {}; expected at least 0", e, weights[e]));
  if (!G.allFinite()) throw InputError("reduced elements: U or G holds a number that is not finite");
  weights_.assign(at(set_.slot_count()), 0.0);
  G_.assign(at(set_.slot_count() * 9 * dimension_), 0.0f);
  for (Index e = 0; e < set_.count(); ++e) {
    const Index slot = set_.slots()[at(e)];
    weights_[at(slot)] = weights[e];
    float* block = G_.data() + slot / block_slots * block_slots * 9 * dimension_ + slot % block_slots;
    for (Index k = 0; k < dimension_; ++k)
      for (Index i = 0; i < 9; ++i) block[(9 * k + i) * block_slots] = G(9 * e + i, k);
  }
}

VectorXd ReducedElements::weights() const {
  VectorXd out(set_.count());
  for (Index e = 0; e < out.size(); ++e) out[e] = weights_[at(set_.slots()[at(e)])];
  return out;
}

Eigen::MatrixXf ReducedElements::gradients() const {
  Eigen::MatrixXf G(9 * set_.count(), dimension_);
  for (Index e = 0; e < set_.count(); ++e) {
    const Index slot = set_.slots()[at(e)];
    const float* block = G_.data() + slot / block_slots * block_slots * 9 * dimension_ + slot % block_slots;
    for (Index k = 0; k < dimension_; ++k)
      for (Index i = 0; i < 9; ++i) G(9 * e + i, k) = block[(9 * k + i) * block_slots];
  }
  return G;
}

void ReducedElements::pack_z(Index pack, const double* q, double* z) const {
  const double* rest = set_.rest().data() + pack * 9 * width;
  for (Index block = 0; block < width / block_slots; ++block)
    detail::block_z(block_of(pack, block), dimension_, q, rest + block * block_slots,
                    z + block * block_slots);
}

const float* ReducedElements::block_of(Index pack, Index block) const {
  return G_.data() + (pack * (width / block_slots) + block) * block_slots * 9 * dimension_;
}

double ReducedElements::energy(const VectorXd& q, Workspace& work) const {
  assert(q.size() == dimension_);
  const Layout lie(dimension_, false);
  double* memory = fitted(work, lie.size);
  double sum = 0;
  for (Index pack = 0; pack < set_.pack_count(); ++pack) {
    pack_z(pack, q.data(), memory + lie.z);
    set_.evaluate(pack, 1, memory + lie.z, {.energies = memory + lie.energy});
    for (Index lane = 0; lane < width; ++lane)
      sum += weights_[at(pack * width + lane)] * memory[lie.energy + lane];
  }
  return sum;
}

double ReducedElements::force(const VectorXd& q, VectorXd& force, Workspace& work) const {
  assert(q.size() == dimension_);
  const Layout lie(dimension_, false);
  double *memory = fitted(work, lie.size), *z = memory + lie.z, *gradient = memory + lie.gradient,
         *energy = memory + lie.energy, *sums = memory + lie.sums;
  std::fill_n(sums, block_slots * dimension_, 0.0);
  double sum = 0;
  // A pack's part of G comes from memory once: it is still in the cache when it is read again for the force.
  for (Index pack = 0; pack < set_.pack_count(); ++pack) {
    const double* weights = weights_.data() + pack * width;
    pack_z(pack, q.data(), z);
    set_.evaluate(pack, 1, z, {.energies = energy, .gradients = gradient});
    for (Index block = width / block_slots; block-- > 0;)
      detail::block_force(block_of(pack, block), dimension_, weights + block * block_slots,
                          gradient + block * block_slots, sums);
    for (Index lane = 0; lane < width; ++lane) sum += weights[lane] * energy[lane];
  }
  force.resize(dimension_);
  detail::sum_lanes(sums, dimension_, -1, force.data());
  return sum;
}

double ReducedElements::stiffness(const VectorXd& q, MatrixXd& K, VectorXd& force, Workspace& work,
                                  Projection projection) const {
  assert(q.size() == dimension_);
  const Layout lie(dimension_, true);
  double *memory = fitted(work, lie.size), *z = memory + lie.z, *gradient = memory + lie.gradient,
         *energy = memory + lie.energy, *sums = memory + lie.sums, *hessian = memory + lie.hessian,
         *A = memory + lie.A, *B = memory + lie.B, *lower = memory + lie.K;
  const Index d = padded(dimension_);
  std::fill_n(sums, block_slots * dimension_, 0.0);
  std::fill_n(lower, d * d, 0.0);
  std::fill_n(A, 2 * d * stiffness_rows, 0.0);
  double sum = 0;
  for (Index first = 0; first < set_.pack_count(); first += packs_at_once) {
    const Index count = std::min(packs_at_once, set_.pack_count() - first);
    const double* weights = weights_.data() + first * width;
    for (Index k = 0; k < count; ++k) pack_z(first + k, q.data(), z + k * 9 * width);
    set_.evaluate(first, count, z, {energy, gradient, hessian}, projection);
    if (count < packs_at_once) std::fill_n(A, 2 * d * stiffness_rows, 0.0);
    for (Index k = 0; k < count; ++k)
      for (Index block = 0; block < width / block_slots; ++block) {
        const Index lane = block * block_slots, rows = (k * width + lane) * 9;
        const float* G = block_of(first + k, block);
        const double* w = weights + k * width + lane;
        detail::block_force(G, dimension_, w, gradient + k * 9 * width + lane, sums);
        detail::block_products(G, dimension_, w, hessian + k * 81 * width + lane, A + rows, B + rows);
      }
    detail::add_lower_products(A, B, d, lower);
    for (Index lane = 0; lane < count * width; ++lane) sum += weights[lane] * energy[lane];
  }
  force.resize(dimension_);
  detail::sum_lanes(sums, dimension_, -1, force.data());
  K.resize(dimension_, dimension_);
  for (Index j = 0; j < dimension_; ++j)
    for (Index i = j; i < dimension_; ++i) K(i, j) = K(j, i) = lower[i + d * j];
  return sum;
}

std::size_t ReducedElements::memory_bytes() const {
  return set_.memory_bytes() + G_.size() * sizeof(float) + weights_.size() * sizeof(double);
}

}  // namespace pliant
