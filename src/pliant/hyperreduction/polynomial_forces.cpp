#include "pliant/hyperreduction/polynomial_forces.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/elasticity/element_set.h"
#include "pliant/hyperreduction/polynomial_kernel.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Places of monomials a <= b <= c <= e.
class MonomialPlaces {
 public:
  explicit MonomialPlaces(Index size) : size_(size) {}
  Index operator()(Index a, Index b, Index c, Index e) const {
    // All before those that begin with a, then before (a, b), before (a, b, c), and within them.
    return before(4, size_) - before(4, size_ - a) + before(3, size_ - a) - before(3, size_ - b) +
           before(2, size_ - b) - before(2, size_ - c) + e - c;
  }

 private:
  /// Monomials of `degree` in n variables.
  static Index before(int degree, Index n) {
    Index count = 1;
    for (int k = 0; k < degree; ++k) count = count * (n + k) / (k + 1);
    return count;
  }
  Index size_;
};

/// Strains of elements first to end - 1, so that half of their sum of squares is the energy: six rows an element, a column
/// for each pair of y. With F = F_0 + H, H linear in q, the strain is (F_0^T F_0 - 1)/2 + sym(F_0^T H) + H^T H / 2: that of
/// the pair (a, b) is sym(F_a^T F_b), where F_a = dF/dy_a.
void strain_rows(const Body& body, const DenseBasis& basis, const std::vector<ElementMap>& maps,
                 const std::vector<double>& volumes, Index first, Index end, MatrixXd& rows) {
  const Index size = basis.dimension() + 1, pairs = detail::pair_count(size);
  rows.resize(6 * (end - first), pairs);
  std::vector<Matrix3d> F(at(size));
  for (Index e = first; e < end; ++e) {
    const ElementMap& map = maps[at(e)];
    for (Index k = 0; k < size; ++k) {
      F[at(k)].setZero();
      for (int a = 0; a < 4; ++a) {
        const Index v = map.vertices[a];
        const Vector3d x =
            k == 0 ? Vector3d(basis.origin.row(v).transpose()) : Vector3d(basis.U.block<3, 1>(3 * v, k - 1));
        F[at(k)] += x * map.coefficients.col(a).transpose();
      }
    }
    // mu E:E + lambda/2 tr(E)^2 = 1/2 |a E + b tr(E) 1|^2, a^2 = 2 mu, (a + 3 b)^2 = 2 mu + 3 lambda
    const auto& material = std::get<StVK>(body.palette()[at(body.material_of_tet()[at(e)])].material);
    const double root = std::sqrt(volumes[at(e)]), a = std::sqrt(2 * material.mu);
    const double b = (std::sqrt(2 * material.mu + 3 * material.lambda) - a) / 3;
    const Index row = 6 * (e - first);
    Index place = 0;
    for (Index i = 0; i < size; ++i)
      for (Index j = i; j < size; ++j, ++place) {
        const Matrix3d product = F[at(i)].transpose() * F[at(j)];
        // Pairs of different variables occur twice in H^T H; of (1, 1) the identity is taken.
        Matrix3d strain = (product + product.transpose()) / (i == j ? 4 : 2);
        if (i == 0 && j == 0) strain -= Matrix3d::Identity() / 2;
        const double trace = b * strain.trace();
        double* out = &rows(row, place);
        for (int k = 0; k < 3; ++k) out[k] = root * (a * strain(k, k) + trace);
        out[3] = root * a * std::sqrt(2.0) * strain(0, 1);
        out[4] = root * a * std::sqrt(2.0) * strain(0, 2);
        out[5] = root * a * std::sqrt(2.0) * strain(1, 2);
      }
  }
}

}  // namespace

Index polynomial_coefficient_count(Index dimension) {
  const Index n = dimension + 1;
  return n * (n + 1) / 2 * (n + 2) / 3 * (n + 3) / 4;
}

PolynomialForces::PolynomialForces(const Body& body, const DenseBasis& basis,
                                   const PolynomialForcesOptions& options)
    : dimension_(basis.dimension()) {
  if (body.is_shell()) throw InputError("polynomial forces: the body is a shell; expected a solid of stvk");
  for (const int m : body.material_of_tet())
    if (!std::holds_alternative<StVK>(body.palette()[at(m)].material))
      throw InputError(fmt::format("polynomial forces: a tet is of {}; expected stvk, whose forces are cubic",
                                   name(body.palette()[at(m)].material)));
  if (dimension_ < 1 || dimension_ > options.largest_dimension)
    throw InputError(
        fmt::format("polynomial forces: {} coordinates need {} coefficients; expected 1 to {} (use cubature)",
                    dimension_, polynomial_coefficient_count(dimension_), options.largest_dimension));
  if (basis.U.rows() != 3 * body.vertex_count())
    throw InputError(
        fmt::format("polynomial forces: the basis has {} rows for {} vertices; expected three a vertex",
                    basis.U.rows(), body.vertex_count()));
  const Index size = dimension_ + 1, pairs = detail::pair_count(size), count = body.tets().rows();
  const auto maps = element_maps(body);
  const ElementArrays elements = ElementSet(body).arrays();  // one kind: as the body has them
  std::vector<double> volumes(at(count));
  for (Index e = 0; e < count; ++e) volumes[at(e)] = elements.parameters(0, e);

  // === The quadratic form of pairs, twice the energy. A few parts, so that they are summed in one order and fit in memory.
  constexpr Index at_once = 128, memory = Index{1} << 26;  // numbers in all parts
  const Index parts = std::clamp<Index>(memory / (pairs * pairs), 1, 8);
  const Index grain = (count + parts - 1) / parts;
  report(options.progress, "polynomial", 0);
  const MatrixXd form = parallel_reduce(
      count, grain, MatrixXd(),
      [&](Index begin, Index end) {
        MatrixXd sum = MatrixXd::Zero(pairs, pairs), rows;
        for (Index first = begin; first < end; first += at_once) {
          strain_rows(body, basis, maps, volumes, first, std::min(first + at_once, end), rows);
          cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, static_cast<int>(pairs),
                      static_cast<int>(rows.rows()), 1, rows.data(), static_cast<int>(rows.rows()), 1,
                      sum.data(), static_cast<int>(pairs));
        }
        return sum;
      },
      [](MatrixXd sum, MatrixXd part) {
        if (sum.size() == 0) return part;
        sum += part;
        return sum;
      });
  report(options.progress, "polynomial", 0.9);

  // === A monomial is the sum of all products of pairs that make it
  coefficients_ = VectorXd::Zero(polynomial_coefficient_count(dimension_));
  const MonomialPlaces place(size);
  Index column = 0;
  for (Index a = 0; a < size; ++a)
    for (Index b = a; b < size; ++b, ++column) {
      Index row = 0;
      for (Index c = 0; c < size; ++c)
        for (Index e = c; e < size; ++e, ++row) {
          if (row < column) continue;
          std::array<Index, 4> m{a, b, c, e};
          std::sort(m.begin(), m.end());
          coefficients_[place(m[0], m[1], m[2], m[3])] += (row == column ? 0.5 : 1.0) * form(row, column);
        }
    }
  expand();
  report(options.progress, "polynomial", 1);
}

PolynomialForces::PolynomialForces(Index dimension, VectorXd coefficients)
    : dimension_(dimension), coefficients_(std::move(coefficients)) {
  if (dimension < 1 || dimension > 300 || coefficients_.size() != polynomial_coefficient_count(dimension))
    throw InputError(fmt::format("polynomial forces: {} coefficients for {} coordinates; expected {}",
                                 coefficients_.size(), dimension,
                                 polynomial_coefficient_count(std::max<Index>(dimension, 0))));
  if (!coefficients_.allFinite()) throw InputError("polynomial forces: a coefficient is not finite");
  expand();
}

void PolynomialForces::expand() {
  const Index n = dimension_ + 1;
  // Where the row of (a, b) begins.
  std::vector<Index> start(at(n * n));
  Index entries = 0;
  for (Index b = 0; b < n; ++b)
    for (Index a = 0; a <= b; ++a) {
      start[at(a * n + b)] = entries;
      entries += detail::padded_to_group(detail::pair_count(n - b));
    }
  matrices_.assign(at(entries), 0.0);
  const double* from = coefficients_.data();
  for (Index a = 0; a < n; ++a)
    for (Index b = a; b < n; ++b) {
      const Index count = detail::pair_count(n - b);
      std::copy_n(from, count, matrices_.data() + start[at(a * n + b)]);
      from += count;
    }
}

/// Evaluates, and leaves dE/dy in `gradient`. Returns the energy.
double PolynomialForces::evaluate(const VectorXd& q, Workspace& work, bool second) const {
  assert(q.size() == dimension_);
  constexpr Index group = detail::polynomial_group;
  const Index n = dimension_ + 1, pairs = detail::pair_count(n), row = pairs + group, wide = n + group;
  const Index needed = 2 * wide + 3 * row + (second ? n * wide + row + n * row : 0);
  if (work.buffer.size() < at(needed)) work.buffer.resize(at(needed));
  double* y = work.buffer.data();
  double *gradient = y + wide, *products = gradient + wide, *inner = products + row, *outer = inner + row;
  double *crossed = outer + row, *by_b = crossed + n * wide, *by_a = by_b + row;
  std::fill_n(y, 2 * wide + 2 * row, 0.0);
  if (second) std::fill_n(crossed, n * wide, 0.0);
  y[0] = 1;
  std::copy_n(q.data(), dimension_, y + 1);
  double* product = products;
  for (Index c = 0; c < n; ++c)
    for (Index e = c; e < n; ++e) *product++ = y[c] * y[e];
  detail::evaluate_polynomial({.size = n,
                               .matrices = matrices_.data(),
                               .y = y,
                               .products = products,
                               .inner = inner,
                               .outer = outer,
                               .crossed = second ? crossed : nullptr,
                               .by_b = by_b,
                               .by_a = by_a});

  // === Each of the four places of a monomial in turn
  double energy = 0;
  const double *of_pair = outer, *of_inner = inner;
  for (Index b = 0; b < n; ++b)
    for (Index a = 0; a <= b; ++a, ++of_pair) {
      energy += y[a] * y[b] * *of_pair;
      gradient[a] += y[b] * *of_pair;
      gradient[b] += y[a] * *of_pair;
    }
  for (Index c = 0; c < n; ++c)
    for (Index e = c; e < n; ++e, ++of_inner) {
      gradient[c] += y[e] * *of_inner;
      gradient[e] += y[c] * *of_inner;
    }
  work.gradient = gradient + 1;
  if (!second) return energy;

  // === Two places: both before, both behind, or one of each. Half, so that adding the transpose gives all.
  of_pair = outer, of_inner = inner;
  for (Index b = 0; b < n; ++b)
    for (Index a = 0; a <= b; ++a) crossed[a * wide + b] += *of_pair++;
  for (Index c = 0; c < n; ++c)
    for (Index e = c; e < n; ++e) crossed[c * wide + e] += *of_inner++;
  work.half = crossed;
  return energy;
}

double PolynomialForces::energy(const VectorXd& q, Workspace& work) const { return evaluate(q, work, false); }

double PolynomialForces::force(const VectorXd& q, VectorXd& force, Workspace& work) const {
  const double energy = evaluate(q, work, false);
  force = -Eigen::Map<const VectorXd>(work.gradient, dimension_);
  return energy;
}

double PolynomialForces::stiffness(const VectorXd& q, MatrixXd& K, VectorXd& force, Workspace& work,
                                   Projection projection) const {
  const double energy = evaluate(q, work, true);
  force = -Eigen::Map<const VectorXd>(work.gradient, dimension_);
  K.resize(dimension_, dimension_);
  const Index wide = dimension_ + 1 + detail::polynomial_group;
  const double* half = work.half + wide + 1;
  for (Index j = 0; j < dimension_; ++j)
    for (Index i = j; i < dimension_; ++i) K(i, j) = K(j, i) = half[i * wide + j] + half[j * wide + i];
  if (projection == Projection::positive && K.allFinite()) {
    double added = 1e-4 * K.diagonal().cwiseAbs().maxCoeff();
    for (; !work.cholesky.factorize(K); added *= 2) K.diagonal().array() += added;
  }
  return energy;
}

std::size_t PolynomialForces::memory_bytes() const {
  return (matrices_.size() + at(coefficients_.size())) * sizeof(double);
}

}  // namespace pliant
