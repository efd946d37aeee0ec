#pragma once
#include "pliant/geometry/tet_mesh.h"

namespace pliant {

/// Parts of a solid that touch at a vertex or an edge only, where its surface is no manifold, let go of each
/// other: every group of tets around a vertex that hangs together through faces gets a vertex of its own,
/// drawn a little into the group. Returns how many vertices were added. (Two groups that meet in an edge but
/// hang together around both its ends stay.)
Index split_pinches(TetMesh& mesh);

}  // namespace pliant
