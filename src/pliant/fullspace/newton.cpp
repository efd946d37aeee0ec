#include "pliant/fullspace/newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/fullspace/vertex_motion.h"
#include "pliant/simulation/drag.h"

namespace pliant {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void check(const NewtonOptions& options) {
  if (options.max_iterations < 1 || options.max_iterations > 10000)
    throw InputError(
        fmt::format("newton: max_iterations is {}; expected 1 to 10000", options.max_iterations));
  if (options.iterations < 0 || options.iterations > 10000)
    throw InputError(fmt::format("newton: iterations is {}; expected 0 to 10000", options.iterations));
  if (!(options.tolerance > 0) || !(options.pcg_tolerance > 0) || !(options.contact_stiffness > 0))
    throw InputError("newton: tolerances and contact_stiffness must be positive");
}

template <class Enum>
using Named = std::pair<std::string_view, Enum>;
constexpr std::array<Named<TimeScheme>, 3> schemes = {{{"implicit_euler", TimeScheme::implicit_euler},
                                                       {"newmark", TimeScheme::newmark},
                                                       {"quasi_static", TimeScheme::quasi_static}}};
constexpr std::array<Named<LinearSolver>, 3> solvers = {{{"automatic", LinearSolver::automatic},
                                                         {"cholesky", LinearSolver::cholesky},
                                                         {"pcg", LinearSolver::pcg}}};

template <class Enum>
Enum find_named(const char* who, std::string_view word, std::span<const Named<Enum>> words) {
  std::string names;
  for (const auto& [name, value] : words) {
    if (word == name) return value;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
  }
  throw InputError(fmt::format("{} is '{}'; expected one of {}", who, word, names));
}

/// Iterations of the conjugate gradients that cost about as much as a factorisation, between 8k and 80k vertices.
constexpr int worth_a_factorization = 300;

}  // namespace

TimeScheme time_scheme(std::string_view name) { return find_named<TimeScheme>("scheme", name, schemes); }
LinearSolver linear_solver(std::string_view name) {
  return find_named<LinearSolver>("solver", name, solvers);
}
std::string_view name_of(LinearSolver solver) {
  return std::find_if(solvers.begin(), solvers.end(), [&](const auto& s) { return s.second == solver; })
      ->first;
}

NewtonSimulator::NewtonSimulator(std::shared_ptr<const Body> body, const NewtonOptions& options)
    : Simulator(body->vertex_count()), options_(options), solver_(options.solver), potential_(body) {
  check(options_);
  set_time_step(options_.time_step);
  if (solver_ == LinearSolver::automatic) {
    const bool small = vertex_count_ <= options_.largest_cholesky;
    const bool medium = vertex_count_ <= 10 * options_.largest_cholesky;
    const bool direct = small || (medium && options_.scheme == TimeScheme::quasi_static);
    solver_ = direct ? LinearSolver::cholesky : LinearSolver::pcg;
    may_change_solver_ = medium;
  }
  const Points& rest = body->rest_positions();
  diagonal_ = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
  surface_ = surface_vertices(*body);
  x_ = rest;
  for (Points* p : {&v_, &trial_, &gradient_, &direction_, &work_}) *p = Points::Zero(vertex_count_, 3);
  fixed_ = body->fixed();
  fixed_targets_.resize(static_cast<Index>(fixed_.size()), 3);
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    fixed_targets_.row(static_cast<Index>(i)) = rest.row(fixed_[i]);

  A_ = body->block_pattern();
  body->stiffness_blocks(rest, A_, gradient_, potential_.workspace());
  local_stiffness_.resize(vertex_count_);
  for (Index i = 0; i < vertex_count_; ++i) local_stiffness_[i] = A_.diagonal(i).trace() / 3;
}

void NewtonSimulator::set_springs(std::vector<Spring> springs) {
  for (const Spring& s : springs)
    if (s.vertex < 0 || s.vertex >= vertex_count_ || !s.target.allFinite() || !(s.stiffness >= 0))
      throw InputError(fmt::format("newton: a spring of {} N/m at vertex {}; expected 0 or more, at 0 to {}",
                                   s.stiffness, s.vertex, vertex_count_ - 1));
  springs_ = std::move(springs);
}

void NewtonSimulator::prepare() {
  if (!analyzed_ && solver_ == LinearSolver::cholesky) {
    const Trace::Scope scope(trace_, "analyze");
    lower_ = to_sparse(A_, StoredTriangles::lower);
    cholesky_.analyze(lower_);
    analyzed_ = true;
  }
  if (changes_.fixed) {
    std::fill(potential_.held.begin(), potential_.held.end(), 0);
    for (int v : fixed_) potential_.held[at(v)] = 1;
  }
  if (changes_.obstacles || changes_.stiffness) {
    if (obstacles_.empty()) {
      potential_.clear_contact();
    } else {
      VectorXd stiffness(static_cast<Index>(surface_.size()));
      for (std::size_t k = 0; k < surface_.size(); ++k)
        stiffness[static_cast<Index>(k)] =
            options_.contact_stiffness * stiffness_ * local_stiffness_[surface_[k]];
      potential_.set_contact(surface_, std::move(stiffness), {.width = 1e-3 * diagonal_});
    }
  }
}

/// The potential of this step, with its scheme's coefficients.
void NewtonSimulator::begin_step() {
  const double h = time_step_;
  const VectorXd& masses = body().masses();
  IncrementalPotential& p = potential_;
  v_ *= std::exp(-damping_ * h);
  p.stiffness = stiffness_;
  p.start = x_;
  p.start_velocity = v_;
  p.obstacles.clear();
  for (const Obstacle& o : obstacles_) p.obstacles.push_back(place(o, time_ + h));
  p.springs = springs_;
  for (const Drag& d : drags_)
    p.springs.push_back(
        {d.vertex, d.target,
         drag_stiffness(d.strength, body().total_mass(), stiffness_ * local_stiffness_[d.vertex])});
  for (Index i = 0; i < vertex_count_; ++i) p.external.row(i) = masses[i] * gravity_.transpose();
  for (const AppliedForce& a : applied_) p.external.row(a.vertex) += a.force.transpose();

  if (options_.scheme == TimeScheme::quasi_static) {
    p.inertia = p.velocity_rate = p.velocity_kept = 0;
    p.target = x_;
    p.begin(0);
  } else if (options_.scheme == TimeScheme::implicit_euler) {
    p.inertia = 1 / (h * h);
    p.velocity_rate = 1 / h, p.velocity_kept = 0;
    p.begin(h);
    // Forces that do not depend on positions go into the target: free fall is then exact to rounding.
    for (Index i = 0; i < vertex_count_; ++i)
      p.target.row(i) = x_.row(i) + h * v_.row(i) + h * h / masses[i] * p.external.row(i);
    p.external.setZero();
  } else {
    p.inertia = 4 / (h * h);
    p.velocity_rate = 2 / h, p.velocity_kept = 1;
    p.begin(h);
    p.forces_at_start(work_);
    // M a₀ acts for a quarter, and external forces, the same at the end of the step, for another.
    for (Index i = 0; i < vertex_count_; ++i)
      p.target.row(i) =
          x_.row(i) + h * v_.row(i) + h * h / (4 * masses[i]) * (work_.row(i) + p.external.row(i));
    p.external.setZero();
  }
}

/// Where Newton begins: at rest or at where the body flies to, whichever has the lower potential.
void NewtonSimulator::choose_start() {
  const auto hold = [&](Points& x) {
    for (std::size_t i = 0; i < fixed_.size(); ++i)
      x.row(fixed_[i]) = fixed_targets_.row(static_cast<Index>(i));
  };
  hold(x_);
  if (options_.iterations > 0 || potential_.inertia == 0) return;
  const Trace::Scope scope(trace_, "energy");
  trial_ = potential_.target;
  hold(trial_);
  const double stays = potential_.value(x_).total, flies = potential_.value(trial_).total;
  if (std::isfinite(flies) && !(stays <= flies)) x_ = trial_;
}

/// Solves A d = -g. False where A is not positive definite.
bool NewtonSimulator::solve() {
  direction_ = -gradient_;
  for (int v : fixed_) direction_.row(v).setZero();
  if (solver_ == LinearSolver::cholesky && analyzed_) {
    {
      const Trace::Scope scope(trace_, "factorize");
      copy_values(A_, lower_, StoredTriangles::lower);
      if (!cholesky_.factorize(lower_)) return false;
    }
    const Trace::Scope scope(trace_, "solve");
    Eigen::Map<VectorXd> stacked(direction_.data(), direction_.size());
    cholesky_.solve(stacked, stacked);
  } else {
    const Trace::Scope scope(trace_, "solve");
    work_ = direction_;
    const PcgReport report =
        pcg_.solve(A_, {work_.data(), at(work_.size())}, {direction_.data(), at(direction_.size())},
                   {.tolerance = options_.pcg_tolerance});
    if (may_change_solver_ && report.iterations > worth_a_factorization) solver_ = LinearSolver::cholesky;
    if (report.indefinite) return false;
  }
  return direction_.allFinite();
}

/// A direction along which the potential falls, from the exact Hessian where that is positive definite, from its
/// positive part otherwise. False where not even the gradient is finite.
bool NewtonSimulator::find_direction() {
  if (!gradient_.allFinite()) return false;
  if (solve()) return true;
  if (projection_ == Projection::none) {
    projection_ = Projection::positive;
    {
      const Trace::Scope scope(trace_, "assembly");
      potential_.system(x_, projection_, gradient_, A_);
    }
    if (solve()) return true;
  }
  // Statics of a body that nothing holds, or rounding: with growing multiples of the identity added.
  double mean = 0;
  for (Index i = 0; i < vertex_count_; ++i) mean += A_.diagonal(i).trace();
  mean /= static_cast<double>(3 * vertex_count_);
  for (double shift = 1e-8; shift < 1e4; shift *= 100) {
    for (Index i = 0; i < vertex_count_; ++i) A_.diagonal(i).diagonal().array() += 0.99 * shift * mean;
    if (solve()) return true;
  }
  // Each vertex by itself.
  direction_ = -gradient_;
  for (Index i = 0; i < vertex_count_; ++i)
    direction_.row(i) /= std::max(std::abs(A_.diagonal(i).trace()), 1e-300);
  for (int v : fixed_) direction_.row(v).setZero();
  return direction_.allFinite();
}

/// Goes along the direction until the potential has fallen enough [Armijo 1966], and returns the part of it taken;
/// 0: nowhere. The first part tried is all of it, unless it leads further than ten box diagonals.
double NewtonSimulator::search_line(const IncrementalPotential::Value& here, double movement) {
  const Trace::Scope scope(trace_, "energy");
  const double slope = gradient_.cwiseProduct(direction_).sum();
  double part = std::min(1.0, 10 * diagonal_ / movement);
  for (int attempt = 0; attempt < 40; ++attempt, part /= 2) {
    trial_ = x_ + part * direction_;
    const IncrementalPotential::Value there = potential_.value(trial_);
    const double rounding = 1e-13 * (here.magnitude + there.magnitude);
    if (there.total <= here.total + 1e-4 * part * slope + rounding) return part;  // false for NaN
  }
  return 0;
}

/// Velocities from positions, and never a number that is not finite.
void NewtonSimulator::finish_motion() {
  const double h = time_step_;
  if (!x_.allFinite()) {
    x_ = potential_.start;
    v_.setZero();
    return;
  }
  switch (options_.scheme) {
    case TimeScheme::quasi_static:
      v_.setZero();
      return;
    case TimeScheme::implicit_euler:
      v_ = (x_ - potential_.start) / h;
      break;
    case TimeScheme::newmark:
      v_ = (2 / h) * (x_ - potential_.start) - potential_.start_velocity;
      break;
  }
  for (int v : fixed_) v_.row(v) = (x_.row(v) - potential_.start.row(v)) / h;
}

StepReport NewtonSimulator::step() {
  trace_.clear();
  prepare();
  begin_step();
  choose_start();
  projection_ = Projection::none;
  StepReport report{.converged = options_.iterations > 0, .iterations = 0, .residual = 0};
  const int most = options_.iterations > 0 ? options_.iterations : options_.max_iterations;
  while (report.iterations < most) {
    IncrementalPotential::Value here;
    {
      const Trace::Scope scope(trace_, "assembly");
      here = potential_.system(x_, projection_, gradient_, A_);
      for (int v : fixed_) gradient_.row(v).setZero();
    }
    if (!find_direction()) {
      report.converged = false;
      break;
    }
    ++report.iterations;
    const double movement = direction_.rowwise().norm().maxCoeff();
    report.residual = movement / diagonal_;
    if (options_.iterations > 0) {
      x_ += direction_;
      continue;
    }
    const double part = search_line(here, movement);
    if (part == 0) break;
    x_ = trial_;
    report.converged = part * movement <= options_.tolerance * diagonal_;
    if (report.converged) break;
    if (part < 0.2) projection_ = Projection::positive;  // far from where the exact Hessian is a good model
  }
  if (!x_.allFinite()) report.converged = false;
  finish_motion();
  stepped_ = true;
  finish_step();
  return report;
}

void NewtonSimulator::positions_of(std::span<const int> vertices, Points& out) {
  rows_of("newton", x_, vertices, out);
}
void NewtonSimulator::velocities_of(std::span<const int> vertices, Points& out) {
  rows_of("newton", v_, vertices, out);
}

void NewtonSimulator::reactions_of(std::span<const int> vertices, Points& out) {
  rows_of("newton", x_, vertices, out);
  out.setZero();
  if (!stepped_) return;
  potential_.value_and_gradient(x_, gradient_);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (potential_.held[at(vertices[i])]) out.row(static_cast<Index>(i)) = gradient_.row(vertices[i]);
}

Measures NewtonSimulator::measure() {
  Measures sum = measures_of_motion(body().masses(), x_, v_, gravity_);
  sum.elastic = stiffness_ * body().energy(x_, potential_.workspace());
  return sum;
}

void NewtonSimulator::write_state(StateWriter& writer) const {
  writer.points(x_);
  writer.points(v_);
  writer.value(static_cast<std::int64_t>(solver_ == LinearSolver::cholesky));
}

void NewtonSimulator::read_state(StateReader& reader) {
  reader.points(x_);
  reader.points(v_);
  const bool direct = reader.value<std::int64_t>() != 0;
  if (may_change_solver_) solver_ = direct ? LinearSolver::cholesky : LinearSolver::pcg;
  if (!x_.allFinite() || !v_.allFinite()) throw InputError("state: positions or velocities are not finite");
  stepped_ = false;
}

void NewtonSimulator::motion_set(const Points& positions, const Points& velocities) {
  x_ = positions;
  v_ = velocities;
  stepped_ = false;
}

}  // namespace pliant
