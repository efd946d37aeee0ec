#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/render.h"
#include "pliant/geometry/surface.h"

namespace pliant {

std::vector<RenderObject> cut_away(const TetMesh& mesh, const CutAwayOptions& options) {
  if (!(options.normal.norm() > 0) || !options.normal.allFinite())
    throw InputError(
        "cut_away: the normal of the plane is zero or not finite; give the direction to cut from");
  if (mesh.tet_count() == 0) throw InputError("cut_away: the mesh has no tets; only a solid can be cut open");
  const Tets across = tet_neighbors(mesh.tets, mesh.vertex_count());  // also checks the ids
  const VectorXd height = mesh.vertices * options.normal.normalized();
  const double plane = height.minCoeff() + options.offset * (height.maxCoeff() - height.minCoeff());

  std::vector<bool> kept(static_cast<std::size_t>(mesh.tet_count()));
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += height[mesh.tets(t, k)];
    kept[static_cast<std::size_t>(t)] = sum / 4 <= plane;
  }

  // Faces of kept tets: on the solid's own surface where nobody is across, opened where a tet left out is.
  std::vector<Eigen::RowVector3i> outside, inside;
  for (Index t = 0; t < mesh.tet_count(); ++t) {
    if (!kept[static_cast<std::size_t>(t)]) continue;
    for (int k = 0; k < 4; ++k) {
      const std::int32_t other = across(t, k);
      if (other == many_neighbors || (other >= 0 && kept[static_cast<std::size_t>(other)])) continue;
      const Eigen::RowVector3i face(mesh.tets(t, tet_faces[k][0]), mesh.tets(t, tet_faces[k][1]),
                                    mesh.tets(t, tet_faces[k][2]));
      (other == no_neighbor ? outside : inside).push_back(face);
    }
  }
  const auto object = [&](const std::vector<Eigen::RowVector3i>& faces) {
    Triangles triangles(static_cast<Index>(faces.size()), 3);
    for (Index f = 0; f < triangles.rows(); ++f) triangles.row(f) = faces[static_cast<std::size_t>(f)];
    RenderObject result;
    result.mesh = compact_surface(mesh.vertices, triangles).mesh;
    return result;
  };
  std::vector<RenderObject> objects{object(outside), object(inside)};
  objects[0].color = options.color;
  objects[1].color = options.inside_color;
  objects[1].smooth = false;
  objects[1].edges = true;
  objects[1].gloss = 0;
  return objects;
}

}  // namespace pliant
