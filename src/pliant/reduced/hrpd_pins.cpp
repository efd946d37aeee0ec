#include "pliant/reduced/hrpd_pins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "pliant/geometry/measures.h"
#include "pliant/numerics/column_sums.h"

namespace pliant {
namespace {

/// Of contacts: a hundredth of what their vertex alone would move.
constexpr double softness = 0.01;
/// Beside contact vertices: so many take no memory while running.
constexpr Index room_for_pins = 128;
/// Pins and contacts that are near obstacles at once: so many take no memory while running. Those of all vertices of 120 handles, or of
/// larger bodies that do not lie flat.
constexpr Index room_for_points = 1216;
/// Rows up to which it is kept how they feel each other: 80 MB.
constexpr Index most_felt = 3200;

/// Vertices whose responses are solved for at once.
constexpr Index batch = 16;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Contact vertices as constraints of one line each, that of where they are beside `center`.
SampledConstraints lines_of_contacts(const HrpdModel& model, const Vector3d& center) {
  const HandleWeights& w = model.basis.weights;
  const Index count = static_cast<Index>(model.contact_vertices.size());
  SampledConstraints out;
  out.kind = ProjectiveKind::spring;
  const ProjectiveShape shape = shape_of(out.kind);
  out.parameters.setZero(shape.parameters, count);
  out.rest_projections.setZero(shape.outputs, count);
  out.rest_lines.resize(3, count);
  std::vector<Eigen::Vector4d> entries;
  for (Index k = 0; k < count; ++k) {
    const int v = model.contact_vertices[at(k)];
    out.rest_lines.col(k) = model.basis.rest.row(v).transpose() - center;
    for (Index e = w.first[at(v)]; e < w.first[at(v) + 1]; ++e) {
      out.handle.push_back(w.handle[at(e)]);
      entries.push_back(columns_of(model.basis, v, e));
    }
    out.first.push_back(static_cast<int>(out.handle.size()));
  }
  out.coefficients.resize(4, static_cast<Index>(entries.size()));
  for (std::size_t e = 0; e < entries.size(); ++e) out.coefficients.col(static_cast<Index>(e)) = entries[e];
  out.fit.resize(0, count);
  return out;
}

Vector3d middle_of(const Points& rest) {
  const BoundingBox box = bounding_box(rest);
  return (box.low + box.high) / 2;
}

/// The three numbers of a line of a sample.
Vector3d of_line(const AlignedVector<float>& lines, Index place) {
  return Eigen::Vector3f(lines[at(place)], lines[at(place + projective_tile)],
                         lines[at(place + 2 * projective_tile)])
      .cast<double>();
}

}  // namespace

HrpdPins::HrpdPins(const HrpdModel& model)
    : model_(model),
      center_(middle_of(model.basis.rest)),
      points_(static_cast<Index>(model.contact_vertices.size()), bounding_box(model.basis.rest).diagonal(),
              softness) {
  const Points& X = model.basis.rest;
  const Index contacts = static_cast<Index>(model.contact_vertices.size()), rows = contacts + room_for_pins;
  for (const int v : model.contact_vertices) {
    const std::size_t before = columns_.size();
    add_row(v);
    const bool fixed = std::binary_search(model.fixed.begin(), model.fixed.end(), v);
    is_moved_.push_back(!fixed &&
                        std::any_of(columns_.begin() + static_cast<std::ptrdiff_t>(before), columns_.end(),
                                    [](const Eigen::Vector4d& u) { return !u.isZero(0); }));
  }
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
  if (rows <= most_felt) felt_.setConstant(rows, rows, unknown);
  points_.reserve(std::min(rows, room_for_points));
  if (contacts == 0) return;
  contact_lines_ = SampledEvaluator<float>(lines_of_contacts(model, center_));
  groups_.reserve(std::max(at(contact_lines_.groups()), at(contacts)));
  for (AlignedVector<float>* v : {&before_.lines, &now_.lines, &contact_moves_})
    v->assign(at(contact_lines_.all_lines()), 0.0f);
  before_.q = now_.q = shift_q_ = LocalCoordinates<float>(model.columns());
}

void HrpdPins::set_constant(const VectorXd& constant) {
  before_.q = now_.q = LocalCoordinates<float>(model_.columns(), constant);
}

void HrpdPins::set_factor(const DissectedCholesky& factor, InverseFactor<float>* inverse, bool precise) {
  factor_ = &factor;
  inverse_ = inverse;
  precise_ = precise;
  if (precise_) precise_responses_.resize(responses_.rows(), responses_.cols());
  if (inverse)
    for (AlignedVector<float>* v : {&three_, &moved_}) v->resize(at(3 * inverse->places()));
  else
    workspace_.resize(at(factor.workspace(static_cast<int>(batch))));
  for (Index row = 0; row < std::ssize(responded_); ++row) {
    if (responded_[at(row)] && felt_.size() > 0) felt_.col(row).setConstant(unknown);
    responded_[at(row)] = 0;
  }
  points_.forget();
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
    if (precise_) precise_responses_.conservativeResize(Eigen::NoChange, 2 * row);
    responded_.resize(at(2 * row), 0);
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

/// A⁻¹ u of these points. Several at once: a solve reads the whole factor.
void HrpdPins::prepare(std::span<const Index> rows) {
  const Index at_once = inverse_ ? 3 : batch;
  Index count = 0;
  for (const Index row : rows) {
    if (responded_[at(row)]) continue;
    responded_[at(row)] = 1;
    batch_rows_[at(count)] = row;
    if (++count == at_once) respond_batch(std::exchange(count, 0));
  }
  if (count > 0) respond_batch(count);
}

void HrpdPins::respond_batch(Index count) {
  const auto each_entry = [&](Index i, auto&& put) {
    const Index row = batch_rows_[at(i)];
    for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e) put(handle_row_[at(e)], columns_[at(e)]);
  };
  if (!inverse_) {
    for (Index i = 0; i < count; ++i) {
      batch_.col(i).setZero();
      each_entry(i, [&](Index to, const Eigen::Vector4d& u) { batch_.col(i).segment<4>(to) += u; });
    }
    factor_->solve(batch_.data(), static_cast<int>(count), workspace_.data());
    for (Index i = 0; i < count; ++i) {
      responses_.col(batch_rows_[at(i)]) = batch_.col(i).cast<float>();
      if (precise_) precise_responses_.col(batch_rows_[at(i)]) = batch_.col(i);
    }
    return;
  }
  // Three right-hand sides in the places of x, y and z.
  const std::span<const int> place = factor_->place();
  std::fill(three_.begin(), three_.end(), 0.0f);
  for (Index i = 0; i < count; ++i)
    each_entry(i, [&](Index to, const Eigen::Vector4d& u) {
      for (Index k = 0; k < 4; ++k) three_[at(3 * Index{place[at(to + k)]} + i)] += static_cast<float>(u[k]);
    });
  inverse_->apply(*team_, three_.data(), moved_.data());
  for (Index i = 0; i < count; ++i)
    for (Index c = 0; c < responses_.rows(); ++c)
      responses_(c, batch_rows_[at(i)]) = moved_[at(i * inverse_->places() + place[at(c)])];
}

/// How far a vertex moves with a unit of force at another, m/N.
double HrpdPins::felt(Index row, Index by) {
  const auto compute = [&] {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (Index e = first_[at(row)]; e < first_[at(row) + 1]; ++e) {
      const Index to = handle_row_[at(e)];
      sum += columns_[at(e)].cwiseProduct(
          precise_ ? Eigen::Vector4d(precise_responses_.col(by).segment<4>(to))
                   : Eigen::Vector4d(responses_.col(by).segment<4>(to).cast<double>()));
    }
    return sum.sum();
  };
  if (felt_.size() == 0) return compute();
  double& known = felt_(row, by);
  if (std::isnan(known)) known = compute();
  return known;
}

void HrpdPins::compliance(Index row, std::span<const Index> others, double* out) {
  // Of two, the force is at the later vertex: the same number whichever is asked for first, and whichever was pinned first, of which a
  // state knows nothing.
  for (const Index other : others) {
    const bool later = vertex_[at(other)] > vertex_[at(row)];
    *out++ = later ? felt(row, other) : felt(other, row);
  }
}

void HrpdPins::push(std::span<const Index> rows, const MatrixXd& forces) {
  if (precise_) return sum_columns(*team_, precise_responses_, rows, forces, shift_);
  sum_columns(*team_, responses_, rows, forces, shift_);
  if (groups_.empty()) return;
  shift_q_.take(shift_);
  for (const Index group : groups_) contact_lines_.moves(group, shift_q_.data(), contact_moves_.data());
}

Vector3d HrpdPins::moved(Index row) const {
  if (precise_ || row >= std::ssize(model_.contact_vertices)) return displacement(row, shift_);
  return of_line(contact_moves_, contact_lines_.line_place(row));
}

// === A step

void HrpdPins::begin(const std::vector<Pin>& pins, std::span<const PlacedObstacle> placed, double time_step,
                     const MatrixXd& start, const MatrixXd& target) {
  const Index contacts = static_cast<Index>(model_.contact_vertices.size());
  // Vertices that were pinned some time ago are forgotten once there are too many.
  if (static_cast<Index>(vertex_.size() + pins.size()) > responses_.cols()) {
    for (std::size_t r = at(contacts); r < vertex_.size(); ++r)
      row_of_.erase(std::lower_bound(row_of_.begin(), row_of_.end(), std::pair(vertex_[r], Index{0})));
    vertex_.resize(at(contacts));
    first_.resize(at(contacts) + 1);
    columns_.resize(at(first_.back()));
    handle_row_.resize(at(first_.back()));
  }
  points_.begin(placed, time_step);
  for (const Pin& pin : pins) points_.add_pin(row_of(pin.vertex), pin.stiffness, pin.place);
  groups_.clear();
  if (placed.empty() || contacts == 0) return;
  groups_.resize(at(contact_lines_.groups()));
  std::iota(groups_.begin(), groups_.end(), 0);
  look_at_contacts(start, before_);
  look_at_contacts(target, now_);
  for (Index k = 0; k < contacts; ++k) {
    if (!is_moved_[at(k)]) {
      points_.leave_out(k);
      continue;
    }
    points_.add_contact(k, k, contact_place(k, now_), [&] { return contact_place(k, before_); });
  }
  groups_.clear();
  for (const ActivePoint& point : points_.points())
    if (point.contact >= 0) groups_.push_back(contact_lines_.group_of(point.row));
  std::sort(groups_.begin(), groups_.end());
  groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
}

void HrpdPins::look_at_contacts(const MatrixXd& q, ContactPlaces& places) {
  places.at = &q;
  if (groups_.empty() || precise_) return;
  places.q.take(q);
  for (const Index group : groups_) contact_lines_.lines(group, places.q.data(), places.lines.data());
}

Vector3d HrpdPins::contact_place(Index row, const ContactPlaces& places) const {
  if (precise_) return model_.basis.rest.row(vertex_[at(row)]).transpose() + displacement(row, *places.at);
  return center_ + places.q.origin() + of_line(places.lines, contact_lines_.line_place(row));
}

void HrpdPins::pull(Team& team, MatrixXd& q) {
  team_ = &team;
  look_at_contacts(q, now_);
  for (ActivePoint& point : points_.points())
    point.here = point.contact >= 0 ? contact_place(point.row, now_)
                                    : Vector3d(model_.basis.rest.row(vertex_[at(point.row)]).transpose() +
                                               displacement(point.row, q));
  if (points_.pull(*this)) q += shift_;
}

void HrpdPins::bounce(Team& team, const MatrixXd& rates_before, MatrixXd& rates) {
  team_ = &team;
  groups_.clear();  // nobody asks where contacts come to by that
  if (points_.bounce(
          *this, [&](Index row) { return displacement(row, rates_before); },
          [&](Index row) { return displacement(row, rates); }))
    rates += shift_;
}

}  // namespace pliant
