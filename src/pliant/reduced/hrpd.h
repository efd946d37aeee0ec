#pragma once
// Hyper-reduced projective dynamics in time [Brandt et al. 2018, algorithm 2].
#include <memory>
#include <variant>
#include <vector>

#include "pliant/numerics/anderson.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/numerics/dissected_cholesky.h"
#include "pliant/reduced/hrpd_engine.h"
#include "pliant/reduced/hrpd_exact.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/reduced/hrpd_pins.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

struct HrpdOptions {
  int iterations = 0;             ///< local/global turns a step, 1 to 10000; 0: as the model says
  double time_step = 1.0 / 60;    ///< seconds
  bool double_precision = false;  ///< inside the turns; twice as slow, to compare with
  /// How much of the projections is taken to be S s̃, s̃ being where the body would go by itself, before the rest is fitted;
  /// 0 (the paper) to below 1. Projections are nearly S x, and s̃ is nearly x: the fit then errs on a smaller remainder.
  /// Strain that the fit does not see is resisted by what is left to 1. Costs next to nothing. Without
  /// meaning where samples have weights.
  double prediction = 0.6;
  /// Turns that Anderson's acceleration looks back at, 0 (none; the paper) to 8. The last turn of a step is a plain one.
  int acceleration = 3;
};

/// Nothing in a step depends on the size of the mesh. Vertices that are dragged, fixed while running or near obstacles are
/// pins (hrpd_pins.h): they come and go without a factorisation.
class Hrpd final : public Simulator {
 public:
  explicit Hrpd(std::shared_ptr<const HrpdModel> model, const HrpdOptions& options = {});
  Hrpd(const Hrpd&) = delete;  // pins know where the factor stands
  Hrpd& operator=(const Hrpd&) = delete;

  /// StepReport::residual is how far coordinates moved in the last iteration, in box diagonals.
  StepReport step() override;
  const Trace& trace() const override { return trace_; }  ///< factorize, begin, local, global, pins
  std::string_view kind() const override { return "hrpd"; }
  const Points& positions() override;
  void positions_of(std::span<const int> vertices, Points& out) override;
  void velocities_of(std::span<const int> vertices, Points& out) override;
  /// Of vertices that the subspace holds the model knows only the sum, from the balance of momentum: it is shared out
  /// by their masses.
  void reactions_of(std::span<const int> vertices, Points& out) override;
  /// The elastic energy is that of the fitted projections.
  Measures measure() override;
  bool can_change_volume() const override { return model_->can_change_volume; }

  /// Factor on the stiffness of one kind of constraints (a name as "tet_strain"), beside that on all: 1e-6 to 1e6. Only of
  /// models with a fit.
  void set_stiffness_of(std::string_view kind, double factor);
  double stiffness_of(std::string_view kind) const;

  const HrpdModel& model() const { return *model_; }
  const HrpdOptions& options() const { return options_; }
  const MatrixXd& coordinates() const { return q_; }  ///< 4k x 3
  const MatrixXd& rates() const { return v_; }
  void set_coordinates(const MatrixXd& q, const MatrixXd& rates);
  void set_iterations(int turns);  ///< local/global turns a step from now on, 1 to 10000
  int factorizations() const { return factorizations_; }  ///< so far
  /// Vertices that were dragged, held or pushed by an obstacle in the last step.
  std::size_t pin_count() const { return pinned_.size() + static_cast<std::size_t>(pins_.pushed()); }
  std::size_t memory_bytes() const;

 private:
  void write_state(StateWriter& writer) const override;
  void read_state(StateReader& reader) override;
  void motion_set(const Points& positions, const Points& velocities) override;
  bool holds(int vertex) const override;
  std::size_t most_held() const override;

  std::size_t kind_named(std::string_view name) const;
  void factorize();
  void predict();
  void begin_pins();
  void keep_center();
  Vector3d displacement(int vertex, const MatrixXd& q) const;
  void add_at(int vertex, const Vector3d& value, MatrixXd& out) const;
  void local_step(Team& team);
  MatrixXd found_projections(std::size_t kind) const;
  double sampled_energy(std::size_t kind);

  std::shared_ptr<const HrpdModel> model_;
  HrpdOptions options_;
  double diagonal_ = 1, total_mass_ = 0, held_mass_ = 0;
  DenseCholesky mass_factor_;
  DissectedCholesky factor_;  // of A
  VectorXd ones_;             // the coordinates of moving all by one metre
  VectorXd momentum_row_;     // 4k: Uᵀ M 1
  // Pieces of the body that nothing holds:
  std::vector<int> piece_of_;         // handles: connected pieces
  VectorXd free_translation_;         // 4k: as ones_, zero in pieces that are held
  VectorXd centered_row_;             // 4k: how far the centre of its piece goes
  VectorXd piece_shift_;              // by the last turn
  std::vector<double> kind_factors_;  // on the stiffness
  std::variant<HrpdEngine<float>, HrpdEngine<double>, HrpdExactEngine> engine_;
  int factorizations_ = 0;

  // === State
  MatrixXd q_, v_;

  // === The present step
  AndersonMixing mixing_;
  MatrixXd start_, start_rates_, target_, force_, turn_start_;
  VectorXd column_;
  HrpdPins pins_;
  std::vector<Pin> pinned_;                // by drags, then by being held
  std::vector<std::size_t> held_by_pins_;  // places in fixed_: those that the subspace could move
  std::vector<PlacedObstacle> placed_;
  Vector3d reaction_ = Vector3d::Zero();
  Points positions_;
  Trace trace_;
};

}  // namespace pliant
