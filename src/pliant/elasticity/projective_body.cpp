#include "pliant/elasticity/projective_body.h"

#include <algorithm>

namespace pliant {
namespace {

void add_shell(ProjectiveConstraints& constraints, const Body& body, const ProjectiveBodyOptions& options) {
  // Discrete shells have the membrane energy (stretch + 4 area) m² + stretch/2 r² (discrete_shells.h), which is
  // 2 bulk m² + 2 shear r², and the rigidity 6 bending. Of a plane membrane, young = 4 bulk shear / (bulk + shear).
  const ShellMaterial& material = body.shell_material();
  const double bulk = (material.stretch + 4 * material.area) / 2, shear = material.stretch / 4;
  add_triangle_strain(constraints, body.triangles(),
                      {4 * bulk * shear / (bulk + shear), options.min_stretch, options.max_stretch});
  if (material.bending > 0) add_bending(constraints, body.triangles(), {.stiffness = 6 * material.bending});
}

}  // namespace

ProjectiveConstraints projective_constraints(const Body& body, const ProjectiveBodyOptions& options) {
  ProjectiveConstraints constraints(body.rest_positions());
  if (body.is_shell()) {
    add_shell(constraints, body, options);
    return constraints;
  }
  for (std::size_t i = 0; i < body.palette().size(); ++i) {
    std::vector<int> rows;
    for (std::size_t t = 0; t < body.material_of_tet().size(); ++t)
      if (body.material_of_tet()[t] == static_cast<int>(i)) rows.push_back(static_cast<int>(t));
    if (rows.empty()) continue;
    const Tets tets = body.tets()(rows, Eigen::all);
    const Lame rest = rest_moduli(body.palette()[i].material);
    if (options.volume)
      add_tet_volume(constraints, tets,
                     {.strain = 2 * rest.mu,
                      .volume = std::max(0.0, 3 * rest.lambda),
                      .min_stretch = options.min_stretch,
                      .max_stretch = options.max_stretch});
    else
      add_tet_strain(constraints, tets, {2 * rest.mu, options.min_stretch, options.max_stretch});
  }
  return constraints;
}

}  // namespace pliant
