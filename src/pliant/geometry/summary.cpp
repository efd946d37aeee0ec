#include "pliant/geometry/summary.h"

#include "pliant/geometry/adjacency.h"
#include "pliant/geometry/components.h"
#include "pliant/geometry/surface.h"

namespace pliant {
namespace {

bool is_closed(const TriMesh& mesh) {
  return mesh.triangle_count() > 0 &&
         (triangle_neighbors(mesh.triangles, mesh.vertex_count()).array() != no_neighbor).all();
}

}  // namespace

MeshSummary summarize(const TriMesh& mesh) {
  MeshSummary summary;
  summary.components = connected_components(mesh).count;  // also checks the ids
  summary.vertices = mesh.vertex_count();
  summary.triangles = mesh.triangle_count();
  summary.closed = is_closed(mesh);
  summary.box = bounding_box(mesh.vertices);
  summary.area = total_area(mesh);
  summary.volume = summary.closed ? enclosed_volume(mesh) : 0;
  const TriangleQuality quality = triangle_quality(mesh);
  summary.mean_edge = quality.mean_edge;
  summary.min_angle = quality.min_angle;
  summary.max_angle = quality.max_angle;
  return summary;
}

MeshSummary summarize(const TetMesh& mesh) {
  MeshSummary summary;
  summary.components = connected_components(mesh).count;  // also checks the ids
  const TriMesh boundary{mesh.vertices, boundary_triangles(mesh.tets)};
  summary.vertices = mesh.vertex_count();
  summary.triangles = boundary.triangle_count();
  summary.tets = mesh.tet_count();
  summary.closed = is_closed(boundary);
  summary.box = bounding_box(mesh.vertices);
  summary.area = total_area(boundary);
  summary.volume = total_volume(mesh);
  const TetQuality quality = tet_quality(mesh);
  summary.mean_edge = quality.mean_edge;
  summary.min_angle = quality.min_dihedral;
  summary.max_angle = quality.max_dihedral;
  return summary;
}

}  // namespace pliant
