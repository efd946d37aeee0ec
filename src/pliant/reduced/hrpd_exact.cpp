#include "pliant/reduced/hrpd_exact.h"

#include "pliant/base/parallel.h"

namespace pliant {

HrpdExactEngine::HrpdExactEngine(const HrpdModel& model) : basis_(&model.basis), forces_(*model.all) {
  f_.resize(model.vertex_count(), 3);
}

void HrpdExactEngine::set_matrices(const MatrixXd& stiffness, const std::vector<MatrixXd>& /*maps*/,
                                   const DissectedCholesky& factor, const MatrixXd& /*rest*/,
                                   std::span<const double> factors) {
  stiffness_ = stiffness;
  inverse_ = factors[0] * MatrixXd::Identity(factor.size(), factor.size());
  factor.solve(inverse_);
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
