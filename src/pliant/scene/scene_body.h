#pragma once
// One soft thing of a scene.
#include <memory>
#include <optional>
#include <string>

#include "pliant/geometry/embedding.h"
#include "pliant/io/mesh_file.h"
#include "pliant/simulation/simulator.h"

namespace pliant {

struct SceneBody {
  std::string name;
  std::unique_ptr<Simulator> simulator;
  Points rest_positions;  ///< n x 3, where the scene puts them

  /// What a person sees: the mesh that was brought, carried by the tets where it was filled with them.
  MeshData shown;
  std::optional<Embedding> embedding;

  /// Positions of `shown` now.
  Points shown_positions() {
    return embedding ? embedding->positions(simulator->positions()) : simulator->positions();
  }
};

}  // namespace pliant
