#pragma once
// A mesh, a shape or a model by itself, without a scene around it: it hangs where it is held, or falls on a floor.
#include <filesystem>
#include <string>

#include "pliant/base/progress.h"
#include "pliant/scene/scene.h"

namespace pliant {

/// Young's modulus (Pa) by which a column as high as the mesh sags by 5 % under its own weight, whatever its units.
double size_free_young(const Points& vertices, double density);

/// The words of such a body, reduced by hrpd where it is not a model already; other words may be added.
/// @param input  a file in `folder`, or the name of a shape
/// @param tets   about how many fill a surface, or make a shape
Json lone_body_words(const std::string& input, const std::filesystem::path& folder = {}, int tets = 20000);

/// A scene of this body alone. With `floor`, and where nothing holds it, it stands three tenths of its height above one.
Scene lone_scene(const Json& body_words, const std::filesystem::path& folder, bool floor = true,
                 const Progress& progress = {});

}  // namespace pliant
