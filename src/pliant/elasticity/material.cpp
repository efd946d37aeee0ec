#include "pliant/elasticity/material.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Material>> names = {
    "linear", "stvk", "corotated", "neo_hookean", "mooney_rivlin", "fung", "arruda_boyce"};

template <class... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Cases(Functions...) -> Cases<Functions...>;

template <class T>
concept OfLame = requires(const T& m) {
  m.mu;
  m.lambda;
};

}  // namespace

std::string_view name(const Material& material) { return names[material.index()]; }

Material make_material(std::string_view name, double young, double poisson) {
  if (name == "linear") return Linear::from_young(young, poisson);
  if (name == "stvk") return StVK::from_young(young, poisson);
  if (name == "corotated") return Corotated::from_young(young, poisson);
  if (name == "neo_hookean") return NeoHookean::from_young(young, poisson);
  if (name == "mooney_rivlin") return MooneyRivlin::from_young(young, poisson);
  if (name == "fung") return Fung::from_young(young, poisson);
  if (name == "arruda_boyce") return ArrudaBoyce::from_young(young, poisson);
  throw InputError(
      fmt::format("material: '{}' is not one of ours; expected one of {}", name, fmt::join(names, ", ")));
}

Lame rest_moduli(const Material& material) {
  const auto from_bulk = [](double mu, double kappa) { return Lame{mu, kappa - 2 * mu / 3}; };
  return std::visit(Cases{[](const OfLame auto& m) {
                            return Lame{m.mu, m.lambda};
                          },
                          [&](const MooneyRivlin& m) { return from_bulk(2 * (m.c10 + m.c01), m.kappa); },
                          [](const Fung& m) {
                            return Lame{m.mu1 + m.c * m.mu2, m.lambda1 + m.c * m.lambda2};
                          },
                          [&](const ArrudaBoyce& m) { return from_bulk(m.mu, m.kappa); }},
                    material);
}

void check(const Material& material) {
  const auto refuse = [&](const std::string& found, std::string_view expected) {
    throw InputError(fmt::format("material '{}': {}; expected {}", name(material), found, expected));
  };
  const Lame lame = rest_moduli(material);
  if (!std::isfinite(lame.mu) || !std::isfinite(lame.lambda))
    refuse("a parameter is not finite", "finite numbers");
  if (!(lame.mu > 0)) refuse(fmt::format("its shear modulus at rest is {} Pa", lame.mu), "a positive one");
  if (!(lame.bulk() > 0))
    refuse(fmt::format("its bulk modulus at rest is {} Pa", lame.bulk()), "a positive one");
  if (const auto* m = std::get_if<MooneyRivlin>(&material); m && !(m->c10 >= 0 && m->c01 >= 0))
    refuse(fmt::format("c10 is {} and c01 is {}", m->c10, m->c01), "neither negative");
  if (const auto* m = std::get_if<ArrudaBoyce>(&material);
      m && !(m->locking > 1 && std::isfinite(m->locking)))
    refuse(fmt::format("the locking stretch is {}", m->locking), "more than 1");
  if (const auto* m = std::get_if<Fung>(&material)) {
    const bool stable = m->mu1 >= 0 && m->c >= 0 && m->mu2 >= 0 && m->lambda1 + 2 * m->mu1 / 3 >= 0 &&
                        m->lambda2 + 2 * m->mu2 / 3 >= 0;
    if (!stable)
      refuse("one of its two terms is not stable alone", "c, mu1, mu2 and both bulk moduli not negative");
  }
}

double energy(const Material& material, const Matrix3d& F) {
  return std::visit([&](const auto& m) { return energy(m, F); }, material);
}
Matrix3d stress(const Material& material, const Matrix3d& F) {
  return std::visit([&](const auto& m) { return stress(m, F); }, material);
}
Matrix9d hessian(const Material& material, const Matrix3d& F) {
  return std::visit([&](const auto& m) { return hessian(m, F); }, material);
}

}  // namespace pliant
