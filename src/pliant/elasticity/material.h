#pragma once
// What a solid is made of: one of the energy densities, each in a file of its own, with its parameters.
#include <string_view>
#include <variant>

#include "pliant/elasticity/arruda_boyce.h"
#include "pliant/elasticity/corotated.h"
#include "pliant/elasticity/fung.h"
#include "pliant/elasticity/linear.h"
#include "pliant/elasticity/mooney_rivlin.h"
#include "pliant/elasticity/neo_hookean.h"
#include "pliant/elasticity/stvk.h"

namespace pliant {

using Material = std::variant<Linear, StVK, Corotated, NeoHookean, MooneyRivlin, Fung, ArrudaBoyce>;

std::string_view name(const Material& material);  ///< "linear", "stvk", ..., as scenes spell it

/// A material of that name from young (Pa) and poisson; InputError for a name we do not have.
Material make_material(std::string_view name, double young, double poisson);

/// Throws InputError where a parameter is not finite or makes the material unstable at rest.
void check(const Material& material);

double energy(const Material& material, const Matrix3d& F);     ///< J/m³
Matrix3d stress(const Material& material, const Matrix3d& F);   ///< ∂W/∂F, Pa
Matrix9d hessian(const Material& material, const Matrix3d& F);  ///< ∂²W/∂F², columns of F stacked, Pa

/// Lamé's constants of small strains.
Lame rest_moduli(const Material& material);

}  // namespace pliant
