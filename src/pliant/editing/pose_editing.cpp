#include "pliant/editing/pose_editing.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

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

ReducedEnergy model_energy(const ReducedFem& model) {
  return [&model, work = std::make_shared<ReducedForceWorkspace>()](const VectorXd& q, VectorXd& gradient) {
    const double energy = elastic_force(model, q, gradient, *work);
    gradient = -gradient;
    return energy;
  };
}

namespace {

/// How far each column of U moves the vertex that it moves most.
VectorXd largest_movements(const MatrixXd& U) {
  VectorXd out(U.cols());
  parallel_for(U.cols(), 1, [&](Index i) {
    const Eigen::Map<const Points> mode(U.col(i).data(), U.rows() / 3, 3);
    out[i] = mode.rowwise().norm().maxCoeff();
  });
  return out;
}

VectorXd largest_movements(const RowMajorMatrix<float>& U) {
  return parallel_reduce(
             U.rows() / 3, 1024, VectorXd(VectorXd::Zero(U.cols())),
             [&](Index begin, Index end) -> VectorXd {
               VectorXd squared = VectorXd::Zero(U.cols());
               for (Index v = begin; v < end; ++v)
                 squared = squared.cwiseMax(
                     U.middleRows<3>(3 * v).cast<double>().colwise().squaredNorm().transpose());
               return squared;
             },
             [](const VectorXd& a, const VectorXd& b) -> VectorXd { return a.cwiseMax(b); })
      .cwiseSqrt();
}

/// 0 where the subspace has rigid motions only.
double firm_stiffness(const VectorXd& eigenvalues, const VectorXd& movements) {
  for (Index i = 0; i < eigenvalues.size(); ++i)
    if (eigenvalues[i] > 0) return 300 * eigenvalues[i] / (movements[i] * movements[i]);
  return 0;
}

double checked_stiffness(double firm) {
  if (firm > 0) return firm;
  throw InputError("handle_stiffness: the subspace has rigid motions only; give the handles a stiffness");
}

}  // namespace

double handle_stiffness(const DenseBasis& basis) {
  return checked_stiffness(firm_stiffness(basis.eigenvalues, largest_movements(basis.U)));
}

double handle_stiffness(const ReducedFem& model) {
  return checked_stiffness(firm_stiffness(model.eigenvalues, largest_movements(model.U)));
}

PoseEditor::PoseEditor(const DenseBasis& basis, ReducedEnergy energy)
    : PoseEditor(
          basis.origin, basis.eigenvalues, largest_movements(basis.U),
          [&basis](int v) -> VertexRows { return basis.U.middleRows<3>(3 * v); }, std::move(energy)) {}

PoseEditor::PoseEditor(const ReducedFem& model)
    : PoseEditor(
          model.rest_positions, model.eigenvalues, largest_movements(model.U),
          [&model](int v) -> VertexRows { return model.U.middleRows<3>(3 * v).cast<double>(); },
          model_energy(model)) {}

PoseEditor::PoseEditor(const Points& rest, const VectorXd& eigenvalues, const VectorXd& movements,
                       std::function<VertexRows(int)> rows_of, ReducedEnergy energy)
    : rest_(rest),
      eigenvalues_(eigenvalues),
      rows_of_(std::move(rows_of)),
      energy_(std::move(energy)),
      firm_(firm_stiffness(eigenvalues, movements)),
      q_(VectorXd::Zero(eigenvalues.size())) {
  diagonal_ = (rest.colwise().maxCoeff() - rest.colwise().minCoeff()).norm();
  // A unit of q moves some vertex by about so much: the columns are of one length, in kg^-1/2, each.
  const double movement = movements.maxCoeff();
  length_ = movement > 0 ? 1 / movement : 1;
}

void PoseEditor::set_handles(std::vector<Handle> handles, HandleOptions options) {
  if (!(options.stiffness > 0)) options.stiffness = checked_stiffness(firm_);
  springs_ = sample_handles(rest_, handles, options);
  handles_ = std::move(handles);
  const Index k = springs_.count();
  rows_.resize(3 * k, q_.size());
  row_stiffness_.resize(3 * k);
  for (Index i = 0; i < k; ++i) {
    rows_.middleRows<3>(3 * i) = rows_of_(springs_.vertices[static_cast<std::size_t>(i)]);
    row_stiffness_.segment<3>(3 * i).setConstant(springs_.stiffness[i]);
  }
  // === The inverse of the Hessian at rest: diagonal for the body, and the springs. What nothing holds is
  // held a little.
  MatrixXd hessian = rows_.transpose() * row_stiffness_.asDiagonal() * rows_;
  hessian.diagonal() += eigenvalues_.cwiseMax(0.0);
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
  if (q.size() != q_.size())
    throw InputError(fmt::format("pose_editing: q has {} entries; expected {}", q.size(), q_.size()));
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
  // === What is left
  VectorXd gradient(q_.size());
  report.elastic = energy_(q_, gradient);
  report.springs = spring_energy(q_, gradient);
  const double pull = (rows_.transpose() * targets_.cwiseProduct(row_stiffness_)).norm();
  report.residual = pull > 0 ? gradient.norm() / pull : 0;
  missing_ = rows_ * q_ - targets_;
  report.handle_error = missing_.norm() / std::sqrt(static_cast<double>(springs_.count()));
  return report;
}

}  // namespace pliant
