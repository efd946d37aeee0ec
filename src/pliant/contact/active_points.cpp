#include "pliant/contact/active_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/numerics/thin_product.h"

namespace pliant {
namespace {

/// Contact vertices so near to an obstacle, in box diagonals, are looked at in every turn.
constexpr double near_obstacle = 0.02;
/// Contacts so deep inside, in box diagonals, are as good as outside.
constexpr double slack = 1e-5;
/// In a turn so many times contacts are let go and taken.
constexpr int rounds = 3;
/// In a round so many times each that slides is asked again; the next turn goes on from there.
constexpr int sweeps = 8;
/// Changes of forces, in the largest of them, that are as good as none.
constexpr double settled = 1e-4;
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
  for (auto* v : {&active_, &factored_, &rows_}) v->reserve(at(points));
  matrix_.resize(points, points);
  gap_.resize(points, 3);
  forces_.resize(points, 3);
  small_.reserve(points);
}

void ActivePoints::begin(std::span<const PlacedObstacle> placed, double time_step) {
  placed_ = placed;
  time_step_ = time_step;
  points_.clear();
  // Contacts answer as they did in the last step; pins may be others in the same rows.
  if (factored_pins_) factored_.clear();
  first_turn_ = true;
  pushed_ = 0;
  if (placed.empty()) std::fill(touched.begin(), touched.end(), 0);
}

void ActivePoints::add_pin(Index row, double stiffness, const Vector3d& place) {
  points_.push_back({.row = row, .stiffness = stiffness, .place = place});
  factored_.clear();  // which may have a contact in the row of this pin
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
                     .start = held ? Vector3d(anchors.row(contact)) : start(),
                     .seen = goes_to,
                     .clear = clear});
}

/// Where the nearest obstacle wants a contact vertex, be it inside or outside: at its surface, and where it was before. False
/// where none is near.
bool ActivePoints::look(ActivePoint& point) const {
  point.looked = true;
  point.inside = false;
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
  point.inside = around > 0;
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
    if (!point.active && (point.here - point.seen).norm() < point.clear) {
      point.near = true;
      point.inside = false;
      continue;
    }
    point.near = look(point);
    if (!point.near) point.active = false;
    if (first_turn_ && point.inside) point.active = true;
  }
}

bool ActivePoints::factorize(PointResponses& responses) {
  if (rows_ == factored_) return true;
  const Index count = static_cast<Index>(active_.size());
  if (count > matrix_.rows()) reserve(std::max(count, 2 * matrix_.rows()));
  responses.compliance(rows_, matrix_);
  factored_pins_ = false;
  for (Index j = 0; j < count; ++j) {
    const ActivePoint& point = points_[at(active_[at(j)])];
    factored_pins_ = factored_pins_ || point.contact < 0;
    const double alone = matrix_(j, j);
    matrix_(j, j) +=
        point.contact < 0 ? 1 / std::max(point.stiffness, 1e-300) + 1e-12 * alone : softness_ * alone;
    // Columns are read from end to end while points slide.
    for (Index i = j + 1; i < count; ++i) matrix_(j, i) = matrix_(i, j);
  }
  factored_ = rows_;
  return small_.factorize(matrix_.topLeftCorner(count, count));
}

void ActivePoints::solve() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const ActivePoint& point = points_[at(active_[i])];
    gap_.row(static_cast<Index>(i)) = (point.place - point.here).transpose();
  }
  forces_.topRows(static_cast<Index>(active_.size())) = gap_.topRows(static_cast<Index>(active_.size()));
  small_.solve(forces_.data(), 3, forces_.rows());
}

/// Lets go those that an obstacle would have to pull; whether there were any. They do nothing then.
bool ActivePoints::release() {
  bool any = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    ActivePoint& point = points_[at(active_[i])];
    if (point.contact < 0 || forces_.row(static_cast<Index>(i)).dot(point.normal) >= 0) continue;
    point.active = false;
    forces_.row(static_cast<Index>(i)).setZero();
    any = true;
  }
  return any;
}

/// The forces are those that hold every contact where it was. Where that takes more than friction gives, contacts slide: forces
/// are brought into Coulomb's cones, one point after the other, each time asking what is left of its gap
///     f_i <- cone(f_i + (p - x - (C + D) f)_i / (C + D)_ii)                              [projected Gauss-Seidel]
void ActivePoints::slide() {
  const Index count = static_cast<Index>(active_.size());
  const auto into_cone = [](const ActivePoint& point, const Vector3d& force) {
    const double push = point.normal.dot(force);
    if (push <= 0) return Vector3d(Vector3d::Zero());
    const Vector3d along = force - push * point.normal;
    const double length2 = along.squaredNorm(), most = point.friction * push;
    return length2 > most * most ? Vector3d(push * point.normal + along * (most / std::sqrt(length2)))
                                 : force;
  };
  // === From where the last turn has left those that slid
  double largest = 0;
  bool any = false;
  for (Index i = 0; i < count; ++i) {
    ActivePoint& point = points_[at(active_[at(i)])];
    if (point.contact < 0 || !point.active) continue;
    const Vector3d held = forces_.row(i).transpose(), push = held.dot(point.normal) * point.normal;
    largest = std::max(largest, held.squaredNorm());
    const Vector3d before = point.force - point.force.dot(point.normal) * point.normal;
    const Vector3d force = into_cone(point, point.slides ? Vector3d(push + before) : held);
    any = any || force != held;
    forces_.row(i) = force.transpose();
  }
  // === What each does to the others
  for (int sweep = 0; any && sweep < sweeps; ++sweep) {
    double change = 0;
    for (Index i = 0; i < count; ++i) {
      const ActivePoint& point = points_[at(active_[at(i)])];
      if (!point.active) continue;
      // What all forces move it by
      const auto moved = three_dots(matrix_.col(i).data(), forces_.data(), forces_.rows(), count);
      const Vector3d old = forces_.row(i).transpose();
      Vector3d force = old + (gap_.row(i).transpose() - Vector3d(moved.data())) / matrix_(i, i);
      if (point.contact >= 0) force = into_cone(point, force);
      forces_.row(i) = force.transpose();
      change = std::max(change, (force - old).squaredNorm());
    }
    if (change <= settled * settled * largest) break;
  }
  for (Index i = 0; i < count; ++i) {
    ActivePoint& point = points_[at(active_[at(i)])];
    const Vector3d force = forces_.row(i).transpose();
    const double push = force.dot(point.normal);
    point.slides = any && point.contact >= 0 && point.active && push > 0 &&
                   (force - push * point.normal).norm() >= (1 - 1e-9) * point.friction * push;
  }
}

/// Takes those that are inside after all pushes; whether there were any.
bool ActivePoints::take_pressed(const PointResponses& responses) {
  bool any = false;
  for (ActivePoint& point : points_) {
    if (point.contact < 0 || point.active || !point.near) continue;
    const Vector3d after = active_.empty() ? point.here : Vector3d(point.here + responses.moved(point.row));
    if ((after - point.seen).norm() < point.clear) continue;
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
    active_.clear();
    rows_.clear();
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].active) {
        active_.push_back(static_cast<Index>(p));
        rows_.push_back(points_[p].row);
      }
    bool released = false;
    if (!active_.empty()) {
      if (!factorize(responses)) {  // not finite: nothing to pull with
        active_.clear();
        factored_.clear();
        return false;
      }
      solve();
      released = release();
      slide();
      responses.push(rows_, forces_);
    }
    const bool taken = take_pressed(responses);
    if ((!released && !taken) || round == rounds) return !active_.empty();
  }
}

bool ActivePoints::pull(PointResponses& responses) {
  if (points_.empty()) return false;
  look_at_all();
  first_turn_ = false;
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
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const ActivePoint& point = points_[p];
    if (point.contact < 0 || !touched[at(point.contact)] || !(point.restitution > 0)) continue;
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
  if (active_.empty()) return false;
  const Index count = static_cast<Index>(active_.size());
  responses.compliance(rows_, matrix_);
  // Contact vertices may not determine every degree of freedom.
  for (Index i = 0; i < count; ++i) matrix_(i, i) *= 1.1;
  factored_.clear();
  if (!small_.factorize(matrix_.topLeftCorner(count, count))) return false;
  small_.solve(gap_.data(), 3, gap_.rows());
  responses.push(rows_, gap_);
  return true;
}

}  // namespace pliant
