#include "pliant/contact/penalty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr Index grain = 256;

}  // namespace

double penalty(double depth, double stiffness, double width) {
  if (!(depth > 0)) return 0;
  if (depth < width) return stiffness * depth * depth * depth / (6 * width);
  return stiffness / 2 * (depth * depth - width * depth + width * width / 3);
}

double penalty_gradient(double depth, double stiffness, double width) {
  if (!(depth > 0)) return 0;
  return depth < width ? stiffness * depth * depth / (2 * width) : stiffness * (depth - width / 2);
}

double penalty_hessian(double depth, double stiffness, double width) {
  if (!(depth > 0)) return 0;
  return depth < width ? stiffness * depth / width : stiffness;
}

double smooth_slip(double length, double width) {
  if (length >= width) return length;
  const double part = length / width;
  return width * (part * part * (1 - part / 3) + 1.0 / 3);
}

double smooth_slip_gradient(double length, double width) {
  if (length >= width) return 1;
  const double part = length / width;
  return part * (2 - part);
}

double smooth_slip_hessian(double length, double width) {
  return length >= width ? 0 : 2 * (1 - length / width) / width;
}

PenaltyContact::PenaltyContact(std::vector<int> vertices, VectorXd stiffness, const PenaltyOptions& options)
    : vertices_(std::move(vertices)), stiffness_(std::move(stiffness)), options_(options) {
  if (stiffness_.size() != static_cast<Index>(vertices_.size()))
    throw InputError(fmt::format("penalty contact: {} stiffnesses for {} vertices; expected one a vertex",
                                 stiffness_.size(), vertices_.size()));
  if (!stiffness_.allFinite() || (stiffness_.size() > 0 && stiffness_.minCoeff() < 0))
    throw InputError("penalty contact: a stiffness is negative or not finite; expected N/m, at least 0");
  if (!(options_.width >= 0 && std::isfinite(options_.width)))
    throw InputError(
        fmt::format("penalty contact: width is {}; expected metres, at least 0", options_.width));
  if (!(options_.slip_speed > 0 && std::isfinite(options_.slip_speed)))
    throw InputError(
        fmt::format("penalty contact: slip_speed is {}; expected m/s, above 0", options_.slip_speed));
  start_.setZero(static_cast<Index>(vertices_.size()), 3);
  partial_.resize((vertices_.size() + grain - 1) / grain);
}

void PenaltyContact::begin_step(std::span<const PlacedObstacle> obstacles, const Points& start,
                                double time_step) {
  obstacles_.assign(obstacles.begin(), obstacles.end());
  frozen_.resize(vertices_.size() * obstacles_.size());
  time_step_ = time_step;
  for (std::size_t i = 0; i < vertices_.size(); ++i)
    start_.row(static_cast<Index>(i)) = start.row(vertices_[i]);
  freeze_friction(start);
}

void PenaltyContact::freeze_friction(const Points& positions) {
  const std::size_t count = obstacles_.size();
  parallel_for(static_cast<Index>(vertices_.size()), grain, [&](Index i) {
    const Vector3d x = positions.row(vertices_[static_cast<std::size_t>(i)]);
    Contact contact;
    for (std::size_t o = 0; o < count; ++o) {
      Frozen& frozen = frozen_[static_cast<std::size_t>(i) * count + o];
      frozen.limit = 0;
      if (!(time_step_ > 0) || !contact_within(obstacles_[o], x, 0, contact)) continue;
      frozen.limit = obstacles_[o].obstacle->friction *
                     penalty_gradient(-contact.distance, stiffness_[i], options_.width);
      frozen.normal = contact.normal;
      frozen.moved = time_step_ * contact.velocity;
    }
  });
}

void PenaltyContact::evaluate(const Points& positions, Wanted wanted, PenaltyTerms& out) {
  const auto vertex_count = static_cast<Index>(vertices_.size());
  const bool want_forces = wanted != Wanted::energy;
  const bool want_hessians = wanted == Wanted::hessians || wanted == Wanted::projected_hessians;
  if (want_forces) {
    out.forces.resize(vertex_count, 3);
    out.touching.resize(vertices_.size());
  }
  if (want_hessians) out.hessians.resize(vertices_.size());

  parallel_for_chunks(vertex_count, grain, [&](Index begin, Index end) {
    PenaltyEnergy sum;
    for (Index i = begin; i < end; ++i) {
      const Vector3d x = positions.row(vertices_[static_cast<std::size_t>(i)]);
      Vector3d gradient = Vector3d::Zero();
      Matrix3d hessian = Matrix3d::Zero();
      bool touching = false;
      for (std::size_t o = 0; o < obstacles_.size(); ++o) {
        // === Penalty: E = phi(-d), with d the signed distance and n its gradient
        //     dE/dx = -phi' n,   d2E/dx2 = phi'' n n^T - phi' d2d/dx2
        if (Contact contact; contact_within(obstacles_[o], x, 0, contact)) {
          touching = true;
          const Vector3d& n = contact.normal;
          const double depth = -contact.distance, k = stiffness_[i], width = options_.width;
          const double push = penalty_gradient(depth, k, width);
          sum.penalty += penalty(depth, k, width);
          gradient -= push * n;
          if (want_hessians) {
            hessian += penalty_hessian(depth, k, width) * n * n.transpose();
            // Eigenvectors are n and those of d2d/dx2, whose eigenvalues have one sign: all stay, or none.
            const Matrix3d curvature = distance_hessian(obstacles_[o], x);
            if (wanted == Wanted::hessians || curvature.trace() < 0) hessian -= push * curvature;
          }
        }
        // === Friction: D = limit f0(|u|), u the slip over the step across the frozen normal [Li et al. 2020]
        //     dD/dx = limit f1 u/|u|,   d2D/dx2 = limit (f1' u u^T/|u|^2 + f1/|u| (I - n n^T - u u^T/|u|^2))
        // f1 and f1' are never negative, nor is this Hessian.
        const Frozen& frozen = frozen_[static_cast<std::size_t>(i) * obstacles_.size() + o];
        if (!(frozen.limit > 0)) continue;
        touching = true;
        const Vector3d& n = frozen.normal;
        const double width = options_.slip_speed * time_step_;
        Vector3d u = x - start_.row(i).transpose() - frozen.moved;
        u -= n.dot(u) * n;
        const double length = u.norm();
        sum.friction += frozen.limit * smooth_slip(length, width);
        // f1/|u| tends to 2/w where the slip vanishes.
        const double over = length > 1e-9 * width ? smooth_slip_gradient(length, width) / length : 2 / width;
        gradient += frozen.limit * over * u;
        if (want_hessians) {
          const Vector3d along = length > 0 ? Vector3d(u / length) : Vector3d::Zero();
          const double second = smooth_slip_hessian(length, width);
          hessian += frozen.limit * ((second - over) * along * along.transpose() +
                                     over * (Matrix3d::Identity() - n * n.transpose()));
        }
      }
      if (want_forces) {
        out.forces.row(i) = -gradient;
        out.touching[static_cast<std::size_t>(i)] = touching;
      }
      if (want_hessians) out.hessians[static_cast<std::size_t>(i)] = hessian;
    }
    partial_[static_cast<std::size_t>(begin / grain)] = sum;
  });
  out.energy = {};
  for (const PenaltyEnergy& part : partial_) {
    out.energy.penalty += part.penalty;
    out.energy.friction += part.friction;
  }
}

PenaltyEnergy PenaltyContact::energy(const Points& positions) {
  evaluate(positions, Wanted::energy, energy_only_);
  return energy_only_.energy;
}

void PenaltyContact::forces(const Points& positions, PenaltyTerms& out) {
  evaluate(positions, Wanted::forces, out);
}

void PenaltyContact::forces_and_hessians(const Points& positions, bool projected, PenaltyTerms& out) {
  evaluate(positions, projected ? Wanted::projected_hessians : Wanted::hessians, out);
}

}  // namespace pliant
