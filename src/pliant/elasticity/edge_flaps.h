#pragma once
// A shell cut into elements of one kind: an edge with the triangle on either side [Tycowicz et al. 2013, section 7].
#include <vector>

#include "pliant/elasticity/discrete_shells.h"

namespace pliant {

/// An edge x0 x1 with the apex of each side, and its share of the shell's energy: the edge's length, a third of the
/// area term of each triangle here, the hinge. Where an edge has more than two triangles there is a flap for each
/// hinge, and the edge's and the first triangle's terms are divided among them. Flaps together are the whole shell.
struct EdgeFlap {
  Vector4i vertices;  ///< as a hinge has them; at the border of the shell the last repeats the third
  bool has_hinge;  ///< otherwise an edge of the border: its second area term and its hinge have no stiffness
  EdgeTerm edge;
  AreaTerm areas[2];  ///< of (x0, x1, x2) and (x1, x0, x3)
  HingeTerm hinge;
};

/// Sorted by the vertices of their edges, as the shell's edges are.
std::vector<EdgeFlap> edge_flaps(const DiscreteShell& shell);

}  // namespace pliant
