#include "pliant/reduced/hrpd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/simulation/drag.h"

namespace pliant {
namespace {

/// Vertices that are fixed while running are held by pins so much stiffer than the body is there.
constexpr double held_stiffness = 1e4;
/// Of obstacles: what a pin there weighs, in all else that moves the vertex.
constexpr double contact_weight = 30;

/// Beside those of contacts: so many take no memory while running.
constexpr Index room_for_pins = 128;

/// Contact vertices up to which their coupling is kept: 32 MB.
constexpr std::size_t most_coupled = 2000;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Rows and columns of dropped columns become those of the identity.
void leave_out(MatrixXd& A, const std::vector<char>& dropped) {
  for (Index i = 0; i < A.rows(); ++i)
    if (dropped[at(i)]) {
      A.row(i).setZero();
      A.col(i).setZero();
      A(i, i) = 1;
    }
}

void leave_out_rows(MatrixXd& B, const std::vector<char>& dropped) {
  for (Index i = 0; i < B.rows(); ++i)
    if (dropped[at(i)]) B.row(i).setZero();
}

/// Columns of B solved a few at a time, in parallel.
void solve(const DenseCholesky& factor, MatrixXd& B) {
  parallel_for_chunks(B.cols(), 16, [&](Index begin, Index end) {
    factor.solve(B.col(begin).data(), static_cast<int>(end - begin));
  });
}

}  // namespace

Hrpd::Hrpd(std::shared_ptr<const HrpdModel> model, const HrpdOptions& options)
    : Simulator(model->vertex_count()), model_(std::move(model)), options_(options) {
  if (options_.iterations == 0) options_.iterations = model_->iterations;
  if (options_.iterations < 1 || options_.iterations > 10000)
    throw InputError(fmt::format("hrpd: {} iterations; expected 1 to 10000", options_.iterations));
  if (!(options_.prediction >= 0 && options_.prediction < 1))
    throw InputError(fmt::format("hrpd: prediction is {}; expected 0 to below 1", options_.prediction));
  set_time_step(options_.time_step);
  const HrpdModel& m = *model_;
  const Index d = m.columns();
  const Points& X = m.basis.rest;
  diagonal_ = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  total_mass_ = m.masses.sum();
  fixed_ = m.fixed;
  fixed_targets_.resize(static_cast<Index>(fixed_.size()), 3);
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    fixed_targets_.row(static_cast<Index>(i)) = X.row(fixed_[i]);
    held_mass_ += m.masses[fixed_[i]];
  }

  MatrixXd mass = m.mass;
  leave_out(mass, m.basis.dropped);
  if (!mass_factor_.factorize(mass))
    throw InputError("hrpd: the reduced mass matrix is not positive definite; expected independent columns");
  momentum_row_ = pull_back(m.basis, Points(m.masses.replicate(1, 3))).col(0);
  for (Index i = 0; i < d; ++i)
    if (m.basis.dropped[at(i)]) momentum_row_[i] = 0;
  ones_ = momentum_row_;
  mass_factor_.solve(ones_);
  stiffness_sum_ = MatrixXd::Zero(d, d);
  for (const ReducedConstraints& kind : m.kinds) stiffness_sum_ += kind.stiffness;
  fitted_sum_ = stiffness_sum_;
  if (!m.all)
    for (const ReducedConstraints& kind : m.kinds)
      fitted_sum_ -= options_.prediction * (kind.stiffness - seen_stiffness(kind));

  if (m.all)
    engine_.emplace<HrpdExactEngine>(m);
  else if (options_.double_precision)
    engine_.emplace<HrpdEngine<double>>(m);
  else
    engine_.emplace<HrpdEngine<float>>(m);
  for (MatrixXd* q : {&q_, &v_, &start_, &start_rates_, &target_, &force_, &before_last_}) q->setZero(d, 3);
  contact_rows_.resize(m.contact_vertices.size());
  std::iota(contact_rows_.begin(), contact_rows_.end(), 0);
  for (Points* p : {&contact_start_, &contact_now_, &contact_before_, &contact_velocities_, &contact_anchor_})
    p->setZero(static_cast<Index>(m.contact_vertices.size()), 3);
  contact_touched_.assign(m.contact_vertices.size(), 0);
  if (m.contact_vertices.size() <= most_coupled) {
    const Index count = static_cast<Index>(m.contact_vertices.size());
    contact_coupling_.resize(count, count);
    contact_coupled_.assign(m.contact_vertices.size(), 0);
  }
  make_room(static_cast<Index>(m.contact_vertices.size()) + room_for_pins);
  held_by_pins_.reserve(at(room_for_pins));
  positions_ = X;
}

void Hrpd::set_coordinates(const MatrixXd& q, const MatrixXd& rates) {
  const Index d = model_->columns();
  if (q.rows() != d || q.cols() != 3 || rates.rows() != d || rates.cols() != 3 || !q.allFinite() ||
      !rates.allFinite())
    throw InputError(
        fmt::format("set_coordinates: {} x {} and {} x {} given; expected finite {} x 3 matrices", q.rows(),
                    q.cols(), rates.rows(), rates.cols(), d));
  q_ = q, v_ = rates;
  std::fill(contact_touched_.begin(), contact_touched_.end(), 0);
  leave_out_rows(q_, model_->basis.dropped);
  leave_out_rows(v_, model_->basis.dropped);
}

void Hrpd::set_iterations(int turns) {
  if (turns < 1 || turns > 10000)
    throw InputError(fmt::format("set_iterations: {} given; expected 1 to 10000", turns));
  options_.iterations = turns;
}

bool Hrpd::holds(int vertex) const {
  return std::binary_search(model_->fixed.begin(), model_->fixed.end(), vertex);
}

// === Vertices

Vector3d Hrpd::displacement(int vertex, const MatrixXd& q) const {
  const HandleWeights& w = model_->basis.weights;
  Vector3d sum = Vector3d::Zero();
  for (Index e = w.first[at(vertex)]; e < w.first[at(vertex) + 1]; ++e) {
    const Eigen::Vector4d u = columns_of(model_->basis, vertex, e);
    const Index row = 4 * Index{w.handle[at(e)]};
    for (int k = 0; k < 4; ++k)
      for (int c = 0; c < 3; ++c) sum[c] += u[k] * q(row + k, c);
  }
  return sum;
}

/// out += Uᵀ of something at one vertex
void Hrpd::add_at(int vertex, const Vector3d& value, MatrixXd& out) const {
  const HandleWeights& w = model_->basis.weights;
  for (Index e = w.first[at(vertex)]; e < w.first[at(vertex) + 1]; ++e) {
    const Eigen::Vector4d u = columns_of(model_->basis, vertex, e);
    const Index row = 4 * Index{w.handle[at(e)]};
    for (int k = 0; k < 4; ++k)
      if (!model_->basis.dropped[at(row + k)])
        for (int c = 0; c < 3; ++c) out(row + k, c) += u[k] * value[c];
  }
}

/// The column of `responses_` that holds A⁻¹ u of a vertex.
Index Hrpd::response(int vertex) {
  const auto place = std::lower_bound(response_of_.begin(), response_of_.end(), std::pair(vertex, Index{0}));
  if (place != response_of_.end() && place->first == vertex) return place->second;
  const auto made = static_cast<Index>(response_of_.size());
  response_of_.insert(place, {vertex, made});
  force_.setZero();
  add_at(vertex, Vector3d(1, 0, 0), force_);
  responses_.col(made) = force_.col(0);
  factor_.solve(responses_.col(made).data());
  return made;
}

/// How far a vertex moves along with a unit of force at another, m/N: uᵀ A⁻¹ u.
double Hrpd::felt(int vertex, Index response) const {
  const HandleWeights& w = model_->basis.weights;
  double sum = 0;
  for (Index e = w.first[at(vertex)]; e < w.first[at(vertex) + 1]; ++e)
    sum += columns_of(model_->basis, vertex, e)
               .dot(responses_.col(response).segment<4>(4 * Index{w.handle[at(e)]}));
  return sum;
}

/// The same between two pins; between contacts from what is kept.
double Hrpd::coupling(const Pin& a, const Pin& b) {
  if (a.contact < 0 || b.contact < 0 || contact_coupled_.empty()) return felt(a.vertex, b.response);
  if (!contact_coupled_[at(b.contact)]) {
    for (std::size_t k = 0; k < model_->contact_vertices.size(); ++k)
      contact_coupling_(static_cast<Index>(k), b.contact) = felt(model_->contact_vertices[k], b.response);
    contact_coupled_[at(b.contact)] = 1;
  }
  return contact_coupling_(a.contact, b.contact);
}

/// Memory for so many pins, so that they may come and go without asking for more.
void Hrpd::make_room(Index pins) {
  pins_.reserve(at(pins));
  response_of_.reserve(at(pins + room_for_pins));
  responses_.conservativeResize(model_->columns(), pins + room_for_pins);
  coupling_.resize(pins, pins);
  pin_matrix_.resize(pins, pins);
  pin_gap_.resize(pins, 3);
  pin_factor_.reserve(pins);
}

// === A step

void Hrpd::factorize() {
  const Trace::Scope scope(trace_, "factorize");
  const HrpdModel& m = *model_;
  const double h = time_step_;
  MatrixXd A = m.mass / (h * h) + stiffness_ * stiffness_sum_;
  leave_out(A, m.basis.dropped);
  // Where columns depend on each other nearly, rounding may make A indefinite.
  const double little = 1e-12 * A.diagonal().mean();
  for (double added = little; !factor_.factorize(A) && added < 1e6 * little; added *= 10)
    A.diagonal().array() += added;
  MatrixXd K = stiffness_ * fitted_sum_;
  leave_out(K, m.basis.dropped);
  for (Index i = 0; i < K.rows(); ++i)
    if (m.basis.dropped[at(i)]) K(i, i) = 0;
  solve(factor_, K);
  std::vector<MatrixXd> maps;
  MatrixXd rest = MatrixXd::Zero(m.columns(), 3);
  if (m.all) maps.push_back(stiffness_ * MatrixXd::Identity(m.columns(), m.columns()));
  for (const ReducedConstraints& kind : m.kinds) {
    if (m.all) break;
    maps.push_back(stiffness_ * kind.map);
    rest += stiffness_ * kind.rest_force;
  }
  for (MatrixXd& map : maps) {
    leave_out_rows(map, m.basis.dropped);
    solve(factor_, map);
  }
  leave_out_rows(rest, m.basis.dropped);
  solve(factor_, rest);
  std::visit([&](auto& engine) { engine.set_matrices(K, maps, rest); }, engine_);
  response_of_.clear();
  std::fill(contact_coupled_.begin(), contact_coupled_.end(), 0);
  ++factorizations_;
}

/// Where the body would be without forces that depend on where it is: s̃.
void Hrpd::predict() {
  const double h = time_step_;
  v_ *= std::exp(-damping_ * h);
  start_ = q_, start_rates_ = v_;
  target_ = q_ + h * v_;
  for (int c = 0; c < 3; ++c) target_.col(c) += (h * h * gravity_[c]) * ones_;
  if (!applied_.empty()) {
    force_.setZero();
    for (const AppliedForce& a : applied_) add_at(a.vertex, a.force, force_);
    for (int c = 0; c < 3; ++c) {
      column_ = force_.col(c);
      mass_factor_.solve(column_);
      target_.col(c) += h * h * column_;
    }
  }
}

void Hrpd::choose_pins() {
  const Trace::Scope scope(trace_, "pins");
  const HrpdModel& m = *model_;
  pins_.clear();
  for (const Drag& drag : drags_)
    pins_.push_back({drag.vertex,
                     drag_stiffness(drag.strength, total_mass_, stiffness_ * m.local_stiffness[drag.vertex]),
                     drag.target - m.basis.rest.row(drag.vertex).transpose()});
  if (changes_.fixed) {
    held_by_pins_.clear();
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      if (!holds(fixed_[i])) held_by_pins_.push_back(i);
  }
  for (const std::size_t i : held_by_pins_) {
    const int v = fixed_[i];
    pins_.push_back(
        {v, held_stiffness * (stiffness_ * m.local_stiffness[v] + m.masses[v] / (time_step_ * time_step_)),
         (fixed_targets_.row(static_cast<Index>(i)) - m.basis.rest.row(v)).transpose()});
  }

  placed_.clear();
  if (!obstacles_.empty() && !m.contact_vertices.empty()) {
    for (const Obstacle& o : obstacles_) placed_.push_back(place(o, time_ + time_step_));
    for (std::size_t k = 0; k < m.contact_vertices.size(); ++k) {
      const int v = m.contact_vertices[k];
      const Index row = static_cast<Index>(k);
      contact_start_.row(row) = m.basis.rest.row(v) + displacement(v, start_).transpose();
      if (contact_touched_[k]) contact_start_.row(row) = contact_anchor_.row(row);
      contact_now_.row(row) = m.basis.rest.row(v) + displacement(v, target_).transpose();
      contact_before_.row(row) = displacement(v, start_rates_).transpose();
    }
    project_positions(placed_, contact_rows_, contact_start_, time_step_, contact_now_, contacts_);
    for (std::size_t k = 0; k < m.contact_vertices.size(); ++k) {
      contact_touched_[k] = contacts_[k].touches() && !holds(m.contact_vertices[k]);
      if (contact_touched_[k])
        pins_.push_back({m.contact_vertices[k], 0, Vector3d::Zero(), static_cast<Index>(k)});
    }
  } else {
    std::fill(contact_touched_.begin(), contact_touched_.end(), 0);
  }
  if (pins_.empty()) return;

  // === How pins feel each other
  const Index count = static_cast<Index>(pins_.size());
  if (count > coupling_.rows()) make_room(2 * count);
  // Vertices that were pinned some time ago are forgotten once there are too many.
  if (static_cast<Index>(response_of_.size()) + count > responses_.cols()) response_of_.clear();
  for (Pin& pin : pins_) pin.response = response(pin.vertex);
  for (Index j = 0; j < count; ++j)
    for (Index i = 0; i <= j; ++i) {
      coupling_(i, j) = coupling(pins_[at(i)], pins_[at(j)]);
      coupling_(j, i) = coupling_(i, j);
    }
  for (Index i = 0; i < count; ++i)
    if (pins_[at(i)].contact >= 0)
      pins_[at(i)].stiffness = contact_weight / std::max(coupling_(i, i), 1e-300);
  pin_matrix_.topLeftCorner(count, count) = coupling_.topLeftCorner(count, count);
  for (Index i = 0; i < count; ++i)
    pin_matrix_(i, i) += 1 / std::max(pins_[at(i)].stiffness, 1e-300) + 1e-9 * coupling_(i, i);
  // Not finite: nothing to pull with.
  if (!pin_factor_.factorize(pin_matrix_.topLeftCorner(count, count))) pins_.clear();
}

/// Moves q_ by what the pins add to the global step.
void Hrpd::pull_pins() {
  if (pins_.empty()) return;
  const Trace::Scope scope(trace_, "pins");
  const HrpdModel& m = *model_;
  for (std::size_t i = 0; i < pins_.size(); ++i) {
    const Pin& pin = pins_[i];
    const Vector3d here = displacement(pin.vertex, q_);
    Vector3d wanted = pin.target;
    if (pin.contact >= 0) {
      const Vector3d rest = m.basis.rest.row(pin.vertex).transpose();
      const Vector3d start = contact_start_.row(pin.contact).transpose();
      const Vector3d outside = nearest_outside(placed_, start, time_step_, rest + here);
      contact_anchor_.row(pin.contact) = outside.transpose();
      wanted = outside - rest;
    }
    pin_gap_.row(static_cast<Index>(i)) = (wanted - here).transpose();
  }
  for (int c = 0; c < 3; ++c) pin_factor_.solve(pin_gap_.col(c).data());
  for (std::size_t i = 0; i < pins_.size(); ++i)
    for (int c = 0; c < 3; ++c)
      q_.col(c) += pin_gap_(static_cast<Index>(i), c) * responses_.col(pins_[i].response);
}

/// Vertices that touched an obstacle leave it as restitution and friction say.
void Hrpd::correct_velocities() {
  const HrpdModel& m = *model_;
  const auto contact = std::find_if(pins_.begin(), pins_.end(), [](const Pin& p) { return p.contact >= 0; });
  if (contact == pins_.end()) return;
  const Trace::Scope scope(trace_, "contact");
  const Index first = contact - pins_.begin(), count = static_cast<Index>(pins_.size()) - first;
  for (std::size_t k = 0; k < m.contact_vertices.size(); ++k)
    contact_velocities_.row(static_cast<Index>(k)) = displacement(m.contact_vertices[k], v_).transpose();
  contact_now_ = contact_velocities_;
  project_velocities(placed_, contact_rows_, contacts_, contact_before_, contact_velocities_);
  pin_matrix_.topLeftCorner(count, count) = coupling_.block(first, first, count, count);
  for (Index i = 0; i < count; ++i) pin_matrix_(i, i) *= 1.1;  // samples may not determine every handle
  if (!pin_factor_.factorize(pin_matrix_.topLeftCorner(count, count))) return;
  for (int c = 0; c < 3; ++c) {
    for (Index i = 0; i < count; ++i) {
      const Index k = pins_[at(first + i)].contact;
      pin_gap_(i, c) = contact_velocities_(k, c) - contact_now_(k, c);
    }
    pin_factor_.solve(pin_gap_.col(c).data());
  }
  for (Index i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) v_.col(c) += pin_gap_(i, c) * responses_.col(pins_[at(first + i)].response);
}

void Hrpd::local_step() {
  std::visit([&](auto& engine) { engine.local_step(q_, volume_); }, engine_);
}

StepReport Hrpd::step() {
  trace_.clear();
  const double h = time_step_;
  if (changes_.time_step || changes_.stiffness) factorize();
  predict();
  choose_pins();
  {
    const Trace::Scope scope(trace_, "begin");
    std::visit([&](auto& engine) { engine.begin_step(target_); }, engine_);
  }
  q_ = target_;
  StepReport report;
  for (int i = 0; i < options_.iterations; ++i) {
    {
      const Trace::Scope scope(trace_, "local");
      local_step();
    }
    if (i + 1 == options_.iterations) before_last_ = q_;
    {
      const Trace::Scope scope(trace_, "global");
      std::visit([&](auto& engine) { engine.global_step(q_); }, engine_);
    }
    pull_pins();
  }
  report.iterations = options_.iterations;
  report.residual = (q_ - before_last_).cwiseAbs().maxCoeff() / diagonal_;
  if (!q_.allFinite()) {
    q_ = start_;
    v_.setZero();
    report.converged = false;
  } else {
    v_ = (q_ - start_) / h;
    correct_velocities();
  }

  // What the world did to the vertices that the subspace holds: the rest of the balance of momentum.
  for (int c = 0; c < 3; ++c)
    reaction_[c] = (v_.col(c) - start_rates_.col(c)).dot(momentum_row_) / h - total_mass_ * gravity_[c];
  for (const AppliedForce& a : applied_) reaction_ -= a.force;
  for (const Pin& pin : pins_)
    if (pin.contact < 0) reaction_ -= pin.stiffness * (pin.target - displacement(pin.vertex, q_));
  finish_step();
  return report;
}

// === Reading

const Points& Hrpd::positions() {
  pliant::positions(model_->basis, q_, positions_);
  return positions_;
}

void Hrpd::positions_of(std::span<const int> vertices, Points& out) {
  check_vertices("hrpd", vertices);
  out.resize(static_cast<Index>(vertices.size()), 3);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    out.row(static_cast<Index>(i)) =
        model_->basis.rest.row(vertices[i]) + displacement(vertices[i], q_).transpose();
}

void Hrpd::velocities_of(std::span<const int> vertices, Points& out) {
  check_vertices("hrpd", vertices);
  out.resize(static_cast<Index>(vertices.size()), 3);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    out.row(static_cast<Index>(i)) = displacement(vertices[i], v_).transpose();
}

void Hrpd::reactions_of(std::span<const int> vertices, Points& out) {
  check_vertices("hrpd", vertices);
  out = Points::Zero(static_cast<Index>(vertices.size()), 3);
  if (step_count() == 0) return;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const int v = vertices[i];
    if (holds(v)) {
      out.row(static_cast<Index>(i)) = model_->masses[v] / held_mass_ * reaction_.transpose();
      continue;
    }
    for (std::size_t p = drags_.size(); p < pins_.size(); ++p)  // those after the drags hold vertices
      if (pins_[p].contact < 0 && pins_[p].vertex == v)
        out.row(static_cast<Index>(i)) =
            pins_[p].stiffness * (pins_[p].target - displacement(v, q_)).transpose();
  }
}

Measures Hrpd::measure() {
  const HrpdModel& m = *model_;
  Measures out;
  out.kinetic = (m.mass * v_).cwiseProduct(v_).sum() / 2;
  out.momentum = v_.transpose() * momentum_row_;
  if (auto* exact = std::get_if<HrpdExactEngine>(&engine_))
    out.elastic = stiffness_ * exact->energy(q_, volume_);
  else
    local_step();
  for (std::size_t k = 0; k < m.kinds.size() && !m.all; ++k) {
    const ReducedConstraints& kind = m.kinds[k];
    const MatrixXd found = found_projections(k);
    MatrixXd pulled = kind.rest_force;
    for (Index block = 0; block < found.cols() / 3; ++block)
      pulled += kind.map.middleCols(block * found.rows(), found.rows()) * found.middleCols<3>(3 * block);
    out.elastic += stiffness_ *
                   ((kind.stiffness * q_ - 2 * pulled).cwiseProduct(q_).sum() +
                    (kind.metric.asDiagonal() * found).cwiseProduct(found).sum()) /
                   2;
  }
  const Points& x = positions();
  for (Index i = 0; i < vertex_count_; ++i) {
    const Vector3d place = x.row(i).transpose();
    out.gravitational -= m.masses[i] * gravity_.dot(place);
    out.angular_momentum += m.masses[i] * place.cross(displacement(static_cast<int>(i), v_));
  }
  return out;
}

MatrixXd Hrpd::found_projections(std::size_t kind) const {
  if (const auto* single = std::get_if<HrpdEngine<float>>(&engine_)) return single->found(kind);
  return std::get<HrpdEngine<double>>(engine_).found(kind);
}

std::size_t Hrpd::memory_bytes() const {
  return std::visit([](const auto& engine) { return engine.memory_bytes(); }, engine_);
}

// === State

void Hrpd::write_state(StateWriter& writer) const {
  writer.vector(q_.reshaped());
  writer.vector(v_.reshaped());
  writer.array(std::span<const double>(reaction_.data(), 3));
  writer.points(contact_anchor_);
  writer.array(std::span<const char>(contact_touched_));
}

void Hrpd::read_state(StateReader& reader) {
  VectorXd q(q_.size()), v(v_.size());
  reader.vector(q);
  reader.vector(v);
  Vector3d reaction;
  reader.into(std::span<double>(reaction.data(), 3));
  Points anchors(contact_anchor_.rows(), 3);
  std::vector<char> touched(contact_touched_.size());
  reader.points(anchors);
  reader.into(std::span<char>(touched));
  if (!q.allFinite() || !v.allFinite() || !reaction.allFinite() || !anchors.allFinite())
    throw InputError("state: not a finite number; expected finite ones");
  set_coordinates(q.reshaped(model_->columns(), 3), v.reshaped(model_->columns(), 3));
  reaction_ = reaction;
  contact_anchor_ = std::move(anchors);
  contact_touched_ = std::move(touched);
}

void Hrpd::motion_set(const Points& positions, const Points& velocities) {
  const HrpdModel& m = *model_;
  MatrixXd q = pull_back(m.basis, Points(m.masses.asDiagonal() * (positions - m.basis.rest)));
  MatrixXd v = pull_back(m.basis, Points(m.masses.asDiagonal() * velocities));
  leave_out_rows(q, m.basis.dropped);
  leave_out_rows(v, m.basis.dropped);
  solve(mass_factor_, q);
  solve(mass_factor_, v);
  set_coordinates(q, v);
}

}  // namespace pliant
