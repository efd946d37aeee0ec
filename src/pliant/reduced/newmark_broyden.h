#pragma once
// Time in a subspace: implicit Newmark, each step solved by Broyden's method [von Tycowicz et al. 2013, section 6].
#include <memory>
#include <optional>

#include "pliant/contact/penalty.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/reduced/reduced_fem.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

/// By which stiffness Rayleigh's damping acts.
enum class StiffnessDamping {
  at_rest,  ///< linear, as in the paper: also brakes large bends and turns, which calms a body and spares iterations
  following,  ///< that of where the body is, as in full space
};

struct NewmarkBroydenOptions {
  double time_step = 1.0 / 60;  ///< seconds
  double tolerance = 1e-5;      ///< of the residual, relative to the forces that act (internal and external)
  int max_iterations = 30;      ///< of Broyden a step, 0 to 60: then, or where it stalls, Newton takes over
  int max_newton = 20;          ///< of Newton a step, 1 to 1000
  StiffnessDamping damping = StiffnessDamping::at_rest;
  double contact_stiffness = 10;  ///< of obstacles, in the body's own stiffness at a vertex
};

/// Nothing in a step depends on the size of the mesh. The Jacobian at rest is diagonal in the reduced modes, so that
/// Broyden's method starts from its inverse for free. Far from rest that takes many iterations, and so the stiffness is
/// made anew at a later pose where it pays; drags and contacts are added to it.
///
/// Vertices that the subspace holds stay where they are; others that are fixed later are held by stiff springs.
class NewmarkBroyden final : public Simulator {
 public:
  explicit NewmarkBroyden(std::shared_ptr<const ReducedFem> model, const NewmarkBroydenOptions& options = {});

  /// StepReport::residual is the relative one, iterations those of Broyden and Newton together: each asks for the
  /// forces once.
  StepReport step() override;
  const Trace& trace() const override { return trace_; }  ///< jacobian, forces, contact, solve, newton
  std::string_view kind() const override { return "newmark_broyden"; }
  const Points& positions() override;
  void positions_of(std::span<const int> vertices, Points& out) override;
  void velocities_of(std::span<const int> vertices, Points& out) override;
  /// Of vertices that the subspace holds the model knows only the sum, from the balance of momentum: it is shared out
  /// by their masses. Those held by springs have their own.
  void reactions_of(std::span<const int> vertices, Points& out) override;
  Measures measure() override;

  const ReducedFem& model() const { return *model_; }
  const NewmarkBroydenOptions& options() const { return options_; }
  const VectorXd& coordinates() const { return q_; }  ///< q, d
  const VectorXd& rates() const { return v_; }        ///< their velocities, d
  void set_coordinates(const VectorXd& q, const VectorXd& rates);
  int newton_steps() const { return newton_steps_; }  ///< steps so far in which Newton took over

 private:
  struct Spring {
    int vertex;
    Vector3d target;
    double stiffness;  // N/m
  };

  void write_state(StateWriter& writer) const override;
  void read_state(StateReader& reader) override;
  void motion_set(const Points& positions, const Points& velocities) override;
  bool holds(int vertex) const override;

  void prepare();
  void begin_step();
  void prepare_jacobian();
  void add_to(MatrixXd& A, int vertex, const Matrix3d& H);
  double residual(const VectorXd& q, VectorXd& out);
  void add_forces(const VectorXd& q, VectorXd& out);
  double potential(const VectorXd& q) const;
  void solve_start(VectorXd& r) const;
  bool broyden(StepReport& report);
  void newton(StepReport& report);
  void keep_energy(double slack);
  void displacement(int vertex, const VectorXd& q, Vector3d& out) const;
  void pull_back(int vertex, const Vector3d& force, VectorXd& out) const;
  void contact_positions(const VectorXd& q);

  std::shared_ptr<const ReducedFem> model_;
  NewmarkBroydenOptions options_;
  double diagonal_ = 1, total_mass_ = 1;
  Eigen::Matrix<double, Eigen::Dynamic, 3> gravity_map_;  // d x 3: the reduced force of a unit acceleration
  VectorXd damping_diagonal_;                             // d, 1/s, for stiffness 1

  // === State
  VectorXd q_, v_;
  VectorXd internal_;  // elastic force at q_, without the factor on stiffness; follows from q_
  double internal_energy_ = 0;

  // === The present step
  VectorXd start_, start_rates_, target_, external_, damping_now_;
  double start_factor_ = 1, end_factor_ = 1;  // on the elastic force there
  std::vector<Spring> springs_;
  std::vector<std::size_t> held_by_springs_;  // places in fixed_: those that the subspace could move
  std::vector<PlacedObstacle> placed_;
  std::optional<PenaltyContact> contact_;
  PenaltyTerms contact_terms_;
  Points contact_points_;
  RowMajorMatrix<float> contact_rows_;  // 3 k x d
  double energy_ = 0;                   // elastic, at the last residual
  double force_scale_ = 1;
  Vector3d reaction_ = Vector3d::Zero();  // of all vertices that the subspace holds, N
  double held_mass_ = 0;                  // kg

  // === The Jacobian that Broyden's method starts from
  VectorXd jacobian_diagonal_;  // at rest; also the measure of lengths
  bool anchored_ = false;       // the stiffness is that of a later pose
  VectorXd anchor_;             // that pose
  int wasted_ = 0;              // forces asked for since, beyond those with a new Jacobian
  MatrixXd anchor_stiffness_, jacobian_matrix_;
  DenseCholesky jacobian_;
  std::vector<Spring> jacobian_springs_;
  bool dense_jacobian_ = false;     // jacobian_ counts, not the diagonal
  bool touching_jacobian_ = false;  // factor_ counts: with what touches obstacles in this step

  // === Memory of the solvers
  ReducedForceWorkspace work_;
  MatrixXd secants_;  // d x (max_iterations + 1): the steps of Broyden's method
  VectorXd step_weights_, trial_, residual_, direction_, best_, elastic_;
  MatrixXd K_;
  DenseCholesky factor_;
  int newton_steps_ = 0;
  Points positions_;
  Trace trace_;
};

}  // namespace pliant
