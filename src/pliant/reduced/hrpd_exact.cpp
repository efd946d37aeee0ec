#include "pliant/reduced/hrpd_exact.h"

#include "pliant/base/parallel.h"

namespace pliant {

HrpdExactEngine::HrpdExactEngine(const HrpdModel& model) : basis_(&model.basis), forces_(*model.all) {
  f_.resize(model.vertex_count(), 3);
}

void HrpdExactEngine::set_system(const HrpdModel& model, const HrpdSystem& system) {
  stiffness_.setZero(model.columns(), model.columns());
  for (std::size_t k = 0; k < model.kinds.size(); ++k)
    stiffness_ += system.factors[k] * model.kinds[k].stiffness;
  system.factor.solve(stiffness_);
  inverse_ = system.factors[0] * MatrixXd::Identity(model.columns(), model.columns());
  system.factor.solve(inverse_);
}

void HrpdExactEngine::begin_step(Team& /*team*/, const MatrixXd& target) {
  base_ = target - stiffness_ * target;
}

void HrpdExactEngine::project(const MatrixXd& q, double volume, bool with_energies) {
  positions(*basis_, q, x_);
  forces_.project(x_, volume, with_energies);
}

void HrpdExactEngine::local_step(Team& /*team*/, const MatrixXd& q, double volume) {
  project(q, volume, false);
  parallel_for(f_.rows(), 1024, [&](Index i) { f_.row(i) = forces_.force(i).transpose(); });
  found_ = pull_back(*basis_, f_);
  at_ = q;
}

void HrpdExactEngine::global_step(Team& /*team*/, MatrixXd& q) {
  q = base_ + stiffness_ * at_;
  q.noalias() += inverse_ * found_;
}

double HrpdExactEngine::energy(const MatrixXd& q, double volume) {
  project(q, volume, true);
  return forces_.energy();
}

std::size_t HrpdExactEngine::memory_bytes() const {
  return forces_.memory_bytes() +
         static_cast<std::size_t>(stiffness_.size() + inverse_.size() + x_.size() + f_.size()) *
             sizeof(double);
}

}  // namespace pliant
