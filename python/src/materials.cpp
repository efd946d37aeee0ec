// What solids are made of.
#include "bind.h"
#include "pliant/elasticity/material.h"

namespace pliant::python {
namespace {

using Number = std::optional<double>;

/// Either young and poisson (which have defaults) or all the native ones.
template <class M>
M from_either(const char* who, Number young, Number poisson,
              const std::vector<std::pair<const char*, Number>>& native,
              M (*make)(const std::vector<std::pair<const char*, Number>>&)) {
  const bool any =
      std::any_of(native.begin(), native.end(), [](const auto& n) { return n.second.has_value(); });
  if (!any) return M::from_young(young.value_or(1e5), poisson.value_or(0.4));
  for (const auto& [name, value] : native)
    if (!value || young || poisson)
      throw InputError(std::string(who) +
                       ": native parameters come all together and without young and poisson; " +
                       (value ? "young or poisson was given" : std::string(name) + " is missing"));
  const M material = make(native);
  check(Material(material));
  return material;
}

template <class M>
py::class_<M> bind_lame_material(py::module_& module, const char* name, const char* doc) {
  return py::class_<M>(module, name, doc)
      .def(py::init([name](Number young, Number poisson, Number mu, Number lam) {
             return from_either<M>(name, young, poisson, {{"mu", mu}, {"lam", lam}}, [](const auto& n) {
               return M{*n[0].second, *n[1].second};
             });
           }),
           py::kw_only(), py::arg("young") = py::none(), py::arg("poisson") = py::none(),
           py::arg("mu") = py::none(), py::arg("lam") = py::none(),
           "young (Pa, default 1e5) and poisson (default 0.4), or mu and lam (Pa).")
      .def_readonly("mu", &M::mu, "Pa")
      .def_readonly("lam", &M::lambda, "Pa");
}

template <class M>
void bind_densities(py::class_<M>& type) {
  type.def(
          "energy", [](const M& m, const Matrix3d& F) { return energy(m, F); }, py::arg("F"),
          "J/m^3 at a 3x3 deformation gradient.")
      .def(
          "stress", [](const M& m, const Matrix3d& F) { return Matrix3d(stress(m, F)); }, py::arg("F"),
          "dW/dF, 3x3, Pa.")
      .def(
          "hessian", [](const M& m, const Matrix3d& F) { return Matrix9d(hessian(m, F)); }, py::arg("F"),
          "d2W/dF2, 9x9, columns of F stacked, Pa.")
      .def("__repr__", [](const M& m) {
        const Lame rest = rest_moduli(Material(m));
        return "<pliant material " + std::string(name(Material(m))) +
               ", at rest mu = " + std::to_string(rest.mu) + " Pa, lambda = " + std::to_string(rest.lambda) +
               " Pa>";
      });
}

}  // namespace

void bind_materials(py::module_& module) {
  auto linear = bind_lame_material<Linear>(module, "Linear", "Small strains only: no rotation.");
  auto stvk = bind_lame_material<StVK>(module, "StVK", "St. Venant-Kirchhoff.");
  auto corotated =
      bind_lame_material<Corotated>(module, "Corotated", "Linear elasticity in the rotated frame.");
  auto neo_hookean =
      bind_lame_material<NeoHookean>(module, "NeoHookean", "Neo-Hookean, stable under inversion.");
  bind_densities(linear);
  bind_densities(stvk);
  bind_densities(corotated);
  bind_densities(neo_hookean);

  py::class_<MooneyRivlin> mooney_rivlin(module, "MooneyRivlin", "Rubber with both isochoric invariants.");
  mooney_rivlin
      .def(py::init([](Number young, Number poisson, Number c10, Number c01, Number kappa) {
             return from_either<MooneyRivlin>("MooneyRivlin", young, poisson,
                                              {{"c10", c10}, {"c01", c01}, {"kappa", kappa}},
                                              [](const auto& n) {
                                                return MooneyRivlin{*n[0].second, *n[1].second, *n[2].second};
                                              });
           }),
           py::kw_only(), py::arg("young") = py::none(), py::arg("poisson") = py::none(),
           py::arg("c10") = py::none(), py::arg("c01") = py::none(), py::arg("kappa") = py::none(),
           "young and poisson, or c10, c01 and kappa (Pa).")
      .def_readonly("c10", &MooneyRivlin::c10)
      .def_readonly("c01", &MooneyRivlin::c01)
      .def_readonly("kappa", &MooneyRivlin::kappa);
  bind_densities(mooney_rivlin);

  py::class_<Fung> fung(module, "Fung", "Soft tissue that stiffens exponentially.");
  fung.def(py::init([](Number young, Number poisson, Number mu1, Number lambda1, Number c, Number mu2,
                       Number lambda2) {
             return from_either<Fung>(
                 "Fung", young, poisson,
                 {{"mu1", mu1}, {"lambda1", lambda1}, {"c", c}, {"mu2", mu2}, {"lambda2", lambda2}},
                 [](const auto& n) {
                   return Fung{*n[0].second, *n[1].second, *n[2].second, *n[3].second, *n[4].second};
                 });
           }),
           py::kw_only(), py::arg("young") = py::none(), py::arg("poisson") = py::none(),
           py::arg("mu1") = py::none(), py::arg("lambda1") = py::none(), py::arg("c") = py::none(),
           py::arg("mu2") = py::none(), py::arg("lambda2") = py::none(),
           "young and poisson, or mu1, lambda1, c (Pa) and mu2, lambda2 (without unit).")
      .def_readonly("mu1", &Fung::mu1)
      .def_readonly("lambda1", &Fung::lambda1)
      .def_readonly("c", &Fung::c)
      .def_readonly("mu2", &Fung::mu2)
      .def_readonly("lambda2", &Fung::lambda2);
  bind_densities(fung);

  py::class_<ArrudaBoyce> arruda_boyce(module, "ArrudaBoyce", "Rubber as chains of limited length.");
  arruda_boyce
      .def(py::init([](Number young, Number poisson, Number mu, Number kappa, double locking) {
             auto material = from_either<ArrudaBoyce>("ArrudaBoyce", young, poisson,
                                                      {{"mu", mu}, {"kappa", kappa}}, [](const auto& n) {
                                                        return ArrudaBoyce{*n[0].second, *n[1].second};
                                                      });
             material.locking = locking;
             check(Material(material));
             return material;
           }),
           py::kw_only(), py::arg("young") = py::none(), py::arg("poisson") = py::none(),
           py::arg("mu") = py::none(), py::arg("kappa") = py::none(), py::arg("locking") = 3.0,
           "young and poisson, or mu and kappa (Pa); locking: the stretch at which chains lock.")
      .def_readonly("mu", &ArrudaBoyce::mu)
      .def_readonly("kappa", &ArrudaBoyce::kappa)
      .def_readonly("locking", &ArrudaBoyce::locking);
  bind_densities(arruda_boyce);
}

}  // namespace pliant::python
