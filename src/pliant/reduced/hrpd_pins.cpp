#include "pliant/reduced/hrpd_pins.h"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

/// Of obstacles: what a push weighs, in all else that moves the vertex.
constexpr double contact_weight = 100;
/// Contact vertices so near to an obstacle, in box diagonals, are looked at in every turn.
constexpr double near_obstacle = 0.02;
/// Contacts so deep inside, in box diagonals, are as good as outside.
constexpr double slack = 1e-5;
/// In a turn so many times contacts are let go and taken.
constexpr int rounds = 3;
/// Beside contact vertices: so many take no memory while running.
constexpr Index room_for_pins = 128;
/// Rows up to which it is kept how they feel each other: 40 MB.
constexpr Index most_felt = 2200;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

HrpdPins::HrpdPins(const HrpdModel& model) : model_(model) {
  const Points& X = model.basis.rest;
  diagonal_ = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  const Index contacts = static_cast<Index>(model.contact_vertices.size()), rows = contacts + room_for_pins;
  for (const int v : model.contact_vertices) add_row(v);
  anchors.setZero(contacts, 3);
  touched.assign(at(contacts), 0);
  // An entry of a pinned vertex more than the average costs memory once.
  const std::size_t entries =
      columns_.size() + at(room_for_pins) * (model.basis.weights.handle.size() / at(X.rows()) + 8);
  for (auto* v : {&first_, &handle_row_}) v->reserve(std::max(entries, at(rows) + 1));
  columns_.reserve(entries);
  vertex_.reserve(at(rows));
  row_of_.reserve(at(rows));
  responses_.resize(model.columns(), rows);
  responded_.assign(at(rows), 0);
  if (rows <= most_felt) {
    felt_.resize(rows, rows);
    felt_known_.assign(at(rows), 0);
  }
  points_.reserve(at(rows));
  for (auto* v : {&active_, &factored_, &bouncing_}) v->reserve(at(rows));
  force_.setZero(rows, 3);
  matrix_.resize(rows, rows);
  gap_.resize(rows, 3);
  small_.reserve(rows);
}

void HrpdPins::set_factor(const DenseCholesky& factor) {
  factor_ = &factor;
  std::fill(responded_.begin(), responded_.end(), 0);
  std::fill(felt_known_.begin(), felt_known_.end(), 0);
  factored_.clear();
}

// === What is known of vertices

void HrpdPins::add_row(int vertex) {
  const HandleWeights& w = model_.basis.weights;
  for (Index e = w.first[at(vertex)]; e < w.first[at(vertex) + 1]; ++e) {
    const Index row = 4 * Index{w.handle[at(e)]};
    Eigen::Vector4d u = columns_of(model_.basis, vertex, e);
    for (int k = 0; k < 4; ++k)
      if (model_.basis.dropped[at(row + k)]) u[k] = 0;
    handle_row_.push_back(row);
    columns_.push_back(u);
  }
  const Index row = static_cast<Index>(vertex_.size());
  vertex_.push_back(vertex);
  first_.push_back(static_cast<Index>(columns_.size()));
  row_of_.insert(std::lower_bound(row_of_.begin(), row_of_.end(), std::pair(vertex, Index{0})),
                 {vertex, row});
}

Index HrpdPins::row_of(int vertex) {
  const auto place = std::lower_bound(row_of_.begin(), row_of_.end(), std::pair(vertex, Index{0}));
  if (place != row_of_.end() && place->first == vertex) return place->second;
  add_row(vertex);
  const Index row = static_cast<Index>(vertex_.size()) - 1;
  if (row >= responses_.cols()) {
    responses_.conservativeResize(Eigen::NoChange, 2 * row);
    responded_.resize(at(2 * row), 0);
    force_.conservativeResize(2 * row, 3);
    matrix_.resize(2 * row, 2 * row);
    gap_.resize(2 * row, 3);
    if (2 * row <= most_felt) {
      felt_.resize(2 * row, 2 * row);
      felt_known_.assign(at(2 * row), 0);
    } else {
      felt_.resize(0, 0);
      felt_known_.clear();
    }
  }
  // Columns that are there already lack this row.
  std::fill(felt_known_.begin(), felt_known_.end(), 0);
  responded_[at(row)] = 0;
  return row;
}

Vector3d HrpdPins::displacement(Index row, const MatrixXd& q) const {
  Vector3d sum = Vector3d::Zero();
  for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e) {
    const Index r = handle_row_[at(e)];
    for (int c = 0; c < 3; ++c) sum[c] += columns_[at(e)].dot(q.col(c).segment<4>(r));
  }
  return sum;
}

/// A⁻¹ u of a row.
const double* HrpdPins::response(Index row) {
  double* out = responses_.col(row).data();
  if (responded_[at(row)]) return out;
  responses_.col(row).setZero();
  for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e)
    responses_.col(row).segment<4>(handle_row_[at(e)]) += columns_[at(e)];
  factor_->solve(out);
  responded_[at(row)] = 1;
  return out;
}

/// How far a vertex moves with a unit of force at another, m/N.
double HrpdPins::felt(Index row, Index by) {
  const auto one = [&](Index r) {
    const double* moved = response(by);
    double sum = 0;
    for (Index e = first_[at(r)]; e < first_[at(r) + 1]; ++e)
      sum += columns_[at(e)].dot(Eigen::Map<const Eigen::Vector4d>(moved + handle_row_[at(e)]));
    return sum;
  };
  if (felt_known_.empty()) return one(row);
  if (!felt_known_[at(by)]) {
    for (Index r = 0; r < static_cast<Index>(vertex_.size()); ++r) felt_(r, by) = one(r);
    felt_known_[at(by)] = 1;
  }
  return felt_(row, by);
}

// === A step

void HrpdPins::begin(const std::vector<Pin>& pins, std::span<const PlacedObstacle> placed, double time_step,
                     const MatrixXd& start, const MatrixXd& target) {
  const Index contacts = static_cast<Index>(model_.contact_vertices.size());
  placed_ = placed;
  time_step_ = time_step;
  points_.clear();
  factored_.clear();
  first_turn_ = true;
  pushed_ = 0;
  // Vertices that were pinned some time ago are forgotten once there are too many.
  if (static_cast<Index>(vertex_.size() + pins.size()) > responses_.cols()) {
    for (std::size_t r = at(contacts); r < vertex_.size(); ++r)
      row_of_.erase(std::lower_bound(row_of_.begin(), row_of_.end(), std::pair(vertex_[r], Index{0})));
    vertex_.resize(at(contacts));
    first_.resize(at(contacts) + 1);
    columns_.resize(at(first_.back()));
    handle_row_.resize(at(first_.back()));
  }
  for (const Pin& pin : pins)
    points_.push_back({.row = row_of(pin.vertex), .stiffness = pin.stiffness, .place = pin.place});
  pin_count_ = points_.size();
  if (placed.empty()) std::fill(touched.begin(), touched.end(), 0);

  const Points& X = model_.basis.rest;
  for (Index k = 0; k < contacts && !placed.empty(); ++k) {
    const int v = model_.contact_vertices[at(k)];
    if (std::binary_search(model_.fixed.begin(), model_.fixed.end(), v)) continue;
    const Vector3d rest = X.row(v).transpose(), goes_to = rest + displacement(k, target);
    Contact contact;
    bool near = touched[at(k)];
    for (const PlacedObstacle& obstacle : placed)
      near = near || contact_within(obstacle, goes_to, near_obstacle * diagonal_, contact);
    if (!near) continue;
    points_.push_back(
        {.row = k,
         .contact = k,
         .active = touched[at(k)] != 0,
         .stiffness = contact_weight / std::max(felt(k, k), 1e-300),
         .start = touched[at(k)] ? Vector3d(anchors.row(k)) : Vector3d(rest + displacement(k, start))});
  }
  const Index count = static_cast<Index>(points_.size());
  if (count > force_.rows()) force_.resize(count, 3);
  force_.topRows(count).setZero();
  std::fill(touched.begin(), touched.end(), 0);
}

/// Where the nearest obstacle wants a contact vertex, be it inside or outside; false where none is near.
bool HrpdPins::look(Point& point) {
  point.place = point.here;
  const VertexContact found = move_outside(placed_, point.start, time_step_, point.place);
  if (found.touches()) {
    point.inside = true;
    point.normal = found.normal;
    point.restitution = placed_[static_cast<std::size_t>(found.obstacle)].obstacle->restitution;
    return true;
  }
  point.inside = false;
  double nearest = 2 * near_obstacle * diagonal_;
  bool near = false;
  for (const PlacedObstacle& obstacle : placed_) {
    Contact contact;
    if (!contact_within(obstacle, point.here, nearest, contact)) continue;
    near = true;
    nearest = contact.distance;
    point.place = point.here - contact.distance * contact.normal;
    point.normal = contact.normal;
    point.restitution = obstacle.obstacle->restitution;
  }
  return near;
}

bool HrpdPins::factorize_active() {
  if (active_ == factored_) return true;
  const Index count = static_cast<Index>(active_.size());
  for (Index j = 0; j < count; ++j) {
    const Point& b = points_[at(active_[at(j)])];
    for (Index i = j; i < count; ++i) matrix_(i, j) = felt(points_[at(active_[at(i)])].row, b.row);
    matrix_(j, j) += 1 / std::max(b.stiffness, 1e-300) + 1e-9 * matrix_(j, j);
  }
  factored_ = active_;
  return small_.factorize(matrix_.topLeftCorner(count, count));
}

void HrpdPins::solve_active() {
  const Index count = static_cast<Index>(active_.size());
  for (Index i = 0; i < count; ++i) {
    const Point& point = points_[at(active_[at(i)])];
    gap_.row(i) = (point.place - point.here).transpose();
  }
  for (int c = 0; c < 3; ++c) small_.solve(gap_.col(c).data());
}

/// Lets go those that an obstacle would have to pull; whether there were any. They do nothing then.
bool HrpdPins::release() {
  bool any = false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Point& point = points_[at(active_[i])];
    if (point.contact < 0 || gap_.row(static_cast<Index>(i)).dot(point.normal) >= 0) continue;
    point.active = false;
    gap_.row(static_cast<Index>(i)).setZero();
    any = true;
  }
  return any;
}

/// Takes those that are inside after all pushes; whether there were any.
bool HrpdPins::take_pressed() {
  bool any = false;
  for (std::size_t p = pin_count_; p < points_.size(); ++p) {
    Point& point = points_[p];
    if (point.active || !point.near) continue;
    Vector3d after = point.here;
    for (std::size_t i = 0; i < active_.size(); ++i)
      after += felt(point.row, points_[at(active_[i])].row) * gap_.row(static_cast<Index>(i)).transpose();
    Contact contact;
    for (const PlacedObstacle& obstacle : placed_)
      if (contact_within(obstacle, after, 0, contact) && contact.distance < -slack * diagonal_)
        point.active = true;
    any = any || point.active;
  }
  return any;
}

/// Which contacts are pushed, and how hard: those that would be pulled are let go, and those that are inside taken, by
/// turns. What is not settled after some rounds is in the next turn.
void HrpdPins::settle() {
  for (int round = 0;; ++round) {
    active_.clear();
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (points_[p].active) active_.push_back(static_cast<Index>(p));
    if (!active_.empty()) {
      if (!factorize_active()) {  // not finite: nothing to pull with
        active_.clear();
        factored_.clear();
        return;
      }
      solve_active();
    }
    const bool released = release(), taken = take_pressed();
    if ((!released && !taken) || round == rounds) return;
  }
}

void HrpdPins::pull(MatrixXd& q) {
  if (points_.empty()) return;
  for (Point& point : points_) {
    point.here = model_.basis.rest.row(vertex_[at(point.row)]).transpose() + displacement(point.row, q);
    if (point.contact < 0) continue;
    point.near = look(point);
    if (!point.near) point.active = false;
    if (first_turn_ && point.inside) point.active = true;
  }
  first_turn_ = false;
  settle();
  force_.topRows(static_cast<Index>(points_.size())).setZero();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Index row = static_cast<Index>(i);
    const Eigen::Map<const VectorXd> moved(response(points_[at(active_[i])].row), q.rows());
    for (int c = 0; c < 3; ++c) q.col(c) += gap_(row, c) * moved;
    force_.row(active_[i]) = gap_.row(row);
  }
  pushed_ = 0;
  for (std::size_t p = pin_count_; p < points_.size(); ++p) {
    const Point& point = points_[p];
    const bool pushes = force_.row(static_cast<Index>(p)).dot(point.normal) > 0;
    touched[at(point.contact)] = pushes;
    if (pushes) anchors.row(point.contact) = point.place.transpose(), ++pushed_;
  }
}

void HrpdPins::bounce(const MatrixXd& rates_before, MatrixXd& rates) {
  bouncing_.clear();
  for (std::size_t p = pin_count_; p < points_.size(); ++p)
    if (touched[at(points_[p].contact)] && points_[p].restitution > 0)
      bouncing_.push_back(static_cast<Index>(p));
  if (bouncing_.empty()) return;
  std::size_t kept = 0;
  for (const Index p : bouncing_) {
    const Point& point = points_[at(p)];
    Vector3d obstacle_velocity = Vector3d::Zero();
    double nearest = near_obstacle * diagonal_;
    for (const PlacedObstacle& obstacle : placed_) {
      Contact contact;
      if (!contact_within(obstacle, point.place, nearest, contact)) continue;
      nearest = contact.distance;
      obstacle_velocity = contact.velocity;
    }
    const double coming = point.normal.dot(displacement(point.row, rates_before) - obstacle_velocity);
    const double leaving = point.normal.dot(displacement(point.row, rates) - obstacle_velocity);
    const double change = -point.restitution * coming - leaving;
    if (coming >= 0 || change <= 0) continue;
    gap_.row(static_cast<Index>(kept)) = change * point.normal.transpose();
    bouncing_[kept++] = p;
  }
  bouncing_.resize(kept);
  const Index count = static_cast<Index>(kept);
  if (count == 0) return;
  for (Index j = 0; j < count; ++j)
    for (Index i = j; i < count; ++i)
      matrix_(i, j) = felt(points_[at(bouncing_[at(i)])].row, points_[at(bouncing_[at(j)])].row) *
                      (i == j ? 1.1 : 1);  // contact vertices may not determine every handle
  factored_.clear();
  if (!small_.factorize(matrix_.topLeftCorner(count, count))) return;
  for (int c = 0; c < 3; ++c) small_.solve(gap_.col(c).data());
  for (Index i = 0; i < count; ++i) {
    const Eigen::Map<const VectorXd> moved(response(points_[at(bouncing_[at(i)])].row), rates.rows());
    for (int c = 0; c < 3; ++c) rates.col(c) += gap_(i, c) * moved;
  }
}

}  // namespace pliant
