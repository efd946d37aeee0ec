#include "pliant/reduced/hrpd_pins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/numerics/column_sums.h"

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

/// Vertices whose responses are solved for at once.
constexpr Index batch = 16;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

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
  batch_.resize(model.columns(), batch);
  batch_rows_.resize(at(batch));
  shift_.setZero(model.columns(), 3);
  if (rows <= most_felt) felt_.resize(rows, rows);
  points_.reserve(at(rows));
  for (auto* v : {&active_, &factored_, &bouncing_, &columns_moved_}) v->reserve(at(rows));
  force_.setZero(rows, 3);
  matrix_.resize(rows, rows);
  gap_.resize(rows, 3);
  small_.reserve(rows);
}

void HrpdPins::set_factor(const DenseCholesky& factor) {
  factor_ = &factor;
  std::fill(responded_.begin(), responded_.end(), 0);
  felt_.setConstant(unknown);
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
    felt_.resize(2 * row <= most_felt ? 2 * row : 0, 2 * row <= most_felt ? 2 * row : 0);
    felt_.setConstant(unknown);
  }
  responded_[at(row)] = 0;
  if (felt_.size() > 0) felt_.row(row).setConstant(unknown), felt_.col(row).setConstant(unknown);
  return row;
}

Vector3d HrpdPins::displacement(Index row, const MatrixXd& q) const {
  Eigen::Vector4d x = Eigen::Vector4d::Zero(), y = x, z = x;
  for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e) {
    const double* here = q.data() + handle_row_[at(e)];
    const Eigen::Vector4d& u = columns_[at(e)];
    x += u.cwiseProduct(Eigen::Map<const Eigen::Vector4d>(here));
    y += u.cwiseProduct(Eigen::Map<const Eigen::Vector4d>(here + q.rows()));
    z += u.cwiseProduct(Eigen::Map<const Eigen::Vector4d>(here + 2 * q.rows()));
  }
  return {x.sum(), y.sum(), z.sum()};
}

/// A⁻¹ u of all active points. Several at once: a solve reads the whole factor.
void HrpdPins::respond() {
  Index count = 0;
  const auto solve_batch = [&] {
    factor_->solve(batch_.data(), static_cast<int>(count));
    for (Index i = 0; i < count; ++i) responses_.col(batch_rows_[at(i)]) = batch_.col(i);
    count = 0;
  };
  for (const Index p : active_) {
    const Index row = points_[at(p)].row;
    if (responded_[at(row)]) continue;
    responded_[at(row)] = 1;
    batch_.col(count).setZero();
    for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e)
      batch_.col(count).segment<4>(handle_row_[at(e)]) += columns_[at(e)];
    batch_rows_[at(count)] = row;
    if (++count == batch) solve_batch();
  }
  if (count > 0) solve_batch();
}

/// How far a vertex moves with a unit of force at another, m/N.
double HrpdPins::felt(Index row, Index by) {
  if (row > by) std::swap(row, by);
  const auto compute = [&] {
    const double* moved = responses_.col(by).data();
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e)
      sum += columns_[at(e)].cwiseProduct(Eigen::Map<const Eigen::Vector4d>(moved + handle_row_[at(e)]));
    return sum.sum();
  };
  if (felt_.size() == 0) return compute();
  double& known = felt_(row, by);
  if (std::isnan(known)) known = compute();
  return known;
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
  respond();
  const Index count = static_cast<Index>(active_.size());
  for (Index j = 0; j < count; ++j) {
    const Point& b = points_[at(active_[at(j)])];
    for (Index i = j; i < count; ++i) matrix_(i, j) = felt(points_[at(active_[at(i)])].row, b.row);
    const double alone = matrix_(j, j);
    matrix_(j, j) +=
        b.contact < 0 ? 1 / std::max(b.stiffness, 1e-300) + 1e-9 * alone : alone / contact_weight;
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
    const Vector3d after = point.here + displacement(point.row, shift_);
    Contact contact;
    for (const PlacedObstacle& obstacle : placed_)
      if (contact_within(obstacle, after, 0, contact) && contact.distance < -slack * diagonal_)
        point.active = true;
    any = any || point.active;
  }
  return any;
}

/// What all pushes and pulls together add to the coordinates.
void HrpdPins::shift() {
  columns_moved_.clear();
  for (const Index p : active_) columns_moved_.push_back(points_[at(p)].row);
  sum_columns(responses_, columns_moved_, gap_, shift_);
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
        shift_.setZero();
        return;
      }
      solve_active();
    }
    const bool released = release();
    shift();
    const bool taken = take_pressed();
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
  q += shift_;
  for (std::size_t i = 0; i < active_.size(); ++i) force_.row(active_[i]) = gap_.row(static_cast<Index>(i));
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
    const auto moved = responses_.col(points_[at(bouncing_[at(i)])].row);
    for (int c = 0; c < 3; ++c) rates.col(c) += gap_(i, c) * moved;
  }
}

}  // namespace pliant
