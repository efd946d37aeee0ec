#include "pliant/reduced/newmark_broyden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/simulation/drag.h"

namespace pliant {
namespace {

/// Vertices that are fixed while running are held by springs so much stiffer than the body is there.
constexpr double held_stiffness = 1e4;

/// The Jacobian is made anew where Broyden's method has asked for so many forces more than it would have with a new one:
/// about what making it costs. So the cost of both together is at most twice the least.
int worth_a_jacobian(const ReducedFem& model) { return model.polynomial ? 3 : 30; }
constexpr int iterations_with_a_new_one = 3;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check(const NewmarkBroydenOptions& options) {
  if (options.max_iterations < 0 || options.max_iterations > 60)
    throw InputError(
        fmt::format("newmark_broyden: max_iterations is {}; expected 0 to 60", options.max_iterations));
  if (options.max_newton < 1 || options.max_newton > 1000)
    throw InputError(
        fmt::format("newmark_broyden: max_newton is {}; expected 1 to 1000", options.max_newton));
  if (!(options.tolerance > 0) || !(options.contact_stiffness > 0))
    throw InputError("newmark_broyden: tolerance and contact_stiffness must be positive");
}

/// Three rows of U at a vertex.
auto rows_of(const RowMajorMatrix<float>& U, int vertex) { return U.middleRows<3>(3 * Index{vertex}); }

}  // namespace

NewmarkBroyden::NewmarkBroyden(std::shared_ptr<const ReducedFem> model, const NewmarkBroydenOptions& options)
    : Simulator(model->vertex_count()), model_(std::move(model)), options_(options) {
  pliant::check(*model_);
  check(options_);
  set_time_step(options_.time_step);
  const ReducedFem& m = *model_;
  const Index d = m.dimension();
  diagonal_ = (m.rest_positions.colwise().maxCoeff() - m.rest_positions.colwise().minCoeff()).norm();
  total_mass_ = m.masses.sum();
  fixed_ = m.fixed;
  fixed_targets_.resize(static_cast<Index>(fixed_.size()), 3);
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    fixed_targets_.row(static_cast<Index>(i)) = m.rest_positions.row(fixed_[i]);
    held_mass_ += m.masses[fixed_[i]];
  }

  gravity_map_.setZero(d, 3);
  for (Index i = 0; i < vertex_count_; ++i)
    gravity_map_ += m.masses[i] * rows_of(m.U, static_cast<int>(i)).cast<double>().transpose();
  damping_diagonal_ = m.damping.mass + m.damping.stiffness * m.eigenvalues.array().max(0);

  const auto samples = static_cast<Index>(m.contact_vertices.size());
  contact_rows_.resize(3 * samples, d);
  contact_points_.resize(samples, 3);
  for (Index k = 0; k < samples; ++k)
    contact_rows_.middleRows<3>(3 * k) = rows_of(m.U, m.contact_vertices[at(k)]);

  for (VectorXd* v : {&q_, &v_, &internal_, &start_, &start_rates_, &target_, &external_, &damping_now_,
                      &jacobian_diagonal_, &trial_, &residual_, &direction_, &best_, &elastic_, &anchor_})
    *v = VectorXd::Zero(d);
  secants_.resize(d, options_.max_iterations + 1);
  step_weights_.resize(options_.max_iterations + 1);
  for (MatrixXd* A : {&K_, &anchor_stiffness_, &jacobian_matrix_}) A->resize(d, d);
  positions_ = m.rest_positions;
  set_coordinates(q_, v_);
}

void NewmarkBroyden::set_coordinates(const VectorXd& q, const VectorXd& rates) {
  const Index d = model_->dimension();
  if (q.size() != d || rates.size() != d || !q.allFinite() || !rates.allFinite())
    throw InputError(
        fmt::format("set_coordinates: {} coordinates and {} rates given; expected {} finite numbers each",
                    q.size(), rates.size(), d));
  q_ = q, v_ = rates;
  internal_energy_ = elastic_force(*model_, q_, internal_, work_);
}

bool NewmarkBroyden::holds(int vertex) const {
  return std::binary_search(model_->fixed.begin(), model_->fixed.end(), vertex);
}

// === Vertices. Three rows of U each

void NewmarkBroyden::displacement(int vertex, const VectorXd& q, Vector3d& out) const {
  const float* row = model_->U.data() + 3 * Index{vertex} * q.size();
  for (int c = 0; c < 3; ++c, row += q.size()) {
    double sum = 0;
    for (Index i = 0; i < q.size(); ++i) sum += static_cast<double>(row[i]) * q[i];
    out[c] = sum;
  }
}

/// out += Uᵀ of a force at one vertex
void NewmarkBroyden::pull_back(int vertex, const Vector3d& force, VectorXd& out) const {
  const float* row = model_->U.data() + 3 * Index{vertex} * out.size();
  for (int c = 0; c < 3; ++c, row += out.size())
    for (Index i = 0; i < out.size(); ++i) out[i] += static_cast<double>(row[i]) * force[c];
}

void NewmarkBroyden::contact_positions(const VectorXd& q) {
  const Index d = q.size();
  for (Index k = 0; k < contact_points_.rows(); ++k)
    for (int c = 0; c < 3; ++c) {
      const float* row = contact_rows_.data() + (3 * k + c) * d;
      double sums[4] = {0, 0, 0, 0};
      Index i = 0;
      for (; i + 4 <= d; i += 4)
        for (int j = 0; j < 4; ++j) sums[j] += static_cast<double>(row[i + j]) * q[i + j];
      for (; i < d; ++i) sums[0] += static_cast<double>(row[i]) * q[i];
      contact_points_(k, c) = model_->rest_positions(model_->contact_vertices[at(k)], c) +
                              ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
}

// === A step

/// Answers changes: contact, and the Jacobian at rest with the springs that act.
void NewmarkBroyden::prepare() {
  if (changes_.obstacles || changes_.stiffness) {
    contact_.reset();
    if (!obstacles_.empty() && !model_->contact_vertices.empty()) {
      const Index samples = contact_points_.rows();
      std::vector<int> rows(at(samples));
      VectorXd stiffness(samples);
      for (Index k = 0; k < samples; ++k) {
        rows[at(k)] = static_cast<int>(k);
        stiffness[k] = options_.contact_stiffness * stiffness_ *
                       model_->local_stiffness[model_->contact_vertices[at(k)]];
      }
      contact_.emplace(std::move(rows), std::move(stiffness), PenaltyOptions{.width = 1e-3 * diagonal_});
    }
  }

  springs_.clear();
  for (const Drag& drag : drags_)
    if (!is_fixed(drag.vertex))
      springs_.push_back(
          {drag.vertex, drag.target,
           drag_stiffness(drag.strength, total_mass_, stiffness_ * model_->local_stiffness[drag.vertex])});
  if (changes_.fixed) {
    held_by_springs_.clear();
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      if (!holds(fixed_[i])) held_by_springs_.push_back(i);
  }
  for (const std::size_t i : held_by_springs_)
    springs_.push_back({fixed_[i], fixed_targets_.row(static_cast<Index>(i)).transpose(),
                        held_stiffness * (stiffness_ * model_->local_stiffness[fixed_[i]] +
                                          model_->masses[fixed_[i]] / (time_step_ * time_step_))});
}

void NewmarkBroyden::begin_step() {
  const double h = time_step_;
  const ReducedFem& m = *model_;
  v_ *= std::exp(-damping_ * h);
  start_ = q_, start_rates_ = v_;
  start_factor_ = end_factor_ = stiffness_;
  if (options_.damping == StiffnessDamping::at_rest) {
    damping_now_ = m.damping.mass + stiffness_ * (damping_diagonal_.array() - m.damping.mass);
  } else {
    // What the elastic force changes by over the step damps it: with Newmark's v₀ + v₁ = 2/h (q₁ - q₀)
    //     β K (v₀ + v₁) = 2β/h (f₀ - f₁),
    // exactly where the stiffness K is constant. It takes no evaluation of its own.
    const double braked = 2 * m.damping.stiffness / h;
    start_factor_ *= 1 - braked, end_factor_ *= 1 + braked;
    damping_now_.setConstant(m.damping.mass);
  }
  // Where forces of the start alone would throw the body further than it is large, those of the end act in their place.
  if ((h * h / 4) * stiffness_ * internal_.norm() > std::sqrt(total_mass_) * diagonal_)
    start_factor_ = 0, end_factor_ = 2 * stiffness_;
  external_.noalias() = gravity_map_ * gravity_;
  for (const AppliedForce& a : applied_) pull_back(a.vertex, a.force, external_);

  if (contact_) {
    placed_.clear();
    for (const Obstacle& o : obstacles_) placed_.push_back(place(o, time_ + h));
    contact_positions(q_);
    contact_->begin_step(placed_, contact_points_, h);
  }
  prepare_jacobian();

  // Where the body would be at the end without forces that depend on where it is. Newmark lets those of the start
  // act for a quarter, and external forces, the same at the end, for another.
  target_ =
      start_ + h * start_rates_ +
      (h * h / 4) * (start_factor_ * internal_ - damping_now_.cwiseProduct(start_rates_) + 2 * external_);
}

/// The Jacobian that Broyden's method starts from: inertia, damping, springs, and the stiffness at rest, or, where the
/// body has gone far from there, at a later pose; and what touches an obstacle now.
void NewmarkBroyden::prepare_jacobian() {
  const Trace::Scope scope(trace_, "jacobian");
  const double h = time_step_;
  const ReducedFem& m = *model_;
  jacobian_diagonal_ =
      4 / (h * h) + (2 / h) * damping_now_.array() + end_factor_ * m.eigenvalues.array().max(0);
  bool stale = changes_.time_step || changes_.stiffness || springs_.size() != jacobian_springs_.size();
  for (std::size_t i = 0; !stale && i < springs_.size(); ++i)
    stale = springs_[i].vertex != jacobian_springs_[i].vertex ||
            springs_[i].stiffness != jacobian_springs_[i].stiffness;
  if (wasted_ >= worth_a_jacobian(m)) {
    wasted_ = 0;
    anchored_ = true;
    anchor_ = q_;
    elastic_stiffness(m, anchor_, anchor_stiffness_, elastic_, work_, Projection::positive);
    stale = true;
  }
  dense_jacobian_ = anchored_ || !springs_.empty();
  if (stale && dense_jacobian_) {
    if (anchored_) {
      jacobian_matrix_ = end_factor_ * anchor_stiffness_;
      jacobian_matrix_.diagonal().array() += 4 / (h * h) + (2 / h) * damping_now_.array();
    } else {
      jacobian_matrix_.setZero();
      jacobian_matrix_.diagonal() = jacobian_diagonal_;
    }
    for (const Spring& s : springs_)
      add_to(jacobian_matrix_, s.vertex, 2 * s.stiffness * Matrix3d::Identity());
    jacobian_.factorize(jacobian_matrix_);
  }
  if (stale) jacobian_springs_ = springs_;

  touching_jacobian_ = false;
  if (!contact_) return;
  contact_->forces_and_hessians(contact_points_, true, contact_terms_);
  for (Index k = 0; k < contact_points_.rows(); ++k) {
    if (!contact_terms_.touching[at(k)]) continue;
    if (!touching_jacobian_) {
      touching_jacobian_ = true;
      if (dense_jacobian_) {
        K_ = jacobian_matrix_;
      } else {
        K_.setZero();
        K_.diagonal() = jacobian_diagonal_;
      }
    }
    add_to(K_, m.contact_vertices[at(k)], 2 * contact_terms_.hessians[at(k)]);
  }
  if (touching_jacobian_) factor_.factorize(K_);
}

/// A (lower triangle) += Uᵀ H U at one vertex
void NewmarkBroyden::add_to(MatrixXd& A, int vertex, const Matrix3d& H) {
  const Index d = A.rows();
  const float* rows = model_->U.data() + 3 * Index{vertex} * d;
  Eigen::SelfAdjointEigenSolver<Matrix3d> eigen;
  eigen.computeDirect(H);
  for (int k = 0; k < 3; ++k) {
    const double value = eigen.eigenvalues()[k];
    if (value == 0) continue;
    const Vector3d axis = eigen.eigenvectors().col(k);
    for (Index i = 0; i < d; ++i)
      trial_[i] = axis[0] * static_cast<double>(rows[i]) + axis[1] * static_cast<double>(rows[d + i]) +
                  axis[2] * static_cast<double>(rows[2 * d + i]);
    for (Index i = 0; i < d; ++i) A.col(i).tail(d - i) += value * trial_[i] * trial_.tail(d - i);
  }
}

/// The gradient of the step's potential
///     2/h² |q - target|² + k E(q) + damping + 2 (springs + contact).
/// The last two act at the end of the step only, and so twice as much as what acts at both: averaging over the step, as
/// Newmark does, never lets a stiff spring come to rest. Returns its norm; the elastic force at q stays in elastic_, the elastic energy in energy_.
double NewmarkBroyden::residual(const VectorXd& q, VectorXd& out) {
  {
    const Trace::Scope scope(trace_, "forces");
    energy_ = elastic_force(*model_, q, elastic_, work_);
  }
  add_forces(q, out);
  return out.norm();
}

/// The same, the elastic force being known.
void NewmarkBroyden::add_forces(const VectorXd& q, VectorXd& out) {
  const double h = time_step_;
  out = (4 / (h * h)) * (q - target_) + damping_now_.cwiseProduct((2 / h) * (q - start_) - start_rates_) -
        end_factor_ * elastic_;
  for (const Spring& s : springs_) {
    Vector3d u;
    displacement(s.vertex, q, u);
    pull_back(s.vertex, 2 * s.stiffness * (model_->rest_positions.row(s.vertex).transpose() + u - s.target),
              out);
  }
  if (contact_) {
    const Trace::Scope scope(trace_, "contact");
    contact_positions(q);
    contact_->forces(contact_points_, contact_terms_);
    for (Index k = 0; k < contact_points_.rows(); ++k)
      if (contact_terms_.touching[at(k)])
        pull_back(model_->contact_vertices[at(k)], -2 * contact_terms_.forces.row(k).transpose(), out);
  }
}

/// The potential itself at q, where residual() was called last.
double NewmarkBroyden::potential(const VectorXd& q) const {
  const double h = time_step_;
  double sum = 2 / (h * h) * (q - target_).squaredNorm() + end_factor_ * energy_;
  for (Index i = 0; i < q.size(); ++i) {
    const double moved = q[i] - start_[i];
    sum += damping_now_[i] * moved * (moved / h - start_rates_[i]);
  }
  for (const Spring& s : springs_) {
    Vector3d u;
    displacement(s.vertex, q, u);
    sum += s.stiffness * (model_->rest_positions.row(s.vertex).transpose() + u - s.target).squaredNorm();
  }
  if (contact_) sum += 2 * contact_terms_.energy.total();
  return sum;
}

/// r <- J⁻¹ r
void NewmarkBroyden::solve_start(VectorXd& r) const {
  if (touching_jacobian_)
    factor_.solve(r);
  else if (dense_jacobian_)
    jacobian_.solve(r);
  else
    r.array() /= jacobian_diagonal_.array();
}

/// Broyden's first method in the form that keeps its steps s instead of a matrix [Kelley 1995, section 7.3]:
/// the inverse after k steps is (1 + w_k s_k s_kᵀ) ... (1 + ...) J⁻¹. Lengths are measured by J's diagonal, in which
/// all coordinates count alike. True once the residual is small.
bool NewmarkBroyden::broyden(StepReport& report) {
  const auto inner = [&](const auto& a, const auto& b) {
    return (a.array() * jacobian_diagonal_.array() * b.array()).sum();
  };
  const double tolerance = options_.tolerance * force_scale_;
  double least = residual_.norm();
  best_ = q_;
  const double first = least;
  if (first <= tolerance) return true;
  direction_ = -residual_;
  solve_start(direction_);
  secants_.col(0) = direction_;
  for (int n = 0; n < options_.max_iterations; ++n) {
    q_ += secants_.col(n);
    const double size = residual(q_, residual_);
    ++report.iterations;
    report.residual = size / force_scale_;
    if (!std::isfinite(size) || size > 100 * first) break;
    if (size < least) least = size, best_ = q_;
    if (size <= tolerance) return true;
    if (n + 1 == options_.max_iterations) break;

    const Trace::Scope scope(trace_, "solve");
    direction_ = -residual_;
    solve_start(direction_);
    for (int j = 0; j < n; ++j)
      direction_ += secants_.col(j + 1) * (inner(secants_.col(j), direction_) / step_weights_[j]);
    step_weights_[n] = inner(secants_.col(n), secants_.col(n));
    const double along = 1 - inner(secants_.col(n), direction_) / step_weights_[n];
    if (!(std::abs(along) > 0.05)) break;  // the update would be singular
    secants_.col(n + 1) = direction_ / along;
  }
  q_ = best_;
  return false;
}

/// Newton's method with line search on the potential, from wherever Broyden's came nearest.
void NewmarkBroyden::newton(StepReport& report) {
  const Trace::Scope scope(trace_, "newton");
  const double h = time_step_, tolerance = options_.tolerance * force_scale_;
  Projection projection = Projection::none;
  for (int n = 0; n < options_.max_newton; ++n) {
    const double size = residual(q_, residual_);
    report.residual = size / force_scale_;
    report.converged = size <= tolerance;
    if (report.converged || !std::isfinite(size)) return;
    const double here = potential(q_);

    // === A direction, from the exact Hessian where that is positive definite
    for (;;) {
      elastic_stiffness(*model_, q_, K_, elastic_, work_, projection);
      K_ *= end_factor_;
      K_.diagonal().array() += 4 / (h * h) + (2 / h) * damping_now_.array();
      for (const Spring& s : springs_) add_to(K_, s.vertex, 2 * s.stiffness * Matrix3d::Identity());
      if (contact_) {
        contact_->forces_and_hessians(contact_points_, projection == Projection::positive, contact_terms_);
        for (Index k = 0; k < contact_points_.rows(); ++k)
          if (contact_terms_.touching[at(k)])
            add_to(K_, model_->contact_vertices[at(k)], 2 * contact_terms_.hessians[at(k)]);
      }
      if (factor_.factorize(K_)) break;
      if (projection == Projection::positive) return;
      projection = Projection::positive;
    }
    direction_ = -residual_;
    factor_.solve(direction_);
    const double slope = direction_.dot(residual_);
    if (!(slope < 0)) return;

    // === How far along it
    double part = 1;
    bool found = false;
    for (int attempt = 0; attempt < 30; ++attempt, part /= 2) {
      trial_ = q_ + part * direction_;
      const double there_size = residual(trial_, best_);
      ++report.iterations;
      const double there = potential(trial_);
      found = std::isfinite(there_size) && (there <= here + 1e-4 * part * slope ||
                                            (there_size < size && there <= here + 1e-12 * std::abs(here)));
      if (found) break;
    }
    if (!found) return;
    q_ = trial_;
    if (part < 0.2) projection = Projection::positive;
  }
  report.residual = residual(q_, residual_) / force_scale_;
  report.converged = report.residual <= options_.tolerance;
}

/// Newmark keeps energy of linear forces only. Where a step has made more than what acted from outside gave (and `slack` of
/// it, which comes and goes with the phase of an oscillation), velocities are shortened until it has not.
void NewmarkBroyden::keep_energy(double slack) {
  direction_ = q_ - start_;
  double given = external_.dot(direction_);
  Vector3d before, after;
  for (const Spring& s : springs_) {
    displacement(s.vertex, start_, before);
    displacement(s.vertex, q_, after);
    given += s.stiffness *
             (s.target - model_->rest_positions.row(s.vertex).transpose() - after).dot(after - before);
  }
  if (contact_)
    for (Index k = 0; k < contact_points_.rows(); ++k) {
      if (!contact_terms_.touching[at(k)]) continue;
      displacement(model_->contact_vertices[at(k)], start_, before);
      displacement(model_->contact_vertices[at(k)], q_, after);
      given += contact_terms_.forces.row(k).dot(after - before);
    }
  const double had = start_rates_.squaredNorm() / 2 + stiffness_ * internal_energy_;
  const double kinetic = v_.squaredNorm() / 2, elastic = stiffness_ * energy_;
  const double allowed = had + given + slack * (had + std::abs(given));
  if (kinetic + elastic > allowed && kinetic > 0) v_ *= std::sqrt(std::max(0.0, allowed - elastic) / kinetic);
}

StepReport NewmarkBroyden::step() {
  trace_.clear();
  prepare();
  begin_step();
  const double h = time_step_;
  StepReport report;
  elastic_ = internal_, energy_ = internal_energy_;  // known at the start
  add_forces(q_, residual_);
  // The last two keep a body that flies free of forces, or lies still, from being asked for more than rounding allows:
  // by what moves it a millionth of its box in a step, and a thousandth of its way.
  force_scale_ = std::max({external_.norm(), stiffness_ * elastic_.norm(), 1e-3 * (4 / h) * v_.norm(),
                           1e-6 * (4 / (h * h)) * std::sqrt(total_mass_) * diagonal_});
  report.converged = broyden(report);
  wasted_ += std::max(0, report.iterations - iterations_with_a_new_one);
  if (!report.converged) {
    ++newton_steps_;
    newton(report);
    wasted_ += worth_a_jacobian(*model_);
  }
  if (!q_.allFinite()) {
    q_ = start_, v_.setZero();
    report.converged = false;
  } else {
    v_ = (2 / h) * (q_ - start_) - start_rates_;
  }

  if (!report.converged) {
    residual(q_, residual_);  // the last evaluation may have been elsewhere
    // What is left of the residual would be thrown from side to side by Newmark's velocities; Euler's forget it.
    if (q_ != start_) v_ = (q_ - start_) / h;
  }
  keep_energy(report.converged ? 0.01 : 0);
  internal_ = elastic_, internal_energy_ = energy_;

  // What the world did to the vertices that the subspace holds: the rest of the balance of momentum.
  direction_ = v_ - start_rates_;
  reaction_ = gravity_map_.transpose() * direction_ / h - total_mass_ * gravity_;
  for (const AppliedForce& a : applied_) reaction_ -= a.force;
  for (const Spring& s : springs_) {
    Vector3d u;
    displacement(s.vertex, q_, u);
    reaction_ += s.stiffness * (model_->rest_positions.row(s.vertex).transpose() + u - s.target);
  }
  if (contact_) reaction_ -= contact_terms_.forces.colwise().sum().transpose();
  finish_step();
  return report;
}

// === Reading

const Points& NewmarkBroyden::positions() {
  pliant::positions(*model_, q_, positions_);
  return positions_;
}

void NewmarkBroyden::positions_of(std::span<const int> vertices, Points& out) {
  check_vertices("newmark_broyden", vertices);
  out.resize(static_cast<Index>(vertices.size()), 3);
  Vector3d u;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    displacement(vertices[i], q_, u);
    out.row(static_cast<Index>(i)) = model_->rest_positions.row(vertices[i]) + u.transpose();
  }
}

void NewmarkBroyden::velocities_of(std::span<const int> vertices, Points& out) {
  check_vertices("newmark_broyden", vertices);
  out.resize(static_cast<Index>(vertices.size()), 3);
  Vector3d u;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    displacement(vertices[i], v_, u);
    out.row(static_cast<Index>(i)) = u.transpose();
  }
}

void NewmarkBroyden::reactions_of(std::span<const int> vertices, Points& out) {
  check_vertices("newmark_broyden", vertices);
  out = Points::Zero(static_cast<Index>(vertices.size()), 3);
  if (step_count() == 0) return;
  Vector3d u;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const int v = vertices[i];
    if (holds(v)) {
      out.row(static_cast<Index>(i)) = model_->masses[v] / held_mass_ * reaction_.transpose();
      continue;
    }
    for (std::size_t s = springs_.size() - std::min(springs_.size(), held_by_springs_.size());
         s < springs_.size(); ++s)  // those after the drags
      if (springs_[s].vertex == v) {
        displacement(v, q_, u);
        out.row(static_cast<Index>(i)) =
            springs_[s].stiffness *
            (springs_[s].target - model_->rest_positions.row(v).transpose() - u).transpose();
      }
  }
}

Measures NewmarkBroyden::measure() {
  const ReducedFem& m = *model_;
  Measures out;
  out.kinetic = v_.squaredNorm() / 2;
  out.elastic = stiffness_ * elastic_energy(m, q_, work_);
  out.momentum = gravity_map_.transpose() * v_;
  const Points& x = positions();
  Vector3d velocity;
  for (Index i = 0; i < vertex_count_; ++i) {
    displacement(static_cast<int>(i), v_, velocity);
    const Vector3d place = x.row(i).transpose();
    out.gravitational -= m.masses[i] * gravity_.dot(place);
    out.angular_momentum += m.masses[i] * place.cross(velocity);
  }
  return out;
}

// === State

void NewmarkBroyden::write_state(StateWriter& writer) const {
  writer.vector(q_);
  writer.vector(v_);
  writer.array(std::span<const double>(reaction_.data(), 3));
  writer.value(static_cast<std::int64_t>(wasted_));
  writer.vector(anchored_ ? anchor_ : VectorXd());
}

void NewmarkBroyden::read_state(StateReader& reader) {
  VectorXd q(q_.size()), v(v_.size());
  reader.vector(q);
  reader.vector(v);
  Vector3d reaction;
  reader.into(std::span<double>(reaction.data(), 3));
  const auto wasted = reader.value<std::int64_t>();
  const std::vector<double> anchor = reader.array<double>();
  if (!anchor.empty() && static_cast<Index>(anchor.size()) != q.size())
    throw InputError("state: the pose of the Jacobian has another size than the subspace");
  const Eigen::Map<const VectorXd> pose(anchor.data(), static_cast<Index>(anchor.size()));
  if (!q.allFinite() || !v.allFinite() || !reaction.allFinite() || !pose.allFinite())
    throw InputError("state: not a finite number; expected finite ones");
  set_coordinates(q, v);
  reaction_ = reaction;
  wasted_ = static_cast<int>(std::clamp<std::int64_t>(wasted, 0, 1 << 20));
  anchored_ = !anchor.empty();
  if (anchored_) {
    anchor_ = pose;
    elastic_stiffness(*model_, anchor_, anchor_stiffness_, elastic_, work_, Projection::positive);
  }
}

void NewmarkBroyden::motion_set(const Points& positions, const Points& velocities) {
  VectorXd q = VectorXd::Zero(q_.size()), v = q;
  for (Index i = 0; i < vertex_count_; ++i) {
    const int vertex = static_cast<int>(i);
    pull_back(vertex, model_->masses[i] * (positions.row(i) - model_->rest_positions.row(i)).transpose(), q);
    pull_back(vertex, model_->masses[i] * velocities.row(i).transpose(), v);
  }
  set_coordinates(q, v);
}

}  // namespace pliant
