#include "pliant/fullspace/incremental_potential.h"

#include <cmath>
#include <utility>

namespace pliant {
namespace {

constexpr Index grain = 1024;  // vertices a task

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::span<const double> flat(const Points& p) { return {p.data(), at(p.size())}; }
std::span<double> flat(Points& p) { return {p.data(), at(p.size())}; }

}  // namespace

IncrementalPotential::IncrementalPotential(std::shared_ptr<const Body> body) : body_(std::move(body)) {
  const Index n = body_->vertex_count();
  for (Points* p : {&target, &external, &start, &start_velocity, &forces_}) *p = Points::Zero(n, 3);
  held.assign(at(n), 0);
  partial_.resize(at((n + grain - 1) / grain));
}

void IncrementalPotential::set_contact(std::vector<int> vertices, VectorXd contact_stiffness,
                                       const PenaltyOptions& options) {
  contact_place_.assign(at(body_->vertex_count()), -1);
  for (std::size_t k = 0; k < vertices.size(); ++k) contact_place_[at(vertices[k])] = static_cast<int>(k);
  contact_.emplace(std::move(vertices), std::move(contact_stiffness), options);
}

void IncrementalPotential::begin(double time_step) {
  if (contact_) contact_->begin_step(obstacles, start, time_step);
  damps_stiffness_ = body_->damping().stiffness > 0 && velocity_rate > 0;
  if (damps_stiffness_) {
    if (start_stiffness_.block_count() == 0) {
      start_stiffness_ = body_->block_pattern();
      moved_ = damped_ = Points::Zero(body_->vertex_count(), 3);
    }
    body_->stiffness_blocks(start, start_stiffness_, forces_, work_, Projection::positive);
  }
}

void IncrementalPotential::add_terms(const Points& x, bool hessians, bool projected, Points* gradient,
                                     Value& value) {
  // === Inertia, external forces, damping by mass: vertex by vertex
  const VectorXd& masses = body_->masses();
  const double mass_damping = body_->damping().mass, c1 = velocity_rate, c2 = velocity_kept;
  parallel_for_chunks(x.rows(), grain, [&](Index begin, Index end) {
    Value sum;
    for (Index i = begin; i < end; ++i) {
      const double m = masses[i];
      const Eigen::RowVector3d off = x.row(i) - target.row(i), moved = x.row(i) - start.row(i);
      const double kinetic = 0.5 * inertia * m * off.squaredNorm(), work = -external.row(i).dot(moved);
      const double lost =
          mass_damping * m * (0.5 * c1 * moved.squaredNorm() - c2 * moved.dot(start_velocity.row(i)));
      sum.total += kinetic + work + lost;
      sum.magnitude += kinetic + std::abs(work) + std::abs(lost);
      if (gradient)
        gradient->row(i) += inertia * m * off - external.row(i) +
                            mass_damping * m * (c1 * moved - c2 * start_velocity.row(i));
    }
    partial_[at(begin / grain)] = sum;
  });
  for (const Value& part : partial_) value.total += part.total, value.magnitude += part.magnitude;

  // === Damping by stiffness: c₁/2 u·Du - c₂ u·Dv₀, u = x - x₀
  if (damps_stiffness_) {
    const double beta = body_->damping().stiffness * stiffness;
    moved_ = x - start;
    damped_ = 0.5 * c1 * moved_ - c2 * start_velocity;
    multiply(start_stiffness_, flat(std::as_const(damped_)), flat(forces_));
    const double lost = beta * moved_.cwiseProduct(forces_).sum();
    value.total += lost, value.magnitude += std::abs(lost);
    if (gradient) {
      damped_ += 0.5 * c1 * moved_;
      multiply(start_stiffness_, flat(std::as_const(damped_)), flat(forces_));
      *gradient += beta * forces_;
    }
  }

  // === Springs and contact
  for (const Spring& s : springs) {
    const Eigen::RowVector3d off = x.row(s.vertex) - s.target.transpose();
    value.total += 0.5 * s.stiffness * off.squaredNorm(),
        value.magnitude += 0.5 * s.stiffness * off.squaredNorm();
    if (gradient) gradient->row(s.vertex) += s.stiffness * off;
  }
  if (contact_ && !obstacles.empty()) {
    PenaltyEnergy energy;
    if (!gradient) {
      energy = contact_->energy(x);
    } else if (!hessians) {
      contact_->forces(x, contact_terms_);
    } else {
      contact_->forces_and_hessians(x, projected, contact_terms_);
    }
    if (gradient) {
      energy = contact_terms_.energy;
      for (std::size_t k = 0; k < contact_->vertices().size(); ++k)
        gradient->row(contact_->vertices()[k]) -= contact_terms_.forces.row(static_cast<Index>(k));
    }
    value.total += energy.total(), value.magnitude += energy.penalty + std::abs(energy.friction);
  }
}

IncrementalPotential::Value IncrementalPotential::value(const Points& x) {
  Value value;
  value.total = stiffness * body_->energy(x, work_);
  value.magnitude = std::abs(value.total);
  add_terms(x, false, false, nullptr, value);
  return value;
}

IncrementalPotential::Value IncrementalPotential::value_and_gradient(const Points& x, Points& gradient) {
  Value value;
  value.total = stiffness * body_->energy_and_forces(x, gradient, work_);
  value.magnitude = std::abs(value.total);
  gradient *= -stiffness;
  add_terms(x, false, false, &gradient, value);
  return value;
}

IncrementalPotential::Value IncrementalPotential::system(const Points& x, Projection projection,
                                                         Points& gradient, SymmetricBlocks& A) {
  Value value;
  value.total = stiffness * body_->stiffness_blocks(x, A, gradient, work_, projection);
  value.magnitude = std::abs(value.total);
  gradient *= -stiffness;
  add_terms(x, true, projection == Projection::positive, &gradient, value);

  const bool touching = contact_ && !obstacles.empty();
  const double by_mass = inertia + velocity_rate * body_->damping().mass;
  const double by_stiffness = damps_stiffness_ ? velocity_rate * body_->damping().stiffness * stiffness : 0;
  parallel_for(A.size(), grain / 4, [&](Index c) {
    const int first = A.column_start[at(c)], last = A.column_start[at(c + 1)];
    double* values = A.values.data() + 9 * first;
    const int count = 9 * (last - first);
    for (int k = 0; k < count; ++k) values[k] *= stiffness;
    if (by_stiffness > 0) {
      const double* damping = start_stiffness_.values.data() + 9 * first;
      for (int k = 0; k < count; ++k) values[k] += by_stiffness * damping[k];
    }
    const double mass = by_mass * body_->masses()[c];
    for (int k = 0; k < 3; ++k) values[4 * k] += mass;
    if (touching && contact_place_[at(c)] >= 0 && contact_terms_.touching[at(contact_place_[at(c)])])
      A.block(first) += contact_terms_.hessians[at(contact_place_[at(c)])];
    if (held[at(c)])
      std::fill_n(values, count, 0.0);
    else
      for (int b = first + 1; b < last; ++b)
        if (held[at(A.rows[at(b)])]) A.block(b).setZero();
    if (held[at(c)]) A.block(first).setIdentity();
  });
  for (const Spring& s : springs)
    if (!held[at(s.vertex)]) A.diagonal(s.vertex).diagonal().array() += s.stiffness;
  return value;
}

void IncrementalPotential::forces_at_start(Points& out) {
  body_->energy_and_forces(start, out, work_);
  const double mass_damping = body_->damping().mass;
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) =
        stiffness * out.row(i) + external.row(i) - mass_damping * body_->masses()[i] * start_velocity.row(i);
  if (damps_stiffness_) {
    multiply(start_stiffness_, flat(std::as_const(start_velocity)), flat(forces_));
    out -= body_->damping().stiffness * stiffness * forces_;
  }
  for (const Spring& s : springs)
    out.row(s.vertex) += s.stiffness * (s.target.transpose() - start.row(s.vertex));
  if (contact_ && !obstacles.empty()) {
    contact_->forces(start, contact_terms_);
    for (std::size_t k = 0; k < contact_->vertices().size(); ++k)
      out.row(contact_->vertices()[k]) += contact_terms_.forces.row(static_cast<Index>(k));
  }
}

}  // namespace pliant
