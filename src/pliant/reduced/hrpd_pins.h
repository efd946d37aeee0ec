#pragma once
// Vertices of a hyper-reduced body that are pulled to places or pushed out of obstacles, each evaluated by itself.
#include <utility>
#include <vector>

#include "pliant/contact/projection.h"
#include "pliant/numerics/dense_cholesky.h"
#include "pliant/reduced/hrpd_model.h"

namespace pliant {

/// A vertex that is pulled to a place.
struct Pin {
  int vertex = 0;
  double stiffness = 0;               ///< N/m
  Vector3d place = Vector3d::Zero();  ///< metres
};

/// Pins enter the global step by the formula of Woodbury, so that they come and go without a factorisation: with u the row
/// of U at a vertex, a force there moves the body by A⁻¹ u, and vertices feel each other by uᵀ A⁻¹ u. Contact vertices that
/// an obstacle pushes are pins that cannot pull: which of them are pushed is settled from turn to turn.
class HrpdPins {
 public:
  explicit HrpdPins(const HrpdModel& model);

  /// After a factorisation: what was known of A⁻¹ is forgotten. Keeps a reference.
  void set_factor(const DenseCholesky& factor);

  /// Before the turns of a step.
  /// @param pins    of drags and vertices held while running
  /// @param placed  obstacles at the end of the step; must stay until `finish`
  /// @param start, target  coordinates at the beginning, and where the body would be without forces, 4k x 3
  void begin(const std::vector<Pin>& pins, std::span<const PlacedObstacle> placed, double time_step,
             const MatrixXd& start, const MatrixXd& target);
  /// Moves coordinates of a global step by what pins and obstacles add to it.
  void pull(MatrixXd& q);
  /// After the turns: vertices that came upon an obstacle with restitution leave it with a part of their speed.
  void bounce(const MatrixXd& rates_before, MatrixXd& rates);

  /// The force of a pin given to `begin`, after the last turn, N.
  Vector3d force(std::size_t pin) const { return force_.row(static_cast<Index>(pin)); }
  Index pushed() const { return pushed_; }  ///< contact vertices that an obstacle pushed in the last turn
  bool empty() const { return points_.empty(); }

  /// Where contact vertices were held in the last step, which the next one counts slip from: part of the state.
  Points anchors;             ///< a row a contact vertex
  std::vector<char> touched;  ///< which of them

 private:
  /// A pin or a contact vertex near an obstacle, in the present step.
  struct Point {
    Index row = 0;                       // of the tables
    Index contact = -1;                  // place among the contact vertices
    bool active = true;                  // a contact: pushed in the last turn, or inside after it
    bool near = false, inside = false;   // of an obstacle, before it is pulled
    double stiffness = 0;                // N/m
    Vector3d start = Vector3d::Zero();   // where slip counts from
    Vector3d place = Vector3d::Zero();   // where it is pulled
    Vector3d here = Vector3d::Zero();    // before it is pulled
    Vector3d normal = Vector3d::Zero();  // of a contact
    double restitution = 0;
  };

  Index row_of(int vertex);
  void add_row(int vertex);
  Vector3d displacement(Index row, const MatrixXd& q) const;
  void respond();
  double felt(Index row, Index by);
  bool look(Point& point);
  bool factorize_active();
  void solve_active();
  bool release();
  bool take_pressed();
  void shift();
  void settle();

  const HrpdModel& model_;
  const DenseCholesky* factor_ = nullptr;
  double diagonal_ = 1;

  // === What is known of vertices, a row each: the contact vertices first, then others as they are pinned
  std::vector<int> vertex_;
  std::vector<std::pair<int, Index>> row_of_;  // vertex, row; ascending
  std::vector<Index> first_ = {0};             // entries of a row: first_[row] to first_[row + 1] - 1
  std::vector<Index> handle_row_;              // of q
  std::vector<Eigen::Vector4d> columns_;       // of U there
  MatrixXd responses_;                         // 4k x rows
  std::vector<char> responded_;                // which of them are there
  MatrixXd felt_;   // rows x rows, upper triangle; not a number where it is not known
  MatrixXd batch_;  // of responses that are being solved for
  std::vector<Index> batch_rows_;

  // === The present step
  std::span<const PlacedObstacle> placed_;
  double time_step_ = 0;
  bool first_turn_ = true;
  std::size_t pin_count_ = 0;  // those before the contacts
  std::vector<Point> points_;
  std::vector<Index> active_, factored_, bouncing_;  // places in points_
  std::vector<Index> columns_moved_;                 // of responses_
  MatrixXd matrix_, gap_;                            // of the active points
  Points force_;                                     // of all points
  MatrixXd shift_;                                   // 4k x 3
  DenseCholesky small_;
  Index pushed_ = 0;
};

}  // namespace pliant
