#pragma once
// A body in full space, moved by Newton's method: every other simulator is measured against this one.
#include <memory>
#include <string_view>

#include "pliant/fullspace/incremental_potential.h"
#include "pliant/numerics/pcg.h"
#include "pliant/numerics/sparse_cholesky.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

enum class TimeScheme {
  implicit_euler,  ///< first order, damps fast vibration, never gains energy where the energy is convex
  newmark,         ///< average acceleration: second order, keeps the energy of linear bodies
  quasi_static,    ///< equilibrium under the present forces; velocities are zero
};

enum class LinearSolver {
  automatic,  ///< Cholesky up to `largest_cholesky` vertices, above conjugate gradients, as long as they are quick
  cholesky,
  pcg,
};

/// By their names, spelled as here; an InputError for any other word.
TimeScheme time_scheme(std::string_view name);
LinearSolver linear_solver(std::string_view name);
std::string_view name_of(LinearSolver solver);

struct NewtonOptions {
  TimeScheme scheme = TimeScheme::implicit_euler;
  double time_step = 1.0 / 60;  ///< seconds
  int max_iterations = 30;      ///< of Newton a step, 1 to 10000
  double tolerance = 1e-7;  ///< a step ends once no vertex moves further in an iteration, in box diagonals
  int iterations = 0;       ///< if positive: exactly so many, each a full step, without line search or test
  LinearSolver solver = LinearSolver::automatic;
  Index largest_cholesky = 8000;  ///< vertices; ten times as many in statics and where gradients are slow
  double pcg_tolerance = 1e-6;    ///< relative residual of a linear system
  double contact_stiffness = 10;  ///< of obstacles, in the body's own stiffness at a vertex
};

class NewtonSimulator final : public Simulator {
 public:
  explicit NewtonSimulator(std::shared_ptr<const Body> body, const NewtonOptions& options = {});
  explicit NewtonSimulator(const Body& body, const NewtonOptions& options = {})
      : NewtonSimulator(std::make_shared<const Body>(body), options) {}

  /// StepReport::residual is the last movement of an iteration in box diagonals.
  StepReport step() override;
  const Trace& trace() const override { return trace_; }  ///< analyze, assembly, factorize, solve, energy
  std::string_view kind() const override { return "newton"; }
  const Points& positions() override { return x_; }
  void positions_of(std::span<const int> vertices, Points& out) override;
  void velocities_of(std::span<const int> vertices, Points& out) override;
  void reactions_of(std::span<const int> vertices, Points& out) override;
  Measures measure() override;

  /// Vertices pulled towards places, beside those that are dragged, from the next step on.
  void set_springs(std::vector<Spring> springs);

  const Body& body() const { return potential_.body(); }
  const NewtonOptions& options() const { return options_; }
  LinearSolver solver() const { return solver_; }  ///< cholesky or pcg
  Index factor_nonzeros() const { return cholesky_.factor_nonzeros(); }

 private:
  void write_state(StateWriter& writer) const override;
  void read_state(StateReader& reader) override;
  void motion_set(const Points& positions, const Points& velocities) override;

  void prepare();
  void begin_step();
  void choose_start();
  bool solve();
  bool find_direction();
  double search_line(const IncrementalPotential::Value& here, double movement);
  void finish_motion();

  NewtonOptions options_;
  LinearSolver solver_;
  IncrementalPotential potential_;
  double diagonal_ = 1;       // of the rest box, metres
  VectorXd local_stiffness_;  // what each vertex alone resists at rest, N/m
  std::vector<int> surface_;
  std::vector<Spring> springs_;
  Points x_, v_;
  Points trial_, gradient_, direction_, work_;
  SymmetricBlocks A_;
  SparseMatrix lower_;  // A_ for Cholesky
  SparseCholesky cholesky_;
  Pcg pcg_;
  Projection projection_ = Projection::none;  // of the present step
  bool may_change_solver_ = false;            // to Cholesky, where conjugate gradients turn out slow
  bool analyzed_ = false, stepped_ = false;
  Trace trace_;
};

}  // namespace pliant
