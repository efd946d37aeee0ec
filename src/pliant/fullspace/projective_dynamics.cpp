#include "pliant/fullspace/projective_dynamics.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/fullspace/vertex_motion.h"
#include "pliant/geometry/measures.h"
#include "pliant/geometry/sampling.h"
#include "pliant/geometry/surface.h"
#include "pliant/simulation/drag.h"

namespace pliant {
namespace {

constexpr Index grain = 2048;  // vertices a chunk
/// Of contacts: a thousandth of what their vertex alone would move.
constexpr double softness = 1e-3;
/// Vertices that feel obstacles; of finer surfaces so many, spread evenly, and the others are moved outside after a step.
constexpr int most_contact_vertices = 10'000;
// Whatever is set or pulled, numbers stay where their squares are finite.
constexpr double farthest = 1e60;

/// Vertices on the boundary of all tets together, and those of every other kind. The triangles there, or without tets those
/// that resist strain, into `triangles`.
std::vector<int> surface_vertices(const ProjectiveConstraints& constraints, Triangles& triangles) {
  std::vector<char> on_surface(static_cast<std::size_t>(constraints.rest.rows()), 0);
  std::vector<int> corners;
  for (const ProjectiveGroup& group : constraints.groups) {
    if (shape_of(group.kind).vertices == 4)
      corners.insert(corners.end(), group.vertices.begin(), group.vertices.end());
    else
      for (int v : group.vertices) on_surface[static_cast<std::size_t>(v)] = 1;
  }
  Tets tets = Eigen::Map<const Tets>(corners.data(), static_cast<Index>(corners.size()) / 4, 4);
  // A tet with two constraints counts once.
  std::vector<std::array<int, 4>> unique;
  for (Index t = 0; t < tets.rows(); ++t) unique.push_back({tets(t, 0), tets(t, 1), tets(t, 2), tets(t, 3)});
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  tets.resize(static_cast<Index>(unique.size()), 4);
  for (Index t = 0; t < tets.rows(); ++t)
    for (int k = 0; k < 4; ++k) tets(t, k) = unique[static_cast<std::size_t>(t)][static_cast<std::size_t>(k)];
  triangles = boundary_triangles(tets);
  for (int v : triangles.reshaped()) on_surface[static_cast<std::size_t>(v)] = 1;
  if (tets.rows() == 0) {
    const std::vector<int>& strained = constraints.group(ProjectiveKind::triangle_strain).vertices;
    triangles = Eigen::Map<const Triangles>(strained.data(), static_cast<Index>(strained.size()) / 3, 3);
  }
  std::vector<int> vertices;
  for (std::size_t v = 0; v < on_surface.size(); ++v)
    if (on_surface[v]) vertices.push_back(static_cast<int>(v));
  return vertices;
}

std::vector<int> contact_vertices(const Points& rest, const std::vector<int>& surface,
                                  const Triangles& triangles) {
  if (static_cast<int>(surface.size()) <= most_contact_vertices) return surface;
  std::vector<int> chosen;
  if (triangles.rows() > 0) {
    chosen = spread_over_surface(rest, triangles, most_contact_vertices);
  } else {
    for (std::size_t i = 0; i < most_contact_vertices; ++i)
      chosen.push_back(surface[i * surface.size() / most_contact_vertices]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// Of the box, metres; 1 where it is a point.
double extent_of(const Points& X) {
  const double diagonal = bounding_box(X).diagonal();
  return diagonal > 0 ? diagonal : 1;
}

void keep_near(Points& points) { points = points.cwiseMax(-farthest).cwiseMin(farthest); }

}  // namespace

ProjectiveDynamics::ProjectiveDynamics(const ProjectiveConstraints& constraints, const VectorXd& masses,
                                       const ProjectiveDynamicsOptions& options)
    : Simulator(constraints.rest.rows()),
      options_(options),
      masses_(masses),
      extent_(extent_of(constraints.rest)),
      has_volumes_(constraints.can_change_volume()),
      forces_(std::in_place_index<0>, constraints),
      surface_(surface_vertices(constraints, triangles_)),
      responses_(constraints.rest.rows(), contact_vertices(constraints.rest, surface_, triangles_), solver_),
      points_(static_cast<Index>(responses_.contacts().size()), extent_, softness) {
  const Index n = vertex_count_;
  if (masses.size() != n)
    throw InputError(fmt::format("projective_dynamics: {} masses for {} vertices; expected one a vertex",
                                 masses.size(), n));
  for (Index v = 0; v < n; ++v)
    if (!(masses[v] > 0 && std::isfinite(masses[v])))
      throw InputError(
          fmt::format("projective_dynamics: vertex {} has mass {}; expected more than zero: remove "
                      "vertices that no element uses",
                      v, masses[v]));
  if (options.iterations < 1 || options.iterations > 10000)
    throw InputError(
        fmt::format("projective_dynamics: {} iterations given; expected 1 to 10000", options.iterations));
  if (!(options.tolerance >= 0))
    throw InputError(
        fmt::format("projective_dynamics: tolerance {} given; expected 0 or more", options.tolerance));
  set_time_step(options.time_step);
  if (options.single_precision) forces_.emplace<1>(constraints);
  total_mass_ = masses.sum();
  rest_ = constraints.rest;
  stiffness_matrix_ = projective_matrix(constraints);
  matrix_ = stiffness_matrix_;
  cholesky_.analyze(matrix_);
  q_ = s_ = start_ = constraints.rest;
  v_ = velocity_before_ = Points::Zero(n, 3);
  change_.assign(static_cast<std::size_t>(4 * n), 0);
  longest_.assign(static_cast<std::size_t>((n + grain - 1) / grain), 0);
  is_fixed_.assign(static_cast<std::size_t>(n), 0);
  if (options.record_objective) objective_.reserve(static_cast<std::size_t>(options.iterations) + 1);
}

StepReport ProjectiveDynamics::step() {
  trace_.clear();
  objective_.clear();
  if (changes_.fixed) mark_fixed();
  placed_.clear();
  for (const Obstacle& obstacle : obstacles_) placed_.push_back(place(obstacle, time_ + time_step_));
  {
    const Trace::Scope scope(trace_, "sum");
    predict();
  }
  prepare();
  begin_points();

  // === From s on, local and global steps by turns
  q_ = s_;
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    q_.row(fixed_[i]) = fixed_targets_.row(static_cast<Index>(i));
  StepReport report;
  for (int n = 0; n < options_.iterations; ++n) {
    project(options_.record_objective);
    if (options_.record_objective) objective_.push_back(objective_now());
    sum_right_hand_side();
    const double moved = move();
    report.iterations = n + 1;
    report.residual = moved / extent_;
    if (report.residual < options_.tolerance) break;
  }
  report.converged = report.residual <= std::max(options_.tolerance, 1e-3);
  if (options_.record_objective) {
    project(true);
    objective_.push_back(objective_now());
  }

  // === Nothing stays inside an obstacle; then velocities
  if (!placed_.empty()) {
    const Trace::Scope scope(trace_, "contact");
    project_positions(placed_, touching_, start_, time_step_, q_, contacts_);
  }
  const double h = time_step_, fade = std::exp(-damping_ * h);
  velocity_before_.swap(v_);
  parallel_for(vertex_count_, grain, [&](Index v) { v_.row(v) = (q_.row(v) - start_.row(v)) * (1 / h); });
  if (!placed_.empty()) {
    const Trace::Scope scope(trace_, "contact");
    const auto at = [&](const Points& x, Index row) { return Vector3d(x.row(responses_.vertex(row))); };
    if (points_.bounce(
            responses_, [&](Index row) { return at(velocity_before_, row); },
            [&](Index row) { return at(v_, row); }))
      parallel_for(vertex_count_, grain,
                   [&](Index v) { v_.row(v) += responses_.moved_vertex(v).transpose(); });
  }
  if (fade != 1) v_ *= fade;
  last_time_step_ = h;
  finish_step();
  return report;
}

void ProjectiveDynamics::mark_fixed() {
  std::fill(is_fixed_.begin(), is_fixed_.end(), 0);
  for (int v : fixed_) is_fixed_[static_cast<std::size_t>(v)] = 1;
  touching_.clear();
  for (int v : surface_)
    if (!is_fixed_[static_cast<std::size_t>(v)]) touching_.push_back(v);
}

/// Answers what was changed since the last step.
void ProjectiveDynamics::prepare() {
  wanted_.time_step = time_step_;
  wanted_.stiffness = stiffness_;
  wanted_.fixed = fixed_;
  wanted_.held.clear();
  for (const PositionConstraint& c : held_) wanted_.held.emplace_back(c.vertex, c.stiffness);
  if (!(wanted_ == key_)) {
    const Trace::Scope scope(trace_, "factorize");
    factorize();
    responses_.forget();
    points_.forget();
  }
}

/// A = M/h² + Σ λ SᵀS + position constraints; rows and columns of fixed vertices diagonal.
void ProjectiveDynamics::factorize() {
  const double inverse_square = 1 / (time_step_ * time_step_);
  VectorXd diagonal = inverse_square * masses_;
  for (const PositionConstraint& c : held_) diagonal[c.vertex] += c.stiffness;
  // Rounding may spoil the positive definiteness of an extremely stiff body; a little more inertia, which changes the
  // steps towards the minimum and not the minimum, restores it.
  for (double extra = 0; extra < 1; extra = std::max(100 * extra, 1e-14)) {
    for (Index c = 0; c < matrix_.outerSize(); ++c) {
      SparseMatrix::InnerIterator from(stiffness_matrix_, c);
      for (SparseMatrix::InnerIterator to(matrix_, c); to; ++to, ++from) {
        const bool fixed =
            is_fixed_[static_cast<std::size_t>(to.row())] || is_fixed_[static_cast<std::size_t>(c)];
        if (to.row() == c)
          to.valueRef() = (stiffness_ * from.value() + diagonal[c]) * (1 + extra);
        else
          to.valueRef() = fixed ? 0 : stiffness_ * from.value();
      }
    }
    if (cholesky_.factorize(matrix_)) break;
  }
  if (!cholesky_.factorized())
    throw Error(
        "projective_dynamics: the system matrix could not be factorized; its stiffness may be infinite");
  if (solver_.size() == 0)
    solver_.analyze(cholesky_.factor());
  else
    solver_.assign(cholesky_.factor());
  key_ = wanted_;
  ++factorizations_;
}

/// Drags, and surface vertices near obstacles.
void ProjectiveDynamics::begin_points() {
  const Trace::Scope scope(trace_, "contact");
  pulls_.clear();
  pull_vertices_.clear();
  for (const Drag& drag : drags_) {
    if (drag.strength == 0 || is_fixed_[static_cast<std::size_t>(drag.vertex)]) continue;
    const double local = stiffness_ * stiffness_matrix_.coeff(drag.vertex, drag.vertex);
    pulls_.push_back({drag.vertex, drag_stiffness(drag.strength, total_mass_, local),
                      drag.target.cwiseMax(-farthest).cwiseMin(farthest)});
    pull_vertices_.push_back(drag.vertex);
  }
  responses_.set_pins(pull_vertices_);
  points_.begin(placed_, time_step_);
  for (std::size_t i = 0; i < pulls_.size(); ++i)
    points_.add_pin(responses_.pin_row(i), pulls_[i].stiffness, pulls_[i].target);
  if (placed_.empty()) return;
  const auto contacts = responses_.contacts();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int v = contacts[i];
    const auto contact = static_cast<Index>(i);
    if (is_fixed_[static_cast<std::size_t>(v)])
      points_.leave_out(contact);
    else
      points_.add_contact(contact, contact, s_.row(v), [&] { return Vector3d(start_.row(v)); });
  }
}

/// s = q + h v + h² (g + f/m)
void ProjectiveDynamics::predict() {
  const double h = time_step_;
  start_.swap(q_);
  parallel_for(vertex_count_, grain,
               [&](Index v) { s_.row(v) = start_.row(v) + h * v_.row(v) + (h * h) * gravity_.transpose(); });
  for (const AppliedForce& a : applied_)
    s_.row(a.vertex) += (h * h / masses_[a.vertex]) * a.force.transpose();
  keep_near(s_);
}

void ProjectiveDynamics::project(bool with_energy) {
  const Trace::Scope scope(trace_, "local");
  std::visit([&](auto& forces) { forces.project(q_, volume_, with_energy); }, forces_);
}

Vector3d ProjectiveDynamics::constraint_force(Index vertex) const {
  return stiffness_ * std::visit([&](const auto& forces) { return forces.force(vertex); }, forces_);
}

/// Of position constraints and drags at one vertex.
Vector3d ProjectiveDynamics::spring_force(Index vertex) const {
  Vector3d sum = Vector3d::Zero();
  const Vector3d here = q_.row(vertex);
  for (const PositionConstraint& c : held_)
    if (c.vertex == vertex) sum += c.stiffness * (c.target - here);
  for (const Pull& pull : pulls_)
    if (pull.vertex == vertex) sum += pull.stiffness * (pull.target - here);
  return sum;
}

/// M/h² (s - q) + Σ λ Sᵀ (p - S q)
void ProjectiveDynamics::sum_right_hand_side() {
  const Trace::Scope scope(trace_, "sum");
  const double inverse_square = 1 / (time_step_ * time_step_);
  std::visit(
      [&](const auto& forces) {
        parallel_for(vertex_count_, grain, [&](Index v) {
          const Vector3d sum = stiffness_ * forces.force(v) +
                               inverse_square * masses_[v] * (s_.row(v) - q_.row(v)).transpose();
          double* out = change_.data() + 4 * v;
          out[0] = sum[0], out[1] = sum[1], out[2] = sum[2], out[3] = 0;
        });
      },
      forces_);
  const auto add = [&](int vertex, const Vector3d& force) {
    for (int r = 0; r < 3; ++r) change_[static_cast<std::size_t>(4 * vertex + r)] += force[r];
  };
  for (const PositionConstraint& c : held_)
    add(c.vertex, c.stiffness * (c.target - q_.row(c.vertex).transpose()));
  for (int v : fixed_) std::fill_n(change_.data() + 4 * static_cast<Index>(v), 4, 0.0);
}

/// q += A⁻¹ right-hand side, and what drags and obstacles add; returns the longest way of a vertex.
double ProjectiveDynamics::move() {
  {
    const Trace::Scope scope(trace_, "global");
    solver_.solve(change_.data(), change_.data());
  }
  bool pulled = false;
  if (!points_.points().empty()) {
    const Trace::Scope scope(trace_, "contact");
    for (ActivePoint& point : points_.points()) {
      const Index v = responses_.vertex(point.row);
      point.here = q_.row(v).transpose() + Eigen::Map<const Vector3d>(change_.data() + 4 * v);
    }
    pulled = points_.pull(responses_);
  }
  const Trace::Scope scope(trace_, "sum");
  parallel_for_chunks(vertex_count_, grain, [&](Index begin, Index end) {
    double most = 0;
    for (Index v = begin; v < end; ++v) {
      Vector3d way = Eigen::Map<const Vector3d>(change_.data() + 4 * v);
      if (pulled) way += responses_.moved_vertex(v);
      q_.row(v) += way.transpose();
      most = std::max(most, way.squaredNorm());
    }
    longest_[static_cast<std::size_t>(begin / grain)] = most;
  });
  return std::sqrt(*std::max_element(longest_.begin(), longest_.end()));
}

/// Energies of constraints, position constraints and drags, after project(true).
double ProjectiveDynamics::constraint_energy() const {
  double sum = stiffness_ * std::visit([](const auto& forces) { return forces.energy(); }, forces_);
  for (const PositionConstraint& c : held_)
    sum += c.stiffness / 2 * (c.target - q_.row(c.vertex).transpose()).squaredNorm();
  return sum;
}

double ProjectiveDynamics::objective_now() const {
  double sum = constraint_energy();
  for (const Pull& p : pulls_)
    sum += p.stiffness / 2 * (p.target - q_.row(p.vertex).transpose()).squaredNorm();
  const double scale = 0.5 / (time_step_ * time_step_);
  double inertia = 0;
  for (Index v = 0; v < vertex_count_; ++v)
    if (!is_fixed_[static_cast<std::size_t>(v)])
      inertia += masses_[v] * (q_.row(v) - s_.row(v)).squaredNorm();
  return sum + scale * inertia;
}

void ProjectiveDynamics::set_iterations(int turns) {
  if (turns < 1 || turns > 10000)
    throw InputError(fmt::format("set_iterations: {} given; expected 1 to 10000", turns));
  options_.iterations = turns;
}

void ProjectiveDynamics::positions_of(std::span<const int> vertices, Points& out) {
  rows_of("projective_dynamics", q_, vertices, out);
}
void ProjectiveDynamics::velocities_of(std::span<const int> vertices, Points& out) {
  rows_of("projective_dynamics", v_, vertices, out);
}

/// M/h² (q - s) = constraint forces + reaction
void ProjectiveDynamics::reactions_of(std::span<const int> vertices, Points& out) {
  rows_of("projective_dynamics", q_, vertices, out);
  out.setZero();
  if (steps_ == 0) return;
  project(false);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Index v = vertices[i];
    if (!is_fixed_[static_cast<std::size_t>(v)]) continue;
    const Vector3d inertia =
        masses_[v] / (last_time_step_ * last_time_step_) * (q_.row(v) - s_.row(v)).transpose();
    out.row(static_cast<Index>(i)) = (inertia - constraint_force(v) - spring_force(v)).transpose();
  }
}

Measures ProjectiveDynamics::measure() {
  project(true);
  Measures sum = measures_of_motion(masses_, q_, v_, gravity_);
  sum.elastic = constraint_energy();
  return sum;
}

int ProjectiveDynamics::add_position(int vertex, const Vector3d& target, double stiffness) {
  if (vertex < 0 || vertex >= vertex_count_)
    throw InputError(
        fmt::format("add_position: vertex {} given; expected 0 to {}", vertex, vertex_count_ - 1));
  if (!target.allFinite())
    throw InputError("add_position: the target is not finite; expected finite numbers");
  if (!(stiffness >= 0 && stiffness <= 1e15))
    throw InputError(fmt::format("add_position: stiffness {} given; expected 0 to 1e15 N/m", stiffness));
  held_.push_back({next_held_, vertex, target.cwiseMax(-farthest).cwiseMin(farthest), stiffness});
  return next_held_++;
}

void ProjectiveDynamics::move_position(int id, const Vector3d& target) {
  if (!target.allFinite())
    throw InputError("move_position: the target is not finite; expected finite numbers");
  for (PositionConstraint& c : held_)
    if (c.id == id) {
      c.target = target.cwiseMax(-farthest).cwiseMin(farthest);
      return;
    }
  throw InputError(
      fmt::format("move_position: there is no constraint {}; expected an id of add_position", id));
}

void ProjectiveDynamics::remove_position(int id) {
  if (std::erase_if(held_, [&](const PositionConstraint& c) { return c.id == id; }) == 0)
    throw InputError(
        fmt::format("remove_position: there is no constraint {}; expected an id of add_position", id));
}

void ProjectiveDynamics::motion_set(const Points& positions, const Points& velocities) {
  q_ = positions;
  v_ = velocities;
  keep_near(q_);
  keep_near(v_);
}

void ProjectiveDynamics::write_state(StateWriter& writer) const {
  writer.points(q_);
  writer.points(v_);
  writer.points(s_);  // reactions need it
  writer.value(last_time_step_);
  writer.value(next_held_);
  struct Saved {
    std::int64_t id, vertex;
    double target[3], stiffness;
  };
  std::vector<Saved> held;
  for (const PositionConstraint& c : held_)
    held.push_back({c.id, c.vertex, {c.target[0], c.target[1], c.target[2]}, c.stiffness});
  writer.array(std::span<const Saved>(held));
  writer.points(points_.anchors);
  writer.array(std::span<const char>(points_.touched));
}

void ProjectiveDynamics::read_state(StateReader& reader) {
  struct Saved {
    std::int64_t id, vertex;
    double target[3], stiffness;
  };
  Points q(vertex_count_, 3), v(vertex_count_, 3), s(vertex_count_, 3);
  reader.points(q);
  reader.points(v);
  reader.points(s);
  const auto last = reader.value<double>();
  const auto next = reader.value<int>();
  const auto held = reader.array<Saved>();
  Points anchors(points_.anchors.rows(), 3);
  std::vector<char> touched(points_.touched.size());
  reader.points(anchors);
  reader.into(std::span<char>(touched));
  if (!q.allFinite() || !v.allFinite() || !s.allFinite() || !anchors.allFinite() || !(last > 0))
    throw InputError("state: a number is not finite; expected a state that save() made");
  for (const Saved& c : held)
    if (c.vertex < 0 || c.vertex >= vertex_count_ || !(c.stiffness >= 0 && c.stiffness <= 1e15))
      throw InputError(fmt::format("state: a position constraint at vertex {}; expected 0 to {}", c.vertex,
                                   vertex_count_ - 1));
  q_ = std::move(q), v_ = std::move(v), s_ = std::move(s);
  points_.anchors = std::move(anchors), points_.touched = std::move(touched);
  last_time_step_ = last, next_held_ = next;
  mark_fixed();
  held_.clear();
  for (const Saved& c : held)
    held_.push_back({static_cast<int>(c.id), static_cast<int>(c.vertex),
                     Vector3d(c.target[0], c.target[1], c.target[2]), c.stiffness});
}

std::size_t ProjectiveDynamics::memory_bytes() const {
  const auto points = static_cast<std::size_t>(5 * q_.size()) * sizeof(double);
  return points + change_.size() * sizeof(double) + cholesky_.memory_bytes() + solver_.memory_bytes() +
         responses_.memory_bytes() +
         2 * static_cast<std::size_t>(matrix_.nonZeros()) * (sizeof(double) + sizeof(int)) +
         std::visit([](const auto& forces) { return forces.memory_bytes(); }, forces_);
}

}  // namespace pliant
