#pragma once
// Vertices of a hyper-reduced body that are pulled to places or pushed out of obstacles, each evaluated by itself.
#include <utility>
#include <vector>

#include "pliant/base/team.h"
#include "pliant/contact/active_points.h"
#include "pliant/numerics/inverse_factor.h"
#include "pliant/reduced/hrpd_model.h"
#include "pliant/reduced/local_coordinates.h"

namespace pliant {

/// A vertex that is pulled to a place.
struct Pin {
  int vertex = 0;
  double stiffness = 0;               ///< N/m
  Vector3d place = Vector3d::Zero();  ///< metres
};

/// The points themselves, and how they settle, are in contact/active_points.h; here is how they move with the coordinates: with
/// u the row of U at a vertex, a force there moves the body by A⁻¹ u, and vertices feel each other by uᵀ A⁻¹ u.
class HrpdPins final : private PointResponses {
 public:
  explicit HrpdPins(const HrpdModel& model);
  void set_constant(const VectorXd& constant);  ///< see LocalCoordinates

  /// After a factorisation: what was known of A⁻¹ is forgotten. Keeps references.
  /// @param inverse  A⁻¹ of the same, if there is one: faster
  /// @param precise  everything in double precision, to compare with
  void set_factor(const DissectedCholesky& factor, InverseFactor<float>* inverse, bool precise);

  /// Before the turns of a step.
  /// @param pins    of drags and vertices held while running
  /// @param placed  obstacles at the end of the step; must stay until the next one
  /// @param start, target  coordinates at the beginning, and where the body would be without forces, 4k x 3
  void begin(const std::vector<Pin>& pins, std::span<const PlacedObstacle> placed, double time_step,
             const MatrixXd& start, const MatrixXd& target);
  /// Moves coordinates of a global step by what pins and obstacles add to it.
  void pull(Team& team, MatrixXd& q);
  /// After the turns: vertices that came upon an obstacle with restitution leave it with a part of their speed.
  void bounce(Team& team, const MatrixXd& rates_before, MatrixXd& rates);

  /// The force of a pin given to `begin`, after the last turn, N.
  const Vector3d& force(std::size_t pin) const { return points_.points()[pin].force; }
  Index pushed() const {
    return points_.pushed();
  }  ///< contact vertices that an obstacle pushed in the last turn
  bool empty() const { return points_.points().empty(); }
  ActivePoints& points() { return points_; }
  const ActivePoints& points() const { return points_; }

 private:
  void prepare(std::span<const Index> rows) override;
  void compliance(Index row, std::span<const Index> others, double* out) override;
  void push(std::span<const Index> rows, const MatrixXd& forces) override;
  Vector3d moved(Index row) const override;

  Index row_of(int vertex);
  void add_row(int vertex);
  Vector3d displacement(Index row, const MatrixXd& q) const;
  void respond_batch(Index count);
  double felt(Index row, Index by);

  const HrpdModel& model_;
  const Vector3d center_;  // of the rest shape, which may be far away: single precision counts from there
  const DissectedCholesky* factor_ = nullptr;
  InverseFactor<float>* inverse_ = nullptr;

  // === What is known of vertices, a row each: the contact vertices first, then others as they are pinned
  std::vector<int> vertex_;
  std::vector<std::pair<int, Index>> row_of_;  // vertex, row; ascending
  std::vector<Index> first_ = {0};             // entries of a row: first_[row] to first_[row + 1] - 1
  std::vector<Index> handle_row_;              // of q
  std::vector<Eigen::Vector4d> columns_;       // of U there
  std::vector<char> is_moved_;                 // contact vertices: by the subspace
  Eigen::MatrixXf responses_;                  // 4k x rows
  MatrixXd precise_responses_;                 // in their place, where asked for
  bool precise_ = false;
  std::vector<char> responded_;  // which of them are there
  MatrixXd felt_;                // rows x rows; not a number where it is not known
  MatrixXd batch_;               // of responses that are being solved for
  AlignedVector<double> workspace_;
  AlignedVector<float> three_, moved_;  // the same, three at a time
  std::vector<Index> batch_rows_;

  ActivePoints points_;
  MatrixXd shift_;  // 4k x 3: by the last push
  // === Where contact vertices are: eight at once, in SIMD
  struct ContactPlaces {
    LocalCoordinates<float> q;
    AlignedVector<float> lines;    // from the origin of q on
    const MatrixXd* at = nullptr;  // the coordinates
  };
  void look_at_contacts(const MatrixXd& q, ContactPlaces& places);
  Vector3d contact_place(Index row, const ContactPlaces& places) const;
  SampledEvaluator<float> contact_lines_;
  ContactPlaces before_, now_;  // at the beginning of the step, and at present
  LocalCoordinates<float> shift_q_;
  AlignedVector<float> contact_moves_;  // by the last push
  std::vector<Index> groups_;           // that are looked at: those with a vertex that may touch an obstacle
  Team* team_ = nullptr;                // of the present call
};

}  // namespace pliant
