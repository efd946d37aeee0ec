#pragma once
// Text as one solid.
#include <string_view>

#include "pliant/geometry/characters.h"

namespace pliant::detail {

/// The letters A to Z and digits 0 to 9, drawn with round-edged strokes, standing on a rail that joins them;
/// facing +z. No stroke gets thinner than the radius `thinnest`.
Implicit letters(std::string_view text, double thinnest);

}  // namespace pliant::detail
