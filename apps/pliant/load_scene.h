#pragma once
// What a person names to be moved: a scene, a model, a mesh or a shape.
#include "pliant/scene/scene.h"
#include "reduction.h"

namespace pliant::app {

/// A scene; or a body by itself, which hangs where it is held or falls on a floor. UsageError where a scene or a model is
/// to be reduced in another way than it says.
Scene load_scene(const BodySource& source, const Reduction& reduction, bool floor, const Progress& progress);

}  // namespace pliant::app
