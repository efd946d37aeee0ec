#pragma once
// Hyper-reduced projective dynamics in time [Brandt et al. 2018, algorithm 2].
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "pliant/contact/projection.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/reduced/hrpd_engine.h"
#include "pliant/reduced/hrpd_exact.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

struct HrpdOptions {
  int iterations = 0;             ///< local/global turns a step, 1 to 10000; 0: as the model says
  double time_step = 1.0 / 60;    ///< seconds
  bool double_precision = false;  ///< inside the turns; twice as slow, to compare with
  /// How much of the projections is taken to be S s̃, s̃ being where the body would go by itself, before the rest is fitted;
  /// 0 (the paper) to below 1. Projections are nearly S x, and s̃ is nearly x: the fit then errs on a smaller remainder.
  /// Strain that the fit does not see is resisted by what is left to 1. Costs nothing: A⁻¹ K s̃ is needed anyway.
  double prediction = 0.6;
};

/// Nothing in a step depends on the size of the mesh. Vertices that are dragged, fixed while running or near obstacles are
/// pins: position constraints that are evaluated each, and enter the global step by the formula of Woodbury, so that they
/// come and go without a factorisation.
class Hrpd final : public Simulator {
 public:
  explicit Hrpd(std::shared_ptr<const HrpdModel> model, const HrpdOptions& options = {});

  /// StepReport::residual is how far coordinates moved in the last iteration, in box diagonals.
  StepReport step() override;
  const Trace& trace() const override { return trace_; }  ///< factorize, begin, local, global, pins, contact
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

  const HrpdModel& model() const { return *model_; }
  const HrpdOptions& options() const { return options_; }
  const MatrixXd& coordinates() const { return q_; }  ///< 4k x 3
  const MatrixXd& rates() const { return v_; }
  void set_coordinates(const MatrixXd& q, const MatrixXd& rates);
  void set_iterations(int turns);  ///< local/global turns a step from now on, 1 to 10000
  int factorizations() const { return factorizations_; }  ///< so far
  /// Vertices that were dragged, held or in contact in the last step.
  std::size_t pin_count() const { return pins_.size(); }
  std::size_t memory_bytes() const;

 private:
  /// A vertex that is pulled to a place.
  struct Pin {
    int vertex = 0;
    double stiffness = 0;                // N/m
    Vector3d target = Vector3d::Zero();  // of its displacement, metres
    Index contact = -1;                  // place among the contact vertices, where an obstacle is the reason
    Index response = -1;                 // column of responses_
  };

  void write_state(StateWriter& writer) const override;
  void read_state(StateReader& reader) override;
  void motion_set(const Points& positions, const Points& velocities) override;
  bool holds(int vertex) const override;

  void factorize();
  void predict();
  void choose_pins();
  void pull_pins();
  void correct_velocities();
  Vector3d displacement(int vertex, const MatrixXd& q) const;
  void add_at(int vertex, const Vector3d& value, MatrixXd& out) const;
  Index response(int vertex);
  double felt(int vertex, Index response) const;
  double coupling(const Pin& a, const Pin& b);
  void make_room(Index pins);
  void local_step();
  MatrixXd found_projections(std::size_t kind) const;

  std::shared_ptr<const HrpdModel> model_;
  HrpdOptions options_;
  double diagonal_ = 1, total_mass_ = 0, held_mass_ = 0;
  DenseCholesky mass_factor_, factor_;
  VectorXd ones_;           // the coordinates of moving all by one metre
  VectorXd momentum_row_;   // 4k: Uᵀ M 1
  MatrixXd stiffness_sum_;  // K of all kinds, 4k x 4k
  MatrixXd fitted_sum_;     // what of K s̃ is left to the fit (HrpdOptions::prediction)
  std::variant<HrpdEngine<float>, HrpdEngine<double>, HrpdExactEngine> engine_;
  int factorizations_ = 0;

  // === State
  MatrixXd q_, v_;

  // === The present step
  MatrixXd start_, start_rates_, target_, force_, before_last_;
  std::vector<Pin> pins_;
  std::vector<std::size_t> held_by_pins_;  // places in fixed_: those that the subspace could move
  // A⁻¹ u of vertices, made when they are first asked for after a factorisation.
  std::vector<std::pair<int, Index>> response_of_;  // vertex, column; ascending
  MatrixXd responses_;                              // 4k x (capacity)
  // Sized by how many pins there is room for; those of the present step stand at the beginning.
  MatrixXd coupling_, pin_matrix_, pin_gap_;
  // Between contact vertices (rows and columns as in the model): kept until the next factorisation, since those that touch
  // a floor are mostly those that touched it a step ago.
  MatrixXd contact_coupling_;
  std::vector<char> contact_coupled_;  // which columns are there
  VectorXd column_;
  DenseCholesky pin_factor_;
  std::vector<PlacedObstacle> placed_;
  std::vector<int> contact_rows_;  // 0, 1, ...: contact vertices as rows of the arrays below
  Points contact_start_, contact_now_, contact_before_, contact_velocities_;
  // Where obstacles held the vertices that touched them in the last step. Slip counts from there and not from where the
  // vertices came to stand, a little off: a body at rest would creep.
  Points contact_anchor_;
  std::vector<char> contact_touched_;
  std::vector<VertexContact> contacts_;
  Vector3d reaction_ = Vector3d::Zero();
  Points positions_;
  Trace trace_;
};

}  // namespace pliant
