#pragma once
// Points of a body that are pulled to places or pushed out of obstacles, each of which feels what is done to the others.
//
// A simulator that has solved its linear system without them asks here what forces they add: with C(i, j) how far point i
// moves with a unit of force at point j, forces f that bring the points to their places p from where they are, x, solve
//     (C + D) f = p - x,   D the softness of each point                                        [formula of Woodbury]
// so that points come and go without a factorisation of the system. Obstacles push and never pull: which of the points near
// them are pushed is settled by turns. Friction holds a contact where it was, with no more than Coulomb's part of its push: a law
// of forces, which is the same for a few points of a coarse body and for many of a fine one.
#include <span>
#include <vector>

#include "pliant/base/function_ref.h"
#include "pliant/contact/projection.h"
#include "pliant/numerics/dense_cholesky.h"

namespace pliant {

/// How points of a body answer forces. Points have numbers that stay the same from step to step ("rows").
class PointResponses {
 public:
  virtual ~PointResponses() = default;
  /// C(i, j) of these points for i >= j, m/N, into the lower triangle of `out`, which is large enough.
  virtual void compliance(std::span<const Index> rows, MatrixXd& out) = 0;
  /// Moves all points by what these forces do, N: one a row of `forces`, which may have more.
  virtual void push(std::span<const Index> rows, const MatrixXd& forces) = 0;
  virtual Vector3d moved(Index row) const = 0;  ///< by the last push, metres
};

struct ActivePoint {
  Index row = 0;
  Index contact = -1;                  ///< place among the contact vertices; -1: pulled to a place
  bool active = true;                  ///< a contact: pushed in the last turn, or inside after it
  bool near = false, inside = false;   ///< of an obstacle, before it is pushed
  bool looked = false;                 ///< in this turn: `place` and `normal` are those of `here`
  double stiffness = 0;                ///< of what pulls, N/m
  Vector3d start = Vector3d::Zero();   ///< where slip counts from
  Vector3d place = Vector3d::Zero();   ///< where it is pulled
  Vector3d here = Vector3d::Zero();    ///< before it is pulled
  Vector3d normal = Vector3d::Zero();  ///< of a contact
  Vector3d force = Vector3d::Zero();   ///< N
  double restitution = 0;
  double friction =
      0;  ///< most of the force along the surface, in what pushes; of a corner of obstacles no limit
  bool slides = false;  ///< in the last turn: friction did not hold it
  /// No obstacle is nearer than `clear` to `seen`, metres. Distances change by no more than a point moves, so that one which has
  /// moved by less than that since it was looked at is outside still. (Which side of a mesh with holes it is on may change in between:
  /// the next step sees that.)
  Vector3d seen = Vector3d::Zero();
  double clear = 0;
};

class ActivePoints {
 public:
  /// @param diagonal  of the body's box, metres
  /// @param softness  of contacts: how far they give way, in what their vertex alone would move
  ActivePoints(Index contacts, double diagonal, double softness);

  void reserve(Index points);           ///< takes the memory for so many
  void forget() { factored_.clear(); }  ///< after the system has changed

  // === A step
  /// @param placed  obstacles at the end of the step; must stay until the next begin
  void begin(std::span<const PlacedObstacle> placed, double time_step);
  void add_pin(Index row, double stiffness, const Vector3d& place);
  /// @param goes_to  where the vertex would be without forces; only those near an obstacle there, or held by one before, count
  /// @param start    where it is at the beginning of the step; asked of these only
  void add_contact(Index row, Index contact, const Vector3d& goes_to, FunctionRef<Vector3d()> start);
  /// Of a contact vertex that is not added in this step.
  void leave_out(Index contact) { touched[static_cast<std::size_t>(contact)] = 0; }
  std::vector<ActivePoint>& points() { return points_; }
  const std::vector<ActivePoint>& points() const { return points_; }

  /// In every turn, `here` of all points being set: forces, and what they move by a last `responses.push`. False where there
  /// are none.
  bool pull(PointResponses& responses);
  /// After the turns: vertices that came upon an obstacle with restitution leave it with a part of their speed. Forces are
  /// impulses then; false where there are none.
  bool bounce(PointResponses& responses, FunctionRef<Vector3d(Index)> velocity_before,
              FunctionRef<Vector3d(Index)> velocity);

  Index pushed() const { return pushed_; }  ///< contacts that an obstacle pushed in the last turn

  /// Where contact vertices were held in the last step, which the next one counts slip from: part of the state.
  Points anchors;             ///< a row a contact vertex
  std::vector<char> touched;  ///< which of them

 private:
  bool look(ActivePoint& point) const;
  void look_at_all();
  bool factorize(PointResponses& responses);
  void solve();
  bool release();
  void slide();
  bool take_pressed(const PointResponses& responses);
  bool settle(PointResponses& responses);

  double diagonal_, softness_;
  std::span<const PlacedObstacle> placed_;
  double time_step_ = 0;
  bool first_turn_ = true;
  Index pushed_ = 0;
  std::vector<ActivePoint> points_;
  std::vector<Index> active_;           // places in points_
  std::vector<Index> rows_, factored_;  // of the active points, and of those that `small_` is of
  bool factored_pins_ = false;          // are among these
  MatrixXd matrix_, gap_, forces_;      // of the active points
  DenseCholesky small_;
};

}  // namespace pliant
