#include "pliant/editing/pose_editing.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "pliant/base/error.h"

namespace pliant {

ReducedEnergy exact_energy(const Body& body, const DenseBasis& basis) {
  struct Work {
    BodyWorkspace body;
    Points x, forces;
  };
  return [&body, &basis, work = std::make_shared<Work>()](const VectorXd& q, VectorXd& gradient) {
    positions(basis, q, work->x);
    const double energy = body.energy_and_forces(work->x, work->forces, work->body);
    gradient = -pull_back(basis, work->forces);
    return energy;
  };
}

ReducedEnergy cubature_energy(const ReducedElements& elements) {
  return [&elements, work = std::make_shared<ReducedElements::Workspace>()](const VectorXd& q,
                                                                            VectorXd& gradient) {
    const double energy = elements.force(q, gradient, *work);
    gradient = -gradient;
    return energy;
  };
}

double handle_stiffness(const DenseBasis& basis) {
  for (Index i = 0; i < basis.dimension(); ++i) {
    if (!(basis.eigenvalues[i] > 0)) continue;
    const Eigen::Map<const Points> mode(basis.U.col(i).data(), basis.vertex_count(), 3);
    return 300 * basis.eigenvalues[i] / mode.rowwise().squaredNorm().maxCoeff();
  }
  throw InputError("handle_stiffness: the subspace has rigid motions only; give the handles a stiffness");
}

PoseEditor::PoseEditor(const DenseBasis& basis, ReducedEnergy energy)
    : basis_(basis), energy_(std::move(energy)), q_(VectorXd::Zero(basis.dimension())) {
  diagonal_ = (basis.origin.colwise().maxCoeff() - basis.origin.colwise().minCoeff()).norm();
  // A unit of q moves some vertex by about so much: the columns are of one length, in kg^-1/2, each.
  double movement = 0;
  for (Index i = 0; i < basis.dimension(); ++i) {
    const Eigen::Map<const Points> mode(basis.U.col(i).data(), basis.vertex_count(), 3);
    movement = std::max(movement, mode.rowwise().norm().maxCoeff());
  }
  length_ = movement > 0 ? 1 / movement : 1;
}

void PoseEditor::set_handles(std::vector<Handle> handles, HandleOptions options) {
  if (!(options.stiffness > 0)) options.stiffness = handle_stiffness(basis_);
  springs_ = sample_handles(basis_.origin, handles, options);
  handles_ = std::move(handles);
  const Index k = springs_.count();
  rows_.resize(3 * k, basis_.dimension());
  row_stiffness_.resize(3 * k);
  for (Index i = 0; i < k; ++i) {
    rows_.middleRows<3>(3 * i) = basis_.U.middleRows<3>(3 * springs_.vertices[static_cast<std::size_t>(i)]);
    row_stiffness_.segment<3>(3 * i).setConstant(springs_.stiffness[i]);
  }
  // === The inverse of the Hessian at rest: diagonal for the body, and the springs. What nothing holds is
  // held a little.
  MatrixXd hessian = rows_.transpose() * row_stiffness_.asDiagonal() * rows_;
  hessian.diagonal() += basis_.eigenvalues.cwiseMax(0.0);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(hessian);
  const double least = 1e-8 * eigen.eigenvalues().maxCoeff();
  inverse_at_rest_ = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).cwiseInverse().asDiagonal() *
                     eigen.eigenvectors().transpose();
  inverse_ = inverse_at_rest_;
}

void PoseEditor::move_handle(int handle, const Vector3d& translation, const Vector3d& rotation) {
  if (handle < 0 || handle >= static_cast<int>(handles_.size()))
    throw InputError(fmt::format("pose_editing: handle {}; expected 0 to {}", handle, handles_.size() - 1));
  handles_[static_cast<std::size_t>(handle)].translation = translation;
  handles_[static_cast<std::size_t>(handle)].rotation = rotation;
}

void PoseEditor::set_q(const VectorXd& q) {
  if (q.size() != basis_.dimension())
    throw InputError(
        fmt::format("pose_editing: q has {} entries; expected {}", q.size(), basis_.dimension()));
  q_ = q;
}

double PoseEditor::spring_energy(const VectorXd& q, VectorXd& gradient) {
  missing_.noalias() = rows_ * q;
  missing_ -= targets_;
  const double energy = 0.5 * missing_.cwiseAbs2().dot(row_stiffness_);
  missing_.array() *= row_stiffness_.array();
  gradient.noalias() += rows_.transpose() * missing_;
  return energy;
}

void PoseEditor::solve_for(const Points& targets, const PoseOptions& options, PoseReport& report) {
  const Points from_rest = targets - springs_.rest;
  targets_ = Eigen::Map<const VectorXd>(from_rest.data(), from_rest.size());
  const auto total = [&](const VectorXd& q, VectorXd& gradient) {
    report.elastic = energy_(q, gradient);
    report.springs = spring_energy(q, gradient);
    return report.elastic + report.springs;
  };
  inverse_ = inverse_at_rest_;
  const BfgsReport bfgs = bfgs_.minimize(
      total, q_, inverse_,
      {.max_iterations = options.max_iterations, .tolerance = options.tolerance * diagonal_ * length_});
  report.converged = bfgs.converged;
  report.iterations += bfgs.iterations;
  report.evaluations += bfgs.evaluations;
}

PoseReport PoseEditor::solve(const PoseOptions& options) {
  if (handles_.empty()) throw InputError("pose_editing: there are no handles; call set_handles first");
  if (options.steps < 1)
    throw InputError(fmt::format("pose_editing: steps is {}; expected 1 or more", options.steps));
  PoseReport report;
  if (options.steps > 1) q_.setZero();
  for (int step = 1; step <= options.steps; ++step)
    solve_for(handle_targets(springs_, handles_, static_cast<double>(step) / options.steps), options, report);
  VectorXd gradient(q_.size());
  report.elastic = energy_(q_, gradient);
  report.springs = spring_energy(q_, gradient);
  return report;
}

}  // namespace pliant
