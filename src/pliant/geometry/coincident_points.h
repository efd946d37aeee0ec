#pragma once
// Points that lie at exactly the same place.
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

/// For every point the first one at its place, itself if there is none before it. Points that are not finite
/// coincide with none.
std::vector<std::int32_t> first_at_same_place(const Points& points);

}  // namespace pliant
