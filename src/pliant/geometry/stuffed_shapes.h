#pragma once
// The shapes that are isosurfaces, at size 1. Called through make_shape and make_shell.
#include "pliant/base/function_ref.h"
#include "pliant/base/progress.h"
#include "pliant/geometry/characters.h"
#include "pliant/geometry/structured_shapes.h"

namespace pliant::detail {

Implicit sphere();
Implicit capsule();
Implicit torus();

/// A solid that knows how coarse its mesh will be: no part of it thinner than the radius `thinnest`.
using ImplicitFamily = FunctionRef<Implicit(double thinnest)>;

/// The stuffed solid; parts too thin for the lattice are thickened, so that it stays in one piece.
TetMesh stuffed_shape(ImplicitFamily family, const Target& target, bool graded, const Progress& progress);

/// The surface of a stuffed solid above y = 0, open where the ground cuts it, its vertices spread evenly.
TriMesh cut_shell(ImplicitFamily family, const Target& target, const Progress& progress);

}  // namespace pliant::detail
