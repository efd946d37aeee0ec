#pragma once
// Editing in a subspace: the reduced coordinates that minimise elastic energy and springs at handles, by BFGS
// from the inverse Hessian at rest [von Tycowicz et al. 2013, section 6].
#include <functional>

#include "pliant/editing/handles.h"
#include "pliant/hyperreduction/reduced_elements.h"
#include "pliant/numerics/bfgs.h"
#include "pliant/reduced/reduced_fem.h"
#include "pliant/subspace/dense_basis.h"

namespace pliant {

/// The elastic energy at q (joules), its gradient into the second argument.
using ReducedEnergy = std::function<double(const VectorXd& q, VectorXd& gradient)>;

/// Of all elements: exact, and O(n). Keeps references to both.
ReducedEnergy exact_energy(const Body& body, const DenseBasis& basis);
/// Of weighted elements: O(d²). Keeps a reference.
ReducedEnergy cubature_energy(const ReducedElements& elements);
/// Of a model, of whichever kind its forces are. Keeps a reference.
ReducedEnergy model_energy(const ReducedFem& model);

/// N/m by which a handle as a whole is held firmly: three hundred times what the slowest mode resists where
/// it moves most.
double handle_stiffness(const DenseBasis& basis);
double handle_stiffness(const ReducedFem& model);

struct PoseOptions {
  int max_iterations = 1000;
  double tolerance = 1e-6;  ///< of a step: the largest movement of any vertex is about so many box diagonals
  int steps = 1;            ///< in which handles go from rest to where they are; more of them for large turns
};

struct PoseReport {
  bool converged = false;
  int iterations = 0, evaluations = 0;  ///< over all steps
  double elastic = 0, springs = 0;      ///< joules
  double residual = 0;      ///< the gradient that is left, over what the springs pull with at rest
  double handle_error = 0;  ///< metres: root mean square of what springs lack to where they are pulled
};

/// Handles are set once and moved often: every solve starts from the last pose. Keeps a reference to the
/// basis or the model.
class PoseEditor {
 public:
  PoseEditor(const DenseBasis& basis, ReducedEnergy energy);
  /// With the subspace and the forces of a model, which is all it needs.
  explicit PoseEditor(const ReducedFem& model);

  /// Samples the handles. Without a stiffness in the options they are as firm as handle_stiffness says.
  void set_handles(std::vector<Handle> handles, HandleOptions options = {.stiffness = 0});
  /// Moves a handle from where it is at rest.
  void move_handle(int handle, const Vector3d& translation, const Vector3d& rotation);

  /// The pose for the handles where they are, from the present one. With several steps: from rest, on their
  /// way.
  PoseReport solve(const PoseOptions& options = {});

  const VectorXd& q() const { return q_; }
  void set_q(const VectorXd& q);
  const std::vector<Handle>& handles() const { return handles_; }
  const HandleSprings& springs() const { return springs_; }

 private:
  using VertexRows = Eigen::Matrix<double, 3, Eigen::Dynamic>;
  PoseEditor(const Points& rest, const VectorXd& eigenvalues, const VectorXd& movements,
             std::function<VertexRows(int vertex)> rows_of, ReducedEnergy energy);

  void solve_for(const Points& targets, const PoseOptions& options, PoseReport& report);
  double spring_energy(const VectorXd& q, VectorXd& gradient);

  const Points& rest_;
  const VectorXd& eigenvalues_;
  std::function<VertexRows(int)> rows_of_;  // of U
  ReducedEnergy energy_;
  std::vector<Handle> handles_;
  HandleSprings springs_;
  MatrixXd rows_;             // of U, 3k x d
  VectorXd row_stiffness_;    // 3k
  VectorXd missing_;          // 3k: from the targets to the springs' ends
  VectorXd targets_;          // 3k, relative to the origin
  MatrixXd inverse_at_rest_;  // of the Hessian
  MatrixXd inverse_;          // as learned
  double firm_ = 0;           // N/m: handle_stiffness; 0: rigid motions only
  double length_ = 1;         // of q for a movement of one metre
  double diagonal_ = 1;       // of the box, metres
  VectorXd q_;
  Bfgs bfgs_;
};

}  // namespace pliant
