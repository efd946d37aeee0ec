#pragma once
// A part of a body, as a file names it.
#include <string>
#include <vector>

#include "pliant/numerics/types.h"
#include "pliant/scene/schema.h"

namespace pliant {

/// What the words of a region may be.
ObjectType region_type();

Vector3d to_vector3(const Json& value);

/// The vertices of a region (checked by the table), ascending. Throws InputError naming `path` where it selects nothing
/// or a vertex that does not exist.
std::vector<int> select_vertices(const Json& region, const Points& rest_positions, const std::string& path);

}  // namespace pliant
