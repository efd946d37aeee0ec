#pragma once
// Projective dynamics in full space [Bouaziz et al. 2014; Brandt et al. 2018, section 3 and algorithm 1].
//
// A step minimises, over all positions q,
//     1/(2h²) |M^(1/2) (q - s)|² + Σ λ/2 |S q - p(q)|²,   s = q(t) + h v(t) + h² M⁻¹ f           [Brandt et al. 2018, eq. 2]
// by turns: all projections p of the present q (local), then the best q for these p (global), a linear system whose
// matrix A = M/h² + Σ λ SᵀS stays the same. Written for the change of q it reads
//     A dq = M/h² (s - q) + Σ λ Sᵀ (p - S q),
// so rounding only touches the change, and fixed vertices are those with dq = 0: their rows of A become diagonal, which
// keeps its pattern. The symbolic factorisation is done once; the numeric one again where the time step, the stiffness,
// the fixed vertices or the position constraints change. Drags and obstacles act on a few vertices only, which is made up for
// after every global step (contact/active_points.h): they come and go without a factorisation.
#include <span>
#include <variant>
#include <vector>

#include "pliant/contact/active_points.h"
#include "pliant/elasticity/projective_forces.h"
#include "pliant/fullspace/vertex_responses.h"
#include "pliant/numerics/aligned_vector.h"
#include "pliant/numerics/panel_solver.h"
#include "pliant/numerics/sparse_cholesky.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

struct ProjectiveDynamicsOptions {
  int iterations = 10;          ///< local/global turns a step, 1 to 10000
  double tolerance = 0;         ///< ends a step early once vertices move less, in box diagonals; 0: never
  double time_step = 1.0 / 60;  ///< seconds
  /// Projections in float instead of double: a faster local step. Positions and the global step are double either way.
  bool single_precision = false;
  bool record_objective = false;  ///< keeps eq. 2 before and after every iteration; costs one more local step
};

/// A vertex pulled to a place by a spring that is part of the body's matrix.
struct PositionConstraint {
  int id = 0;
  int vertex = 0;
  Vector3d target = Vector3d::Zero();  ///< metres
  double stiffness = 0;                ///< N/m
};

class ProjectiveDynamics final : public Simulator {
 public:
  /// @param masses  one a vertex, kg, all above zero
  ProjectiveDynamics(const ProjectiveConstraints& constraints, const VectorXd& masses,
                     const ProjectiveDynamicsOptions& options = {});
  ProjectiveDynamics(const ProjectiveDynamics&) = delete;  // responses know where the solver stands
  ProjectiveDynamics& operator=(const ProjectiveDynamics&) = delete;

  StepReport step() override;
  const Trace& trace() const override { return trace_; }  ///< factorize, local, sum, global, contact
  std::string_view kind() const override { return "projective_dynamics"; }
  const Points& positions() override { return q_; }
  void positions_of(std::span<const int> vertices, Points& out) override;
  void velocities_of(std::span<const int> vertices, Points& out) override;
  void reactions_of(std::span<const int> vertices, Points& out) override;
  Measures measure() override;
  bool can_change_volume() const override { return has_volumes_; }

  // === Position constraints, added and removed while running
  int add_position(int vertex, const Vector3d& target, double stiffness);  ///< returns its id
  void move_position(int id, const Vector3d& target);
  void remove_position(int id);
  const std::vector<PositionConstraint>& position_constraints() const { return held_; }

  /// Eq. 2 in joules: before the first iteration of the last step, and after each. Empty unless recorded. Constant
  /// terms of fixed vertices are left out.
  std::span<const double> objective() const { return objective_; }

  const Points& rest_positions() const { return rest_; }
  const Triangles& surface_triangles() const { return triangles_; }  ///< of tets, or of a membrane
  const ProjectiveDynamicsOptions& options() const { return options_; }
  void set_iterations(int turns);  ///< local/global turns a step from now on, 1 to 10000

  Index factor_nonzeros() const { return cholesky_.factor_nonzeros(); }
  int factorizations() const { return factorizations_; }  ///< so far
  std::size_t memory_bytes() const;

 private:
  void write_state(StateWriter& writer) const override;
  void read_state(StateReader& reader) override;
  void motion_set(const Points& positions, const Points& velocities) override;

  void prepare();
  void mark_fixed();
  void factorize();
  void begin_points();
  void predict();
  void project(bool with_energy);
  void sum_right_hand_side();
  double move();
  double objective_now() const;
  Vector3d spring_force(Index vertex) const;
  Vector3d constraint_force(Index vertex) const;
  double constraint_energy() const;

  ProjectiveDynamicsOptions options_;
  VectorXd masses_;
  double total_mass_ = 0, extent_ = 1;
  bool has_volumes_ = false;
  std::variant<ProjectiveForces<double>, ProjectiveForces<float>> forces_;
  SparseMatrix stiffness_matrix_;  // Σ λ SᵀS
  Points rest_;
  Triangles triangles_;
  std::vector<int> surface_;  // vertices that may touch obstacles

  // The system of the global step, and what it was made for.
  SparseMatrix matrix_;
  SparseCholesky cholesky_;
  PanelSolver solver_;
  struct Key {
    double time_step = 0, stiffness = 0;
    std::vector<int> fixed;
    std::vector<std::pair<int, double>> held;
    bool operator==(const Key&) const = default;
  } key_, wanted_;
  int factorizations_ = 0;

  struct Pull {
    int vertex = 0;
    double stiffness = 0;
    Vector3d target = Vector3d::Zero();
  };
  std::vector<Pull> pulls_;  // of drags
  std::vector<int> pull_vertices_;
  VertexResponses responses_;  // of these, and of surface vertices that obstacles push
  ActivePoints points_;

  Points q_, v_, s_, start_, velocity_before_;
  double last_time_step_ = 1.0 / 60;  // of the step that made s_
  AlignedVector<double> change_;      // n x 4: right-hand side, then dq
  std::vector<double> longest_;       // way² of a vertex, chunk by chunk
  std::vector<char> is_fixed_;
  std::vector<int> touching_;  // surface vertices that are not fixed
  std::vector<PlacedObstacle> placed_;
  std::vector<VertexContact> contacts_;
  std::vector<PositionConstraint> held_;
  int next_held_ = 1;
  std::vector<double> objective_;
  Trace trace_;
};

}  // namespace pliant
