#pragma once
// Elastic energy, force and stiffness in a subspace x = X + U q, from weighted elements alone:
//     E(q) = sum_e w_e psi_e(z_e + G_e q),   f = -sum_e w_e G_e^T dpsi_e,   K = sum_e w_e G_e^T d2psi_e G_e,
// with G_e (9 x d) what the element's map makes of the rows of U at its four vertices [An et al. 2008]. Nothing here
// depends on the size of the mesh.
#include <span>

#include "pliant/elasticity/element_set.h"

namespace pliant {

/// G is kept in single precision, which halves what an evaluation reads; all arithmetic is double. So the force is the
/// exact gradient of the energy, and the stiffness its exact second derivative, of a subspace that differs from U by a
/// rounding. Constant once made; any number of threads may evaluate one, each with a workspace of its own.
class ReducedElements {
 public:
  /// Memory of evaluations; grows on first use.
  struct Workspace {
    AlignedVector<double> buffer;
  };

  ReducedElements() = default;
  /// @param U        3n x d
  /// @param set      s elements of the body
  /// @param weights  s, not negative, as the set has its elements
  ReducedElements(const Body& body, const MatrixXd& U, ElementSet set, const VectorXd& weights);
  /// From what a file keeps: G is 9 s x d, rows 9 e to 9 e + 8 those of element e of the set.
  ReducedElements(ElementSet set, const VectorXd& weights, const Eigen::MatrixXf& G);

  Index dimension() const { return dimension_; }
  const ElementSet& elements() const { return set_; }
  VectorXd weights() const;           ///< s
  Eigen::MatrixXf gradients() const;  ///< G, 9 s x d

  double energy(const VectorXd& q, Workspace& work) const;
  /// -dE/dq into `force` (resized where needed); returns the energy, which comes for free.
  double force(const VectorXd& q, VectorXd& force, Workspace& work) const;
  /// d2E/dq2 into K (d x d, both triangles) with force and energy. Projected: elements' Hessians made positive.
  double stiffness(const VectorXd& q, MatrixXd& K, VectorXd& force, Workspace& work,
                   Projection projection = Projection::none) const;

  std::size_t memory_bytes() const;

 private:
  void pack(const Eigen::MatrixXf& G, const VectorXd& weights);
  void pack_z(Index pack, const double* q, double* z) const;
  const float* block_of(Index pack, Index block) const;

  ElementSet set_;
  Index dimension_ = 0;
  AlignedVector<float> G_;         // a block of four slots: d x 9 x 4
  AlignedVector<double> weights_;  // of slots
};

}  // namespace pliant
