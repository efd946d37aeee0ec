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

#include "pliant/contact/cone_sweeps.h"
#include "pliant/contact/point_system.h"
#include "pliant/contact/projection.h"

namespace pliant {

/// First what is asked of all of them in every turn, then what is asked of those that touch.
struct ActivePoint {
  Index row = 0;
  Index contact = -1;   ///< place among the contact vertices; -1: pulled to a place
  Index member = -1;    ///< place among those that push or are pulled; -1: none
  bool active = true;   ///< a contact: pushed in the last turn, or inside after it
  bool near = false;    ///< of an obstacle, before it is pushed
  bool looked = false;  ///< in this turn: `place` and `normal` are those of `here`
  bool slides = false;  ///< in the last turn: friction did not hold it
  /// No obstacle is nearer than `clear` to `seen`, metres. Distances change by no more than a point moves, so that one which has
  /// moved by less than that since it was looked at is outside still. (Which side of a mesh with holes it is on may change in between:
  /// the next step sees that.)
  double clear = 0;
  Vector3d seen = Vector3d::Zero();
  Vector3d here = Vector3d::Zero();    ///< before it is pulled
  Vector3d force = Vector3d::Zero();   ///< N
  Vector3d place = Vector3d::Zero();   ///< where it is pulled
  Vector3d normal = Vector3d::Zero();  ///< of a contact
  Vector3d start = Vector3d::Zero();   ///< where slip counts from
  double stiffness = 0;                ///< of what pulls, N/m
  double restitution = 0;
  double friction =
      0;  ///< most of the force along the surface, in what pushes; of a corner of obstacles no limit

  /// Whether it cannot have come to an obstacle on its way there.
  bool is_clear_at(const Vector3d& there) const {
    return clear > 0 && (there - seen).squaredNorm() < clear * clear;
  }
};

class ActivePoints {
 public:
  /// @param diagonal  of the body's box, metres
  /// @param softness  of contacts: how far they give way, in what their vertex alone would move
  ActivePoints(Index contacts, double diagonal, double softness);

  void reserve(Index points);          ///< takes the memory for so many
  void forget() { system_.forget(); }  ///< after the system has changed

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
  bool join(PointResponses& responses);
  double softness(const ActivePoint& point, double alone) const;
  void solve();
  bool release();
  void slide();
  bool take_pressed(const PointResponses& responses);
  bool settle(PointResponses& responses);

  double diagonal_, softness_;
  std::span<const PlacedObstacle> placed_;
  double time_step_ = 0;
  Index pushed_ = 0;
  std::vector<ActivePoint> points_;
  std::vector<Index> active_;  // places in points_, in the order of the system
  std::vector<Index> rows_;    // of these, while they are gathered
  bool joined_ = false;        // in this step: the system is that of points_
  double work_ = 0;            // in this step: multiplications for systems made anew
  Index pins_ = 0;             // of the points
  PointSystem system_;
  MatrixXd gap_, forces_;  // of the active points
  ConeSweeps cones_;
};

}  // namespace pliant
