#include "pliant/elasticity/density_parameters.h"

namespace pliant {
namespace {

using Parameters = std::array<double, density_parameter_count>;

Parameters parameters_of(const Linear& m) { return {m.mu, m.lambda}; }
Parameters parameters_of(const StVK& m) { return {m.mu, m.lambda}; }
Parameters parameters_of(const Corotated& m) { return {m.mu, m.lambda}; }
Parameters parameters_of(const NeoHookean& m) { return {m.mu, m.lambda}; }
Parameters parameters_of(const MooneyRivlin& m) { return {m.c10, m.c01, m.kappa}; }
Parameters parameters_of(const Fung& m) { return {m.mu1, m.lambda1, m.c, m.mu2, m.lambda2}; }
Parameters parameters_of(const ArrudaBoyce& m) {
  const auto c = chain_coefficients(m);
  return {m.kappa, c[0], c[1], c[2], c[3], c[4]};
}

}  // namespace

std::array<double, density_parameter_count> density_parameters(const Material& material) {
  return std::visit([](const auto& m) { return parameters_of(m); }, material);
}

}  // namespace pliant
