#include "pliant/hyperreduction/cubature.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/numerics/tall_products.h"

namespace pliant {
namespace {

constexpr Index width = ElementPack::width;
constexpr Index batch_size = 32;  // elements whose rows of G make one product

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Index batch_count(Index elements) { return (elements + batch_size - 1) / batch_size; }

std::span<const int> batch(std::span<const int> elements, Index k) {
  const auto first = at(k * batch_size);
  return elements.subspan(first, std::min(at(batch_size), elements.size() - first));
}

/// C (+)= op(A) op(B) through BLAS, which parallel loops hold to one thread.
void gemm(const Eigen::Ref<const MatrixXd>& A, bool transpose_a, const Eigen::Ref<const MatrixXd>& B,
          bool transpose_b, Eigen::Ref<MatrixXd> C, bool add) {
  if (C.size() == 0) return;
  const auto to_int = [](Index i) { return static_cast<int>(i); };
  cblas_dgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans, transpose_b ? CblasTrans : CblasNoTrans,
              to_int(C.rows()), to_int(C.cols()), to_int(transpose_a ? A.rows() : A.cols()), 1, A.data(),
              to_int(A.outerStride()), B.data(), to_int(B.outerStride()), add ? 1 : 0, C.data(),
              to_int(C.outerStride()));
}

/// |a_e|² of an element with maps g (9 x d) and stresses p (9 x T)
template <class Map, class Stresses>
double square_of_column(const Map& g, const Stresses& p) {
  const Eigen::Matrix<double, 9, 9> GG = g * g.transpose(), PP = p * p.transpose();
  return std::max(0.0, GG.cwiseProduct(PP).sum());
}

/// Hz; 0 where no coordinate has stiffness.
double softest_frequency(const DenseBasis& basis) {
  double softest = 0;
  for (const double f : basis.frequencies)
    if (f > 0 && (softest == 0 || f < softest)) softest = f;
  return softest;
}

}  // namespace

CubatureProblem::CubatureProblem(const Body& body, const DenseBasis& basis, const MatrixXd& poses,
                                 const CubatureProblemOptions& options)
    : body_(body), basis_(basis), options_(options) {
  if (basis.vertex_count() != body.vertex_count() || basis.U.rows() != 3 * body.vertex_count())
    throw InputError(fmt::format("cubature: the basis is of {} vertices, the body of {}; expected the same",
                                 basis.vertex_count(), body.vertex_count()));
  if (poses.rows() != basis.dimension() || poses.cols() == 0)
    throw InputError(
        fmt::format("cubature: poses are {} x {}; expected {} coordinates, and at least one pose",
                    poses.rows(), poses.cols(), basis.dimension()));
  if (!poses.allFinite()) throw InputError("cubature: a pose is not finite");
  std::vector<int> all(at(pliant::element_count(body)));
  std::iota(all.begin(), all.end(), 0);
  const ElementArrays sorted = ElementSet(body, all, basis.origin).arrays();  // by kind
  Elements elements{sorted, element_maps(body)};
  for (Index k = 0; k < sorted.elements.size(); ++k) {
    const Index e = sorted.elements[k];
    elements.arrays.elements[e] = static_cast<int>(e);
    elements.arrays.kinds[e] = sorted.kinds[k];
    elements.arrays.parameters.col(e) = sorted.parameters.col(k);
    elements.arrays.rest.col(e) = sorted.rest.col(k);
  }
  elements_ = std::make_shared<const Elements>(std::move(elements));
  choose_scale();
  compute_forces(poses);
}

CubatureProblem::CubatureProblem(const CubatureProblem& all, std::span<const int> poses)
    : body_(all.body_),
      basis_(all.basis_),
      options_(all.options_),
      elements_(all.elements_),
      scale_(all.scale_),
      poses_(all.dimension(), static_cast<Index>(poses.size())),
      b_(all.dimension(), static_cast<Index>(poses.size())),
      norms_(static_cast<Index>(poses.size())) {
  for (Index k = 0; k < pose_count(); ++k) {
    const Index t = poses[at(k)];
    poses_.col(k) = all.poses_.col(t);
    b_.col(k) = all.b_.col(t);
    norms_[k] = all.norms_[t];
  }
}

CubatureProblem CubatureProblem::on_poses(std::span<const int> poses) const { return {*this, poses}; }

void CubatureProblem::choose_scale() {
  scale_ = VectorXd::Ones(basis_.dimension());
  if (options_.norm == ForceNorm::plain) return;
  const double softest = softest_frequency(basis_);
  if (softest == 0) return;
  for (Index k = 0; k < scale_.size(); ++k) scale_[k] = std::max(basis_.frequencies[k] / softest, 1.0);
}

/// What forces at rest may come to by rounding: far below those of the softest motion through a billionth of the box.
double CubatureProblem::rounding_of_forces() const {
  const double softest = 2 * std::numbers::pi * softest_frequency(basis_);
  const double box = (basis_.origin.colwise().maxCoeff() - basis_.origin.colwise().minCoeff()).norm();
  return 1e-9 * softest * softest * box * std::sqrt(body_.masses().sum());
}

// === Exact reduced forces, a batch of poses at a time: positions by one product, forces of the whole body a pose, and back
//     by another product. That is far less work than every element's rows of G.
void CubatureProblem::compute_forces(const MatrixXd& poses) {
  const Index n = body_.vertex_count(), count = poses.cols();
  const Index at_once =
      std::clamp<Index>(static_cast<Index>(options_.memory / (2 * sizeof(double) * at(3 * n))), 1, 256);
  MatrixXd forces(poses.rows(), count), positions, full;
  BodyWorkspace work;
  Points x, f;
  for (Index first = 0; first < count; first += at_once) {
    report(options_.progress, "training forces", static_cast<double>(first) / static_cast<double>(count));
    const Index here = std::min(at_once, count - first);
    positions.resize(3 * n, here);
    full.resize(3 * n, here);
    multiply_tall(basis_.U, poses.middleCols(first, here), positions);
    for (Index t = 0; t < here; ++t) {
      x = Eigen::Map<const Points>(positions.col(t).data(), n, 3) + basis_.origin;
      body_.energy_and_forces(x, f, work);
      full.col(t) = Eigen::Map<const VectorXd>(f.data(), 3 * n);
    }
    forces.middleCols(first, here) = -pliant::inner_products(basis_.U, full);
  }
  report(options_.progress, "training forces", 1);

  // === Every pose's part over its norm; poses without force say nothing
  forces = scale_.cwiseInverse().asDiagonal() * forces;
  const VectorXd norms = forces.colwise().norm();
  const double least = std::max(1e-12 * norms.maxCoeff(), rounding_of_forces());
  Index kept = 0;
  poses_.resize(poses.rows(), count);
  b_.resize(poses.rows(), count);
  norms_.resize(count);
  for (Index t = 0; t < count; ++t) {
    if (!std::isfinite(norms[t]))
      throw InputError(
          fmt::format("cubature: pose {} has forces that are not finite; draw smaller poses", t));
    if (!(norms[t] > least)) continue;
    poses_.col(kept) = scale_.cwiseProduct(poses.col(t));
    b_.col(kept) = forces.col(t) / norms[t];
    norms_[kept++] = norms[t];
  }
  if (kept == 0) throw InputError("cubature: no pose has a force; expected poses that deform the body");
  poses_.conservativeResize(Eigen::NoChange, kept);
  b_.conservativeResize(Eigen::NoChange, kept);
  norms_.conservativeResize(kept);
}

// === G and P of a few elements, evaluated side by side in lanes
void CubatureProblem::fill(std::span<const int> elements, Eigen::Ref<MatrixXd> G,
                           Eigen::Ref<MatrixXd> P) const {
  const auto count = static_cast<Index>(elements.size());
  ElementArrays arrays{VectorXi(count), VectorXi(count), MatrixXd(ElementArrays::parameter_count, count),
                       MatrixXd(9, count)};
  for (Index k = 0; k < count; ++k) {
    const Index e = elements[at(k)];
    if (e < 0 || e >= element_count())
      throw InputError(fmt::format("cubature: element {}; expected 0 to {}", e, element_count() - 1));
    arrays.elements[k] = static_cast<int>(k);
    arrays.kinds[k] = elements_->arrays.kinds[e];
    arrays.parameters.col(k) = elements_->arrays.parameters.col(e);
    arrays.rest.col(k) = elements_->arrays.rest.col(e);
  }
  const ElementSet set(arrays);

  for (Index column = 0; column < dimension(); ++column) {
    const double* u = basis_.U.col(column).data();
    for (Index k = 0; k < count; ++k) {
      const ElementMap& map = elements_->maps[at(elements[at(k)])];
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
          double sum = 0;
          for (int a = 0; a < 4; ++a) sum += map.coefficients(j, a) * u[3 * map.vertices[a] + i];
          G(9 * k + 3 * j + i, column) = sum / scale_[column];
        }
    }
  }
  gemm(G, false, poses_, false, P, false);  // z, but for the origin's

  // Row r of P holds one entry of z of one element; in lanes it stands at lane_of[r].
  std::vector<std::size_t> lane_of(at(9 * count));
  for (Index k = 0; k < count; ++k)
    for (Index i = 0; i < 9; ++i) {
      const Index slot = set.slots()[at(k)];
      lane_of[at(9 * set.elements()[at(k)] + i)] = at((slot / width * 9 + i) * width + slot % width);
    }
  AlignedVector<double> z = set.rest(), gradients(z.size());
  const AlignedVector<double>& origin = set.rest();
  for (Index t = 0; t < pose_count(); ++t) {
    double* column = P.col(t).data();
    for (std::size_t r = 0; r < lane_of.size(); ++r) z[lane_of[r]] = origin[lane_of[r]] + column[r];
    set.evaluate(0, set.pack_count(), z.data(), {.gradients = gradients.data()});
    for (std::size_t r = 0; r < lane_of.size(); ++r) column[r] = gradients[lane_of[r]] / norms_[t];
  }
}

CubatureProblem::Columns CubatureProblem::columns(std::span<const int> elements) const {
  const auto count = static_cast<Index>(elements.size());
  Columns out{{elements.begin(), elements.end()},
              MatrixXd(9 * count, dimension()),
              MatrixXd(9 * count, pose_count())};
  parallel_for(batch_count(count), 1, [&](Index k) {
    const auto here = batch(elements, k);
    const Index first = 9 * k * batch_size, rows = 9 * static_cast<Index>(here.size());
    MatrixXd G(rows, dimension()), P(rows, pose_count());
    fill(here, G, P);
    out.G.middleRows(first, rows) = G;
    out.P.middleRows(first, rows) = P;
  });
  return out;
}

CubatureProblem::Correlations CubatureProblem::correlate(std::span<const int> elements,
                                                         const MatrixXd& r) const {
  const auto count = static_cast<Index>(elements.size());
  Correlations out{VectorXd(count), VectorXd(count)};
  parallel_for(batch_count(count), 1, [&](Index k) {
    const auto here = batch(elements, k);
    const Index rows = 9 * static_cast<Index>(here.size());
    MatrixXd G(rows, dimension()), P(rows, pose_count()), along(rows, pose_count());
    fill(here, G, P);
    gemm(G, false, r, false, along, false);
    const VectorXd products = P.cwiseProduct(along).rowwise().sum();
    for (Index e = 0; e < rows / 9; ++e) {
      out.products[k * batch_size + e] = products.segment<9>(9 * e).sum();
      out.norms[k * batch_size + e] =
          std::sqrt(square_of_column(G.middleRows<9>(9 * e), P.middleRows<9>(9 * e)));
    }
  });
  return out;
}

VectorXd CubatureProblem::transposed_product(const Columns& columns, const MatrixXd& r) const {
  VectorXd out(columns.count());
  parallel_for(batch_count(columns.count()), 1, [&](Index k) {
    const Index first = k * batch_size, count = std::min(batch_size, columns.count() - first);
    MatrixXd along(9 * count, pose_count());
    gemm(columns.G.middleRows(9 * first, 9 * count), false, r, false, along, false);
    const VectorXd products = columns.P.middleRows(9 * first, 9 * count).cwiseProduct(along).rowwise().sum();
    for (Index e = 0; e < count; ++e) out[first + e] = products.segment<9>(9 * e).sum();
  });
  return out;
}

MatrixXd CubatureProblem::product(const Columns& columns, const VectorXd& weights) const {
  // Poses are independent of each other, so that sums have one order on any number of threads.
  VectorXd rows(9 * columns.count());
  for (Index i = 0; i < rows.size(); ++i) rows[i] = weights[i / 9];
  const MatrixXd weighted = rows.asDiagonal() * columns.G;
  MatrixXd out = MatrixXd::Zero(dimension(), pose_count());
  if (columns.count() == 0) return out;
  parallel_for_chunks(pose_count(), 64, [&](Index begin, Index end) {
    gemm(weighted, true, columns.P.middleCols(begin, end - begin), false, out.middleCols(begin, end - begin),
         false);
  });
  return out;
}

MatrixXd CubatureProblem::inner_products(const Columns& a, const Columns& b) const {
  MatrixXd out(a.count(), b.count());
  const Index rows = batch_count(a.count()), columns = batch_count(b.count());
  parallel_for(rows * columns, 1, [&](Index tile) {
    const Index first_a = tile % rows * batch_size, count_a = std::min(batch_size, a.count() - first_a);
    const Index first_b = tile / rows * batch_size, count_b = std::min(batch_size, b.count() - first_b);
    MatrixXd GG(9 * count_a, 9 * count_b), PP(9 * count_a, 9 * count_b);
    gemm(a.G.middleRows(9 * first_a, 9 * count_a), false, b.G.middleRows(9 * first_b, 9 * count_b), true, GG,
         false);
    gemm(a.P.middleRows(9 * first_a, 9 * count_a), false, b.P.middleRows(9 * first_b, 9 * count_b), true, PP,
         false);
    for (Index j = 0; j < count_b; ++j)
      for (Index i = 0; i < count_a; ++i)
        out(first_a + i, first_b + j) =
            GG.block<9, 9>(9 * i, 9 * j).cwiseProduct(PP.block<9, 9>(9 * i, 9 * j)).sum();
  });
  return out;
}

VectorXd CubatureProblem::squared_norms(const Columns& columns) const {
  VectorXd out(columns.count());
  parallel_for(columns.count(), 16, [&](Index e) {
    out[e] = square_of_column(columns.G.middleRows<9>(9 * e), columns.P.middleRows<9>(9 * e));
  });
  return out;
}

VectorXd CubatureProblem::errors(const Cubature& cubature) const {
  return (product(columns(cubature.elements), cubature.weights) - b_).colwise().norm();
}

CubatureProblem::Columns joined(const CubatureProblem::Columns& a, const CubatureProblem::Columns& b) {
  if (a.count() == 0) return b;
  CubatureProblem::Columns out{a.elements, MatrixXd(a.G.rows() + b.G.rows(), b.G.cols()),
                               MatrixXd(a.P.rows() + b.P.rows(), b.P.cols())};
  out.elements.insert(out.elements.end(), b.elements.begin(), b.elements.end());
  out.G << a.G, b.G;
  out.P << a.P, b.P;
  return out;
}

CubatureProblem::Columns chosen(const CubatureProblem::Columns& a, std::span<const int> places) {
  const auto count = static_cast<Index>(places.size());
  CubatureProblem::Columns out{{}, MatrixXd(9 * count, a.G.cols()), MatrixXd(9 * count, a.P.cols())};
  for (Index k = 0; k < count; ++k) {
    out.elements.push_back(a.elements[at(places[at(k)])]);
    out.G.middleRows<9>(9 * k) = a.G.middleRows<9>(9 * places[at(k)]);
    out.P.middleRows<9>(9 * k) = a.P.middleRows<9>(9 * places[at(k)]);
  }
  return out;
}

ReducedElements reduced_elements(const Body& body, const DenseBasis& basis, const Cubature& cubature) {
  const ElementSet set(body, cubature.elements, basis.origin);
  VectorXd weights(set.count());
  for (Index k = 0; k < set.count(); ++k) {
    const auto place =
        std::lower_bound(cubature.elements.begin(), cubature.elements.end(), set.elements()[at(k)]);
    weights[k] = cubature.weights[place - cubature.elements.begin()];
  }
  return ReducedElements(body, basis.U, set, weights);
}

VectorXd force_errors(const Body& body, const DenseBasis& basis, const Cubature& cubature,
                      const MatrixXd& poses, ForceNorm norm) {
  return CubatureProblem(body, basis, poses, {.norm = norm}).errors(cubature);
}

namespace detail {

Cubature sorted_cubature(std::span<const int> elements, const VectorXd& weights) {
  std::vector<std::pair<int, double>> pairs;
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (weights[static_cast<Index>(k)] > 0) pairs.emplace_back(elements[k], weights[static_cast<Index>(k)]);
  std::sort(pairs.begin(), pairs.end());
  Cubature out;
  out.weights.resize(static_cast<Index>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    out.elements.push_back(pairs[k].first);
    out.weights[static_cast<Index>(k)] = pairs[k].second;
  }
  return out;
}

std::vector<int> draw_elements(Rng& rng, Index total, Index count, std::span<const int> taken) {
  std::vector<bool> out_of_reach(at(total), false);
  for (const int e : taken) out_of_reach[at(e)] = true;
  std::vector<int> left;
  for (Index e = 0; e < total; ++e)
    if (!out_of_reach[at(e)]) left.push_back(static_cast<int>(e));
  count = std::min(count, static_cast<Index>(left.size()));
  for (Index k = 0; k < count; ++k)
    std::swap(left[at(k)], left[at(k + rng.integer(static_cast<Index>(left.size()) - k))]);
  left.resize(at(count));
  return left;
}

}  // namespace detail
}  // namespace pliant
