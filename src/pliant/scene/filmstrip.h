#pragma once
// A motion at a glance: some of its moments side by side in one picture.
#include <vector>

#include "pliant/contact/obstacle.h"
#include "pliant/geometry/render.h"
#include "pliant/io/mesh_file.h"

namespace pliant {

struct Moment {
  double time = 0;   ///< seconds: where the obstacles are
  Points positions;  ///< of all vertices
};

/// Moments from left to right, at one scale, seen from the front (+z). Width and height are those of the whole picture;
/// a height of 0 follows from what is seen.
Image filmstrip(const MeshData& mesh, const std::vector<Moment>& moments,
                const std::vector<Obstacle>& obstacles, RenderOptions options = {});

}  // namespace pliant
