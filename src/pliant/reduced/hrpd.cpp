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
/// So many take no memory while running.
constexpr std::size_t room_for_pins = 128;
/// And no more than so many are: a step takes time with the third power of their number, and memory with the second.
constexpr std::size_t most_pins = 2000;
/// A step that goes further, in box diagonals, or nowhere at all (not a number) is not made: the body stays and stands still. Only
/// obstacles and pins that contradict each other do that, and what grows from step to step would be too large for any number.
constexpr double furthest_in_a_step = 1e5;
/// So much more of A is stiffness than inertia.
constexpr double nearly_rigid = 1e6;
/// Of the parts into which A is taken apart.
constexpr int least_handles = 6;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check_factor(double factor) {
  if (!(factor >= 1e-6 && factor <= 1e6))
    throw InputError(fmt::format("hrpd: a factor of {} on stiffness; expected 1e-6 to 1e6", factor));
}

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

/// Coordinates of the translation by one, where the subspace has it; otherwise of what is nearest to it.
/// @param nearest  those
VectorXd coordinates_of_translation(const HrpdModel& model, const VectorXd& nearest) {
  if (model.basis.given.cols() > 0) return nearest;
  VectorXd ones = VectorXd::Zero(nearest.size());  // to the last bit: weights sum to one
  for (Index i = 0; i < ones.size(); i += 4) ones[i] = model.basis.dropped[at(i)] ? 0 : 1;
  return ones;
}

/// Which pieces of a body do not resist this translation: those that are held do, and those whose subspace has none.
/// @param piece_of  of every handle
std::vector<char> free_pieces(const HrpdModel& model, const VectorXd& ones, std::span<const int> piece_of) {
  std::vector<char> is_free(at(1 + *std::max_element(piece_of.begin(), piece_of.end())), 1);
  const double largest = ones.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return std::vector<char>(is_free.size(), 0);
  for (const ReducedConstraints& kind : model.kinds) {
    const double most = kind.stiffness.diagonal().maxCoeff() * largest;
    const VectorXd resisted = kind.stiffness * ones;
    for (Index i = 0; i < resisted.size(); ++i)
      if (!(std::abs(resisted[i]) <= 1e-9 * most)) is_free[at(piece_of[at(i / 4)])] = 0;
  }
  return is_free;
}

/// Of every handle, the connected piece of the body that it belongs to: 0, 1, ...
/// @param joined  see joined_handles
std::vector<int> pieces_of(const std::vector<std::vector<int>>& joined) {
  std::vector<int> piece(joined.size(), -1), members;
  int pieces = 0;
  for (std::size_t first = 0; first < joined.size(); ++first) {
    if (piece[first] >= 0) continue;
    piece[first] = pieces;
    members = {static_cast<int>(first)};
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const int next : joined[at(members[i])])
        if (piece[at(next)] < 0) piece[at(next)] = pieces, members.push_back(next);
    ++pieces;
  }
  return piece;
}

/// Columns of B solved a few at a time, in parallel.
void solve(const DenseCholesky& factor, MatrixXd& B) {
  parallel_for_chunks(B.cols(), 16, [&](Index begin, Index end) {
    factor.solve(B.col(begin).data(), static_cast<int>(end - begin));
  });
}

}  // namespace

Hrpd::Hrpd(std::shared_ptr<const HrpdModel> model, const HrpdOptions& options)
    : Simulator(model->vertex_count()), model_(std::move(model)), options_(options), pins_(*model_) {
  if (options_.iterations == 0) options_.iterations = model_->iterations;
  if (options_.iterations < 1 || options_.iterations > 10000)
    throw InputError(fmt::format("hrpd: {} iterations; expected 1 to 10000", options_.iterations));
  if (!(options_.prediction >= 0 && options_.prediction < 1))
    throw InputError(fmt::format("hrpd: prediction is {}; expected 0 to below 1", options_.prediction));
  if (options_.acceleration < 0 || options_.acceleration > AndersonMixing::most)
    throw InputError(fmt::format("hrpd: acceleration by {} turns; expected 0 to {}", options_.acceleration,
                                 AndersonMixing::most));
  set_time_step(options_.time_step);
  const HrpdModel& m = *model_;
  const Index d = m.columns();
  mixing_ = AndersonMixing(3 * d, options_.acceleration);
  const Points& X = m.basis.rest;
  diagonal_ = (X.colwise().maxCoeff() - X.colwise().minCoeff()).norm();
  total_mass_ = m.masses.sum();
  fixed_ = m.fixed;
  fixed_targets_.resize(static_cast<Index>(fixed_.size()), 3);
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    fixed_targets_.row(static_cast<Index>(i)) = X.row(fixed_[i]);
    held_mass_ += m.masses[fixed_[i]];
  }

  const std::vector<std::vector<int>> joined = joined_handles(m);
  factor_ = DissectedCholesky(dissect(joined, least_handles), 4, m.basis.dropped);
  std::vector<const MatrixXd*> terms = {&m.mass};
  for (const ReducedConstraints& kind : m.kinds) terms.push_back(&kind.stiffness);
  factor_.set_terms(terms);
  MatrixXd mass = m.mass;
  leave_out(mass, m.basis.dropped);
  if (!mass_factor_.factorize(mass))
    throw InputError("hrpd: the reduced mass matrix is not positive definite; expected independent columns");
  momentum_row_ = pull_back(m.basis, Points(m.masses.replicate(1, 3))).col(0);
  for (Index i = 0; i < d; ++i)
    if (m.basis.dropped[at(i)]) momentum_row_[i] = 0;
  ones_ = momentum_row_;
  mass_factor_.solve(ones_);
  kind_factors_.assign(m.kinds.size(), 1);
  // Columns of recorded motion belong to no piece of the body.
  piece_of_ = m.basis.given.cols() > 0 ? std::vector<int>(joined.size(), 0) : pieces_of(joined);
  free_translation_ = coordinates_of_translation(m, ones_);
  const std::vector<char> is_free = free_pieces(m, free_translation_, piece_of_);
  const VectorXd whole_translation =
      std::ranges::all_of(is_free, [](char free) { return free != 0; }) ? free_translation_ : VectorXd();
  piece_shift_.setZero(std::ssize(is_free));
  VectorXd mass_of = piece_shift_;
  for (Index i = 0; i < d; ++i) {
    const int piece = piece_of_[at(i / 4)];
    if (!is_free[at(piece)]) free_translation_[i] = 0;
    mass_of[piece] += momentum_row_[i] * free_translation_[i];
  }
  centered_row_ = momentum_row_;
  for (Index i = 0; i < d; ++i) {
    const double whole = mass_of[piece_of_[at(i / 4)]];
    centered_row_[i] =
        whole > 0 ? centered_row_[i] / whole : 0;  // none: it is held, or all of its columns are dropped
  }
  pins_.set_constant(whole_translation);
  if (m.all)
    engine_.emplace<HrpdExactEngine>(m);
  else if (options_.double_precision)
    engine_.emplace<HrpdEngine<double>>(m, whole_translation, options_.prediction);
  else
    engine_.emplace<HrpdEngine<float>>(m, whole_translation, options_.prediction);
  for (MatrixXd* q : {&q_, &v_, &start_, &start_rates_, &target_, &force_, &turn_start_}) q->setZero(d, 3);
  pinned_.reserve(room_for_pins);
  held_by_pins_.reserve(room_for_pins);
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
  std::fill(pins_.points().touched.begin(), pins_.points().touched.end(), 0);
  leave_out_rows(q_, model_->basis.dropped);
  leave_out_rows(v_, model_->basis.dropped);
}

std::size_t Hrpd::kind_named(std::string_view name) const {
  std::string known;
  for (std::size_t k = 0; k < model_->kinds.size(); ++k) {
    const std::string_view own = pliant::name(model_->kinds[k].samples.kind);
    if (own == name) return k;
    known += (known.empty() ? "" : ", ") + std::string(own);
  }
  throw InputError(fmt::format("hrpd: constraints '{}' asked for; expected one of {}", name, known));
}

void Hrpd::set_stiffness_of(std::string_view kind, double factor) {
  if (model_->all)
    throw InputError(
        "hrpd: stiffness of one kind set where every constraint is evaluated; expected a model with a fit");
  check_factor(factor);
  kind_factors_[kind_named(kind)] = factor;
  changes_.stiffness = true;
}

double Hrpd::stiffness_of(std::string_view kind) const { return kind_factors_[kind_named(kind)]; }

void Hrpd::set_iterations(int turns) {
  if (turns < 1 || turns > 10000)
    throw InputError(fmt::format("set_iterations: {} given; expected 1 to 10000", turns));
  options_.iterations = turns;
}

bool Hrpd::holds(int vertex) const {
  return std::binary_search(model_->fixed.begin(), model_->fixed.end(), vertex);
}

std::size_t Hrpd::most_held() const { return most_pins; }

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

// === A step

void Hrpd::factorize() {
  const Trace::Scope scope(trace_, "factorize");
  const HrpdModel& m = *model_;
  const double h = time_step_;
  const Index d = m.columns();
  std::vector<double> factors = {1 / (h * h)};  // of the mass, then of kinds
  double diagonal = m.mass.diagonal().sum() / (h * h);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    factors.push_back(stiffness_ * kind_factors_[k]);
    diagonal += factors.back() * m.kinds[k].stiffness.diagonal().sum();
  }
  // Where columns depend on each other nearly, rounding may make A indefinite.
  const double little = 1e-12 * diagonal / static_cast<double>(d);
  double added = 0;
  while (!factor_.factorize(factors, added) && added < 1e6 * little) added = added > 0 ? 10 * added : little;
  const HrpdSystem system{
      .factor = factor_, .inertia = factors[0], .factors = std::span(factors).subspan(1), .added = added};
  std::visit([&](auto& engine) { engine.set_system(m, system); }, engine_);
  // In a body that is nearly rigid, points feel each other by differences that single precision does not know.
  auto* single = std::get_if<HrpdEngine<float>>(&engine_);
  if (diagonal > nearly_rigid * factors[0] * m.mass.diagonal().sum()) single = nullptr;
  pins_.set_factor(factor_, single ? &single->inverse() : nullptr, single == nullptr);
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

void Hrpd::begin_pins() {
  const Trace::Scope scope(trace_, "pins");
  const HrpdModel& m = *model_;
  pinned_.clear();
  for (const Drag& drag : drags_)
    if (!is_fixed(drag.vertex))
      pinned_.push_back(
          {drag.vertex,
           drag_stiffness(drag.strength, total_mass_, stiffness_ * m.local_stiffness[drag.vertex]),
           drag.target});
  if (changes_.fixed) {
    held_by_pins_.clear();
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      if (!holds(fixed_[i])) held_by_pins_.push_back(i);
  }
  for (const std::size_t i : held_by_pins_) {
    const int v = fixed_[i];
    pinned_.push_back(
        {v, held_stiffness * (stiffness_ * m.local_stiffness[v] + m.masses[v] / (time_step_ * time_step_)),
         fixed_targets_.row(static_cast<Index>(i)).transpose()});
  }
  placed_.clear();
  for (const Obstacle& o : obstacles_) placed_.push_back(place(o, time_ + time_step_));
  pins_.begin(pinned_, placed_, time_step_, start_, target_);
}

void Hrpd::local_step(Team& team) {
  std::visit([&](auto& engine) { engine.local_step(team, q_, volume_); }, engine_);
}

/// What a body does to itself does not move the centre of any of its free pieces; in single precision what is rounded off does, the more the stiffer it is. In the
/// last turn only: all begin at s̃.
void Hrpd::keep_center() {
  if (free_translation_.isZero(0)) return;
  for (int c = 0; c < 3; ++c) {
    piece_shift_.setZero();
    for (Index i = 0; i < q_.rows(); ++i)
      piece_shift_[piece_of_[at(i / 4)]] += centered_row_[i] * (q_(i, c) - target_(i, c));
    for (Index i = 0; i < q_.rows(); ++i)
      q_(i, c) -= piece_shift_[piece_of_[at(i / 4)]] * free_translation_[i];
  }
}

StepReport Hrpd::step() {
  trace_.clear();
  const double h = time_step_;
  if (changes_.time_step || changes_.stiffness) factorize();
  Team team(!model_->all);  // which has loops of its own
  predict();
  begin_pins();
  {
    const Trace::Scope scope(trace_, "begin");
    std::visit([&](auto& engine) { engine.begin_step(team, target_); }, engine_);
  }
  q_ = target_;
  StepReport report;
  mixing_.restart();
  for (int i = 0; i < options_.iterations; ++i) {
    turn_start_ = q_;
    {
      const Trace::Scope scope(trace_, "local");
      local_step(team);
    }
    {
      const Trace::Scope scope(trace_, "global");
      std::visit([&](auto& engine) { engine.global_step(team, q_); }, engine_);
      if (i + 1 == options_.iterations) keep_center();
    }
    if (!pins_.empty()) {
      const Trace::Scope scope(trace_, "pins");
      pins_.pull(team, q_);
    }
    if (i + 1 < options_.iterations)
      mixing_.mix(Eigen::Map<const VectorXd>(turn_start_.data(), turn_start_.size()),
                  Eigen::Map<VectorXd>(q_.data(), q_.size()));
  }
  report.iterations = options_.iterations;
  report.residual = (q_ - turn_start_).cwiseAbs().maxCoeff() / diagonal_;
  if (!q_.allFinite() || (q_ - start_).cwiseAbs().maxCoeff() > furthest_in_a_step * diagonal_) {
    q_ = start_;
    v_.setZero();
    report.converged = false;
  } else {
    v_ = (q_ - start_) / h;
  }

  // What the world did to the vertices that the subspace holds: the rest of the balance of momentum.
  for (int c = 0; c < 3; ++c)
    reaction_[c] = (v_.col(c) - start_rates_.col(c)).dot(momentum_row_) / h - total_mass_ * gravity_[c];
  for (const AppliedForce& a : applied_) reaction_ -= a.force;
  for (const ActivePoint& point : pins_.points().points()) reaction_ -= point.force;
  if (report.converged)
    pins_.bounce(team, start_rates_, v_);
  else
    reaction_.setZero();  // nothing is known of it
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
    for (std::size_t p = pinned_.size() - std::min(pinned_.size(), held_by_pins_.size()); p < pinned_.size();
         ++p)
      if (pinned_[p].vertex == v) out.row(static_cast<Index>(i)) = pins_.force(p).transpose();
  }
}

Measures Hrpd::measure() {
  const HrpdModel& m = *model_;
  Measures out;
  out.kinetic = (m.mass * v_).cwiseProduct(v_).sum() / 2;
  out.momentum = v_.transpose() * momentum_row_;
  if (auto* exact = std::get_if<HrpdExactEngine>(&engine_))
    out.elastic = stiffness_ * exact->energy(q_, volume_);
  else {
    Team team;
    local_step(team);
  }
  for (std::size_t k = 0; k < m.kinds.size() && !m.all; ++k) {
    const ReducedConstraints& kind = m.kinds[k];
    if (kind.samples.weighted()) {
      out.elastic += stiffness_ * kind_factors_[k] * sampled_energy(k);
      continue;
    }
    const MatrixXd found = found_projections(k);
    MatrixXd pulled = kind.rest_force;
    for (Index block = 0; block < found.cols() / 3; ++block)
      pulled += kind.map.middleCols(block * found.rows(), found.rows()) * found.middleCols<3>(3 * block);
    out.elastic += stiffness_ * kind_factors_[k] *
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

double Hrpd::sampled_energy(std::size_t kind) {
  if (auto* single = std::get_if<HrpdEngine<float>>(&engine_)) return single->energy(kind, q_, volume_);
  return std::get<HrpdEngine<double>>(engine_).energy(kind, q_, volume_);
}

std::size_t Hrpd::memory_bytes() const {
  return std::visit([](const auto& engine) { return engine.memory_bytes(); }, engine_);
}

// === State

void Hrpd::write_state(StateWriter& writer) const {
  writer.vector(q_.reshaped());
  writer.vector(v_.reshaped());
  writer.array(std::span<const double>(kind_factors_));
  writer.array(std::span<const double>(reaction_.data(), 3));
  writer.points(pins_.points().anchors);
  writer.array(std::span<const char>(pins_.points().touched));
}

void Hrpd::read_state(StateReader& reader) {
  VectorXd q(q_.size()), v(v_.size());
  reader.vector(q);
  reader.vector(v);
  std::vector<double> factors(kind_factors_.size());
  reader.into(std::span<double>(factors));
  Vector3d reaction;
  reader.into(std::span<double>(reaction.data(), 3));
  Points anchors(pins_.points().anchors.rows(), 3);
  std::vector<char> touched(pins_.points().touched.size());
  reader.points(anchors);
  reader.into(std::span<char>(touched));
  if (!q.allFinite() || !v.allFinite() || !reaction.allFinite() || !anchors.allFinite())
    throw InputError("state: not a finite number; expected finite ones");
  set_coordinates(q.reshaped(model_->columns(), 3), v.reshaped(model_->columns(), 3));
  for (const double factor : factors) check_factor(factor);
  if (factors != kind_factors_) changes_.stiffness = true;
  kind_factors_ = std::move(factors);
  reaction_ = reaction;
  pins_.points().anchors = std::move(anchors);
  pins_.points().touched = std::move(touched);
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
