#pragma once
// The exact energy of Saint Venant and Kirchhoff in a subspace: a polynomial of degree four in q, its force a cubic one
// [Barbic and James 2005]. No element is left at run time; but coefficients grow as d^4 / 24, so this is for small subspaces.
//
// With y = (1, q) the energy is homogeneous, E = sum over a <= b <= c <= e of coefficients y_a y_b y_c y_e: one number for
// each product of four of d + 1 variables.
#include "pliant/base/progress.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

struct PolynomialForcesOptions {
  int largest_dimension = 100;  ///< more coordinates are refused: 4.6 million coefficients at 100
  Progress progress = {};
};

class PolynomialForces {
 public:
  struct Workspace {
    AlignedVector<double> buffer;
    const double *gradient = nullptr, *half = nullptr;  // in it, of the last evaluation
    DenseCholesky cholesky;
  };

  PolynomialForces() = default;
  /// All tets must be StVK. Strains are quadratic in q: with pairs of y as unknowns the energy is a quadratic form, and its
  /// matrix a product of strains with themselves, summed over elements.
  PolynomialForces(const Body& body, const DenseBasis& basis, const PolynomialForcesOptions& options = {});
  /// From coefficients, ordered by a, then b, c and e, each ascending from the one before.
  PolynomialForces(Index dimension, VectorXd coefficients);

  Index dimension() const { return dimension_; }
  const VectorXd& coefficients() const { return coefficients_; }  ///< (d+4 over 4)

  double energy(const VectorXd& q, Workspace& work) const;
  /// -dE/dq; returns the energy.
  double force(const VectorXd& q, VectorXd& force, Workspace& work) const;
  /// d2E/dq2, with force and energy. Projected: where it is not positive definite, so much of the
  /// identity is added, up to a factor of two.
  double stiffness(const VectorXd& q, MatrixXd& K, VectorXd& force, Workspace& work,
                   Projection projection = Projection::none) const;

  std::size_t memory_bytes() const;

 private:
  void expand();
  double evaluate(const VectorXd& q, Workspace& work, bool second) const;

  Index dimension_ = 0;
  VectorXd coefficients_;
  AlignedVector<double> matrices_;  // the same in the order of evaluation: polynomial_kernel.h
};

/// How many monomials of degree four d + 1 variables have.
Index polynomial_coefficient_count(Index dimension);

}  // namespace pliant
