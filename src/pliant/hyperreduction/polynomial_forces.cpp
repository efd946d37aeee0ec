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

Index padded_size(Index dimension) {
  constexpr Index group = detail::polynomial_group;
  return (dimension + 1 + group - 1) / group * group;
}

Index pair_count(Index size) { return size * (size + 1) / 2; }

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
  const Index size = basis.dimension() + 1, pairs = pair_count(size);
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
  const Index size = dimension_ + 1, pairs = pair_count(size), count = body.tets().rows();
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
  const Index size = dimension_ + 1, padded = padded_size(dimension_);
  Index entries = 0;
  const auto first_of = [](Index b) { return b / detail::polynomial_group * detail::polynomial_group; };
  for (Index b = 0; b < size; ++b) entries += (b + 1) * (padded - first_of(b)) * (padded - first_of(b));
  matrices_.assign(at(entries), 0.0);
  double* S = matrices_.data();
  Index k = 0;
  for (Index a = 0; a < size; ++a)
    for (Index b = a; b < size; ++b) {
      const Index first = first_of(b), rows = padded - first;
      for (Index c = b; c < size; ++c)
        for (Index e = c; e < size; ++e, ++k) {
          // S + S^T of the triangle: the diagonal twice.
          S[c - first + rows * (e - first)] += coefficients_[k];
          S[e - first + rows * (c - first)] += coefficients_[k];
        }
      S += rows * rows;
    }
}

double PolynomialForces::energy(const VectorXd& q, Workspace& work) const {
  return force(q, work.force, work);
}

double PolynomialForces::force(const VectorXd& q, VectorXd& force, Workspace& work) const {
  assert(q.size() == dimension_);
  const Index padded = padded_size(dimension_);
  if (work.buffer.size() < at(3 * padded)) work.buffer.resize(at(3 * padded));
  double *y = work.buffer.data(), *gradient = y + padded, *product = gradient + padded;
  std::fill_n(y, 2 * padded, 0.0);
  y[0] = 1;
  std::copy_n(q.data(), dimension_, y + 1);
  const double energy =
      detail::evaluate_polynomial({dimension_ + 1, padded, matrices_.data(), y, gradient, nullptr, product});
  force.resize(dimension_);
  for (Index i = 0; i < dimension_; ++i) force[i] = -gradient[i + 1];
  return energy;
}

double PolynomialForces::stiffness(const VectorXd& q, MatrixXd& K, VectorXd& force, Workspace& work) const {
  assert(q.size() == dimension_);
  const Index padded = padded_size(dimension_);
  if (work.buffer.size() < at((3 + padded) * padded)) work.buffer.resize(at((3 + padded) * padded));
  double *y = work.buffer.data(), *gradient = y + padded, *product = gradient + padded,
         *half = product + padded;
  std::fill_n(y, (3 + padded) * padded, 0.0);
  y[0] = 1;
  std::copy_n(q.data(), dimension_, y + 1);
  const double energy =
      detail::evaluate_polynomial({dimension_ + 1, padded, matrices_.data(), y, gradient, half, product});
  force.resize(dimension_);
  K.resize(dimension_, dimension_);
  for (Index i = 0; i < dimension_; ++i) force[i] = -gradient[i + 1];
  for (Index j = 0; j < dimension_; ++j)
    for (Index i = j; i < dimension_; ++i)
      K(i, j) = K(j, i) = half[i + 1 + padded * (j + 1)] + half[j + 1 + padded * (i + 1)];
  return energy;
}

std::size_t PolynomialForces::memory_bytes() const {
  return (matrices_.size() + at(coefficients_.size())) * sizeof(double);
}

}  // namespace pliant
