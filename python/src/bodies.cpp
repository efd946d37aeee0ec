// Bodies: mass, energy, forces and stiffness as numpy arrays and scipy matrices.
#include "bind.h"
#include "pliant/elasticity/body.h"
#include "pliant/elasticity/element_set.h"

namespace pliant::python {
namespace {

std::vector<double> densities_of(const py::object& density, std::size_t count) {
  if (py::isinstance<py::float_>(density) || py::isinstance<py::int_>(density))
    return std::vector<double>(count, density.cast<double>());
  auto densities = density.cast<std::vector<double>>();
  if (densities.size() != count)
    throw InputError("Body: " + std::to_string(densities.size()) + " densities for " + std::to_string(count) +
                     " materials; expected one each, or one for all");
  return densities;
}

Rayleigh to_rayleigh(const std::pair<double, double>& damping) { return {damping.first, damping.second}; }

Body make_solid(const TetMesh& mesh, const py::object& material, const py::object& density,
                const py::object& fixed, const py::object& material_of_tet,
                const std::pair<double, double>& damping) {
  const bool several = py::isinstance<py::list>(material) || py::isinstance<py::tuple>(material);
  const auto materials =
      several ? material.cast<std::vector<Material>>() : std::vector{material.cast<Material>()};
  const std::vector<double> densities = densities_of(density, materials.size());
  std::vector<SolidMaterial> palette;
  for (std::size_t i = 0; i < materials.size(); ++i) palette.push_back({materials[i], densities[i]});
  BodyOptions options;
  options.fixed = to_id_list(fixed, "fixed");
  if (!material_of_tet.is_none()) options.material_of_tet = to_id_list(material_of_tet, "material_of_tet");
  options.damping = to_rayleigh(damping);
  const py::gil_scoped_release release;
  return Body(mesh, palette, options);
}

Body make_shell_body(const TriMesh& mesh, const ShellMaterial& material, const py::object& fixed,
                     const std::pair<double, double>& damping) {
  BodyOptions options;
  options.fixed = to_id_list(fixed, "fixed");
  options.damping = to_rayleigh(damping);
  const py::gil_scoped_release release;
  return Body(mesh, material, options);
}

}  // namespace

void bind_bodies(py::module_& module) {
  py::class_<ShellMaterial>(module, "Shell", "What a thin shell is made of (Discrete Shells).")
      .def(py::init([](double young, double poisson, double thickness, double density) {
             return ShellMaterial::from_young(young, poisson, thickness, density);
           }),
           py::kw_only(), py::arg("young") = 1e6, py::arg("poisson") = 0.3, py::arg("thickness") = 0.001,
           py::arg("density") = 1000.0, "young (Pa), poisson, thickness (m) and density (kg/m^3).")
      .def_readonly("stretch", &ShellMaterial::stretch, "N/m")
      .def_readonly("area", &ShellMaterial::area, "N/m")
      .def_readonly("bending", &ShellMaterial::bending, "N m")
      .def_readonly("density", &ShellMaterial::density, "kg/m^2");
  py::class_<Body, std::shared_ptr<Body>>(
      module, "Body",
      "A mesh made of something: Body(mesh, material=pliant.StVK(young=1e6, poisson=0.4), density=1000, "
      "fixed=ids).\n\n"
      "Positions are (n, 3); matrices are 3n x 3n with coordinate k of vertex i at 3 i + k.")
      .def(py::init(&make_solid), py::arg("mesh"), py::arg("material") = NeoHookean::from_young(1e5, 0.4),
           py::arg("density") = 1000.0, py::arg("fixed") = py::list(),
           py::arg("material_of_tet") = py::none(), py::arg("damping") = std::pair(0.0, 0.0),
           "material: one, or a list with material_of_tet saying which each tet is made of; density "
           "(kg/m^3): one, or one "
           "a material; fixed: vertex ids; damping: Rayleigh's (mass 1/s, stiffness s).")
      .def(py::init(&make_shell_body), py::arg("mesh"),
           py::arg("material") = ShellMaterial::from_young(1e6, 0.3, 1e-3, 1000),
           py::arg("fixed") = py::list(), py::arg("damping") = std::pair(0.0, 0.0),
           "A shell: a TriMesh and a pliant.Shell.")
      .def_property_readonly("rest_positions", &Body::rest_positions, "(n, 3), metres")
      .def_property_readonly("tets", &Body::tets, "(m, 4)")
      .def_property_readonly("fixed", &Body::fixed, "vertex ids, ascending")
      .def_property_readonly("masses", &Body::masses, "(n,), lumped, kg")
      .def_property_readonly("volume", &Body::volume, "at rest, m^3")
      .def(
          "mass",
          [](const Body& body, bool consistent) {
            return consistent ? body.consistent_mass_matrix() : body.mass_matrix();
          },
          py::arg("consistent") = false, "Mass matrix, scipy sparse, kg; lumped unless `consistent`.")
      .def(
          "energy",
          [](const Body& body, const py::object& x) {
            const Points points = to_points(x, "x");
            const py::gil_scoped_release release;
            return body.energy(points);
          },
          py::arg("x"), "Elastic energy at positions x (n, 3), joules.")
      .def(
          "forces",
          [](const Body& body, const py::object& x) {
            const Points points = to_points(x, "x");
            const py::gil_scoped_release release;
            Points out;
            body.forces(points, out);
            return out;
          },
          py::arg("x"), "-dE/dx at positions x, (n, 3), newtons.")
      .def(
          "stiffness",
          [](const Body& body, const py::object& x, bool projected) {
            const Points points = x.is_none() ? body.rest_positions() : to_points(x, "x");
            const py::gil_scoped_release release;
            return body.stiffness(points, projected ? Projection::positive : Projection::none);
          },
          py::arg("x") = py::none(), py::arg("projected") = false,
          "d2E/dx2 at positions x (the rest by default), scipy sparse, N/m; exact, or with every element "
          "made positive "
          "semi-definite.")
      .def("__repr__", [](const Body& body) {
        return "<pliant.Body of " + std::to_string(body.vertex_count()) + " vertices and " +
               std::to_string(element_count(body)) + " elements, " + std::to_string(body.total_mass()) +
               " kg>";
      });
}

}  // namespace pliant::python
