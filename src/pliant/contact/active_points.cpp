#include "pliant/contact/active_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

/// Contact vertices so near to an obstacle, in box diagonals, are looked at in every turn.
constexpr double near_obstacle = 0.02;
/// Contacts so deep inside, in box diagonals, are as good as outside.
constexpr double slack = 1e-5;
/// In a turn so many times contacts are let go or taken. Few turns have more than two; but where a step has only one or two turns, all of
/// it must be settled there.
constexpr int rounds = 16;
/// Once systems that were made anew in a step add up to so many multiplications (a thousand points to some 1e9), every further turn has one
/// round: obstacles that contradict each other would have hundreds, and settle nothing.
constexpr double most_work = 4e9;
/// In a round so many times each that slides is asked again; the next turn goes on from there.
constexpr int sweeps = 8;
/// Changes of forces, in the largest of them, that are as good as none.
constexpr double settled = 1e-4;
/// And those of one force that others need not hear of.
constexpr double unchanged = 1e-10;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ActivePoints::ActivePoints(Index contacts, double diagonal, double softness)
    : diagonal_(diagonal), softness_(softness) {
  anchors.setZero(contacts, 3);
  touched.assign(at(contacts), 0);
}

void ActivePoints::reserve(Index points) {
  points_.reserve(at(points));
  for (auto* v : {&active_, &rows_}) v->reserve(at(points));
  cones_.reserve(points);
  for (MatrixXd* m : {&gap_, &forces_}) m->resize(points, 3);
  system_.reserve(points);
}

void ActivePoints::begin(std::span<const PlacedObstacle> placed, double time_step) {
  placed_ = placed;
  time_step_ = time_step;
  points_.clear();
  active_.clear();
  joined_ = false;
  work_ = 0;
  // Contacts answer as they did in the last step; pins may be others in the same rows, or of another stiffness.
  if (pins_ > 0) system_.forget();
  pins_ = 0;
  pushed_ = 0;
  if (placed.empty()) std::fill(touched.begin(), touched.end(), 0);
}

void ActivePoints::add_pin(Index row, double stiffness, const Vector3d& place) {
  points_.push_back({.row = row, .place = place, .stiffness = stiffness});
  system_.forget();  // which may have a contact in the row of this pin
  ++pins_;
}

void ActivePoints::add_contact(Index row, Index contact, const Vector3d& goes_to,
                               FunctionRef<Vector3d()> start) {
  const bool held = touched[at(contact)] != 0;
  touched[at(contact)] = 0;
  const double reach = near_obstacle * diagonal_;
  bool near = held;
  double clear = reach;
  Contact found;
  for (const PlacedObstacle& obstacle : placed_)
    if (contact_within(obstacle, goes_to, reach, found)) {
      near = true;
      clear = std::min(clear, found.distance);
    }
  if (!near) return;
  points_.push_back({.row = row,
                     .contact = contact,
                     .active = held,
                     .clear = clear,
                     .seen = goes_to,
                     .start = held ? Vector3d(anchors.row(contact)) : start()});
}

/// Where the nearest obstacle wants a contact vertex, be it inside or outside: at its surface, and where it was before. False
/// where none is near.
bool ActivePoints::look(ActivePoint& point) const {
  point.looked = true;
  double nearest = 2 * near_obstacle * diagonal_;
  int around = 0;  // obstacles that it is in
  bool near = false;
  for (const PlacedObstacle& obstacle : placed_) {
    Contact contact;
    if (!contact_within(obstacle, point.here, std::max(nearest, 0.0), contact)) continue;
    if (contact.distance < 0) ++around;
    if (near && contact.distance >= nearest) continue;
    near = true;
    nearest = contact.distance;
    const Vector3d motion = point.here - point.start - time_step_ * contact.velocity;
    point.place = point.here - motion + (contact.normal.dot(motion) - contact.distance) * contact.normal;
    point.normal = contact.normal;
    point.friction = obstacle.obstacle->friction;
    point.restitution = obstacle.obstacle->restitution;
  }
  point.seen = point.here;
  point.clear = nearest;
  if (around < 2) return near;
  // In a corner pushes have several normals: there the way out is found by each in turn, with friction by depth.
  point.place = point.here;
  const VertexContact found = move_outside(placed_, point.start, time_step_, point.place);
  point.normal = found.normal;
  point.friction = infinity;
  point.restitution = placed_[static_cast<std::size_t>(found.obstacle)].obstacle->restitution;
  return true;
}

/// Those that are not pushed and cannot have come to an obstacle are left as they are.
void ActivePoints::look_at_all() {
  for (ActivePoint& point : points_) {
    if (point.contact < 0) continue;
    point.looked = false;
    point.near = (!point.active && point.is_clear_at(point.here)) || look(point);
    if (!point.near) point.active = false;
  }
}

double ActivePoints::softness(const ActivePoint& point, double alone) const {
  return point.contact < 0 ? 1 / std::max(point.stiffness, 1e-300) + 1e-12 * alone : softness_ * alone;
}

/// Makes the system that of the active points. In the first turn of a step it is made anew, so that a step depends on nothing but
/// the state, to the last bit; after that points come and go.
bool ActivePoints::join(PointResponses& responses) {
  Index gone = 0, come = 0;
  for (const ActivePoint& point : points_) {
    gone += !point.active && point.member >= 0;
    come += point.active && point.member < 0;
  }
  if (joined_ && gone == 0 && come == 0) return true;
  if (joined_ && 2 * (gone + come) <= system_.size() && system_.can_change(come)) {
    for (Index i = std::ssize(active_) - 1; i >= 0 && gone > 0; --i) {
      ActivePoint& leaves = points_[at(active_[at(i)])];
      if (leaves.active) continue;
      system_.remove(i);
      active_[at(i)] = active_.back();
      active_.pop_back();
      if (i < std::ssize(active_)) points_[at(active_[at(i)])].member = i;
      leaves.member = -1;
      --gone;
    }
    for (std::size_t p = 0; p < points_.size() && come > 0; ++p) {
      ActivePoint& point = points_[p];
      if (!point.active || point.member >= 0) continue;
      if (!system_.add(responses, point.row, [&](Index, double alone) { return softness(point, alone); }))
        return joined_ = false;
      point.member = std::ssize(active_);
      active_.push_back(static_cast<Index>(p));
      --come;
    }
  } else {
    active_.clear();
    rows_.clear();
    for (std::size_t p = 0; p < points_.size(); ++p) {
      points_[p].member = points_[p].active ? std::ssize(active_) : -1;
      if (!points_[p].active) continue;
      active_.push_back(static_cast<Index>(p));
      rows_.push_back(points_[p].row);
    }
    const auto count = static_cast<double>(rows_.size());
    work_ += count * count * count;
    joined_ = system_.assign(responses, rows_, pins_ == 0, [&](Index place, double alone) {
      return softness(points_[at(active_[at(place)])], alone);
    });
  }
  if (std::ssize(active_) > gap_.rows()) reserve(std::max<Index>(std::ssize(active_), 2 * gap_.rows()));
  return joined_;
}

void ActivePoints::solve() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const ActivePoint& point = points_[at(active_[i])];
    gap_.row(static_cast<Index>(i)) = (point.place - point.here).transpose();
  }
  system_.solve(gap_, forces_);
}

/// Lets go those that an obstacle would have to pull; whether there were any.
bool ActivePoints::release() {
  bool any = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ActivePoint& point = points_[at(active_[i])];
    if (point.contact < 0 || forces_.row(static_cast<Index>(i)).dot(point.normal) >= 0) continue;
    point.active = false;
    any = true;
  }
  return any;
}

/// The forces are those that hold every contact where it was. Where that takes more than friction gives, contacts slide
/// (cone_sweeps.h), and pins, which come first, hold what they held before: they are thousands of times as stiff as the body, so that
/// sweeps over them would take thousands.
void ActivePoints::slide() {
  const Index count = std::ssize(active_) - pins_;
  cones_.resize(count);
  const auto row = [&](AlignedVector<double>& rows, Index i) {
    return Eigen::Map<Vector3d, 0, Eigen::InnerStride<>>(rows.data() + i,
                                                         Eigen::InnerStride<>(cones_.stride));
  };
  // === From where the last turn has left those that slid
  double largest = 0;
  bool any = false;
  for (Index i = 0; i < count; ++i) {
    const ActivePoint& point = points_[at(active_[at(pins_ + i)])];
    Vector3d force = forces_.row(pins_ + i).transpose();
    row(cones_.normals, i) = point.normal;
    cones_.friction[at(i)] = point.active ? point.friction : ConeSweeps::absent;
    if (!point.active) {
      force.setZero();
      any = any || pins_ > 0;  // which then hold what it held
    } else {
      largest = std::max(largest, force.squaredNorm());
      const double push = std::max(0.0, force.dot(point.normal)), most = point.friction * push;
      Vector3d along = point.slides ? point.force : force;
      along -= along.dot(point.normal) * point.normal;
      const bool pulled = push <= 0, beyond_cone = along.squaredNorm() > most * most;
      any = any || point.slides || pulled || beyond_cone;
      if (beyond_cone) along *= most / along.norm();
      if (pulled)
        force.setZero();
      else if (point.slides || beyond_cone)
        force = push * point.normal + along;
    }
    row(cones_.forces, i) = force;
  }
  // === What each does to the others
  if (any && (pins_ == 0 || system_.eliminate(pins_))) {
    system_.beyond(cones_.forces.data(), gap_, cones_.beyond.data(), cones_.stride);
    sweep_cones(system_.matrix(), system_.stride(), std::sqrt(largest), settled, unchanged, sweeps, cones_);
    if (pins_ > 0) {
      for (Index i = 0; i < count; ++i)
        row(cones_.beyond, i) = row(cones_.forces, i) - forces_.row(pins_ + i).transpose();
      system_.follow(cones_.beyond.data(), cones_.stride, forces_);
    }
  }
  for (Index i = 0; i < count; ++i) {
    ActivePoint& point = points_[at(active_[at(pins_ + i)])];
    const Vector3d force = row(cones_.forces, i);
    forces_.row(pins_ + i) = force.transpose();
    const double push = force.dot(point.normal);
    point.slides = any && point.active && push > 0 &&
                   (force - push * point.normal).norm() >= (1 - 1e-9) * point.friction * push;
  }
}

/// Takes those that are inside after all pushes; whether there were any.
bool ActivePoints::take_pressed(const PointResponses& responses) {
  bool any = false;
  for (ActivePoint& point : points_) {
    if (point.contact < 0 || point.active || !point.near) continue;
    const Vector3d after = active_.empty() ? point.here : Vector3d(point.here + responses.moved(point.row));
    if (point.is_clear_at(after)) continue;
    Contact contact;
    for (const PlacedObstacle& obstacle : placed_)
      if (contact_within(obstacle, after, 0, contact) && contact.distance < -slack * diagonal_)
        point.active = true;
    if (point.active && !point.looked) point.active = point.near = look(point);
    any = any || point.active;
  }
  return any;
}

/// Which contacts are pushed, and how hard: those that would be pulled are let go, and those that are inside taken, by
/// turns. What is not settled after some rounds is in the next turn.
bool ActivePoints::settle(PointResponses& responses) {
  for (int round = 0;; ++round) {
    const auto has_more = [&] { return round < rounds && work_ < most_work; };
    if (!join(responses)) {  // not finite: nothing to pull with
      active_.clear();
      return false;
    }
    if (!active_.empty()) {
      solve();
      if (release() && has_more()) continue;  // the others push in their place
      slide();
      responses.push(system_.rows(), forces_);
    }
    if (!take_pressed(responses) || !has_more()) return !active_.empty();
  }
}

bool ActivePoints::pull(PointResponses& responses) {
  if (points_.empty()) return false;
  look_at_all();
  const bool any = settle(responses);
  for (ActivePoint& point : points_) point.force.setZero();
  for (std::size_t i = 0; i < active_.size(); ++i)
    points_[at(active_[i])].force = forces_.row(static_cast<Index>(i)).transpose();
  pushed_ = 0;
  for (const ActivePoint& point : points_) {
    if (point.contact < 0) continue;
    const bool pushes = point.force.dot(point.normal) > 0;
    touched[at(point.contact)] = pushes;
    if (!pushes) continue;
    ++pushed_;
    // Those that slide are held from where they have come to.
    const Vector3d left = point.slides ? Vector3d(point.place - point.here - responses.moved(point.row))
                                       : Vector3d(Vector3d::Zero());
    anchors.row(point.contact) = (point.place - left + left.dot(point.normal) * point.normal).transpose();
  }
  return any;
}

bool ActivePoints::bounce(PointResponses& responses, FunctionRef<Vector3d(Index)> velocity_before,
                          FunctionRef<Vector3d(Index)> velocity) {
  active_.clear();
  rows_.clear();
  // Pins stay as they are.
  for (Index p = 0; p < pins_; ++p) {
    gap_.row(p).setZero();
    active_.push_back(p);
    rows_.push_back(points_[at(p)].row);
  }
  for (std::size_t p = at(pins_); p < points_.size(); ++p) {
    const ActivePoint& point = points_[p];
    if (!touched[at(point.contact)] || !(point.restitution > 0)) continue;
    Vector3d obstacle_velocity = Vector3d::Zero();
    double nearest = near_obstacle * diagonal_;
    for (const PlacedObstacle& obstacle : placed_) {
      Contact contact;
      if (!contact_within(obstacle, point.place, nearest, contact)) continue;
      nearest = contact.distance;
      obstacle_velocity = contact.velocity;
    }
    const double coming = point.normal.dot(velocity_before(point.row) - obstacle_velocity);
    const double leaving = point.normal.dot(velocity(point.row) - obstacle_velocity);
    const double change = -point.restitution * coming - leaving;
    if (coming >= 0 || change <= 0) continue;
    gap_.row(static_cast<Index>(active_.size())) = change * point.normal.transpose();
    active_.push_back(static_cast<Index>(p));
    rows_.push_back(point.row);
  }
  if (std::ssize(active_) == pins_) return false;
  // Contact vertices may not determine every degree of freedom.
  system_.forget();
  const bool finite = system_.assign(responses, rows_, pins_ == 0, [&](Index place, double alone) {
    return place < pins_ ? softness(points_[at(place)], alone) : 0.1 * alone;
  });
  if (finite) {
    system_.solve(gap_, forces_);
    responses.push(rows_, forces_);
  }
  system_.forget();
  return finite;
}

}  // namespace pliant
